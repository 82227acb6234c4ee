"""Constraints on types that are not known yet: applications of operators, number literals, tuple fields.

An operator is judged on every candidate for its operands' types; what all accepted candidates agree on is
inferred.   [type.omitted]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gradual.checker.expressions.literals import dtype_beside, own_dtype
from gradual.checker.inference.operator_search import RANKS, Choice, Chosen, Leaf, Needed, Places, tracked, typed
from gradual.checker.inference.solver import Flows
from gradual.checker.inference.terms import Element, InferenceType, Product, Shape, Sizes, Tensor, Unknown, joined, seen
from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.operator import IllFormed, OpenRank, Operator, Result
from gradual.record import record
from gradual.syntax.tree import ast
from gradual.types.dtype import DType
from gradual.types.type import Hole, OpenedType, TensorType, TupleType, UnrankedType

MOST = 200
"""The limit of candidates judged for one application; beyond it, only equal element types are looked for."""
MANY = 256
"""The same limit, where only the element types are varied."""
FREE = 3
"""The limit of unknown element types that are varied independently."""

Answer = tuple[tuple[Choice, ...], Result]


@record(frozen=False, eq=False)
class Application:
    """An operator applied to operands, whose result is `result`."""

    operator: Operator
    operands: tuple[InferenceType, ...]
    attributes: Mapping[str, Any]
    result: Unknown
    limit: int
    asked: object = None

    def between(self) -> Iterable[InferenceType]:
        """The types that the constraint relates: the operands and the result."""
        return (*self.operands, self.result)

    def learn(self, flows: Flows) -> None:
        """Infer the operands' and the result's types from the operator's judgement."""
        leaves = _leaves(self.operands)
        state = (None if leaves is None else tuple(map(_state, leaves)), _state_of_result(self.result))
        if leaves is None or state == self.asked:
            return
        self.asked = state
        places = Places(leaves)
        accepted = self._accepted(flows, places)
        if accepted is None:
            self._equate(flows, leaves, places)
            self.learn(flows)  # from what has become known, if anything
            return
        wanted = seen(self.result)
        fitting = [one for one in accepted if _fits(one[1], wanted)] or accepted
        if fitting:
            for index, leaf in enumerate(leaves):
                _learn_operand(flows, leaf, [choice[index] for choice, _ in fitting])
            waiting = any(not isinstance(leaf, Tensor) or leaf.shape.at is None for leaf in map(seen, leaves))
            self._learn_result(flows, [result for _, result in fitting], waiting)

    def _key(self, places: Places) -> object:
        return self.operator.name, tuple(self.attributes.items()), places.key()

    def _accepted(self, flows: Flows, places: Places) -> list[Answer] | None:
        """Every accepted choice of operand types with its result, memoized; None if there are too many candidates.

        A dtype or shape is chosen only when the operator's rule needs it. So if the rule rejects the operands before
        it needs one, the rule need not be tried for each possible dtype and shape.
        """
        key = self._key(places)
        if key not in flows.answers:
            flows.answers[key] = self._explored(places)
        found: list[Answer] | None = flows.answers[key]
        return found

    def _explored(self, places: Places, known: Chosen | None = None, most: int = MOST) -> list[Answer] | None:
        found: list[Answer] = []
        for chosen, results in self._tried(places, [known or places.known], most):
            if results is None:
                return None
            found += [(places.choice(chosen), result) for result in results]
        return found

    def _tried(
        self, places: Places, begun: Sequence[Chosen], most: int
    ) -> Iterator[tuple[Chosen, list[Result] | None]]:
        """Yield the extensions of begun choices with their results, and at last None if there are too many to try."""
        todo = list(reversed(begun))
        for _ in range(most):
            if not todo:
                return
            chosen = todo.pop()
            try:
                results = list(self._judged(places.choice(chosen)))
            except Needed as needed:
                todo += reversed(places.further(chosen, needed))
            else:
                yield chosen, results
        if todo:
            yield todo[0], None

    def _equate(self, flows: Flows, leaves: Sequence[Leaf], places: Places) -> None:
        """Unify the element types that are equal in all accepted candidates, if too little is known to infer more."""
        key = self._key(places)
        if key not in flows.agreements:
            flows.agreements[key] = self._agreement(places)
        groups = flows.agreements[key]
        if groups is None:
            return
        elements = [_tensor_of(flows, leaf).element for leaf in leaves]
        for index, place in zip(groups.fields, self._places(flows, groups), strict=False):
            if index is not None and isinstance(place, Tensor | Unknown):
                flows.equate(elements[index], _tensor_of(flows, place).element)
        for left, right in groups.operands:
            flows.equate(elements[left], elements[right])

    def _places(self, flows: Flows, groups: Agreement) -> tuple[InferenceType, ...]:
        """The result, or the fields of a result that is always a tuple."""
        found = seen(self.result)
        if groups.is_tuple and isinstance(found, Unknown):
            flows.bind(found, Product(tuple(Tensor(Element(), Shape()) for _ in groups.fields)))
            found = seen(found)
        return tuple(map(seen, found.fields)) if isinstance(found, Product) else () if groups.is_tuple else (found,)

    def _agreement(self, places: Places) -> Agreement | None:
        """The equalities of all accepted element types, at the first rank at which the operator accepts any.

        If it accepts none at one rank of all operands, or too many could be tried, they are those at the first shapes.
        """
        for rank in RANKS if len(places.free) <= FREE else ():
            alike = any(True for choice in places.at_rank(rank, alike=True) for _ in self._judged(choice))
            if alike:
                return _common([(c, r) for c in places.at_rank(rank, alike=False) for r in self._judged(c)])
        shapes = self._first(places)
        answers = None if shapes is None else self._explored(places, replace(places.known, shapes=shapes), MANY)
        return _common(answers) if answers else None

    def _first(self, places: Places) -> tuple[Sizes | None, ...] | None:
        """The first shapes that the operator accepts with some element type of all unknown operands; None if none."""
        known = places.known
        tried = sorted(DType, key=lambda dtype: dtype not in known.dtypes)
        alike = [replace(known, dtypes=tuple(found or dtype for found in known.dtypes)) for dtype in tried]
        return next((chosen.shapes for chosen, results in self._tried(places, alike, MOST) if results), None)

    def _judged(self, choice: Sequence[Choice]) -> Iterator[Result]:
        rest = iter(enumerate(choice))
        yield from self._answers([typed(operand, rest, self.limit) for operand in self.operands])

    def _answers(self, types: list[OpenedType]) -> Iterator[Result]:
        """Yield the result; several if a size decides its rank (small sizes are tried); nothing if the rule rejects."""
        try:
            yield self.operator.judge(*types, **self.attributes).result
        except OpenRank as open:
            place = open.operand or 0
            given = types[place]
            if isinstance(given, TensorType):
                for size in RANKS:
                    shape = (*given.shape[: open.axis], constant(size), *given.shape[open.axis + 1 :])
                    types[place] = tracked(TensorType(shape, given.dtype), place, self.limit)
                    yield from self._answers(types)
                types[place] = given
        except IllFormed:
            return

    def _learn_result(self, flows: Flows, results: Sequence[Result], waiting: bool) -> None:
        fields = [result.fields if isinstance(result, TupleType) else (result,) for result in results]
        forms = {isinstance(result, TupleType) for result in results}, set(map(len, fields))
        if any(len(form) > 1 for form in forms):
            return
        found = seen(self.result)
        if isinstance(found, Unknown):
            tensors = tuple(Tensor(Element(), Shape()) for _ in fields[0])
            flows.bind(found, Product(tensors) if isinstance(results[0], TupleType) else tensors[0])
            found = seen(found)
        places = found.fields if isinstance(found, Product) else (found,)
        for place, answers in zip(places, zip(*fields, strict=True), strict=False):
            place = seen(place)
            if isinstance(place, Tensor):
                _learn(flows, place, answers, waiting)


def _leaves(operands: Sequence[InferenceType]) -> list[Leaf] | None:
    """The tensors and unknowns in the operands, tuples flattened; None if some operand cannot be a tensor."""
    found: list[Leaf] = []
    for operand in map(seen, operands):
        inside = operand.fields if isinstance(operand, Product) else (operand,)
        for leaf in map(seen, inside):
            if not isinstance(leaf, Tensor | Unknown):
                return None
            found.append(leaf)
    return found


def _state(leaf: Leaf) -> object:
    if not isinstance(leaf, Tensor):
        return id(leaf)
    element = leaf.element.last()
    return element.dtype or id(element), leaf.shape.at


def _state_of_result(result: InferenceType) -> object:
    found = seen(result)
    return (found.element.known(), found.shape.ranks) if isinstance(found, Tensor) else type(found)


@record
class Agreement:
    """Pairs of operands with equal element types; of the result, or of each field, an operand with its element type."""

    operands: tuple[tuple[int, int], ...]
    fields: tuple[int | None, ...]
    is_tuple: bool


def _common(answers: Sequence[Answer]) -> Agreement:
    number = len(answers[0][0])
    pairs = [
        (left, right)
        for left in range(number)
        for right in range(left + 1, number)
        if all(choice[left][0] is choice[right][0] for choice, _ in answers)
    ]
    is_tuple = all(isinstance(result, TupleType) for _, result in answers)
    fields = [result.fields if isinstance(result, TupleType) else (result,) for _, result in answers]
    kept = [next((i for i in range(number) if _has(i, answers, parts)), None) for parts in zip(*fields, strict=False)]
    return Agreement(tuple(pairs), tuple(kept), is_tuple and len(set(map(len, fields))) == 1)


def _has(operand: int, answers: Sequence[Answer], parts: Sequence[object]) -> bool:
    """Whether a part of the result always has the element type of an operand."""
    each = zip(answers, parts, strict=True)
    return all(isinstance(part, TensorType) and part.dtype is choice[operand][0] for (choice, _), part in each)


def _fits(result: Result, wanted: InferenceType) -> bool:
    """Whether a result type is compatible with what is already known of the result."""
    if not isinstance(wanted, Tensor):
        return True
    if not isinstance(result, TensorType | UnrankedType):
        return False
    dtype, ranks = wanted.element.known(), wanted.shape.ranks
    if dtype is not None and result.dtype is not dtype:
        return False
    return ranks is None or not isinstance(result, TensorType) or result.rank in ranks


def _tensor_of(flows: Flows, leaf: Leaf) -> Tensor:
    """The operand as a tensor; an unknown operand is bound to a new tensor."""
    found = seen(leaf)
    if isinstance(found, Unknown):
        flows.bind(found, Tensor(Element(), Shape()))
        found = seen(found)
    assert isinstance(found, Tensor), leaf
    return found


def _learn_operand(flows: Flows, leaf: Leaf, accepted: Sequence[Choice]) -> None:
    tensor = _tensor_of(flows, leaf)
    dtypes = {dtype for dtype, _ in accepted}
    if len(dtypes) == 1 and None not in dtypes and tensor.element.known() is None:
        flows.equate(tensor.element, Element(next(iter(dtypes))))
    if tensor.shape.at is None:
        ranks = frozenset(len(sizes) for _, sizes in accepted if sizes is not None)
        if len(ranks) < len(RANKS) and all(sizes is not None for _, sizes in accepted):
            flows.admit(tensor.shape, ranks)


def _learn(flows: Flows, place: Tensor, answers: Sequence[Result], waiting: bool) -> None:
    """Give a tensor the element type, rank and sizes that all answers have in common.

    Answers that differ in rank give it the shape `*`, but not if an operand is still unknown (`waiting`)."""
    tensors = [answer for answer in answers if isinstance(answer, TensorType | UnrankedType)]
    dtypes = {answer.dtype for answer in tensors}
    if len(dtypes) == 1 and place.element.known() is None:
        flows.equate(place.element, Element(next(iter(dtypes))))
    at: Any = None
    for answer in tensors:
        at = joined(at, tuple(map(_size, answer.shape)) if isinstance(answer, TensorType) else "*")
    if at != "*" or not waiting:
        flows.learn(place.shape, at)


def _size(extent: Dim | Hole) -> int | None:
    return None if isinstance(extent, Hole) else extent.value


# ------------------------------------------------------------------------------------------------ numbers, fields
@record(frozen=False, eq=False)
class Numeral:
    """A number or a list of numbers without a suffix, which takes the element type of a neighbouring operand."""

    literal: ast.Expr
    beside: InferenceType
    element: Element

    @property
    def own(self) -> DType:
        """The default element type, used if the neighbouring operand determines none."""
        return own_dtype(self.literal)

    def learn(self, flows: Flows) -> None:
        """Take the neighbouring operand's element type, once known, if it can represent the numbers."""
        beside = seen(self.beside)
        if self.element.known() is not None or isinstance(beside, Unknown):
            return
        dtype = beside.element.known() if isinstance(beside, Tensor) else self.own
        if dtype is not None:
            flows.equate(self.element, Element(dtype_beside(self.literal, dtype)))

    def between(self) -> Iterable[InferenceType]:
        """The type that the constraint depends on: the neighbouring operand."""
        return (self.beside,)


@record(frozen=False, eq=False)
class Field:
    """A projection from a value whose type may not be known yet."""

    operand: InferenceType
    index: int
    result: Unknown
    known: bool = False

    def learn(self, flows: Flows) -> None:
        """Let the tuple's field flow to the result, once the tuple is known."""
        operand = seen(self.operand)
        if not self.known and isinstance(operand, Product) and 0 <= self.index < len(operand.fields):
            self.known = True
            flows.flow(operand.fields[self.index], self.result)

    def between(self) -> Iterable[InferenceType]:
        """The type that the constraint depends on: the tuple, until it is known."""
        return () if self.known else (self.operand,)
