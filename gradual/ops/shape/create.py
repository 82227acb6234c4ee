"""Creating: tensors of one value, and ranges."""

from __future__ import annotations

import math
from typing import Any

from gradual.dims.term.constraint import at_least, differs
from gradual.dims.term.dim import Dim, constant, ite, maximum
from gradual.limits import LIMITS
from gradual.ops.declaration import symbolic_elements as known
from gradual.ops.declaration.dynamic_variant import dynamic_twin
from gradual.ops.declaration.element_ranges import Operands, Range, Ranges, data_of, only, recast
from gradual.ops.declaration.facts import Faults
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Need, operator
from gradual.ops.declaration.padding import Padding, everywhere
from gradual.ops.declaration.shapes import (
    ONE,
    ZERO,
    Shape,
    contents_of,
    judged,
    not_negative,
    of_dtype,
    same_dtype,
    tensor,
)
from gradual.ops.declaration.symbolic_elements import tracked
from gradual.tensors.fault import invalid_value
from gradual.tensors.index import numel
from gradual.tensors.scalar import Elements, converted, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import Content, Hole, TensorType

Sizes = tuple[int, ...]


def _filled(shape: Sizes, dtype: DType, value: Any) -> Tensor:
    return tensor_of(shape, dtype, kept(dtype, (value,)) * numel(shape))


def _filled_contents(shape: Shape, dtype: DType, value: Content | None) -> Contents:
    """The contents of a tensor of one value."""
    length = ONE if not shape else shape[0]
    if len(shape) > 1 or length.value is None or not 0 <= length.value <= LIMITS.contents:
        return None
    return tracked([value] * length.value, dtype)


def _constant_contents(shape: Shape, dtype: DType, value: Dim) -> Contents:
    return _filled_contents(shape, dtype, value) if dtype.is_integer else None


def _zeros(*, shape: Sizes, dtype: DType | None) -> Tensor:
    return _filled(shape, dtype or DType.FLOAT32, 0)


def _ones(*, shape: Sizes, dtype: DType | None) -> Tensor:
    return _filled(shape, dtype or DType.FLOAT32, 1)


def _zeros_contents(*, shape: Shape, dtype: DType | None) -> Contents:
    return _constant_contents(shape, dtype or DType.FLOAT32, ZERO)


def _ones_contents(*, shape: Shape, dtype: DType | None) -> Contents:
    return _constant_contents(shape, dtype or DType.FLOAT32, ONE)


@operator(
    "zeros",
    meaning=_zeros,
    ranges=only(ZERO),
    family="creating",
    contents=_zeros_contents,
    padding=Padding(everywhere, sized=True),
    onnx="ConstantOfShape",
    writes_shape=True,
)
def zeros(*, shape: tuple[Dim, ...], dtype: DType | None = None) -> Judgement:
    """Zeros of a given shape, of the type `dtype` or else float32.   -> t[..shape]

        out[i] = 0

    No size is negative [op.zeros.size].
    """
    return judged(shape, dtype or DType.FLOAT32, not_negative(shape, "op.zeros.size"))


@operator(
    "ones",
    meaning=_ones,
    ranges=only(ONE),
    family="creating",
    contents=_ones_contents,
    padding=Padding(everywhere, sized=True),
    onnx="ConstantOfShape",
    writes_shape=True,
)
def ones(*, shape: tuple[Dim, ...], dtype: DType | None = None) -> Judgement:
    """Ones of a given shape, of the type `dtype` or else float32.   -> t[..shape]

        out[i] = 1

    No size is negative [op.ones.size].
    """
    return judged(shape, dtype or DType.FLOAT32, not_negative(shape, "op.ones.size"))


def _recast(value: Tensor, dtype: DType) -> Any:
    return converted(value.dtype, dtype, value.elements)[0]


def _full(fill_value: Tensor, *, shape: Sizes, dtype: DType | None) -> Tensor:
    target = dtype or fill_value.dtype
    return _filled(shape, target, _recast(fill_value, target))


def _full_contents(fill_value: TensorType[Dim], *, shape: Shape, dtype: DType | None) -> Contents:
    target = dtype or fill_value.dtype
    value = fill_value.contents
    return None if value is None else _filled_contents(shape, target, known.cast(value[0], target))


def _full_ranges(given: Operands) -> Ranges:
    """The range of the fill value, cast."""
    fill = tensor(given.types[0], 0)
    return recast(given.ranges[0], fill.dtype, given.attributes["dtype"] or fill.dtype)


@operator(
    "full",
    meaning=_full,
    ranges=_full_ranges,
    family="creating",
    contents=_full_contents,
    padding=Padding(everywhere, sized=True),
    onnx="ConstantOfShape",
    writes_shape=True,
)
def full(fill_value: TensorType[Dim], *, shape: tuple[Dim, ...], dtype: DType | None = None) -> Judgement:
    """A tensor of a given shape filled with a scalar, cast to `dtype` if that is given.   t[] -> t[..shape]

        out[i] = cast(fill_value)

    No size is negative [op.full.size].
    """
    fill = tensor(fill_value, 0, rank=0)
    return judged(shape, dtype or fill.dtype, not_negative(shape, "op.full.size"))


def _full_like(x: Tensor, fill_value: Tensor) -> Tensor:
    return _filled(x.shape, x.dtype, _recast(fill_value, x.dtype))


def _full_like_contents(x: TensorType[Dim], fill_value: TensorType[Dim]) -> Contents:
    return _full_contents(fill_value, shape=x.shape, dtype=x.dtype)


def _full_like_ranges(given: Operands) -> Ranges:
    return recast(given.ranges[1], tensor(given.types[1], 1).dtype, tensor(given.types[0], 0).dtype)


@operator(
    "full_like",
    meaning=_full_like,
    ranges=_full_like_ranges,
    family="creating",
    contents=_full_like_contents,
    padding=Padding(everywhere),
    writes_shape=True,
)
def full_like(x: TensorType[Dim], fill_value: TensorType[Dim]) -> Judgement:
    """A tensor of the shape and type of another, filled with a scalar cast to that type.   t[..a], u[] -> t[..a]

    out[i] = cast(fill_value)  for each index i of x
    """
    given = tensor(x, 0)
    tensor(fill_value, 1, rank=0)
    return judged(given.shape, given.dtype)


def _zeros_like(x: Tensor) -> Tensor:
    return _filled(x.shape, x.dtype, 0)


def _ones_like(x: Tensor) -> Tensor:
    return _filled(x.shape, x.dtype, 1)


def _zeros_like_contents(x: TensorType[Dim]) -> Contents:
    return _constant_contents(x.shape, x.dtype, ZERO)


def _ones_like_contents(x: TensorType[Dim]) -> Contents:
    return _constant_contents(x.shape, x.dtype, ONE)


@operator(
    "zeros_like",
    meaning=_zeros_like,
    ranges=only(ZERO),
    family="creating",
    contents=_zeros_like_contents,
    padding=Padding(everywhere),
    writes_shape=True,
)
def zeros_like(x: TensorType[Dim]) -> Judgement:
    """Zeros of the shape and type of a tensor.   t[..a] -> t[..a]

    out[i] = 0  for each index i of x
    """
    given = tensor(x, 0)
    return judged(given.shape, given.dtype)


@operator(
    "ones_like",
    meaning=_ones_like,
    ranges=only(ONE),
    family="creating",
    contents=_ones_like_contents,
    padding=Padding(everywhere),
    writes_shape=True,
)
def ones_like(x: TensorType[Dim]) -> Judgement:
    """Ones of the shape and type of a tensor.   t[..a] -> t[..a]

    out[i] = 1  for each index i of x
    """
    given = tensor(x, 0)
    return judged(given.shape, given.dtype)


def range_length(begin: Dim, end: Dim, stride: Dim) -> Dim:
    """The number of elements from `begin` up or down to, but without, `end`: `max(0, ceil((end - begin) / stride))`."""
    if stride.value is None:
        return ite(at_least(stride, ONE), _ascent(begin, end, stride), _ascent(end, begin, -stride))
    return _ascent(begin, end, stride) if stride.value > 0 else _ascent(end, begin, -stride)


def _ascent(begin: Dim, end: Dim, stride: Dim) -> Dim:
    return maximum((end - begin + stride - 1) // maximum(stride, ONE), ZERO)


def _arange_length(begin: TensorType[Dim], end: TensorType[Dim], stride: TensorType[Dim]) -> Dim | None:
    known_ends = begin.contents, end.contents, stride.contents
    if None in known_ends:
        return None
    first, last, step = (symbolic_elements[0] for symbolic_elements in known_ends if symbolic_elements is not None)
    assert isinstance(first, Dim) and isinstance(last, Dim) and isinstance(step, Dim), (
        "arange is not defined for booleans"
    )
    return range_length(first, last, step)


def _arange(begin: Tensor, end: Tensor, stride: Tensor, *, start: Any, stop: Any, step: Any, dtype: Any) -> Tensor:
    first, last, by = begin.elements[0], end.elements[0], stride.elements[0]
    if begin.dtype.is_float:
        found = _float_range(first, last, by, begin.dtype)
    else:
        if by == 0:
            raise invalid_value("the step is 0")
        found = kept(begin.dtype, range(first, last, by))
    return tensor_of((len(found),), begin.dtype, found)


def _float_range(first: float, last: float, by: float, dtype: DType) -> Elements:
    """`first + i * by`, product and sum each rounded to the type; the count is exact up to one binary64 division."""
    span = last - first
    if by == 0.0 or not math.isfinite(span) or not math.isfinite(by):
        raise invalid_value(f"arange from {first} to {last} with step {by} is not defined")
    steps = span / by
    if steps > LIMITS.elements:
        raise invalid_value(f"{steps:.0f} elements are too many")
    return kept(dtype, (first + move for move in kept(dtype, (i * by for i in range(math.ceil(max(steps, 0.0)))))))


def _arange_of_numbers(begin: TensorType[Dim], end: TensorType[Dim], stride: TensorType[Dim]) -> Judgement:
    """A range of floats: its length is known if bounds and step are constants and it is within the limit."""
    numbers = [given.numbers[0] for given in (begin, end, stride) if given.numbers is not None]
    if len(numbers) < 3:
        return judged((Hole(low=ZERO),), begin.dtype)
    first, last, by = map(float, numbers)
    need = Need(differs(constant(int(by != 0)), ZERO), "op.arange.step", "the step is 0", ((2, None),))
    steps = (last - first) / by if by else math.inf
    known = steps <= LIMITS.elements
    return judged((constant(math.ceil(max(steps, 0.0))) if known else Hole(low=ZERO),), begin.dtype, (need,))


def _arange_contents(
    begin: TensorType[Dim],
    end: TensorType[Dim],
    stride: TensorType[Dim],
    *,
    start: Any,
    stop: Any,
    step: Any,
    dtype: Any,
) -> Contents:
    length = _arange_length(begin, end, stride)
    if length is None or length.value is None or length.value > LIMITS.contents:
        return None
    assert begin.contents is not None and stride.contents is not None
    first, by = begin.contents[0], stride.contents[0]
    assert isinstance(first, Dim) and isinstance(by, Dim)
    return tracked((first + by * i for i in range(length.value)), begin.dtype)


def _arange_ranges(given: Operands) -> Ranges:
    """The range from the first to the last number.

    None unless the stride is a number, and the length mentions each element of data that `begin` or `end` mentions.
    """
    ends = [contents[0] for contents in map(contents_of, given.types) if contents is not None]
    if len(ends) < 3 or not all(isinstance(end, Dim) for end in ends):
        return None
    first, end, stride = (end for end in ends if isinstance(end, Dim))
    step = stride.value
    if not step or data_of(first, end) - range_length(first, end, stride).variables():
        return None
    last = first + (end - first + step - 1) // step * step - step if step > 0 else _last_down(first, end, -step)
    return Range(*((first, last) if step > 0 else (last, first)))


def _last_down(first: Dim, end: Dim, step: int) -> Dim:
    return first - (first - end + step - 1) // step * step + step


@operator(
    "arange",
    meaning=_arange,
    ranges=_arange_ranges,
    family="creating",
    contents=_arange_contents,
    reads=(0, 1, 2),
    data_dependent=True,
    alike=(0, 1, 2),
    faults=Faults.OTHERWISE,
    onnx="Range",
    writes_shape=True,
)
def arange(
    begin: TensorType[Dim],
    end: TensorType[Dim],
    stride: TensorType[Dim],
    *,
    start: object = None,
    stop: object = None,
    step: object = None,
    dtype: DType | None = None,
) -> Judgement:
    """The numbers from begin up to, or with a negative stride down to, end, which is excluded.   t[], t[], t[] -> t[n]

        out[i] = begin + i * stride,  n = max(0, ceil((end - begin) / stride))

    Of floats, n is computed in binary64, and product and sum are each rounded to the type; n depends on the data
    unless all three are constants.  The stride is not 0 [op.arange.step].  `start`, `stop`, `step` and `dtype` only
    repeat the arguments; a `dtype` that is not their type is an error of `op.dtype`.
    """
    ends = tensor(begin, 0, rank=0), tensor(end, 1, rank=0), tensor(stride, 2, rank=0)
    kind = of_dtype(ends[0], 0, lambda found: found is not DType.BOOL, "an integer or a float")
    same_dtype(*ends)
    if dtype is not None and dtype is not kind:
        raise IllFormed("op.dtype", f"attribute dtype is {dtype}, but the arguments are {kind}")
    length = _arange_length(*ends)
    if length is None:
        return _arange_of_numbers(*ends)
    assert ends[2].contents is not None and isinstance(ends[2].contents[0], Dim)
    return judged(
        (length,), kind, (Need(differs(ends[2].contents[0], ZERO), "op.arange.step", "the step is 0", ((2, None),)),)
    )


DYNAMIC = (
    dynamic_twin(zeros, ("shape",)),
    dynamic_twin(ones, ("shape",)),
    dynamic_twin(full, ("shape",)),
)
"""The dynamic variants of `zeros`, `ones` and `full`."""
