"""What is known of variables while a function is swept, and the steps that it has so far.   [pass.sharpen]"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from gradual.core.terms import Apply, Constant, Function, Invoke, MakeTuple, Module, Step, Stop
from gradual.core.traversal import Rewriting
from gradual.dims.solver.decide import Decider
from gradual.dims.solver.deferred import DeferredFacts
from gradual.dims.term.constraint import TRUE, Constraint
from gradual.dims.term.dim import Dim, RankOf, Variable
from gradual.limits import LIMITS
from gradual.passes.refine.types import Literal, Retyping, images, origins
from gradual.source import Span
from gradual.types.dtype import DType
from gradual.types.relations import Demand, demands
from gradual.types.type import FunctionType, GradualType, NeverType, OpenedType, TensorType, TypeVariable
from gradual.types.unpacking import at_rank, shapes_unknown, sizes, tracked_length, with_contents
from gradual.verdict import Proved


class Rank(Enum):
    """What a check says of a rank: nothing or something new, what is known, or what cannot be."""

    NEW = auto()
    KNOWN = auto()
    ANOTHER = auto()


class Unreachable(Exception):
    """No run comes here: what stands before it always fails.

    `end` is a variable that has no value, or the step that is to say why there is none.
    """

    def __init__(self, end: str | Stop) -> None:
        super().__init__(end)
        self.end = end


def stopping(says: str, span: Span) -> Stop:
    """A step that stands where no run comes, and says why."""
    return Stop("%stop", says, NeverType(), span)


@dataclass(slots=True, eq=False)
class SweepState:
    """A function on its way through a pass, as far as it was seen.

    Attributes:
        rewriting: what stands for the names and unknowns that are gone.
        taken: the names that are in use, so that no new one is among them.
        types: what the variables that have a value here have, by their names in the new function.
        changed: the variables, by their names in the old function, of which another type is known now.
        literals: the variables that hold a constant, or a tuple of constants, with its value.
        tuples: the tuples that were made here, with the variables that they are made of.
        closures: the variables that hold a function literal, with it.
        around: the dims and types that the function and the literals around bind.
        loosened: variables that were read by what is gone, and that perhaps nobody reads any more.
        shared: the unknowns that results of equal applications have in common, by what they depend on.
        out: the steps of the block that is swept.
        written_out: how many branches and functions the steps that are swept were taken out of.
    """

    module: Module
    decider: Decider
    rewriting: Rewriting = field(default_factory=Rewriting)
    taken: set[str] = field(default_factory=set)
    types: dict[str, OpenedType] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    literals: dict[str, Literal] = field(default_factory=dict)
    tuples: dict[str, tuple[str, ...]] = field(default_factory=dict)
    closures: dict[str, Function] = field(default_factory=dict)
    around: frozenset[Variable | TypeVariable] = frozenset()
    loosened: set[str] = field(default_factory=set)
    shared: dict[object, Dim] = field(default_factory=dict)
    out: list[Step] = field(default_factory=list)
    written_out: int = 0
    knowing: DeferredFacts = field(init=False)
    _scope: list[str] = field(default_factory=list)
    _unranked: dict[str, list[str]] = field(default_factory=dict)
    _vague: list[tuple[str, OpenedType]] = field(default_factory=list)
    _ranks: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.knowing = DeferredFacts(self.decider)

    def type_of(self, name: str) -> OpenedType:
        """The type of a variable of the new function, or of a function of the file."""
        found = self.module.functions.get(name)
        return found.type if found is not None else self.types[name]

    def emit(self, moved: Any, step: Any) -> None:
        """A step of the new function, in the place of one of the old function."""
        self.out.append(moved)
        if isinstance(moved, Constant):
            self.literals[moved.name] = moved.value
        elif isinstance(moved, MakeTuple):
            self.tuples[moved.name] = moved.fields
            if all(name in self.literals for name in moved.fields):
                self.literals[moved.name] = tuple(self.literals[name] for name in moved.fields)
        self.define(step.name, moved.type, step.type)

    def put(self, step: Any) -> None:
        """A step that the function did not have, before the one that is looked at."""
        self.emit(step, step)

    def define(self, name: str, now: OpenedType, before: OpenedType) -> None:
        """A variable has a value from here on; what is known now stands for its unknowns."""
        self.types[name] = now
        self._scope.append(name)
        if not isinstance(now, TensorType):
            for origin in shapes_unknown(now):
                self._unranked.setdefault(origin, []).append(name)
        if now is not before and now != before:
            self.changed.add(name)
            self._stands_for(name, before, now)
        self._sized(now)

    def _sized(self, type: OpenedType) -> None:
        """No size of a value that is here is negative."""
        for size in sizes(type):
            if size.value is None:
                self.knowing.tell(size)

    def _stands_for(self, name: str, before: OpenedType, now: OpenedType) -> None:
        """What is known now stands for the unknowns of a variable of the old function."""
        for unknown, dim in images(name, before, now):
            (variable,) = unknown.variables()
            if unknown is not dim:
                self.rewriting.dims[variable] = dim
        self.rewriting.origins.update(origins(name, before, now))

    def sharper(self, judged: GradualType, before: OpenedType, path: str) -> OpenedType:
        """The recorded type, with dims that are judged now for the unknowns of its own."""
        return self._retyping.sharper(judged, before, path)

    def joined(self, before: OpenedType, path: str, types: list[OpenedType]) -> OpenedType:
        """The recorded type of a join, with what all of its branches have now for the unknowns of its own."""
        return self._retyping.joined(before, path, types)

    @property
    def _retyping(self) -> Retyping:
        return Retyping(self.rewriting, self.types)

    def holds(self, goal: Constraint) -> bool:
        """Whether a constraint is known to hold here; nothing is asked of one that is evident."""
        return goal is TRUE or isinstance(self.knowing.decide(goal), Proved)

    def operands(self, step: Apply) -> tuple[OpenedType, ...]:
        """The operands' types, with the elements named that the operator's rules may read."""
        for index, operand in enumerate(step.operands):
            if index in step.operator.reads or step.operator.contents is not None:
                self._open_contents(operand, index in step.operator.reads)
        return tuple(map(self.type_of, step.operands))

    def arguments(self, call: Invoke, callee: FunctionType) -> tuple[OpenedType, ...]:
        """The arguments' types, of the ranks that the callee demands, with the elements named that its sizes may be."""
        for operand, param in zip(call.operands, callee.params, strict=True):
            for demand in demands(self.type_of(operand), param):
                if isinstance(demand, Demand) and demand.axis is None:
                    self.rank(demand.goal)
            self._open_contents(operand, False)
        return tuple(map(self.type_of, call.operands))

    def _open_contents(self, name: str, read: bool) -> None:
        type = self.types.get(name)
        if not isinstance(type, TensorType) or type.dtype is DType.BOOL or type.contents is not None:
            return
        if tracked_length(type, LIMITS.contents, read) is not None:
            self.types[name] = with_contents(type, name)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is defined inside is not seen outside."""
        outer, self._scope = self._scope, []
        yield
        for name in self._scope:
            self.types.pop(name, None)
        self._scope = outer

    @contextmanager
    def block(self) -> Iterator[list[Step]]:
        """A block of its own, with its steps: what it defines, and is known of ranks, ends with it."""
        outer, vague, ranks, shared = self.out, len(self._vague), dict(self._ranks), dict(self.shared)
        self.out = []
        with self.scope():
            yield self.out
            while len(self._vague) > vague:
                name, type = self._vague.pop()
                self.types[name] = type
        self._ranks, self.shared, self.out = ranks, shared, outer

    @property
    def is_untouched(self) -> bool:
        """Whether nothing in the function has changed so far."""
        return not (self.changed or self.rewriting.names or self.rewriting.dims or self.rewriting.types)

    def rank(self, goal: Constraint) -> Rank:
        """Take in the rank that a check says, to the end of the block; whether it was known, or is another."""
        solution = goal.solution
        witness = solution[0].witness if solution is not None else None
        rank = solution[1].value if solution is not None else None
        if not isinstance(witness, RankOf) or rank is None:
            return Rank.NEW
        origin = witness.value
        if origin in self._ranks:
            return Rank.KNOWN if self._ranks[origin] == rank else Rank.ANOTHER
        self._ranks[origin] = rank
        for name in self._unranked.get(origin, ()):
            if name in self.types:
                self._vague.append((name, self.types[name]))
                self.types[name] = at_rank(self.types[name], origin, rank)
                self._sized(self.types[name])
                if self.written_out:  # what follows around it does not know the rank
                    self.changed.add(name)
                    self.changed.update(old for old, new in self.rewriting.names.items() if new == name)
        return Rank.NEW
