"""What is known of a function's sizes before it runs: formulas over what is known on entry, or else upper bounds.

The steps are followed in order.  Facts about sizes come from declarations, checks and typing rules; a size that depends
on data has the upper bound that the rule of its operator states.   [plan.bound]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

from gradual.core.check import Check
from gradual.core.datatypes import declarations
from gradual.core.def_use import bindings
from gradual.core.terms import Apply, Assertion, Function, Rename, Step
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, at_least, equal
from gradual.dims.term.dim import ContentOf, Dim, NumelOf, RankOf, SizeOf, Variable, Witness, constant, maximum
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import IllFormed, OpenRank
from gradual.passes.analysis.compare_sizes import Comparing
from gradual.record import record
from gradual.run.graph.plan import tensors
from gradual.types.binder_solving import bare
from gradual.types.dtype import DType
from gradual.types.type import Hole, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import (
    base_of,
    numel_of,
    paired_sizes,
    rank_of,
    shapes_unknown,
    sizes,
    tracked_length,
    with_contents,
)
from gradual.verdict import Proved, Unknown


@record(frozen=False, eq=False)
class EntryBounds:
    """Follows the steps of one function.

    Attributes:
        entry: facts that hold on entry.
        facts: facts that hold at the current step.
        highs: size that depends on data -> its upper bound.
        read: the sizes and elements that can be read from the arguments of every call.
        sizes: compares sizes.
        point: a number in the keys of memoized comparisons, incremented at each check and at the end of each branch.
    """

    function: Function
    entry: Facts = field(default_factory=Facts)
    facts: Facts = field(default_factory=Facts)
    types: dict[str, OpenedType] = field(default_factory=dict)
    highs: dict[Variable, Dim] = field(default_factory=dict)
    read: frozenset[Witness] = frozenset()
    sizes: Comparing = field(default_factory=Comparing)
    point: int = 1
    _marks: list[tuple[Any, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.read = frozenset(readable(self.function))
        for param in self.function.params:
            self.types[param.name] = param.type
            for size in (*sizes(param.type), *_of_unranked(param.type, param.name)):
                self._hold(at_least(size, constant(0)))
        goals = [*declarations(self.function)]
        for goal in goals:
            self._hold(goal)
        self.sizes = Comparing(goals)

    def _hold(self, goal: Constraint) -> None:
        self.entry.assume(goal)
        self.facts.assume(goal)

    # --------------------------------------------------------------------------------------------------------- blocks
    def enter(self) -> None:
        """Begin the block of a branch."""
        self._marks.append((self.facts.mark(), len(self.sizes.goals)))

    def leave(self) -> None:
        """End the block of a branch: forget what became known in it."""
        mark, known = self._marks.pop()
        self.facts.rollback(mark)
        del self.sizes.goals[known:]
        self.point += 1

    # --------------------------------------------------------------------------------------------------------- bounds
    def bound(self, exact: Dim, candidates: Iterable[Dim]) -> Dim | None:
        """An upper bound of a size, over what is known on entry; None if there is none.  [plan.bound]

        `candidates` are tried where the size is not known on entry.
        """
        if self.known(exact):
            return self._natural(exact)
        for candidate in candidates:
            if self.known(candidate) and self.sizes.proved(exact, candidate, self.facts):
                return self._natural(candidate)
        return None

    def _natural(self, dim: Dim) -> Dim:
        """Clamp the formula at 0 unless facts on entry prove it not negative; facts from checks do not hold yet."""
        return dim if self.sizes.at_most(constant(0), dim, self.entry) else maximum(dim, constant(0))

    def known(self, dim: Dim) -> bool:
        """Whether a formula can be evaluated on entry, for all arguments."""
        read = all(variable.witness is None or variable.witness in self.read for variable in dim.variables())
        return read and self.sizes.decider.has_value(self.entry, dim)

    def at_most(self, low: Dim, high: Dim) -> bool:
        """Whether `low <= high` is proved here."""
        return self.sizes.at_most(low, high, self.facts, self.point)

    # ---------------------------------------------------------------------------------------------------------- facts
    def learn(self, step: Step) -> None:
        """Assume the facts that hold after this step.  [plan.slot]"""
        match step:
            case Check(_, goal):
                return self._checked(goal)
            case Assertion():
                return None
            case Apply():
                self._judged(step)
            case Rename(name, operand, type) if operand in self.types:
                self._renamed(name, self.types[operand], type)
        self.types.update(bindings(step))
        for size in sizes(step.type):
            if size.value is None:
                self.facts.assume(at_least(size, constant(0)))
        return None

    def _checked(self, goal: Constraint) -> None:
        self.point += 1
        self.sizes.goals.append(goal)
        match self.sizes.decider.decide(self.facts, goal):
            case Proved() | Unknown(plausible=True):
                self.facts.assume(goal)
            case _:
                self.facts.suppose(goal)

    def _renamed(self, name: str, found: OpenedType, type: OpenedType) -> None:
        for size, own in paired_sizes(found, type):
            variable = bare(own)
            if variable is not None and variable.is_existential and base_of(variable) == name:
                self.facts.assume(equal(own, size))

    def _judged(self, step: Apply) -> None:
        """Assume the bounds that the operator's typing rule states for sizes that depend on data."""
        if step.accepts is not None or all(size.value is not None for size in sizes(step.type)):
            return
        types = [self._opened(name, index in step.operator.reads) for index, name in enumerate(step.operands)]
        if any([*shapes_unknown(type)] for type in types):
            return
        try:
            judged = step.operator.judge(*types, **step.attributes).result
        except (IllFormed, OpenRank):  # in dead code, or if only a fact of the path gives a rank: no bound
            return
        for hole, size in _holes(judged, step.type):
            variable = bare(size)
            for bound in hole.bounds(size):
                self.facts.assume(bound)
            if variable is not None and variable.is_existential and hole.high is not None:
                self.highs[variable] = self.facts.rewrite(hole.high).substitute(self.highs)

    def _opened(self, name: str, read: bool) -> OpenedType:
        """The type of an operand, its elements as variables if the result type may depend on them."""
        type = self.types[name]
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL or type.contents is not None:
            return type
        return with_contents(type, name) if tracked_length(type, LIMITS.contents, read) is not None else type


def readable(function: Function) -> Iterator[Witness]:
    """What can be read from every argument: sizes if the rank is known, elements if their number is."""
    for param in function.params:
        for path, type in tensors(param.type, param.name):
            if isinstance(type, UnrankedType):
                yield from (RankOf(path), NumelOf(path))
                continue
            yield from (SizeOf(path, axis) for axis in range(type.rank))
            length = tracked_length(type, LIMITS.contents, read=True) or 0
            yield from (ContentOf(path, (index,) if type.rank else ()) for index in range(length))


def _of_unranked(type: OpenedType, name: str) -> Iterator[Dim]:
    """The ranks and numbers of elements of an argument's tensors of unknown rank.  [type.unranked]"""
    for path, part in tensors(type, name):
        if isinstance(part, UnrankedType):
            yield from (rank_of(path), numel_of(path))


def _holes(judged: Any, recorded: OpenedType) -> Iterator[tuple[Hole, Dim]]:
    """The holes of a judged type, each with the size recorded for it."""
    match judged, recorded:
        case TensorType(), TensorType():
            yield from (
                (hole, size) for hole, size in zip(judged.shape, recorded.shape, strict=True) if isinstance(hole, Hole)
            )
        case TupleType(fields), TupleType(others):
            for field_, other in zip(fields, others, strict=True):
                yield from _holes(field_, other)
