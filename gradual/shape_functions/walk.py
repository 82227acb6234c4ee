"""A walk over the steps of a prepared function: which checks can be decided before the run, and bounds of the results.

If the condition of a branch is a formula over sizes known on entry, it guards the checks in the branch.  Checks in a
branch that depends on data, in a function that is not inlined, or on a value of unknown rank, are left to the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeVar

from gradual.core.check import Check
from gradual.core.def_use import within
from gradual.core.refinement import formula
from gradual.core.terms import Apply, Assertion, Block, Function, If, Invoke, Match, Project, Rename, Step
from gradual.diagnostic import counted
from gradual.dims.term.atom import named
from gradual.dims.term.constraint import TRUE, Constraint, all_of, at_most, negated
from gradual.dims.term.dim import Dim, Variable, ite, maximum, of_atom
from gradual.passes.analysis.entry_bounds import EntryBounds
from gradual.record import record
from gradual.shape_functions.form import Size
from gradual.source import Span
from gradual.types.binder_solving import bare
from gradual.types.type import NeverType, OpenedType
from gradual.types.unpacking import base_of, placed_sizes

N = TypeVar("N", Dim, Constraint)


@record(eq=False)
class Guarded:
    """A check that can be decided before the run; it is reached where the guard holds."""

    guard: Constraint
    goal: Constraint
    check: Check


@record(eq=False)
class Left:
    """A description of a step that only the run decides."""

    says: str
    span: Span


@record(frozen=False, eq=False)
class Walk:
    """The walk over one function.

    Attributes:
        bounds: the facts about sizes at the current step.
        checks: the checks in the order of the steps.
        left: the steps that are left to the run.
        exact: size of an `if` or `match` -> its formula over sizes and elements of the arguments.
        parts: value that is a part of an argument -> its path.
    """

    function: Function
    bounds: EntryBounds = field(init=False)
    checks: list[Guarded] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    exact: dict[Variable, Dim] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bounds = EntryBounds(self.function)
        self.parts.update((param.name, param.name) for param in self.function.params)
        self._block(self.function.body, TRUE)

    @property
    def result(self) -> OpenedType | None:
        """The type of the function's result; None if the function never returns."""
        return self.bounds.types.get(self.function.body.result)

    def size(self, dim: Dim) -> Size:
        """A size at the current step, or an upper bound of it."""
        for exact in (dim, self.bounds.facts.rewrite(dim)):
            found = self.read(exact)
            if found is not None:
                return Size(found, True)
        return Size(self._high(dim), False)

    def read(self, node: N) -> N | None:
        """The formula over sizes and elements that every call's arguments have; None if it mentions anything else."""
        images = {one: self._image(one) for one in node.variables()}
        known = {one: image for one, image in images.items() if image is not None}
        return node.substitute(known) if len(known) == len(images) else None

    def _image(self, variable: Variable) -> Dim | None:
        """The variable as a formula over sizes and elements of the arguments; None if it depends on anything else."""
        witness = variable.witness
        if variable in self.exact:
            return self.exact[variable]
        if witness is None:
            return of_atom(variable) if any(variable is name for name, _ in self.function.binders) else None
        base, *fields = witness.value.split("#")
        if base not in self.parts:
            return None
        there = replace(witness, value="#".join((self.parts[base], *fields)))
        return of_atom(named(variable.name, variable.kind, there)) if there in self.bounds.read else None

    def _high(self, dim: Dim) -> Dim | None:
        return self.bounds.bound(dim, [dim.substitute(self.bounds.highs)])

    # ---------------------------------------------------------------------------------------------------------- steps
    def _block(self, block: Block, guard: Constraint | None) -> None:
        """Walk a block; it is reached where `guard` holds, None if that depends on data."""
        for step in block.steps:
            self.bounds.learn(step)
            match step:
                case Check():
                    self._check(step, guard)
                case If():
                    self._if(step, guard)
                case Match(arms=arms):
                    self._branches(step, [(arm.block, None) for arm in arms])
                case Project(name, operand, index) if operand in self.parts:
                    self.parts[name] = f"{self.parts[operand]}#{index}"
                case Rename(name, operand) if operand in self.parts:
                    self.parts[name] = self.parts[operand]
                case _:
                    self.left += _left_by(step)

    def _check(self, check: Check, guard: Constraint | None) -> None:
        goal = self.read(check.goal) if guard is not None and not check.says else None
        if guard is not None and goal is not None:
            self.checks.append(Guarded(guard, goal, check))
        else:
            why = "it depends on data" if guard is not None else "data decides whether it is come to"
            self.left.append(Left(f"{check.id}: {check.blame.says} ({why})", check.blame.span))

    def _if(self, step: If, guard: Constraint | None) -> None:
        truth = formula(self.bounds.types[step.condition]) if step.condition in self.bounds.types else None
        known = self.read(truth) if truth is not None else None
        guards = (
            [None, None] if guard is None or known is None else [all_of(guard, known), all_of(guard, negated(known))]
        )
        self._branches(step, [*zip((step.then, step.orelse), guards, strict=True)], known)

    def _branches(
        self, step: If | Match, branches: Sequence[tuple[Block, Constraint | None]], truth: Constraint | None = None
    ) -> None:
        """Walk the branches, then determine each unknown size of the result from its sizes in all branches."""
        own = {place: size for place, size in placed_sizes(step.type) if _is_of(step.name, size)}
        ends: list[Mapping[tuple[str, int], Size]] = []
        for block, guard in branches:
            self.bounds.enter()
            self._block(block, guard)
            type = self.bounds.types.get(block.result)
            if type is not None and not isinstance(type, NeverType):
                sizes = dict(placed_sizes(type))
                ends.append({place: self.size(sizes[place]) if place in sizes else UNBOUNDED for place in own})
            self.bounds.leave()
        for place, size in own.items():
            self._joined(size, [end[place] for end in ends], truth)

    def _joined(self, size: Dim, ends: Sequence[Size], truth: Constraint | None) -> None:
        """Record the formula or the bound of a size that equals one of several sizes."""
        variable, known = bare(size), [end.dim for end in ends if end.dim is not None]
        if variable is None or not known or len(known) < len(ends):
            return
        if all(end.exact for end in ends) and (truth is not None or len(set(known)) == 1):
            first, last = known[0], known[-1]
            self.exact[variable] = first if truth is None or first is last else ite(truth, first, last)
        highs = [self._high(dim) for dim in known]
        if None not in highs:
            high = maximum(*(dim for dim in highs if dim is not None))
            self.bounds.highs[variable] = high
            self.bounds.facts.assume(at_most(size, high))


UNBOUNDED = Size(None, False)


def _is_of(name: str, size: Dim) -> bool:
    """Whether a size is an unknown that belongs to the value of that name."""
    variable = bare(size)
    return variable is not None and base_of(variable) == name


def _left_by(step: Step) -> Iterator[Left]:
    """The parts of a step without branches that are left to the run."""
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
