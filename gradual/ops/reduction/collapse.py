"""Collapsing: sums that undo a broadcast."""

from __future__ import annotations

from gradual.dims.term.constraint import any_of, equal
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.dynamic_variant import elements_of
from gradual.ops.declaration.facts import by_type
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, operator
from gradual.ops.declaration.shapes import ONE, Shape, judged, of_dtype, same_dtype, tensor
from gradual.ops.reduction.reductions import blocks
from gradual.tensors.scalar import kept, total
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType, Type

Ints = tuple[int, ...]


def _collapsed(data: Tensor, shape: Ints) -> Tensor:
    """Sum along the leading axes and those for which 1 is wanted; a sum of one element is that element."""
    missing = data.rank - len(shape)
    wanted = (*[1] * missing, *shape)
    axes = tuple(i for i, extent in enumerate(data.shape) if wanted[i] == 1 and extent != 1)
    if not axes:
        return tensor_of(shape, data.dtype, data.elements)
    return tensor_of(shape, data.dtype, kept(data.dtype, map(total, blocks(data, axes))))


def _summable(data: Type[Dim]) -> TensorType[Dim]:
    given = tensor(data, 0)
    of_dtype(given, 0, lambda dtype: dtype is not DType.BOOL, "integers or floats")
    return given


def _needs(given: Shape, wanted: Shape, operand: int, from_shape: bool) -> list[Need]:
    """Needs that every wanted size, right-aligned, equals that of the tensor or is 1.   [op.collapse_sum.agree]"""
    if len(wanted) > len(given):
        raise IllFormed("op.rank", f"a tensor of rank {len(given)} cannot be collapsed to rank {len(wanted)}", 0)
    missing, says = len(given) - len(wanted), "the target shape does not broadcast to the shape of the tensor"
    needs = []
    for axis, extent in enumerate(wanted):
        if extent is not ONE:
            here = given[missing + axis]
            other = (operand, axis if from_shape else None)
            goal = any_of(equal(here, extent), equal(extent, ONE))
            needs.append(Need(goal, "op.collapse_sum.agree", says, ((0, missing + axis), other)))
    return needs


def _collapse_sum_like(data: Tensor, collapse_type: Tensor) -> Tensor:
    return _collapsed(data, collapse_type.shape)


@operator("collapse_sum_like", meaning=_collapse_sum_like, family="reducing", alike=(0, 1), identity=by_type)
def collapse_sum_like(data: TensorType[Dim], collapse_type: TensorType[Dim]) -> Judgement:
    """Sums over the broadcast axes, which give a tensor the shape of another.   t[..a], t[..b] -> t[..b]

        out[i, j, ..] = sum over r of data[r_0, r_1, .., i', j', ..]

    r runs over the axes in front that `collapse_type` lacks, and over those where it has size 1 and the data does
    not; elsewhere i' is i.  Aligned at the right, each size of the second tensor is that of the first, or 1
    [op.collapse_sum.agree].
    """
    given, wanted = _summable(data), tensor(collapse_type, 1)
    same_dtype(given, wanted)
    return judged(wanted.shape, given.dtype, _needs(given.shape, wanted.shape, 1, from_shape=True))


def _collapse_sum_to(data: Tensor, wanted: Tensor, *, shape: object, dtype: object) -> Tensor:
    return _collapsed(data, tuple(wanted.elements))


@operator("collapse_sum_to", meaning=_collapse_sum_to, family="reducing", reads=(1,), identity=by_type)
def collapse_sum_to(
    data: TensorType[Dim], wanted: TensorType[Dim], *, shape: object = None, dtype: object = None
) -> Judgement:
    """Sums over the broadcast axes, which give a tensor a shape.   t[..a], int[k] -> t[..wanted]

        out = collapse_sum_like(data, a tensor of the shape `wanted`)

    Aligned at the right, each size of the shape is that of the tensor, or 1 [op.collapse_sum.agree].  The attributes
    only repeat what the arguments say.
    """
    given, held = _summable(data), elements_of(wanted, 1)
    return judged(held, given.dtype, _needs(given.shape, held, 1, from_shape=False))
