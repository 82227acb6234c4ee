"""How knowledge spreads over skeletons: relations are asked again when something that they look at becomes known.

Two types that contradict each other are left as they are.   [type.omitted]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

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

Part = Unknown | Element | Shape


class Relation(Protocol):
    """Something that holds between skeletons."""

    def learn(self, flows: Flows) -> None:
        """Let what is known of some become known of the others."""

    def between(self) -> Iterable[InferenceType]:
        """The skeletons."""


@dataclass(slots=True, eq=False)
class Flow:
    """A value of one skeleton goes to a place of the other."""

    source: InferenceType
    target: InferenceType

    def learn(self, flows: Flows) -> None:
        """What is known of a value is known of the place, and the structure of the place is that of the value."""
        flows.relate(self.source, self.target)

    def between(self) -> Iterable[InferenceType]:
        """The value and the place."""
        return (self.source, self.target)


@dataclass(slots=True, eq=False)
class Flows:
    """What is known, and who waits for more.

    Attributes:
        watchers: the relations that look at a part of which more may become known.
        waiting: the relations to be asked again, in order.
        answers: what an operator accepts, and its results, by what is known of its operands.
        agreements: which element types of an operator's operands are one, by what is known of them.
    """

    watchers: dict[Part, dict[Relation, None]] = field(default_factory=dict)
    waiting: deque[Relation] = field(default_factory=deque)
    answers: dict[object, Any] = field(default_factory=dict)
    agreements: dict[object, Any] = field(default_factory=dict)
    _queued: set[Relation] = field(default_factory=set)
    _instances: dict[tuple[Function, Function], Function] = field(default_factory=dict)

    # ----------------------------------------------------------------------------------------------- relations
    def add(self, relation: Relation) -> None:
        """A relation holds, now and whenever more is known."""
        self._ask(relation)

    def flow(self, source: InferenceType, target: InferenceType) -> None:
        """A value flows to a place."""
        self.add(Flow(source, target))

    def settle(self) -> None:
        """Ask all relations that wait, until nothing more becomes known."""
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
        """More is known of a part."""
        for relation in self.watchers.pop(part, ()):
            if relation not in self._queued:
                self._queued.add(relation)
                self.waiting.append(relation)

    # ------------------------------------------------------------------------------------------------- values
    def relate(self, source: InferenceType, target: InferenceType) -> None:
        """A value goes to a place."""
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
        """A function at type arguments that are not known yet."""
        if not function.types:
            return function
        found = instance(replace(function, types=()), {named: Unknown() for named in function.types})
        assert isinstance(found, Function)
        return found

    # -------------------------------------------------------------------------------------------------- parts
    def bind(self, unknown: Unknown, found: InferenceType) -> bool:
        """Whether an unknown can be what was found, at which no shape has arrived: no type contains itself."""
        if isinstance(found, Function) and found.types:
            found = self.instantiated(found)
        if any(part is unknown for part in parts(found)):
            return False
        unknown.found = shapeless(found)
        self.touch(unknown)
        return True

    def equate(self, left: Element, right: Element) -> None:
        """Two element types are one, unless both are known."""
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
        """A shape arrives at a place."""
        found = joined(shape.at, at)
        if not shape.fixed and found != shape.at:
            shape.at = found
            self.touch(shape)

    def admit(self, shape: Shape, ranks: frozenset[int]) -> None:
        """A use of a place admits these ranks only."""
        narrowed = ranks if shape.ranks is None else shape.ranks & ranks
        if narrowed and narrowed != shape.ranks:
            shape.ranks = narrowed
            self.touch(shape)
