"""Judgements for unknown ranks: cases of known ranks, and what the cases have in common.   [op.dynamic]"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gradual.dims.term.constraint import TRUE, Constraint, at_least, at_most, equal, negated
from gradual.dims.term.dim import Dim, constant, maximum, product, sum_of
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import Content, GradualType, Hole, OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import at_rank, counted, numel_of, rank_of, size_of

ENUMERATED = 2
"""The greatest number of unknowns for which a rule is evaluated at every combination of values."""
_LONGER = (LIMITS.rank + 1, LIMITS.contents + 1)
"""A length above every rank, and one too long for its elements to be tracked; each represents greater lengths too."""

Types = tuple[OpenedType, ...]


@record
class Unknown:
    """An unknown number: a rank, or a size that determines one.

    Attributes:
        number: `ndim(%x)`, or the size.
        operands: the operands that it concerns.
        origin: if the number is a rank, the value that the shape of unknown rank belongs to; None for a size.
    """

    number: Dim
    operands: tuple[int, ...]
    origin: str | None

    def at(self, types: Types, value: int) -> Types:
        """The operands' types with a value in place of the number, which is the rank of a shape or occurs as a size."""
        if self.origin is not None:
            types = tuple(at_rank(type, self.origin, value) for type in types)
        return tuple(at_size(type, self.number, value) for type in types)

    @property
    def values(self) -> tuple[int, ...]:
        """The values at which a rule is evaluated."""
        ranks = tuple(range(LIMITS.rank + 1))
        return ranks if self.origin is not None else (*ranks, *_LONGER)

    def stands(self, value: int) -> Constraint:
        """The condition that a value represents: the number equals it, or is at least it if it is in `_LONGER`."""
        return at_least(self.number, constant(value)) if value in _LONGER else equal(self.number, constant(value))


def at_size(type: OpenedType, size: Dim, value: int) -> OpenedType:
    """The type of a tensor with a number in place of a size."""
    if not isinstance(type, TensorType) or size not in type.shape:
        return type
    return replace(type, shape=tuple(constant(value) if extent is size else extent for extent in type.shape))


@record
class Case:
    """A rule's result at known ranks: a judgement, or why there is none.

    Attributes:
        at: each unknown with its value in this case.
        types: the operands' types that were passed to the rule.
    """

    at: tuple[tuple[Unknown, int], ...]
    types: Types
    judgement: Judgement | None
    refusal: IllFormed | None = None

    @property
    def is_sample(self) -> bool:
        """Whether the case represents greater lengths too, for which sizes and needs may differ."""
        return any(value in _LONGER for _, value in self.at)

    @property
    def equations(self) -> tuple[Constraint, ...]:
        """The facts of the case: the value of each unknown, and each shape's number of elements as a product."""
        found = [unknown.stands(value) for unknown, value in self.at]
        for unknown, value in self.at:
            if unknown.origin is not None:
                found.append(counted(unknown.origin, value))
        return tuple(found)

    def is_met(self, holds: Callable[[Constraint], bool]) -> bool:
        """Whether the rule holds in this case without a check, or its ranks are proved impossible."""
        if self.judgement is not None and not self.is_sample and all(n.goal is TRUE for n in self.judgement.needs):
            return True
        return any(holds(negated(unknown.stands(value))) for unknown, value in self.at)

    def is_refuted(self, refutes: Callable[[Constraint], bool]) -> bool:
        """Whether the ranks of a well-formed case, or the rule's requirements at them, are refuted."""
        assert self.judgement is not None
        needs = () if self.is_sample else self.judgement.needs
        return any(map(refutes, (*self.equations, *(need.goal for need in needs))))


@record
class Cases:
    """Cases of one application, and whether they are all of its cases."""

    every: tuple[Case, ...]
    complete: bool

    @property
    def fitting(self) -> tuple[Case, ...]:
        """The well-formed cases."""
        return tuple(case for case in self.every if case.judgement is not None)

    @property
    def fixed(self) -> tuple[Unknown, int] | None:
        """An unknown that has the same value in all well-formed cases.  [op.dynamic.demand]"""
        first, *others = self.fitting
        for unknown, value in first.at:
            if value not in _LONGER and all(dict(case.at).get(unknown) == value for case in others):
                return unknown, value
        return None


@record(eq=False)
class Together:
    """What several cases have in common.   [op.dynamic.result]"""

    cases: Sequence[Case]

    @staticmethod
    def of(cases: Sequence[Case]) -> Together:
        """What the well-formed cases have in common."""
        return Together([case for case in cases if case.judgement is not None])

    def says_nothing(self, every: Sequence[Case]) -> bool:
        """Whether further cases do not matter: no unknown is fixed, some need or refusal exists, no shape is common."""
        varied = all(len({dict(case.at)[one] for case in self.cases}) > 1 for one in self._common())
        owing = any(case.judgement is None or any(n.goal is not TRUE for n in case.judgement.needs) for case in every)
        return varied and owing and len(self._common()) == ENUMERATED and _is_unknown(self.result())

    def result(self) -> GradualType:
        """The result's type as far as it is the same in all cases.  Raises IllFormed if no type covers all."""
        return self._type([case.judgement.result for case in self.cases if case.judgement is not None])

    def relations(self, path: str) -> Iterator[Constraint]:
        """Equations for the ranks of results of unknown rank."""
        yield from self._relations([case.judgement.result for case in self.cases if case.judgement is not None], path)

    def bounds(self) -> Iterator[Constraint]:
        """Lower and upper bounds of the unknowns in all cases."""
        for unknown in self._common():
            values = [dict(case.at)[unknown] for case in self.cases]
            yield at_least(unknown.number, constant(min(values)))
            if max(values) < LIMITS.rank:
                yield at_most(unknown.number, constant(max(values)))

    def contents(self, each: Sequence[Contents]) -> Contents:
        """Contents as far as they are the same in all cases."""
        known = [contents for contents in each if contents is not None]
        if len(known) < len(each) or len({len(contents) for contents in known}) != 1:
            return None
        joined = [self._content(column) for column in zip(*known, strict=True)]
        return tuple(part for part in joined if part is not None) if None not in joined else None

    def _content(self, column: Sequence[Content]) -> Content | None:
        dims = [part for part in column if isinstance(part, Dim)]
        if len(dims) == len(column):
            return self._dim(dims)
        return column[0] if all(part is column[0] for part in column) else None

    def _type(self, types: Sequence[GradualType]) -> GradualType:
        tensors = [type for type in types if isinstance(type, TensorType)]
        if len(tensors) == len(types):
            return self._tensor(tensors)
        if all(isinstance(type, TensorType | UnrankedType) for type in types):
            return UnrankedType(_dtype(types))
        fields = [type.fields for type in types if isinstance(type, TupleType)]
        if len(fields) < len(types) or len(set(map(len, fields))) != 1:
            raise IllFormed("op.structure", "whether the result is a tuple depends on a rank that is not known")
        return TupleType(tuple(self._type(column) for column in zip(*fields, strict=True)))

    def _tensor(self, types: Sequence[TensorType[Dim | Hole]]) -> GradualType:
        dtype, shapes = _dtype(types), [type.shape for type in types]
        for origin in self._origins():
            if all(shape == _sizes(origin, rank) for shape, rank in zip(shapes, self._ranks(origin), strict=True)):
                return UnrankedType(dtype, origin)
        if len(set(map(len, shapes))) != 1:
            return UnrankedType(dtype)
        return TensorType(tuple(map(self._extent, zip(*shapes, strict=True))), dtype)

    def _extent(self, column: Sequence[Dim | Hole]) -> Dim | Hole:
        dims = [extent for extent in column if isinstance(extent, Dim)]
        if len(dims) == len(column):
            return self._dim(dims) or Hole(low=constant(0))
        lows = [extent.low if isinstance(extent, Hole) else extent for extent in column]
        highs = [extent.high if isinstance(extent, Hole) else extent for extent in column]
        keys = {extent.key if isinstance(extent, Hole) else None for extent in column}
        return Hole(self._bound(lows), self._bound(highs), keys.pop() if len(keys) == 1 else None)

    def _bound(self, bounds: Sequence[Dim | None]) -> Dim | None:
        known = [bound for bound in bounds if bound is not None]
        return self._dim(known) if len(known) == len(bounds) else None

    def _dim(self, dims: Sequence[Dim]) -> Dim | None:
        """One term for a dim of all cases: the same dim, a number of elements, or a term of the ranks; else None."""
        if all(dim is dims[0] for dim in dims):
            return dims[0]
        for origin in self._origins():
            ranks = self._ranks(origin)
            if all(dim is product(_sizes(origin, rank)) for dim, rank in zip(dims, ranks, strict=True)):
                return numel_of(origin)
        values = [dim.value for dim in dims if dim.value is not None]
        return self._term(values) if len(values) == len(dims) else None

    def _term(self, values: Sequence[int]) -> Dim | None:
        """A term of the unknown ranks that has these values in the cases; None if no form that is tried has them."""
        common = self._common()
        numbers: list[Dim] = [unknown.number for unknown in common]
        columns = [[dict(case.at)[unknown] for case in self.cases] for unknown in common]
        for column, number in zip(columns, numbers, strict=True):
            if len({value - rank for value, rank in zip(values, column, strict=True)}) == 1:
                return number + (values[0] - column[0])
            if all(value == max(rank, min(values)) for value, rank in zip(values, column, strict=True)):
                return maximum(number, min(values))
        rows: list[tuple[int, ...]] = list(zip(*columns, strict=True))
        sums, greatest = list(map(sum, rows)), list(map(max, rows))
        if len(numbers) > 1 and len({value - other for value, other in zip(values, sums, strict=True)}) == 1:
            return sum_of(numbers) + (values[0] - sums[0])
        return maximum(*numbers) if len(numbers) > 1 and list(values) == greatest else None

    def _common(self) -> list[Unknown]:
        """The unknowns that have a value in every case."""
        first, *others = ({unknown: None for unknown, _ in case.at} for case in self.cases)
        return [unknown for unknown in first if all(unknown in other for other in others)]

    def _origins(self) -> list[str]:
        return [unknown.origin for unknown in self._common() if unknown.origin is not None]

    def _ranks(self, origin: str) -> list[int]:
        return [value for case in self.cases for unknown, value in case.at if unknown.origin == origin]

    def _relations(self, types: Sequence[GradualType], path: str) -> Iterator[Constraint]:
        tensors = [type for type in types if isinstance(type, TensorType)]
        if len(tensors) == len(types):
            ranks = [len(type.shape) for type in tensors]
            if len(set(ranks)) > 1 and isinstance(made := self._tensor(tensors), UnrankedType) and made.origin is None:
                term = self._term(ranks)
                yield from () if term is None else (equal(rank_of(path), term),)
        fields = [type.fields for type in types if isinstance(type, TupleType)]
        if len(fields) == len(types):
            for index, column in enumerate(zip(*fields, strict=True)):
                yield from self._relations(column, f"{path}#{index}")


def _sizes(origin: str, rank: int) -> tuple[Dim, ...]:
    return tuple(size_of(origin, axis) for axis in range(rank))


def unranked(result: GradualType) -> GradualType:
    """A result of which nothing is known but its structure and element types."""
    if isinstance(result, TupleType):
        return TupleType(tuple(map(unranked, result.fields)))
    assert isinstance(result, TensorType | UnrankedType), "operators make tensors and tuples of them"
    return UnrankedType(result.dtype)


def _is_unknown(result: GradualType) -> bool:
    if isinstance(result, TupleType):
        return all(map(_is_unknown, result.fields))
    return isinstance(result, UnrankedType) and result.origin is None


def _dtype(types: Sequence[GradualType]) -> DType:
    """The element type that the results share.  Raises IllFormed where it depends on the rank."""
    found = {type.dtype for type in types if isinstance(type, TensorType | UnrankedType)}
    if len(found) != 1:
        raise IllFormed("op.dtype", "the element type of the result depends on a rank that is not known")
    return found.pop()
