"""Constraints on types that are not known yet: applications of operators, number literals, tuple fields.

An operator is judged on every candidate for its operands' types; what all accepted candidates agree on is
inferred.   [type.omitted]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gradual.checker.expressions.literals import dtype_beside, own_dtype
from gradual.checker.inference.operator_answers import Agreement, Question, agreement, answers
from gradual.checker.inference.operator_search import RANKS, Choice, Leaf, Places
from gradual.checker.inference.solver import Flows
from gradual.checker.inference.terms import Element, InferenceType, Product, Shape, Tensor, Unknown, joined, seen
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Operator, Result
from gradual.record import record
from gradual.syntax.tree import ast
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType, TupleType, UnrankedType


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
        question = self._question(leaves)
        accepted = answers(question)
        if accepted is None:
            self._equate(flows, leaves, agreement(question))
            self.learn(flows)  # from what has become known, if anything
            return
        wanted = seen(self.result)
        fitting = [one for one in accepted if _fits(one[1], wanted)] or accepted
        if fitting:
            for index, leaf in enumerate(leaves):
                _learn_operand(flows, leaf, [choice[index] for choice, _ in fitting])
            waiting = any(not isinstance(leaf, Tensor) or leaf.shape.at is None for leaf in map(seen, leaves))
            self._learn_result(flows, [result for _, result in fitting], waiting)

    def _question(self, leaves: Sequence[Leaf]) -> Question:
        structure = tuple(len(one.fields) if isinstance(one, Product) else None for one in map(seen, self.operands))
        return Question(self.operator, tuple(self.attributes.items()), structure, Places.of(leaves), self.limit)

    def _equate(self, flows: Flows, leaves: Sequence[Leaf], groups: Agreement | None) -> None:
        """Unify the element types that are equal in all accepted candidates, if too little is known to infer more."""
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
        for place, column in zip(places, zip(*fields, strict=True), strict=False):
            place = seen(place)
            if isinstance(place, Tensor):
                _learn(flows, place, column, waiting)


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
