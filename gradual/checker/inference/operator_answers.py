"""What an operator's rule answers for every candidate of its operands' types; the answers are remembered.

[type.omitted]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gradual.checker.inference.operator_search import RANKS, Choice, Chosen, Needed, Places, tracked, typed
from gradual.checker.inference.terms import Sizes
from gradual.dims.term.dim import constant
from gradual.ops.declaration.operator import IllFormed, OpenRank, Operator, Result
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType, TupleType

MOST = 200
"""The limit of candidates judged for one application; beyond it, only equal element types are looked for."""
MANY = 256
"""The same limit, where only the element types are varied."""
FREE = 3
"""The limit of unknown element types that are varied independently."""
EVERY = 2 * len(DType) ** FREE
"""A limit that choices of so many element types do not reach."""

_REMEMBERED = 512

Answer = tuple[tuple[Choice, ...], Result]


@record
class Question:
    """An operator applied to operands of which only some types are known.

    Attributes:
        structure: for each operand, the number of its fields, or None for a tensor.
        limit: the number of elements that are tracked at most.
    """

    operator: Operator
    attributes: tuple[tuple[str, Any], ...]
    structure: tuple[int | None, ...]
    places: Places
    limit: int

    def explored(self, begun: Chosen, most: int) -> list[Answer] | None:
        """Every accepted extension of a choice with its result; None if there are too many to try."""
        found: list[Answer] = []
        for chosen, results in self.tried([begun], most):
            if results is None:
                return None
            found += [(self.places.choice(chosen), result) for result in results]
        return found

    def tried(self, begun: Sequence[Chosen], most: int) -> Iterator[tuple[Chosen, list[Result] | None]]:
        """Yield the extensions of begun choices with their results, and at last None if there are too many to try."""
        todo = list(reversed(begun))
        for _ in range(most):
            if not todo:
                return
            chosen = todo.pop()
            try:
                results = list(self.judged(self.places.choice(chosen)))
            except Needed as needed:
                todo += reversed(self.places.further(chosen, needed))
            else:
                yield chosen, results
        if todo:
            yield todo[0], None

    def judged(self, choice: Sequence[Choice]) -> Iterator[Result]:
        """Yield the result; several if a size decides its rank (small sizes are tried); nothing if the rule rejects."""
        yield from self._results(typed(choice, self.structure, self.limit))

    def _results(self, types: list[OpenedType]) -> Iterator[Result]:
        try:
            yield self.operator.judge(*types, **dict(self.attributes)).result
        except OpenRank as open:
            place = open.operand or 0
            given = types[place]
            if isinstance(given, TensorType):
                for size in RANKS:
                    shape = (*given.shape[: open.axis], constant(size), *given.shape[open.axis + 1 :])
                    types[place] = tracked(TensorType(shape, given.dtype), place, self.limit)
                    yield from self._results(types)
                types[place] = given
        except IllFormed:
            return


@lru_cache(maxsize=_REMEMBERED)
def answers(question: Question) -> Sequence[Answer] | None:
    """Every accepted choice of operand types with its result; None if there are too many candidates.

    A dtype or shape is chosen only when the operator's rule needs it. So if the rule rejects the operands before it
    needs one, the rule need not be tried for each possible dtype and shape.
    """
    return question.explored(question.places.known, MOST)


@record
class Agreement:
    """Pairs of operands with equal element types; of the result, or of each field, an operand with its element type."""

    operands: tuple[tuple[int, int], ...]
    fields: tuple[int | None, ...]
    is_tuple: bool


@lru_cache(maxsize=_REMEMBERED)
def agreement(question: Question) -> Agreement | None:
    """The equalities of all accepted element types, at the first rank at which the operator accepts any.

    If it accepts none at one rank of all operands, or too many could be tried, they are those at the first shapes.
    """
    known, few = question.places.known, question.places.free <= FREE
    begun = [replace(known, shapes=_at_rank(known.shapes, rank)) for rank in RANKS if few]
    for chosen in (*begun, known):
        shapes = _first(question, chosen)
        if shapes is not None:
            found = question.explored(replace(known, shapes=shapes), EVERY if few else MANY)
            return _common(found) if found else None
    return None


def _at_rank(shapes: Sequence[Sizes | None], rank: int) -> tuple[Sizes, ...]:
    """The shapes, with a shape of unknown sizes for each that is not known."""
    return tuple((None,) * rank if shape is None else shape for shape in shapes)


def _first(question: Question, begun: Chosen) -> tuple[Sizes | None, ...] | None:
    """The first shapes that the operator accepts with some element type of all unknown operands; None if none."""
    tried = sorted(DType, key=lambda dtype: dtype not in begun.dtypes)
    alike = [replace(begun, dtypes=tuple(found or dtype for found in begun.dtypes)) for dtype in tried]
    return next((chosen.shapes for chosen, results in question.tried(alike, MOST) if results), None)


def _common(found: Sequence[Answer]) -> Agreement:
    number = len(found[0][0])
    pairs = [
        (left, right)
        for left in range(number)
        for right in range(left + 1, number)
        if all(choice[left][0] is choice[right][0] is not None for choice, _ in found)
    ]
    is_tuple = all(isinstance(result, TupleType) for _, result in found)
    fields = [result.fields if isinstance(result, TupleType) else (result,) for _, result in found]
    kept = [next((i for i in range(number) if _has(i, found, parts)), None) for parts in zip(*fields, strict=False)]
    return Agreement(tuple(pairs), tuple(kept), is_tuple and len(set(map(len, fields))) == 1)


def _has(operand: int, found: Sequence[Answer], parts: Sequence[object]) -> bool:
    """Whether a part of the result always has the element type of an operand."""
    each = zip(found, parts, strict=True)
    return all(isinstance(part, TensorType) and part.dtype is choice[operand][0] for (choice, _), part in each)
