"""The state of a sweep: facts about variables, and the steps emitted so far.   [pass.sharpen]"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from enum import Enum, auto
from typing import Any

from gradual.core.context import TypingContext, Values
from gradual.core.terms import Apply, Constant, Function, Invoke, MakeTuple, Module, Step, Stop
from gradual.core.traversal import Rewriting
from gradual.dims.solver.deferred import DeferredFacts
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.limits import LIMITS
from gradual.passes.refine.types import Literal, Retyping, images, origins
from gradual.record import record
from gradual.source import Span
from gradual.types.relations import Demand, demands
from gradual.types.type import FunctionType, GradualType, NeverType, OpenedType, TypeVariable
from gradual.types.unpacking import rank_stated, sizes


class Rank(Enum):
    """How a check relates to what is known of a rank: it is new (or states no rank), known, or a contradiction."""

    NEW = auto()
    KNOWN = auto()
    ANOTHER = auto()


class Unreachable(Exception):
    """The code from here on is unreachable.

    `end` is a variable of the bottom type, or the `Stop` step that states the reason.
    """

    def __init__(self, end: str | Stop) -> None:
        super().__init__(end)
        self.end = end


def stopping(says: str, span: Span) -> Stop:
    """A step that marks unreachable code, with the reason."""
    return Stop("%stop", says, NeverType(), span)


@record(frozen=False, eq=False)
class SweepState(TypingContext[OpenedType, DeferredFacts]):
    """The state of a sweep at the current step: what is known of the new function, and how it replaces the old one.

    Attributes:
        rewriting: replacements for removed names and unknowns.
        taken: the names in use, to be avoided by new ones.
        changed: the variables of the old function whose type has changed.
        literals: variable -> its value, a constant or a tuple of constants.
        tuples: variable -> the variables of its fields, for tuples constructed here.
        closures: variable -> its function literal.
        around: the dims and type parameters bound by the function and the enclosing literals.
        loosened: variables that dropped steps used; their steps may be dead code now.
        shared: what a result depends on -> the unknown that equal applications share.
        out: the steps emitted for the current block.
        written_out: how many branches and functions the current steps are inlined from.
    """

    values: Values[OpenedType] = field(init=False)
    facts: DeferredFacts = field(init=False)
    module: Module
    rewriting: Rewriting = field(default_factory=Rewriting)
    taken: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    literals: dict[str, Literal] = field(default_factory=dict)
    tuples: dict[str, tuple[str, ...]] = field(default_factory=dict)
    closures: dict[str, Function] = field(default_factory=dict)
    around: frozenset[Variable | TypeVariable] = frozenset()
    loosened: set[str] = field(default_factory=set)
    shared: dict[object, Dim] = field(default_factory=dict)
    out: list[Step] = field(default_factory=list)
    written_out: int = 0
    _ranks: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = Values(declared=self.module.functions)
        self.facts = DeferredFacts(self.decider)

    def emit(self, moved: Any, step: Any) -> None:
        """Emit a step of the new function in place of a step of the old one."""
        self.out.append(moved)
        if isinstance(moved, Constant):
            self.literals[moved.name] = moved.value
        elif isinstance(moved, MakeTuple):
            self.tuples[moved.name] = moved.fields
            if all(name in self.literals for name in moved.fields):
                self.literals[moved.name] = tuple(self.literals[name] for name in moved.fields)
        self.define(step.name, moved.type, step.type)

    def put(self, step: Any) -> None:
        """Insert a new step before the current one."""
        self.emit(step, step)

    def define(self, name: str, now: OpenedType, before: OpenedType) -> None:
        """Define a variable, and replace its unknowns by their known values."""
        self.values.define(name, now)
        if now is not before and now != before:
            self.changed.add(name)
            self._stands_for(name, before, now)
        self.facts.natural(sizes(now))

    def _stands_for(self, name: str, before: OpenedType, now: OpenedType) -> None:
        """Replace the unknowns of a variable of the old function by their known values."""
        for unknown, dim in images(name, before, now):
            (variable,) = unknown.variables()
            if unknown is not dim:
                self.rewriting.dims[variable] = dim
        self.rewriting.origins.update(origins(name, before, now))

    def sharper(self, judged: GradualType, before: OpenedType, path: str) -> OpenedType:
        """The recorded type, with its own unknowns replaced by the judged dims."""
        return self._retyping.sharper(judged, before, path)

    def joined(self, before: OpenedType, path: str, types: list[OpenedType]) -> OpenedType:
        """The recorded type of a join, with its own unknowns replaced by what all branches agree on."""
        return self._retyping.joined(before, path, types)

    @property
    def _retyping(self) -> Retyping:
        return Retyping(self.rewriting, self.values)

    def operands(self, step: Apply) -> tuple[OpenedType, ...]:
        """The types of the operands; each unknown element on which the result type may depend is a variable."""
        for index, operand in enumerate(step.operands):
            if index in step.operator.reads or step.operator.contents is not None:
                self.values.contents(operand, LIMITS.contents, index in step.operator.reads)
        return tuple(map(self.type_of, step.operands))

    def arguments(self, call: Invoke, callee: FunctionType) -> tuple[OpenedType, ...]:
        """The types of the arguments, at the ranks that the callee demands, an unknown for each tracked element."""
        for operand, param in zip(call.operands, callee.params, strict=True):
            for demand in demands(self.type_of(operand), param):
                if isinstance(demand, Demand) and demand.axis is None:
                    self.rank(demand.goal)
            self.values.contents(operand, LIMITS.contents)
        return tuple(map(self.type_of, call.operands))

    @contextmanager
    def block(self) -> Iterator[list[Step]]:
        """Emit the steps of a nested block into a list of their own."""
        outer, self.out = self.out, []
        yield self.out
        self.out = outer

    @property
    def is_untouched(self) -> bool:
        """Whether nothing in the function has changed so far."""
        return not (self.changed or self.rewriting.names or self.rewriting.dims or self.rewriting.types)

    def rank(self, goal: Constraint) -> Rank:
        """Record the rank that a check states until the end of the block; say how it relates to what was known."""
        stated = rank_stated(goal)
        if stated is None:
            return Rank.NEW
        origin, rank = stated
        if origin in self._ranks:
            return Rank.KNOWN if self._ranks[origin] == rank else Rank.ANOTHER
        self.values.trail.put(self._ranks, origin, rank)
        for name in filter(self.values.is_live, self.values.at_rank(origin, rank)):
            self.facts.natural(sizes(self.type_of(name)))
            if self.written_out:  # the code that follows was typed without the rank
                self.changed.add(name)
                self.changed.update(old for old, new in self.rewriting.names.items() if new == name)
        return Rank.NEW
