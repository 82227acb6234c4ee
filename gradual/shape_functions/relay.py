"""A shape function as a program of the language: needs are `assert`s, sizes are computed as `dim[…]`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable, constant
from gradual.record import record
from gradual.shape_functions.form import ABSENT, Definition, Need, ShapeFunction
from gradual.shape_functions.infix import Infix
from gradual.shape_functions.notes import bounded, described, one_line
from gradual.verdict import Proved, Refuted, Unknown

_GREATEST = (1 << 63) - 1

_NEVER = "1f < 0f"
"""A condition that never holds; it is about floats, so the checker cannot refute it, and the run has a fault."""


def _number(number: int) -> str:
    """A number; a number beyond int64 is written as a formula of numbers that fit.  [pass.surface.number]"""
    if abs(number) <= _GREATEST:
        return str(number)
    quotient, rest = divmod(abs(number), _GREATEST)
    return f"{'-' if number < 0 else ''}({_number(quotient)} * {_GREATEST} + {rest})"


_INFIX = Infix("%{}".format, _number, lambda test, then, orelse: f"if {test} then {then} else {orelse}")


def printed(made: ShapeFunction, decider: Decider) -> str:
    """The program: one function, which returns the shapes, the offsets, the bytes and the size of the arena."""
    return "\n".join([*_comments(made), *_function(made, _Meeting(decider))]) + "\n"


@record(frozen=False, eq=False)
class _Meeting:
    """Decides whether a need can hold together with the earlier ones; the checker would refuse a contradiction.

    Attributes:
        values: name -> its formula over the inputs.
    """

    decider: Decider
    facts: Facts = field(default_factory=Facts)
    values: dict[Variable, Dim] = field(default_factory=dict)

    def define(self, step: Definition) -> None:
        """Record the formula of a name."""
        self.values[step.name] = step.dim.substitute(self.values)

    def is_met(self, holds: Constraint) -> bool:
        """Whether a need can hold if the earlier ones do; if it can, it is assumed from here on."""
        goal = holds.substitute(self.values)
        match self.decider.decide(self.facts, goal):
            case Refuted():
                return False
            case Proved() | Unknown(plausible=True):
                self.facts.assume(goal)
            case _:
                self.facts.suppose(goal)
        return True


def _comments(made: ShapeFunction) -> Iterator[str]:
    yield f"// The shape function of {one_line(made.title)}, made by `gradual shape-function`."
    yield "//"
    yield from (f"// %{name}: {one_line(says)}" for name, says in described(made))
    yield "// Returns the shapes of the results, the offsets of the buffers, their bytes, the bytes of the arena."
    yield f"// {ABSENT} represents a number that is unknown before the run."
    for result in made.results:
        said = bounded(result.sizes or ())
        yield f"// result{one_line(result.path)}: {one_line(result.says)}{said}"
    for number, buffer in enumerate(made.buffers):
        bound = "" if buffer.exact else ", at most"
        yield f"// buffer {number}: {one_line(buffer.path)} of {one_line(buffer.maker)}{bound}"
    yield from (f"// left to the run, at {one_line(left.place)}: {one_line(left.says)}" for left in made.undecided)


def _function(made: ShapeFunction, meeting: _Meeting) -> Iterator[str]:
    parts = [part for given in made.inputs for part in given.parts]
    params = ", ".join(f"%{name}: Tensor[({len(numbers)},), int64]" for name, numbers in parts)
    yield f"def @{made.name}_shapes({params}) {{"
    read = made.read
    for name, numbers in parts:
        yield from (f"  let %{number} = dim[%{name}[{at}]];" for at, number in enumerate(numbers) if number in read)
    for step in made.steps:
        match step:
            case Definition(dim=dim):
                meeting.define(step)
                yield f"  let %{step.name} = dim[{_INFIX.whole(dim)}];"
            case Need(holds=holds):
                yield f"  assert {_INFIX.truth(holds) if meeting.is_met(holds) else _NEVER}, {_string(step.says)};"
    yield "  ("
    yield f"    {_tuple([_vector(size.dim for size in result.sizes or ()) for result in made.results])},"
    yield f"    {_vector(buffer.offset for buffer in made.buffers)},"
    yield f"    {_vector(buffer.bytes for buffer in made.buffers)},"
    yield f"    dim[{_INFIX.dim(made.arena)}]"
    yield "  )"
    yield "}"


def _vector(dims: Iterable[Dim | None]) -> str:
    """A vector of sizes."""
    parts = [_scalar(constant(ABSENT) if dim is None else dim) for dim in dims]
    return f"stack({_tuple(parts)})" if parts else 'zeros(shape=[0], dtype="int64")'


def _scalar(dim: Dim) -> str:
    number = dim.value
    return f"{number}i64" if number is not None and abs(number) <= _GREATEST else f"dim[{_INFIX.dim(dim)}]"


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _string(text: str) -> str:
    """A string literal on one line."""
    return '"' + "".join(map(_character, text)) + '"'


def _character(one: str) -> str:
    if one in '"\\':
        return f"\\{one}"
    return one if one.isprintable() else f"\\u{{{ord(one):x}}}"
