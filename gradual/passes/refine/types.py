"""Refine the recorded types of a step that is typed again, and of a join whose branches now have a size in common.

[pass.sharpen]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from gradual.core.context import Values
from gradual.core.datatypes import is_own
from gradual.core.traversal import Rewriting
from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import ContentOf, Dim, constant, product
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import Contents
from gradual.record import record
from gradual.tensors.scalar import integer_range
from gradual.tensors.tensor import Tensor
from gradual.types.binder_solving import bare
from gradual.types.dtype import DType
from gradual.types.relations import is_same
from gradual.types.type import (
    Content,
    GradualType,
    Hole,
    NeverType,
    OpenedType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.types.unpacking import content_of, numel_of, opened, rank_of, size_of

Literal = Tensor | tuple[Any, ...]
"""A constant, or a tuple of constants."""


@record(eq=False)
class Retyping:
    """Refines recorded types.

    Attributes:
        rewriting: replacements for removed names and unknowns.
        values: the variables of the new function.
    """

    rewriting: Rewriting
    values: Values[OpenedType]

    def sharper(self, judged: GradualType, before: OpenedType, path: str) -> OpenedType:
        """The recorded type, with its own unknowns replaced by the judged dims."""
        if isinstance(before, TypeVariable):
            return self._chosen(before, path, lambda inside, chosen: inside.sharper(judged, chosen, path))
        match judged, before:
            case TensorType(), TensorType() if judged.rank == before.rank:
                shape = (
                    self._size(extent, size, path, axis)
                    for axis, (extent, size) in enumerate(zip(judged.shape, before.shape, strict=True))
                )
                return TensorType(tuple(shape), before.dtype, self.rewriting.type(before).contents)
            case TupleType(fields), TupleType(others) if len(fields) == len(others):
                pairs = enumerate(zip(fields, others, strict=True))
                return TupleType(tuple(self.sharper(*pair, f"{path}#{i}") for i, pair in pairs))
            case TensorType(), UnrankedType():
                return opened(judged, path, lambda path, axis, hole: None)[0]
            case UnrankedType(origin=str()), UnrankedType():
                return judged
            case _:
                return self.rewriting.type(before)

    def _chosen(
        self, before: TypeVariable, path: str, retyped: Callable[[Retyping, OpenedType], OpenedType]
    ) -> OpenedType:
        """Refine the type that replaces a type parameter, without replacing type parameters in it again."""
        chosen = self.rewriting.typed(before, path)
        if isinstance(chosen, TypeVariable):
            return chosen
        inside = Rewriting(self.rewriting.names, self.rewriting.dims, origins=self.rewriting.origins)
        return retyped(Retyping(inside, self.values), chosen)

    def _size(self, extent: Dim | Hole, size: Dim, path: str, axis: int) -> Dim:
        """The judged dim if the recorded one is an unknown of this value, else the recorded one.

        The judged dim is not taken if it is too large. In a recorded size that is not such an unknown, only unknowns of
        other values are replaced, even if the judged dim is a number: types of references, data and functions are equal
        only if their sizes are written in the same way.
        """
        recorded = self.rewriting.dim(size)
        if isinstance(extent, Hole):
            return recorded
        return extent if is_own(size, path, axis) and not is_large(extent, LIMITS.nodes) else recorded

    # --------------------------------------------------------------------------------------------------------- joins
    def joined(self, before: OpenedType, path: str, types: Sequence[OpenedType]) -> OpenedType:
        """The recorded type of a join; where all branches have the same size, it replaces the join's own unknown."""
        if isinstance(before, TypeVariable):
            return self._chosen(before, path, lambda inside, chosen: inside.joined(chosen, path, types))
        some = [type for type in types if not isinstance(type, NeverType)]
        match before:
            case TensorType(shape) if some and all(isinstance(t, TensorType) and t.rank == len(shape) for t in some):
                tensors = [type for type in some if isinstance(type, TensorType)]
                extents = [self._common([type.shape[axis] for type in tensors]) for axis in range(len(shape))]
                joined = [self._size(*pair, path, axis) for axis, pair in enumerate(zip(extents, shape, strict=True))]
                return TensorType(tuple(joined), before.dtype, self._contents(before, tensors, joined))
            case TupleType(fields) if some and all(isinstance(t, TupleType) for t in some):
                columns = zip(*(type.fields for type in some if isinstance(type, TupleType)), strict=True)
                pairs = enumerate(zip(fields, columns, strict=True))
                return TupleType(tuple(self.joined(field, f"{path}#{i}", column) for i, (field, column) in pairs))
            case UnrankedType() if some and all(type == some[0] for type in some) and self._is_seen(some[0]):
                first = some[0]
                return replace(first, numbers=None) if isinstance(first, TensorType) else first
            case _:
                return self.rewriting.type(before)

    def _common(self, found: Sequence[Dim]) -> Dim | Hole:
        same = all(size is found[0] for size in found)
        return found[0] if same and self._is_visible(found[0]) else Hole()

    def _contents(self, before: TensorType[Dim], types: Sequence[TensorType[Dim]], shape: Sequence[Dim]) -> Contents:
        """The elements on which all branches agree; None if the length of the join is no number."""
        if before.contents is not None:
            return self.rewriting.type(before).contents
        first = types[0].contents
        if first is None or any(type.contents != first for type in types) or any(size.value is None for size in shape):
            return None
        return first if all(map(self._is_visible, first)) else None

    def _is_seen(self, type: OpenedType) -> bool:
        """Whether every variable that a tensor type mentions is defined here."""
        match type:
            case TensorType(shape, _, contents):
                return all(map(self._is_visible, (*shape, *(contents or ()))))
            case UnrankedType(origin=str(origin)):
                return self.values.is_live(origin)
            case _:
                return False

    def _is_visible(self, part: Content) -> bool:
        return all(map(self.values.is_visible, part.variables()))


# ----------------------------------------------------------------------------------------------------- replacements
def images(path: str, before: OpenedType, now: OpenedType) -> Iterator[tuple[Dim, Dim]]:
    """Pairs of an unknown of the value at a path, and the size or element that it is now known to be."""
    match before, now:
        case TensorType(), TensorType() if before.rank == now.rank:
            for axis, (own, size) in enumerate(zip(before.shape, now.shape, strict=True)):
                if size is not own and is_own(own, path, axis):
                    yield size_of(path, axis), size
            for index, content in enumerate(now.contents or ()):
                opened_here = content_of(path, (index,) if now.shape else ())
                element: Content = opened_here if before.contents is None else before.contents[index]
                if isinstance(content, Dim) and isinstance(element, Dim) and _is_element(element, path):
                    yield element, content
        case UnrankedType(origin=origin), TensorType() if origin == path:
            yield rank_of(path), constant(now.rank)
            yield numel_of(path), product(now.shape)
            for axis, size in enumerate(now.shape):
                yield size_of(path, axis), size
        case UnrankedType(origin=origin), UnrankedType(origin=str(other)) if origin == path != other:
            yield rank_of(path), rank_of(other)
            yield numel_of(path), numel_of(other)
            for axis in range(LIMITS.rank):
                yield size_of(path, axis), size_of(other, axis)
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            for i, pair in enumerate(zip(fields, others, strict=True)):
                yield from images(f"{path}#{i}", *pair)


def origins(path: str, before: OpenedType, now: OpenedType) -> Iterator[tuple[str, str]]:
    """Pairs of a part that had an unknown shape of its own, and the value whose shape it is now known to have."""
    match before, now:
        case UnrankedType(origin=origin), UnrankedType(origin=str(other)) if origin == path != other:
            yield path, other
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            for i, pair in enumerate(zip(fields, others, strict=True)):
                yield from origins(f"{path}#{i}", *pair)


def _is_element(dim: Dim, path: str) -> bool:
    """Whether a dim is an unknown element of the value at a path."""
    variable = bare(dim)
    return variable is not None and isinstance(variable.witness, ContentOf) and variable.witness.value == path


def is_alike(type: OpenedType, recorded: OpenedType) -> bool:
    """Whether a value may replace a value of the recorded type.

    If the recorded type is a tensor of known rank, the ranks have to be equal. Tuples are compared field by field. All
    other types have to be the same.
    """
    match type, recorded:
        case TensorType(), TensorType():
            return type.rank == recorded.rank
        case TensorType() | UnrankedType(), UnrankedType():
            return True
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            return all(map(is_alike, fields, others))
        case _:
            return is_same(type, recorded)


def says(type: OpenedType, wanted: OpenedType, path: str) -> bool:
    """Whether a value's type has every size that the parameter's type has, apart from the parameter's own unknowns.

    True also for a tensor whose elements are known: an ascription would forget them.
    """
    match type, wanted:
        case TensorType(contents=None), TensorType() if type.rank == wanted.rank:
            pairs = enumerate(zip(type.shape, wanted.shape, strict=True))
            return all(size is own or is_own(own, path, axis) for axis, (size, own) in pairs)
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            return all(says(*pair, f"{path}#{i}") for i, pair in enumerate(zip(fields, others, strict=True)))
        case _:
            return True


# ------------------------------------------------------------------------------------------------------------ elements
def elements(type: OpenedType) -> Iterable[Content]:
    """The known elements of a value."""
    match type:
        case TensorType(contents=contents):
            yield from contents or ()
        case TupleType(fields):
            for field in fields:
                yield from elements(field)


def fits(part: Content, dtype: DType) -> bool:
    """Whether an element is a number in the range of the dtype, or a truth value."""
    if isinstance(part, Constraint):
        return True
    low, high = integer_range(dtype)
    return part.value is not None and low <= part.value <= high


def is_closed(part: Content) -> bool:
    """Whether an element or a size mentions no element of a value."""
    return not any(isinstance(variable.witness, ContentOf) for variable in part.variables())
