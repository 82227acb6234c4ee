"""Scans: running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from operator import add, mul
from typing import Any, Unpack

from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.facts import Facts
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement, Operator, operator
from gradual.ops.declaration.padding import Axes, Growth, Padding, all_axes, rank_of
from gradual.ops.declaration.shapes import axis_of, judged, size, tensor
from gradual.ops.declaration.symbolic_elements import cast, tracked
from gradual.tensors.index import numel
from gradual.tensors.scalar import converted, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Step = Callable[[Any, Any], Any]


def lines(shape: Sequence[int], axis: int) -> Iterator[slice]:
    """The offsets of each line along an axis, in row-major order of the other axes."""
    inner = numel(shape[axis + 1 :])
    span = shape[axis] * inner
    for base in range(0, numel(shape), span) if span else ():
        for start in range(base, base + inner):
            yield slice(start, base + span, inner)


def _scanned(line: Sequence[Any], step: Step, unit: Any, exclusive: bool | None) -> list[Any]:
    found = list(accumulate(line, step, initial=unit))
    return found[:-1] if exclusive else found[1:]


def scan(name: str, step: Step, unit: int, says: str, fold: str, **facts: Unpack[Facts]) -> Operator:
    """Declare the operator that folds each line along an axis and keeps every intermediate result."""

    def meaning(data: Tensor, *, axis: int | None, dtype: DType | None, exclusive: bool | None) -> Tensor:
        kind = dtype or data.dtype
        shape, place = ((data.size,), 0) if axis is None else (data.shape, axis % data.rank)
        found = list(converted(data.dtype, kind, data.elements))
        first = float(unit) if kind.is_float else unit
        for line in lines(shape, place):
            found[line] = _scanned(found[line], step, first, exclusive)
        return tensor_of(shape, kind, kept(kind, found))

    def contents(data: TensorType[Dim], *, axis: int | None, dtype: DType | None, exclusive: bool | None) -> Contents:
        kind = dtype or data.dtype
        if data.contents is None or not kind.is_integer:
            return None
        line = [cast(part, kind) for part in data.contents]
        return tracked(_scanned(line, step, constant(unit), exclusive), kind)

    def judge(
        data: TensorType[Dim], *, axis: int | None = None, dtype: DType | None = None, exclusive: bool | None = False
    ) -> Judgement:
        given = tensor(data, 0)
        kind = dtype or given.dtype
        if kind is DType.BOOL:
            raise IllFormed("op.dtype", f"{name} is not defined for booleans: give a dtype", 0)
        if axis is None:
            return judged((size(given.shape),), kind)
        axis_of(axis, given.rank)
        return judged(given.shape, kind)

    judge.__doc__ = f"""{says}, in `dtype` or else in the data's own type.

    t[..a] -> t[..a]; without an axis t[..a] -> t[product(a)], the elements in row-major order

        out[.., i, ..] = {fold} over j <= i of data[.., j, ..],  with exclusive over j < i

    The elements are first converted as `cast` does.  Floats are combined in binary64, and each result is rounded once;
    integers wrap.  Booleans are accepted with a `dtype` only.  With `exclusive` the element at the position itself is
    left out, so that the first result is {unit}.
    """
    facts["padding"] = Padding(_extends)
    return operator(name, meaning=meaning, family="scanning", contents=contents, flat=_flat, **facts)(judge)


def _extends(growth: Growth) -> Iterator[Axes]:
    """All axes, since later elements do not matter; only the first if no axis is given and the data is flattened."""
    given = growth.types[0]
    yield all_axes(given) if growth.attributes["axis"] is not None else frozenset({0} if rank_of(given) else ())


def _flat(data: TensorType[Dim], *, axis: int | None, dtype: DType | None, exclusive: bool | None) -> tuple[int, ...]:
    return (0,) if axis is None else ()


SCANS = (
    scan("cumsum", add, 0, "The sum of the elements up to each position along an axis", "sum", onnx="CumSum"),
    scan("cumprod", mul, 1, "The product of the elements up to each position along an axis", "product"),
)
