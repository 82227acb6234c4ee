"""Reshaping: the same elements in another arrangement of axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gradual.dims.term.constraint import all_of, any_of, differs, equal
from gradual.dims.term.dim import Dim, constant, product
from gradual.limits import LIMITS
from gradual.ops.declaration.dynamic_variant import dynamic_twin
from gradual.ops.declaration.element_ranges import of_first
from gradual.ops.declaration.facts import by_type
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Padding, everywhere, reshaped
from gradual.ops.declaration.shapes import ONE, Shape, axes_of, judged, size, tensor
from gradual.ops.declaration.sign_analysis import is_positive, is_size
from gradual.ops.shape.reshape_codes import ALL, COUNTS, REST, requested
from gradual.ops.shape.unit_axes import expanded, is_axis, is_constant, removed, without
from gradual.tensors.index import permuted
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.type import TensorType, Type, UnrankedType

Ints = tuple[int, ...]


def dims(shape: Sequence[int]) -> Shape:
    """A shape of numbers as dims."""
    return tuple(map(constant, shape))


def numbers(shape: Sequence[Dim]) -> Ints:
    """A shape of constant dims as numbers."""
    return tuple(extent.evaluate({}) for extent in shape)


def same_contents(data: TensorType[Dim], rank: int) -> Contents:
    """The contents of a result of this rank that has the same elements in the same order."""
    return data.contents if rank <= 1 else None


# --------------------------------------------------------------------------------------------------------- reshape
def _reshape(data: Tensor, *, newshape: Ints, allowzero: bool) -> Tensor:
    shape, _ = requested(dims(data.shape), newshape, allowzero, elements=False)
    return tensor_of(numbers(shape), data.dtype, data.elements)


def _reshape_contents(data: TensorType[Dim], *, newshape: tuple[int | Dim, ...], allowzero: bool) -> Contents:
    shape, _ = requested(data.shape, newshape, allowzero, elements=False)
    return same_contents(data, len(shape))


def _reshape_flat(
    data: Type[Dim], *, newshape: tuple[int | Dim, ...], allowzero: bool, elements: bool = False
) -> tuple[int, ...]:
    """The operands of which only the number of elements matters: `(0,)`, the data, if no code refers to its axes.

    No code does if all entries of `newshape` are sizes, or one is -1 and the others are sizes of at least 1.
    """
    rest = [code for code in newshape if isinstance(code, Dim) or code != REST]
    if len(rest) < len(newshape):
        return (0,) if len(rest) + 1 == len(newshape) and all(map(_is_some, rest)) else ()
    return (0,) if all(_is_plain(code, allowzero, elements) for code in rest) else ()


def _is_some(code: int | Dim) -> bool:
    """Whether an entry of `newshape` is a size of at least 1."""
    return is_positive(code) if isinstance(code, Dim) else code > 0


def _is_plain(code: int | Dim, allowzero: bool, elements: bool) -> bool:
    """Whether an entry of `newshape` is a size and no code, in every well-formed application."""
    if _is_some(code):
        return True
    if isinstance(code, Dim):
        return not elements or (allowzero and is_size(code))
    return code == 0 and allowzero


@operator(
    "reshape",
    meaning=_reshape,
    ranges=of_first,
    family="reshaping",
    contents=_reshape_contents,
    aliases=("relay.reshape",),
    flat=_reshape_flat,
    padding=Padding(reshaped, sized=True),
    identity=by_type,
    onnx="Reshape",
    writes_shape=True,
)
def reshape(data: TensorType[Dim], *, newshape: tuple[int | Dim, ...], allowzero: bool = False) -> Judgement:
    """The elements in row-major order under a new shape.   t[..a] -> t[..newshape]

        out[i, j, ..] = data[k, l, ..] where both have the same number in row-major order

    Written integers below 1, with `allowzero` below 0, are codes, of which -1 occurs at most once [op.reshape.code];
    sizes are not negative [op.reshape.size].  Without -1, data and result have the same number of elements
    [op.reshape.elements]. With -1, which is the size that remains, the product of the other sizes is at least 1 and
    divides the number of elements of the data, after equal sizes at the same position have cancelled
    [op.reshape.divides].
    """
    given = tensor(data, 0)
    shape, needs = requested(given.shape, newshape, allowzero, elements=False)
    return Judgement(TensorType(shape, given.dtype), needs, _settled(newshape, shape))


def _settled(newshape: Sequence[int | Dim], shape: Shape) -> dict[str, object] | None:
    """The attributes in core if sizes are computed: sizes in place of codes, so that a computed 0 is no code."""
    if all(isinstance(code, int) for code in newshape):
        return None
    if any(isinstance(code, int) and code <= ALL for code in newshape):
        return {"newshape": shape, "allowzero": True}
    kept = tuple(REST if code == REST else extent for code, extent in zip(newshape, shape, strict=True))
    return {"newshape": kept, "allowzero": True}


def _reshape_by_value(data: TensorType[Dim], *, newshape: tuple[int | Dim, ...], allowzero: bool) -> Judgement:
    given = tensor(data, 0)
    shape, needs = requested(given.shape, newshape, allowzero, elements=True)
    return judged(shape, given.dtype, needs)


dyn_reshape = dynamic_twin(
    replace(reshape, judge=_reshape_by_value, flat=partial(_reshape_flat, elements=True)), ("newshape",)
)


def _from_the_back(shape: Shape, codes: Sequence[int | Dim], allowzero: bool) -> tuple[Shape, tuple[Need, ...]]:
    """The requested shape, where axes and codes are matched from the last on."""
    found, needs = requested(shape[::-1], codes[::-1], allowzero, elements=False)
    return found[::-1], needs


def _reverse_reshape(data: Tensor, *, newshape: Ints, allowzero: bool) -> Tensor:
    shape, _ = _from_the_back(dims(data.shape), newshape, allowzero)
    return tensor_of(numbers(shape), data.dtype, data.elements)


def _reverse_reshape_contents(data: TensorType[Dim], *, newshape: tuple[int | Dim, ...], allowzero: bool) -> Contents:
    shape, _ = _from_the_back(data.shape, newshape, allowzero)
    return same_contents(data, len(shape))


@operator(
    "contrib_reverse_reshape",
    meaning=_reverse_reshape,
    ranges=of_first,
    family="reshaping",
    contents=_reverse_reshape_contents,
    flat=_reshape_flat,
    writes_shape=True,
)
def reverse_reshape(data: TensorType[Dim], *, newshape: tuple[int | Dim, ...], allowzero: bool = False) -> Judgement:
    """As `reshape`, with axes and codes matched from the last to the first.   t[..a] -> t[..newshape]

        out[i, j, ..] = data[k, l, ..] where both have the same number in row-major order

    So `[-1, 0]` makes `(50, 4)` of `(10, 5, 4)`; -4 comes after its two sizes [op.reshape.code].  `allowzero` is as in
    `reshape`, and so are the requirements [op.reshape.size] [op.reshape.elements] [op.reshape.divides].
    """
    given = tensor(data, 0)
    shape, needs = _from_the_back(given.shape, newshape, allowzero)
    return Judgement(TensorType(shape, given.dtype), needs, _settled(newshape, shape))


def _spliced(
    left: Sequence[Dim], right: Sequence[Dim], lhs_begin: int, lhs_end: int | None, rhs_begin: int, rhs_end: int | None
) -> Shape:
    low, high = _part(len(left), lhs_begin, lhs_end)
    first, last = _part(len(right), rhs_begin, rhs_end)
    return (*left[:low], *right[first:last], *left[high:])


def _part(rank: int, begin: int, end: int | None) -> tuple[int, int]:
    """Axes from `begin` up to `end`; negative ones count from the back. Raises IllFormed if one is out of range."""
    low = begin + rank if begin < 0 else begin
    high = rank if end is None else end + rank if end < 0 else end
    if not 0 <= low <= high <= rank:
        raise IllFormed("op.axis", f"axes {begin} up to {end} are not in range for rank {rank}")
    return low, high


def _reshape_like(
    data: Tensor, shape_like: Tensor, *, lhs_begin: int, lhs_end: int | None, rhs_begin: int, rhs_end: int | None
) -> Tensor:
    left, right = dims(data.shape), dims(shape_like.shape)
    shape = _spliced(left, right, lhs_begin, lhs_end, rhs_begin, rhs_end)
    return tensor_of(numbers(shape), data.dtype, data.elements)


def _reshape_like_flat(
    data: Type[Dim],
    shape_like: Type[Dim],
    *,
    lhs_begin: int,
    lhs_end: int | None,
    rhs_begin: int,
    rhs_end: int | None,
) -> tuple[int, ...]:
    """The operands of which only the number of elements matters: `(0,)`, the data, if all of its axes are replaced."""
    return (0,) if lhs_begin == 0 and lhs_end is None else ()


@operator(
    "reshape_like",
    meaning=_reshape_like,
    ranges=of_first,
    family="reshaping",
    flat=_reshape_like_flat,
    identity=by_type,
    writes_shape=True,
)
def reshape_like(
    data: TensorType[Dim],
    shape_like: TensorType[Dim],
    *,
    lhs_begin: int = 0,
    lhs_end: int | None = None,
    rhs_begin: int = 0,
    rhs_end: int | None = None,
) -> Judgement:
    """The elements in another tensor's shape, or with some axes replaced by axes of it.   t[..a], u[..b] -> t[..b]

        out[i, j, ..] = data[k, l, ..] where both have the same number in row-major order

    The shape of the result is that of the data with its axes from `lhs_begin` up to `lhs_end`, excluded, replaced by
    those of `shape_like` from `rhs_begin` up to `rhs_end`; an end of None is the rank.  It has as many elements as the
    data [op.reshape_like.elements].
    """
    left, right = tensor(data, 0), tensor(shape_like, 1)
    shape = _spliced(left.shape, right.shape, lhs_begin, lhs_end, rhs_begin, rhs_end)
    goal = equal(size(left.shape), product(shape))
    return judged(shape, left.dtype, (Need(goal, "op.reshape_like.elements", COUNTS, ((0, None), (1, None))),))


# ----------------------------------------------------------------------------------------------- squeeze, expand_dims
def _squeeze(data: Tensor, *, axis: Ints | None) -> Tensor:
    shape = dims(data.shape)
    gone = removed(shape, None if axis is None else dims(axis))
    return tensor_of(numbers(without(shape, gone)), data.dtype, data.elements)


def _squeeze_contents(data: TensorType[Dim], *, axis: Shape | None) -> Contents:
    known = axis is not None or is_constant(data.shape)
    return same_contents(data, data.rank - len(removed(data.shape, axis))) if known else None


@operator(
    "squeeze",
    meaning=_squeeze,
    ranges=of_first,
    family="reshaping",
    contents=_squeeze_contents,
    padding=Padding(everywhere),
    identity=by_type,
    onnx="Squeeze",
    writes_shape=True,
)
def squeeze(data: TensorType[Dim], *, axis: tuple[Dim, ...] | None = None) -> Judgement:
    """Some axes removed, each of size 1 [op.squeeze.one] and none twice [op.squeeze.axis].   t[.., 1, ..] -> t[.., ..]

        out[i, .., j, ..] = data[i, .., 0, j, ..],  0 along each axis that is removed

    Without `axis` every axis of size 1 is removed; the rank of the result is then known only if all sizes are.
    """
    given = tensor(data, 0)
    if axis is None and not is_constant(given.shape):
        return Judgement(UnrankedType(given.dtype))
    gone = removed(given.shape, axis)
    if len(gone) > given.rank or len({one for one in gone if one.value is not None}) < _constants(gone):
        raise IllFormed("op.axis", f"an axis is repeated in {[one.value for one in gone]}", 0)
    needs = [need for one in gone for need in _is_one(given.shape, one)]
    needs += [
        Need(differs(one, other), "op.squeeze.axis", "an axis is listed twice", ((0, None),))
        for place, one in enumerate(gone)
        for other in gone[place + 1 :]
        if one.value is None or other.value is None
    ]
    return judged(without(given.shape, gone), given.dtype, needs)


def _constants(axes: Sequence[Dim]) -> int:
    return sum(axis.value is not None for axis in axes)


def _is_one(shape: Shape, axis: Dim) -> list[Need]:
    """Needs that the removed axis exists and has size 1."""
    says = "a squeezed axis does not have size 1"
    if axis.value is not None:
        return [Need(equal(shape[axis.value], ONE), "op.squeeze.one", says, ((0, axis.value),))]
    each = (all_of(equal(axis, constant(place)), equal(extent, ONE)) for place, extent in enumerate(shape))
    return [Need(any_of(*each), "op.squeeze.one", says, ((0, None),))]


dyn_squeeze = dynamic_twin(squeeze, ("axis",), names=("axes",))


def _expand_dims(data: Tensor, *, axis: int, num_newaxis: int) -> Tensor:
    shape = expanded(dims(data.shape), constant(axis), num_newaxis)
    return tensor_of(numbers(shape), data.dtype, data.elements)


def _expand_dims_contents(data: TensorType[Dim], *, axis: Dim, num_newaxis: int) -> Contents:
    return same_contents(data, data.rank + num_newaxis)


@operator(
    "expand_dims",
    meaning=_expand_dims,
    ranges=of_first,
    family="reshaping",
    contents=_expand_dims_contents,
    padding=Padding(everywhere),
    identity=by_type,
    onnx="Unsqueeze",
    writes_shape=True,
)
def expand_dims(data: TensorType[Dim], *, axis: Dim, num_newaxis: int = 1) -> Judgement:
    """New axes of size 1 before an axis, or after it if it counts from the back.   t[..a, ..b] -> t[..a, 1, ..b]

        out[..a, 0, ..b] = data[..a, ..b],  with 0 `num_newaxis` times

    The axis is from -r - 1 to r for data of rank r [op.expand_dims.axis].
    """
    given = tensor(data, 0)
    if num_newaxis < 0:
        raise IllFormed("op.attribute", f"num_newaxis has to be at least 0, not {num_newaxis}")
    if given.rank + num_newaxis > LIMITS.rank:
        raise IllFormed("op.rank", f"rank {given.rank + num_newaxis} is above the limit of {LIMITS.rank}")
    within = is_axis(axis, given.rank + 1)
    if axis.value is not None and not within.value:
        raise IllFormed("op.axis", f"axis {axis} is out of range for rank {given.rank} and a new axis", 0)
    says = "the new axis is out of range"
    needs = () if axis.value is not None else (Need(within, "op.expand_dims.axis", says, ((0, None),)),)
    return judged(expanded(given.shape, axis, num_newaxis), given.dtype, needs)


dyn_expand_dims = dynamic_twin(expand_dims, ("axis",))


# ------------------------------------------------------------------------------------------------------- transpose
def _order(axes: Ints | None, rank: int) -> Ints:
    """For each axis of the result, the axis of the data that it is; the reverse order if `axes` is None."""
    if not axes and axes is not None and rank:
        raise IllFormed("op.attribute", f"axes has to name {rank} axes, not none")
    found = tuple(range(rank))[::-1] if axes is None else axes_of(axes, rank)
    if len(found) != rank:
        raise IllFormed("op.attribute", f"axes has to name {rank} axes, not {len(found)}")
    return found


def _transpose(data: Tensor, *, axes: Ints | None) -> Tensor:
    order = _order(axes, data.rank)
    shape = tuple(data.shape[axis] for axis in order)
    return tensor_of(shape, data.dtype, permuted(data.elements, data.shape, order))


def _transpose_contents(data: TensorType[Dim], *, axes: Ints | None) -> Contents:
    return data.contents


def _keeps_order(given: TensorType[Dim], attributes: Mapping[str, Any]) -> bool:
    """Whether every axis stays where it is."""
    axes, rank = attributes["axes"], given.rank
    order = range(rank)[::-1] if axes is None else (axis % rank for axis in axes)
    return list(order) == list(range(rank))


@operator(
    "transpose",
    meaning=_transpose,
    ranges=of_first,
    family="reshaping",
    contents=_transpose_contents,
    padding=Padding(everywhere),
    identity=_keeps_order,
    onnx="Transpose",
    writes_shape=True,
)
def transpose(data: TensorType[Dim], *, axes: tuple[int, ...] | None = None) -> Judgement:
    """The axes in another order, by default reversed.   t[..a] -> t[..permuted(a, axes)]

    out[i_0, i_1, ..] = data[j_0, j_1, ..],  j_axes[k] = i_k

    An axis that is repeated or out of range is an error of `op.axis`; else too few axes, of `op.attribute`.
    """
    given = tensor(data, 0)
    return judged((given.shape[axis] for axis in _order(axes, given.rank)), given.dtype)
