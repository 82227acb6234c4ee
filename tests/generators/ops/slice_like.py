"""Applications of slices that another tensor or value tells."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from tests.generators.operators import Application, Row, dtypes, shapes, sizes, tensors
from tests.generators.ops.reshape import any_tensor
from tests.generators.ops.slice import places, steps


@st.composite
def _slice_like(draw: st.DrawFn) -> Application:
    data = draw(any_tensor(0, 3))
    rank = draw(st.integers(0, 3))
    axes = [axis for axis in range(min(rank, data.rank)) if draw(st.booleans())]
    cut = axes or range(data.rank)
    shape = [draw(st.integers(0, data.shape[i])) if i in cut and i < data.rank else draw(sizes) for i in range(rank)]
    other = draw(tensors(tuple(shape), draw(dtypes())))
    if not axes:
        return Application((data, other), draw(st.sampled_from(({}, {"axes": None}, {"axes": []}))))
    return Application((data, other), {"axes": [axis - data.rank * draw(st.integers(0, 1)) for axis in axes]})


@st.composite
def _strided_set(draw: st.DrawFn) -> Application:
    data = draw(any_tensor(0, 3))
    count = draw(st.integers(0, data.rank))
    begin, end = (draw(st.lists(places, min_size=count, max_size=count)) for _ in range(2))
    strides = draw(st.lists(steps, min_size=0, max_size=count))
    cut = [slice(*ends) for ends in zip(begin, end, [*strides, *[1] * count], strict=False)]
    shape = list(data.shape)
    for axis, part in enumerate(cut):
        shape[axis] = len(range(shape[axis])[part])
    new = random_tensor(tuple(shape), data.dtype, draw(st.integers(0, 99)))
    index = draw(dtypes((DType.INT64, DType.INT32)))
    bounds = [Tensor([_within(place, index) for place in held], index) for held in (begin, end, strides)]
    return Application((data, new, *bounds))


def _within(place: int, dtype: DType) -> int:
    return max(-(2**31), min(place, 2**31 - 1)) if dtype is DType.INT32 else place


@st.composite
def _sliding_window(draw: st.DrawFn) -> Application:
    data = draw(tensors(draw(shapes(1, 3, 60)), draw(dtypes())))
    axis = draw(st.integers(0, data.rank - 1))
    window: Any = [draw(st.integers(1, max(extent, 1))) for extent in data.shape[axis:]]
    strides = [draw(st.integers(1, 3)) for _ in window]
    place = axis - data.rank * draw(st.integers(0, 1))
    return Application((data,), {"axis": place, "window_shape": window, "strides": strides})


ROWS: dict[str, Row] = {
    "slice_like": _slice_like(),
    "strided_set": _strided_set(),
    "sliding_window": _sliding_window(),
}
