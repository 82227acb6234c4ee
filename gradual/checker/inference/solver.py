"""A worklist solver over inference types: a relation is run again when an unknown that it watches becomes known.

Two types that contradict each other are left unchanged.   [type.omitted]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import field, replace
from typing import Literal, Protocol

from gradual.checker.inference.terms import (
    Data,
    Element,
    Function,
    InferenceType,
    Product,
    Reference,
    Shape,
    Sizes,
    Tensor,
    Unknown,
    instance,
    joined,
    open_parts,
    parts,
    seen,
    shapeless,
)
from gradual.record import record

Part = Unknown | Element | Shape


class Relation(Protocol):
    """A constraint between inference types."""

    def learn(self, flows: Flows) -> None:
        """Propagate what is known from some of the types to the others."""

    def between(self) -> Iterable[InferenceType]:
        """The types that the constraint relates; their unknown parts are watched."""


@record(frozen=False, eq=False)
class Flow:
    """A value of type `source` flows to a position of type `target`."""

    source: InferenceType
    target: InferenceType

    def learn(self, flows: Flows) -> None:
        """Unify the structures and element types, and join the source's shapes into the target's."""
        flows.relate(self.source, self.target)

    def between(self) -> Iterable[InferenceType]:
        """The types that the flow relates: the source and the target."""
        return (self.source, self.target)


@record(frozen=False, eq=False)
class Flows:
    """The solver's state.

    Attributes:
        watchers: unknown part -> the relations that watch it.
        waiting: the worklist.
    """

    watchers: dict[Part, dict[Relation, None]] = field(default_factory=dict)
    waiting: deque[Relation] = field(default_factory=deque)
    _queued: set[Relation] = field(default_factory=set)
    _instances: dict[tuple[Function, Function], Function] = field(default_factory=dict)

    # ----------------------------------------------------------------------------------------------- relations
    def add(self, relation: Relation) -> None:
        """Add a relation: run it now, and again whenever a part that it watches becomes known."""
        self._ask(relation)

    def flow(self, source: InferenceType, target: InferenceType) -> None:
        """Add a flow from a value's type to a position's type."""
        self.add(Flow(source, target))

    def settle(self) -> None:
        """Run the worklist until it is empty."""
        while self.waiting:
            relation = self.waiting.popleft()
            self._queued.discard(relation)
            self._ask(relation)

    def _ask(self, relation: Relation) -> None:
        relation.learn(self)
        for skeleton in relation.between():
            for part in open_parts(skeleton):
                self.watchers.setdefault(part, {})[relation] = None

    def touch(self, part: Part) -> None:
        """Put the relations that watch a part on the worklist."""
        for relation in self.watchers.pop(part, ()):
            if relation not in self._queued:
                self._queued.add(relation)
                self.waiting.append(relation)

    # ------------------------------------------------------------------------------------------------- values
    def relate(self, source: InferenceType, target: InferenceType) -> None:
        """Propagate a flow: contravariant in function parameters, invariant in references, covariant otherwise."""
        source, target = seen(source), seen(target)
        if source is target:
            return
        match source, target:
            case Unknown(), Unknown():
                return
            case Unknown(), _:
                if self.bind(source, target):
                    self.relate(source, target)
            case _, Unknown():
                if self.bind(target, source):
                    self.relate(source, target)
            case Tensor(), Tensor():
                self.equate(source.element, target.element)
                self._arrive(source.shape, target.shape)
            case Product(fields), Product(others) if len(fields) == len(others):
                self._each(fields, others)
            case Function(), Function() if len(source.params) == len(target.params):
                self._function(source, target)
            case Data(name, fields), Data(other, others) if name == other and len(fields) == len(others):
                self._each(fields, others)
            case Reference(content), Reference(other):
                self.relate(content, other)
                self.relate(other, content)

    def _each(self, fields: tuple[InferenceType, ...], others: tuple[InferenceType, ...]) -> None:
        for part, other in zip(fields, others, strict=True):
            self.relate(part, other)

    def _function(self, source: Function, target: Function) -> None:
        if source.types:
            if (source, target) not in self._instances:
                self._instances[source, target] = self.instantiated(source)
            source = self._instances[source, target]
        self._each(target.params, source.params)
        self.relate(source.result, target.result)

    def instantiated(self, function: Function) -> Function:
        """Instantiate a function's type parameters with fresh unknowns."""
        if not function.types:
            return function
        found = instance(replace(function, types=()), {named: Unknown() for named in function.types})
        assert isinstance(found, Function)
        return found

    # -------------------------------------------------------------------------------------------------- parts
    def bind(self, unknown: Unknown, found: InferenceType) -> bool:
        """Bind an unknown to a type without its shapes; False if the occurs check fails."""
        if isinstance(found, Function) and found.types:
            found = self.instantiated(found)
        if any(part is unknown for part in parts(found)):
            return False
        unknown.found = shapeless(found)
        self.touch(unknown)
        return True

    def equate(self, left: Element, right: Element) -> None:
        """Unify two element types; do nothing if both are known."""
        left, right = left.last(), right.last()
        if left is right or (left.dtype is not None and right.dtype is not None):
            return
        if left.dtype is not None:
            left, right = right, left
        left.same = right
        self.touch(left)
        self.touch(right)

    def _arrive(self, source: Shape, target: Shape) -> None:
        if not target.fixed:
            self.learn(target, source.at)
        elif isinstance(target.at, tuple):
            self.admit(source, frozenset({len(target.at)}))

    def learn(self, shape: Shape, at: Sizes | Literal["*"] | None) -> None:
        """Join a shape into that of a position, unless the latter is fixed."""
        found = joined(shape.at, at)
        if not shape.fixed and found != shape.at:
            shape.at = found
            self.touch(shape)

    def admit(self, shape: Shape, ranks: frozenset[int]) -> None:
        """Restrict a shape to the ranks that a use admits; do nothing if no rank would remain."""
        narrowed = ranks if shape.ranks is None else shape.ranks & ranks
        if narrowed and narrowed != shape.ranks:
            shape.ranks = narrowed
            self.touch(shape)
