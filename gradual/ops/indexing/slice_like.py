"""Slices to the sizes of another tensor, assignment to slices, and sliding windows."""

from __future__ import annotations

from gradual.dims.term.constraint import at_most, differs
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.dynamic_variant import elements_of
from gradual.ops.declaration.element_ranges import among_first
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import (
    ONE,
    ZERO,
    Shape,
    agreement,
    axes_of,
    axis_of,
    contents_of,
    judged,
    same_dtype,
    tensor,
)
from gradual.ops.declaration.windows import Window, at_least, owed
from gradual.ops.indexing.slice import Ints, Slice, dims, places, places_along, slices_of
from gradual.tensors.index import offsets, picked
from gradual.tensors.index import strides as steps_of
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import Content, TensorType


# ------------------------------------------------------------------------------------------------------ slice_like
def _axes(axes: Ints | None, rank: int, other: int) -> Ints:
    """The axes that are cut: `axes` if given, else all axes that both tensors have."""
    found = axes_of(axes, rank) if axes else tuple(range(min(rank, other)))
    for axis in found:
        if axis >= other:
            raise IllFormed("op.axis", f"axis {axis} is out of range for rank {other}", 1)
    return found


def _slice_like(data: Tensor, shape_like: Tensor, *, axes: Ints | None) -> Tensor:
    cut = _axes(axes, data.rank, shape_like.rank)
    shape = tuple(shape_like.shape[i] if i in cut else extent for i, extent in enumerate(data.shape))
    return tensor_of(shape, data.dtype, picked(data.elements, offsets(shape, steps_of(data.shape))))


def _slice_like_contents(data: TensorType[Dim], shape_like: TensorType[Dim], *, axes: Ints | None) -> Contents:
    """The first elements, if their number is known."""
    if data.contents is None or not _axes(axes, data.rank, shape_like.rank):
        return data.contents
    length = shape_like.shape[0].value
    return None if length is None else data.contents[:length]


@operator("slice_like", meaning=_slice_like, ranges=among_first, family="slicing", contents=_slice_like_contents)
def slice_like(data: TensorType[Dim], shape_like: TensorType[Dim], *, axes: tuple[int, ...] | None = None) -> Judgement:
    """The first elements along some axes, as many as another tensor has there.

    t[..a, n, ..b], u[..c, m, ..d] -> t[..a, m, ..b]

        out[i, j, ..] = data[i, j, ..],  the sizes along the axes being those of shape_like

    The axes are `axes`, by default all axes that both have, counted from the front; along them the other tensor is not
    larger, m <= n [op.slice_like.fits].
    """
    given, other = tensor(data, 0), tensor(shape_like, 1)
    cut = _axes(axes, given.rank, other.rank)
    says = "the tensor is smaller than the one whose shape it is cut to"
    needs = [Need(at_most(other.shape[i], given.shape[i]), "op.slice_like.fits", says, ((1, i), (0, i))) for i in cut]
    shape = (other.shape[i] if i in cut else extent for i, extent in enumerate(given.shape))
    return judged(shape, given.dtype, needs)


# ----------------------------------------------------------------------------------------------------- strided_set
def _overwritten(shape: Shape, begin: Shape, end: Shape, steps: Shape) -> dict[int, Slice]:
    """The slices that are written; a stride of 0, which a need excludes, is replaced by 1."""
    return slices_of(shape, begin, end, tuple(ONE if step is ZERO else step for step in steps), "end", None)


def _strided_set(data: Tensor, v: Tensor, begin: Tensor, end: Tensor, strides: Tensor) -> Tensor:
    slices = _overwritten(dims(data.shape), dims(begin.elements), dims(end.elements), dims(strides.elements))
    found = data.elements[:]
    for place, element in zip(places(data.shape, slices)[1], v.elements, strict=True):
        found[place] = element
    return tensor_of(data.shape, data.dtype, found)


def _known_dims(given: TensorType[Dim]) -> Shape | None:
    """The elements of a vector of integers, if its length is known."""
    held = contents_of(given)
    return None if held is None else tuple(part for part in held if isinstance(part, Dim))


def _strided_set_contents(
    data: TensorType[Dim],
    v: TensorType[Dim],
    begin: TensorType[Dim],
    end: TensorType[Dim],
    strides: TensorType[Dim],
) -> Contents:
    """The known elements of a vector with those at known indices replaced."""
    first, last, steps = map(_known_dims, (begin, end, strides))
    if data.contents is None or v.contents is None or first is None or last is None or steps is None:
        return None
    found: list[Content] = list(data.contents)
    where: range | None = range(len(found))
    for along in _overwritten(data.shape, first, last, steps).values():
        where = places_along(along)
    if where is None or len(where) != len(v.contents):
        return None
    for place, content in zip(where, v.contents, strict=True):
        found[place] = content
    return tuple(found)


@operator(
    "strided_set", meaning=_strided_set, family="slicing", contents=_strided_set_contents, reads=(2, 3, 4), alike=(0, 1)
)
def strided_set(
    data: TensorType[Dim],
    v: TensorType[Dim],
    begin: TensorType[Dim],
    end: TensorType[Dim],
    strides: TensorType[Dim],
) -> Judgement:
    """The data with the slice that `strided_slice` gives replaced by v.

    t[..a], t[..c], int[k], int[k], int[k] -> t[..a]

        out = data; then for each i, j, ..: out[first + i * stride, ..] = v[i, ..],  along each axis

    The elements of `begin`, `end` and `strides` are for the first axes in order, limited and counted as in
    `strided_slice` [op.strided_slice.clamp].  `v` has the sizes of the slice [op.strided_set.agree]; no stride is 0
    [op.strided_set.stride].
    """
    given, new = tensor(data, 0), tensor(v, 1)
    dtype = same_dtype(given, new)
    if new.rank != given.rank:
        raise IllFormed("op.rank", f"the slice has rank {given.rank}, the value assigned to it rank {new.rank}", 0)
    first, last, steps = (elements_of(part, place) for place, part in enumerate((begin, end, strides), 2))
    for place, held in enumerate((first, last, steps), 2):
        if len(held) > given.rank:
            raise IllFormed("op.rank", f"{len(held)} slices are given for {given.rank} axes", place)
    slices = _overwritten(given.shape, first, last, steps)
    says = "the value assigned to the slice has another shape"
    needs = [Need(differs(step, ZERO), "op.strided_set.stride", "a stride is 0", ((4, None),)) for step in steps]
    for i, extent in enumerate(given.shape):
        count = slices[i].count if i in slices else extent
        needs.append(agreement(new.shape[i], count, "op.strided_set.agree", says, (1, i), (0, i)))
    return judged(given.shape, dtype, needs)


# -------------------------------------------------------------------------------------------------- sliding_window
def _sliding_window(data: Tensor, *, axis: int, window_shape: Ints, strides: Ints) -> Tensor:
    place = axis % data.rank
    steps = steps_of(data.shape)
    rooms = zip(data.shape[place:], window_shape, strides, strict=True)
    counts = tuple((extent - width) // step + 1 for extent, width, step in rooms)
    moves = (*steps[:place], *map(int.__mul__, steps[place:], strides), *steps[place:])
    shape = (*data.shape[:place], *counts, *window_shape)
    return tensor_of(shape, data.dtype, picked(data.elements, offsets(shape, moves)))


@operator("sliding_window", meaning=_sliding_window, ranges=among_first, family="slicing")
def sliding_window(
    data: TensorType[Dim], *, axis: int, window_shape: tuple[Dim, ...], strides: tuple[Dim, ...]
) -> Judgement:
    """The windows that slide over an axis and all axes after it, one for each position.

    t[..a, n, ..] -> t[..a, (n - w) // s + 1, .., w, ..]

        out[..a, i, j, .., k, l, ..] = data[..a, i * strides[0] + k, j * strides[1] + l, ..]

    `window_shape` and `strides` have an element for each such axis, at least 1 [op.window.positive]; the window is no
    larger than the data along these axes [op.window.fits].
    """
    given = tensor(data, 0, least=1)
    place = axis_of(axis, given.rank)
    count = given.rank - place
    for name, values in (("window_shape", window_shape), ("strides", strides)):
        if len(values) != count:
            raise IllFormed("op.attribute", f"{name} has to have {count} elements, not {len(values)}")
    move = Window(window_shape, strides, (ONE,) * count, ((ZERO, ZERO),) * count)
    needs = [*at_least(ONE, window_shape, "window_shape"), *owed(move, given.shape[place:], range(place, given.rank))]
    shape = (*given.shape[:place], *move.positions(given.shape[place:]), *window_shape)
    return judged(shape, given.dtype, needs)
