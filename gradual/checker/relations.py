"""What follows from types that are not known yet, as soon as more is: of operators, of numbers, of fields.

An operator's judgement is asked with everything that its operands might be; what all accepted answers agree on is
known.   [type.omitted]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from gradual.checker.literals import fits_beside
from gradual.checker.skeleton import (
    Element,
    Flows,
    Product,
    Shape,
    Sizes,
    Skeleton,
    Tensor,
    Unknown,
    joined,
    seen,
)
from gradual.dims.dim import Dim, Kind, constant, variable
from gradual.ops.operator import IllFormed, OpenRank, Operator, Result
from gradual.syntax import ast
from gradual.types.dtype import DType
from gradual.types.opening import tracked_length, with_contents
from gradual.types.type import Hole, OpenedType, TensorType, TupleType, UnrankedType

RANKS = range(7)
"""The ranks that an operand of unknown rank is tried with."""
MOST = 700
"""No more combinations are tried; where there would be more, something else has to become known first."""

Leaf = Tensor | Unknown
Choice = tuple[DType, Sizes]


@dataclass(slots=True, eq=False)
class Application:
    """An operator applied to operands, whose result is `result`."""

    operator: Operator
    operands: tuple[Skeleton, ...]
    attributes: Mapping[str, Any]
    result: Unknown
    asked: object = None

    def learn(self, flows: Flows, limit: int) -> None:
        """Let the operator say what its operands and its result are."""
        leaves = _leaves(self.operands)
        state = (None if leaves is None else tuple(map(_state, leaves)), _state_of_result(self.result))
        if leaves is None or state == self.asked:
            return
        self.asked = state
        options = [_options(leaf) for leaf in leaves]
        combinations = 1
        for choices in options:
            combinations *= len(choices)
        if combinations > MOST:
            return
        accepted = [(choice, result) for choice in product(*options) for result in self._judged(choice, limit)]
        wanted = seen(self.result)
        fitting = [one for one in accepted if _fits(one[1], wanted)] or accepted
        if fitting:
            for index, leaf in enumerate(leaves):
                _learn_operand(flows, leaf, [choice[index] for choice, _ in fitting])
            waiting = any(not isinstance(leaf, Tensor) or leaf.shape.at is None for leaf in map(seen, leaves))
            self._learn_result(flows, [result for _, result in fitting], waiting)

    def _judged(self, choice: Sequence[Choice], limit: int) -> Iterator[Result]:
        rest = iter(enumerate(choice))
        yield from self._answers([_type(operand, rest, limit) for operand in self.operands], limit)

    def _answers(self, types: list[OpenedType], limit: int) -> Iterator[Result]:
        """The result, or those at every small size that decides a rank; none if the operator accepts nothing here."""
        try:
            yield self.operator.judge(*types, **self.attributes).result
        except OpenRank as open:
            place = open.operand or 0
            given = types[place]
            if isinstance(given, TensorType):
                for size in RANKS:
                    shape = (*given.shape[: open.axis], constant(size), *given.shape[open.axis + 1 :])
                    types[place] = _tracked(TensorType(shape, given.dtype), place, limit)
                    yield from self._answers(types, limit)
                types[place] = given
        except IllFormed:
            return

    def _learn_result(self, flows: Flows, results: Sequence[Result], waiting: bool) -> None:
        fields = [result.fields if isinstance(result, TupleType) else (result,) for result in results]
        if (
            len({(isinstance(result, TupleType), len(parts)) for parts, result in zip(fields, results, strict=True)})
            > 1
        ):
            return
        found = seen(self.result)
        if isinstance(found, Unknown):
            tensors = tuple(Tensor(Element(), Shape()) for _ in fields[0])
            found.found = Product(tensors) if isinstance(results[0], TupleType) else tensors[0]
            flows.changed = True
            found = found.found
        places = found.fields if isinstance(found, Product) else (found,)
        for place, answers in zip(places, zip(*fields, strict=True), strict=False):
            place = seen(place)
            if isinstance(place, Tensor):
                _learn(flows, place, answers, waiting)


def _leaves(operands: Sequence[Skeleton]) -> list[Leaf] | None:
    """The tensors that the operands are made of, or might be; None where one can be none."""
    found: list[Leaf] = []
    for operand in map(seen, operands):
        inside = operand.fields if isinstance(operand, Product) else (operand,)
        for leaf in map(seen, inside):
            if not isinstance(leaf, Tensor | Unknown):
                return None
            found.append(leaf)
    return found


def _state(leaf: Leaf) -> object:
    return (leaf.element.known(), leaf.shape.at) if isinstance(leaf, Tensor) else None


def _state_of_result(result: Skeleton) -> object:
    found = seen(result)
    return (found.element.known(), found.shape.ranks) if isinstance(found, Tensor) else type(found)


def _options(leaf: Leaf) -> list[Choice]:
    """What a tensor might be."""
    dtype = leaf.element.known() if isinstance(leaf, Tensor) else None
    at = leaf.shape.at if isinstance(leaf, Tensor) else None
    shapes: list[Sizes] = [at] if isinstance(at, tuple) else [(None,) * rank for rank in RANKS]
    return [(each, shape) for each in ([dtype] if dtype is not None else DType) for shape in shapes]


def _type(operand: Skeleton, choice: Iterator[tuple[int, Choice]], limit: int) -> OpenedType:
    operand = seen(operand)
    if isinstance(operand, Product):
        return TupleType(tuple(_tensor(*next(choice), limit) for _ in operand.fields))
    return _tensor(*next(choice), limit)


def _tensor(index: int, choice: Choice, limit: int) -> TensorType[Dim]:
    dtype, sizes = choice
    shape = [
        constant(size) if size is not None else variable(f"?{index}.{axis}", Kind.GHOST)
        for axis, size in enumerate(sizes)
    ]
    return _tracked(TensorType(tuple(shape), dtype), index, limit)


def _tracked(type: TensorType[Dim], index: int, limit: int) -> TensorType[Dim]:
    known = type.dtype.counts and tracked_length(type, limit) is not None
    return with_contents(type, f"?{index}") if known else type


def _fits(result: Result, wanted: Skeleton) -> bool:
    """Whether an answer is what is known of the result already."""
    if not isinstance(wanted, Tensor):
        return True
    if not isinstance(result, TensorType | UnrankedType):
        return False
    dtype, ranks = wanted.element.known(), wanted.shape.ranks
    if dtype is not None and result.dtype is not dtype:
        return False
    return ranks is None or not isinstance(result, TensorType) or result.rank in ranks


def _learn_operand(flows: Flows, leaf: Leaf, accepted: Sequence[Choice]) -> None:
    if isinstance(leaf, Unknown):
        leaf.found = tensor = Tensor(Element(), Shape())
        flows.changed = True
    else:
        tensor = leaf
    dtypes = {dtype for dtype, _ in accepted}
    if len(dtypes) == 1 and tensor.element.known() is None:
        flows.equate(tensor.element, Element(next(iter(dtypes))))
    if tensor.shape.at is None:
        ranks = frozenset(len(sizes) for _, sizes in accepted)
        if len(ranks) < len(RANKS):
            flows.admit(tensor.shape, ranks)


def _learn(flows: Flows, place: Tensor, answers: Sequence[Result], waiting: bool) -> None:
    """What all answers agree on; of a shape only if no operand may still change it."""
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
@dataclass(slots=True, eq=False)
class Numeral:
    """A number without a suffix, beside a value whose element type it takes."""

    number: ast.Number
    beside: Skeleton
    element: Element

    def learn(self, flows: Flows) -> None:
        """Take the element type beside it, if it is known and has the number."""
        beside = seen(self.beside)
        if self.element.known() is not None or isinstance(beside, Unknown):
            return
        dtype = beside.element.known() if isinstance(beside, Tensor) else DType(self.number.dtype)
        if dtype is not None:
            own = DType(self.number.dtype)
            flows.equate(self.element, Element(dtype if fits_beside(self.number.value, dtype) else own))


@dataclass(slots=True, eq=False)
class Field:
    """A field of a value that may turn out to be a tuple."""

    operand: Skeleton
    index: int
    result: Unknown
    known: bool = False

    def learn(self, flows: Flows) -> None:
        """Be the tuple's field."""
        operand = seen(self.operand)
        if not self.known and isinstance(operand, Product) and 0 <= self.index < len(operand.fields):
            self.known = flows.changed = True
            flows.flow(operand.fields[self.index], self.result)
