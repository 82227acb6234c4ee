"""A shape function as a Python module without dependencies."""

from __future__ import annotations

from collections.abc import Iterator

from gradual.dims.term.dim import Dim
from gradual.shape_functions.form import Definition, Need, ShapeFunction
from gradual.shape_functions.infix import Infix
from gradual.shape_functions.notes import described, one_line

_INFIX = Infix(str, str, lambda test, then, orelse: f"{then} if {test} else {orelse}")

_HEAD = '''
from typing import NamedTuple


class Need(NamedTuple):
    """A condition that has to hold for a run to return a value."""

    id: str
    message: str
    place: str
    blamed: str


class NeedFails(Exception):
    """Raised if a need does not hold; `need` is the first such need."""

    def __init__(self, number):
        self.need = NEEDS[number]
        super().__init__(f"{self.need.id} at {self.need.place}: {self.need.message}")


class Shapes(NamedTuple):
    """The shapes of a call's results, and its memory.

    Attributes:
        results: a tuple of sizes for each row of RESULTS; None for a size that is unknown before the run.
        buffers: `(offset, bytes)` for each row of BUFFERS; None for a number that is unknown before the run.
        arena: bytes of the memory that contains the buffers with an offset.
    """

    results: tuple
    buffers: tuple
    arena: int

'''


def printed(made: ShapeFunction) -> str:
    """The module: the function `shapes`, and tables that describe its needs, results and buffers."""
    return "\n".join([*_tables(made), *_function(made)]) + "\n"


def _tables(made: ShapeFunction) -> Iterator[str]:
    yield f"# The shape function of {one_line(made.title)}, made by `gradual shape-function`."
    yield "#"
    yield "# `shapes` takes the sizes of each argument, and the elements that sizes depend on."
    yield _HEAD.rstrip("\n")
    yield ""
    yield "# The needs, in the order in which they are decided."
    yield from _table(
        "NEEDS", [f"Need({need.id!r}, {need.message!r}, {need.place!r}, {need.blamed!r})" for need in made.needs]
    )
    yield "# The parts that only a run decides, each with its place."
    yield from _table("UNDECIDED", [f"({left.says!r}, {left.place!r})" for left in made.undecided])
    yield "# Each tensor of the result: its path, its element type, and whether each size is exact or a bound."
    yield from _table(
        "RESULTS", [repr((one.path, one.says, tuple(size.exact for size in one.sizes or ()))) for one in made.results]
    )
    yield "# Each buffer: its value, the operator that fills it, and whether its bytes are exact or a bound."
    yield from _table("BUFFERS", [repr((one.path, one.maker, one.exact)) for one in made.buffers])


def _table(name: str, rows: list[str]) -> Iterator[str]:
    if not rows:
        yield f"{name} = ()"
    else:
        yield f"{name} = ("
        yield from (f"    {row}," for row in rows)
        yield ")"


def _function(made: ShapeFunction) -> Iterator[str]:
    parts = [part for given in made.inputs for part in given.parts]
    yield ""
    yield ""
    yield f"def shapes({', '.join(name for name, _ in parts)}):"
    yield '    """The shapes of the results and the memory of a call; raises NeedFails."""'
    yield from (f"    # {name}: {one_line(says)}" for name, says in described(made))
    read = made.read
    for name, numbers in parts:
        yield from (f"    {number} = {name}[{place}]" for place, number in enumerate(numbers) if number in read)
    yield from _steps(made)
    yield from _ends(made)


def _steps(made: ShapeFunction) -> Iterator[str]:
    number = 0
    for step in made.steps:
        match step:
            case Definition(name, dim):
                yield f"    {name} = {_INFIX.whole(dim)}"
            case Need(holds=holds):
                yield f"    if not ({_INFIX.truth(holds)}):"
                yield f"        raise NeedFails({number})"
                number += 1


def _ends(made: ShapeFunction) -> Iterator[str]:
    yield "    return Shapes("
    yield "        ("
    for result in made.results:
        sizes = None if result.sizes is None else _tuple([_maybe(size.dim) for size in result.sizes])
        yield f"            {sizes},"
    yield "        ),"
    yield "        ("
    yield from (f"            ({_maybe(buffer.offset)}, {_maybe(buffer.bytes)})," for buffer in made.buffers)
    yield "        ),"
    yield f"        {_INFIX.dim(made.arena)},"
    yield "    )"


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _maybe(dim: Dim | None) -> str:
    return "None" if dim is None else _INFIX.dim(dim)
