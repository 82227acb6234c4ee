"""Candidate dtypes and shapes of unknown operands, chosen when the operator's rule needs them.   [type.omitted]"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from gradual.checker.inference.terms import Element, Shape, Sizes, Tensor, Unknown
from gradual.dims.term.dim import Dim, Kind, constant, variable
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType, TupleType
from gradual.types.unpacking import tracked_length, with_contents

RANKS = range(7)
"""The ranks tried for an operand of unknown rank."""
_UNKNOWN: tuple[Sizes, ...] = tuple((None,) * rank for rank in RANKS)

V = TypeVar("V")
Leaf = Tensor | Unknown
Choice = tuple[DType | None, Sizes | None]
"""An element type and a shape; None for one that the operator's rule did not need."""


@record
class Chosen:
    """A choice for each element type and each shape; None if not chosen yet."""

    dtypes: tuple[DType | None, ...]
    shapes: tuple[Sizes | None, ...]


class Needed(Exception):
    """An operator's rule needs an operand's shape (if `shape`) or element type, which is not chosen yet."""

    def __init__(self, leaf: int, shape: bool) -> None:
        super().__init__(leaf, shape)
        self.leaf, self.shape = leaf, shape


@record
class Places:
    """The candidates for tensors; operands that share an element type or a shape share the choice.

    Attributes:
        at: for each tensor, the place of its element type in `dtypes` and of its shape in `sizes`.
        dtypes: the candidates for each element type.
        sizes: the candidates for each shape.
    """

    at: tuple[tuple[int, int], ...]
    dtypes: tuple[tuple[DType, ...], ...]
    sizes: tuple[tuple[Sizes, ...], ...]

    @staticmethod
    def of(leaves: Sequence[Leaf]) -> Places:
        """The candidates by what is known of tensors."""
        elements = [leaf.element.last() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        shapes = [leaf.shape if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        each, every = list(dict.fromkeys(elements)), list(dict.fromkeys(shapes))
        return Places(
            tuple((each.index(element), every.index(shape)) for element, shape in zip(elements, shapes, strict=True)),
            tuple((one.dtype,) if isinstance(one, Element) and one.dtype is not None else tuple(DType) for one in each),
            tuple((one.at,) if isinstance(one, Shape) and isinstance(one.at, tuple) else _UNKNOWN for one in every),
        )

    @property
    def free(self) -> int:
        """The number of element types that are not known."""
        return sum(len(dtypes) > 1 for dtypes in self.dtypes)

    @property
    def known(self) -> Chosen:
        """The element types and shapes that have only one candidate."""
        return Chosen(tuple(map(_only, self.dtypes)), tuple(map(_only, self.sizes)))

    def choice(self, chosen: Chosen) -> tuple[Choice, ...]:
        """The chosen element type and shape of each tensor."""
        dtypes, shapes = chosen.dtypes, chosen.shapes
        return tuple([(dtypes[element], shapes[shape]) for element, shape in self.at])

    def further(self, chosen: Chosen, needed: Needed) -> list[Chosen]:
        """Extend `chosen` by every candidate for the shape or element type that was needed."""
        element, shape = self.at[needed.leaf]
        if needed.shape:
            return [Chosen(chosen.dtypes, _with(chosen.shapes, shape, sizes)) for sizes in self.sizes[shape]]
        return [Chosen(_with(chosen.dtypes, element, dtype), chosen.shapes) for dtype in self.dtypes[element]]


def typed(choice: Sequence[Choice], structure: Sequence[int | None], limit: int) -> list[OpenedType]:
    """The types of operands; one whose structure is a number is a tuple of so many tensors."""
    tensors = (_tensor(index, one, limit) for index, one in enumerate(choice))
    return [next(tensors) if fields is None else TupleType(tuple(islice(tensors, fields))) for fields in structure]


def _only(ways: Sequence[V]) -> V | None:
    return ways[0] if len(ways) == 1 else None


def _with(values: tuple[V, ...], place: int, value: V) -> tuple[V, ...]:
    return (*values[:place], value, *values[place + 1 :])


@lru_cache(maxsize=4096)  # a rule is asked about the same few types of an operand again and again
def _tensor(index: int, choice: Choice, limit: int) -> TensorType[Dim]:
    dtype, sizes = choice
    shape = None if sizes is None else _shape(index, sizes)
    if dtype is None or shape is None:
        return Open(index, dtype, shape)
    return tracked(TensorType(shape, dtype), index, limit)


def _shape(index: int, sizes: Sizes) -> tuple[Dim, ...]:
    return tuple(
        constant(size) if size is not None else variable(f"?{index}.{axis}", Kind.EXISTENTIAL)
        for axis, size in enumerate(sizes)
    )


class Open(TensorType[Dim]):
    """A tensor type that is not fully chosen yet; reading a missing part raises Needed."""

    __slots__ = ("_dtype", "_leaf", "_shape")

    def __init__(self, leaf: int, dtype: DType | None, shape: tuple[Dim, ...] | None) -> None:
        for name, value in (("_leaf", leaf), ("_dtype", dtype), ("_shape", shape)):
            object.__setattr__(self, name, value)

    def __getattribute__(self, name: str) -> Any:
        if name not in ("shape", "rank", "dtype", "contents", "numbers"):
            return object.__getattribute__(self, name)
        shape, dtype = self._shape, self._dtype
        if name != "dtype" and shape is None:
            raise Needed(self._leaf, shape=True)
        if name not in ("shape", "rank") and dtype is None:
            raise Needed(self._leaf, shape=False)
        return {"shape": shape, "rank": len(shape or ()), "dtype": dtype}.get(name)

    def __eq__(self, other: object) -> bool:
        return (self.shape, self.dtype) == other

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))


def tracked(type: TensorType[Dim], index: int, limit: int) -> TensorType[Dim]:
    """The type with fresh symbolic contents if values of this type have tracked contents, else the type itself."""
    known = type.dtype.counts and tracked_length(type, limit) is not None
    return with_contents(type, f"?{index}") if known else type
