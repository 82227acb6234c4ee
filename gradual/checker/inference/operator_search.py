"""Candidate dtypes and shapes of unknown operands, chosen when the operator's rule needs them.   [type.omitted]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from gradual.checker.inference.terms import Element, InferenceType, Product, Shape, Sizes, Tensor, Unknown, seen
from gradual.dims.term.dim import Dim, Kind, constant, variable
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType, TupleType
from gradual.types.unpacking import tracked_length, with_contents

RANKS = range(7)
"""The ranks tried for an operand of unknown rank."""
_UNKNOWN: list[Sizes] = [(None,) * rank for rank in RANKS]

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


class Places:
    """The candidates for tensors; operands that share an element type or a shape share the choice.

    Attributes:
        free: the element types that are not known.
    """

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self._elements = [leaf.element.last() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        self._shapes = [leaf.shape if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        self._dtypes = {
            each: [each.dtype] if isinstance(each, Element) and each.dtype is not None else list(DType)
            for each in self._elements
        }
        self._sizes: dict[Shape | Unknown, list[Sizes]] = {
            each: [each.at] if isinstance(each, Shape) and isinstance(each.at, tuple) else list(_UNKNOWN)
            for each in self._shapes
        }
        self.free = [each for each, dtypes in self._dtypes.items() if len(dtypes) > 1]

    @property
    def known(self) -> Chosen:
        """The element types and shapes that have only one candidate."""
        return Chosen(tuple(map(_only, self._dtypes.values())), tuple(map(_only, self._sizes.values())))

    def choice(self, chosen: Chosen) -> tuple[Choice, ...]:
        """The chosen element type and shape of each tensor."""
        of = dict(zip(self._dtypes, chosen.dtypes, strict=True))
        at = dict(zip(self._sizes, chosen.shapes, strict=True))
        return tuple((of[e], at[s]) for e, s in zip(self._elements, self._shapes, strict=True))

    def further(self, chosen: Chosen, needed: Needed) -> list[Chosen]:
        """Extend `chosen` by every candidate for the shape or element type that was needed."""
        if needed.shape:
            shape = self._shapes[needed.leaf]
            place = list(self._sizes).index(shape)
            return [replace(chosen, shapes=_with(chosen.shapes, place, sizes)) for sizes in self._sizes[shape]]
        element = self._elements[needed.leaf]
        place = list(self._dtypes).index(element)
        return [replace(chosen, dtypes=_with(chosen.dtypes, place, dtype)) for dtype in self._dtypes[element]]

    def key(self) -> object:
        """A memo key: the candidates of each tensor, and which tensors share an element type or a shape."""
        elements, shapes = list(self._dtypes), list(self._sizes)
        return tuple(
            (elements.index(e), shapes.index(s), tuple(self._dtypes[e]), tuple(self._sizes[s]))
            for e, s in zip(self._elements, self._shapes, strict=True)
        )

    def at_rank(self, rank: int, alike: bool) -> Iterator[tuple[Choice, ...]]:
        """Yield the choices with all unknown shapes of rank `rank`; if `alike`, with all unknown dtypes equal."""
        at: list[Sizes] = [(None,) * rank]
        sizes = {each: found if len(found) == 1 else at for each, found in self._sizes.items()}
        if not alike:
            yield from self._chosen(self._dtypes, sizes)
            return
        for dtype in DType:
            same = {each: found if len(found) == 1 else [dtype] for each, found in self._dtypes.items()}
            yield from self._chosen(same, sizes)

    def _chosen(
        self, dtypes: Mapping[Element | Unknown, list[DType]], sizes: Mapping[Shape | Unknown, list[Sizes]]
    ) -> Iterator[tuple[Choice, ...]]:
        for chosen in product(*dtypes.values()):
            of = dict(zip(dtypes, chosen, strict=True))
            for shapes in product(*sizes.values()):
                at = dict(zip(sizes, shapes, strict=True))
                yield tuple((of[e], at[s]) for e, s in zip(self._elements, self._shapes, strict=True))


def typed(operand: InferenceType, choice: Iterator[tuple[int, Choice]], limit: int) -> OpenedType:
    """The type of an operand, taking from `choice` the next choice for each tensor in it."""
    operand = seen(operand)
    if isinstance(operand, Product):
        return TupleType(tuple(_tensor(*next(choice), limit) for _ in operand.fields))
    return _tensor(*next(choice), limit)


def _only(ways: Sequence[V]) -> V | None:
    return ways[0] if len(ways) == 1 else None


def _with(values: tuple[V, ...], place: int, value: V) -> tuple[V, ...]:
    return (*values[:place], value, *values[place + 1 :])


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
