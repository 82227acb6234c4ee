"""A walk over the steps of a prepared function: what is decided before the run, and what bounds the results.

A branch whose condition is a formula over what is known on entry guards the checks in it.  What stands in a branch that
depends on data, in a function that is not written out, or behind an unknown rank, is left to the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gradual.core.check import Check
from gradual.core.def_use import within
from gradual.core.refinement import formula
from gradual.core.terms import Apply, Assertion, Block, Function, If, Invoke, Match, Step
from gradual.diagnostic import counted
from gradual.dims.term.constraint import TRUE, Constraint, all_of, at_most, negated
from gradual.dims.term.dim import Dim, Variable, maximum
from gradual.passes.analysis.entry_bounds import EntryBounds
from gradual.shape_functions.form import Size
from gradual.source import Span
from gradual.types.binder_solving import bare
from gradual.types.type import NeverType, OpenedType
from gradual.types.unpacking import base_of, placed_sizes


@dataclass(frozen=True, slots=True, eq=False)
class Guarded:
    """A check that is decided before the run: it is come to where the guard holds."""

    guard: Constraint
    check: Check


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """A step that only the run decides, in words."""

    says: str
    span: Span


@dataclass(slots=True, eq=False)
class Walk:
    """The walk over one function.

    Attributes:
        bounds: what is known of sizes at the current step.
        checks: the checks in the order of the steps.
        left: what is left to the run.
    """

    function: Function
    bounds: EntryBounds = field(init=False)
    checks: list[Guarded] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bounds = EntryBounds(self.function)
        self._block(self.function.body, TRUE)

    @property
    def result(self) -> OpenedType | None:
        """The type of the value; None if the function never ends in one."""
        return self.bounds.types.get(self.function.body.result)

    def size(self, dim: Dim) -> Size:
        """A size at the current step, or an upper bound of it."""
        for exact in (dim, self.bounds.facts.rewrite(dim)):
            if self.is_known(exact.variables()):
                return Size(exact, True)
        return Size(self._high(dim), False)

    def is_known(self, variables: Iterable[Variable]) -> bool:
        """Whether variables can be read from the arguments of every call."""
        own = {name for name, _ in self.function.binders}
        return all(one in own or one.witness in self.bounds.read for one in variables)

    def _high(self, dim: Dim) -> Dim | None:
        return self.bounds.bound(dim, [dim.substitute(self.bounds.highs)])

    # ---------------------------------------------------------------------------------------------------------- steps
    def _block(self, block: Block, guard: Constraint | None) -> None:
        """The steps of a block; `guard` is where it is come to, None if that depends on data."""
        for step in block.steps:
            self.bounds.learn(step)
            match step:
                case Check():
                    self._check(step, guard)
                case If():
                    self._if(step, guard)
                case Match(arms=arms):
                    self._branches(step, [(arm.block, None) for arm in arms])
                case _:
                    self.left += _left_by(step)

    def _check(self, check: Check, guard: Constraint | None) -> None:
        if guard is not None and not check.says and self.is_known(check.goal.variables()):
            self.checks.append(Guarded(guard, check))
        else:
            why = "it depends on data" if guard is not None else "data decides whether it is come to"
            self.left.append(Left(f"{check.id}: {check.blame.says} ({why})", check.blame.span))

    def _if(self, step: If, guard: Constraint | None) -> None:
        truth = formula(self.bounds.types[step.condition]) if step.condition in self.bounds.types else None
        if truth is None or guard is None or not self.is_known(truth.variables()):
            self._branches(step, [(step.then, None), (step.orelse, None)])
        else:
            self._branches(step, [(step.then, all_of(guard, truth)), (step.orelse, all_of(guard, negated(truth)))])

    def _branches(self, step: If | Match, branches: Sequence[tuple[Block, Constraint | None]]) -> None:
        """Walk the branches, then bound the sizes that only the branch taken knows by the greatest of theirs."""
        own = [place for place, size in placed_sizes(step.type) if _is_of(step.name, size)]
        ends: list[dict[tuple[str, int], Dim | None]] = []
        for block, guard in branches:
            self.bounds.enter()
            self._block(block, guard)
            type = self.bounds.types.get(block.result)
            if type is not None and not isinstance(type, NeverType):
                sizes = dict(placed_sizes(type))
                ends.append({place: self._high(sizes[place]) if place in sizes else None for place in own})
            self.bounds.leave()
        sizes = dict(placed_sizes(step.type))
        for place in own:
            self._joined(sizes[place], [end[place] for end in ends])

    def _joined(self, size: Dim, highs: Sequence[Dim | None]) -> None:
        variable, known = bare(size), [high for high in highs if high is not None]
        if variable is not None and known and len(known) == len(highs):
            high = maximum(*known)
            self.bounds.highs[variable] = high
            self.bounds.facts.assume(at_most(size, high))


def _is_of(name: str, size: Dim) -> bool:
    """Whether a size is an unknown of its own of the value of that name."""
    variable = bare(size)
    return variable is not None and base_of(variable) == name


def _left_by(step: Step) -> Iterator[Left]:
    """What a step without branches leaves to the run."""
    match step:
        case Assertion(message=message):
            yield Left(f"an assertion on data: {message}", step.span)
        case Invoke(function=function):
            yield Left(f"a call of `{function}`: what it needs and what it allocates is its own", step.span)
        case Apply(accepts=None):
            pass
        case Apply(operator=operator):
            yield Left(f"the rule of `{operator.name}`: its operands are of unknown rank", step.span)
        case _:
            inside = sum(isinstance(node, Check) for node in within(step))
            if inside:
                yield Left(f"{counted(inside, 'check')} inside a function or a conversion", step.span)
