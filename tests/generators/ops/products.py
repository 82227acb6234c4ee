"""Applications of contractions."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.types.dtype import DType
from tests.generators.operators import NUMBERS, Application, Row, dtypes, shapes, sizes, tensors

_WIDER = {DType.INT8: DType.INT32, DType.UINT8: DType.INT64, DType.FLOAT16: DType.FLOAT32}


@st.composite
def _dtype(draw: st.DrawFn) -> tuple[DType, dict[str, Any]]:
    """An element type and perhaps the one to compute in."""
    dtype = draw(dtypes(NUMBERS))
    wider = {"out_dtype": str(_WIDER[dtype])} if dtype in _WIDER and draw(st.booleans()) else {}
    return dtype, wider


@st.composite
def _dense(draw: st.DrawFn) -> Application:
    lead, inner, units = draw(shapes(0, 2, 20)), draw(sizes), draw(sizes)
    dtype, attributes = draw(_dtype())
    if draw(st.booleans()):
        attributes["units"] = units
    given, weight = draw(tensors((*lead, inner), dtype)), draw(tensors((units, inner), dtype))
    return Application((given, weight), attributes)


@st.composite
def _matmul(draw: st.DrawFn) -> Application:
    lead, rows, inner, units = draw(shapes(0, 1)), draw(sizes), draw(sizes), draw(sizes)
    dtype, attributes = draw(_dtype())
    turn_a, turn_b = draw(st.booleans()), draw(st.booleans())
    left = (*lead, *((inner, rows) if turn_a else (rows, inner)))
    right = (units, inner) if turn_b else (inner, units)
    attributes |= {"transpose_a": turn_a, "transpose_b": turn_b}
    return Application((draw(tensors(left, dtype)), draw(tensors(right, dtype))), attributes)


@st.composite
def _batch_matmul(draw: st.DrawFn) -> Application:
    batch, rows, inner, columns = (draw(sizes) for _ in range(4))
    one, other = draw(st.sampled_from([(batch, batch), (1, batch), (batch, 1)]))
    dtype, attributes = draw(_dtype())
    turn_a, turn_b = draw(st.booleans()), draw(st.booleans())
    left = (one, inner, rows) if turn_a else (one, rows, inner)
    right = (other, columns, inner) if turn_b else (other, inner, columns)
    attributes |= {"transpose_a": turn_a, "transpose_b": turn_b}
    return Application((draw(tensors(left, dtype)), draw(tensors(right, dtype))), attributes)


@st.composite
def column(draw: st.DrawFn, count: int, among: tuple[DType, ...] = NUMBERS, axis: bool = True) -> Application:
    """A tensor and so many vectors of one number for each place along an axis."""
    shape = draw(shapes(2 if axis else 1))
    dtype = draw(dtypes(among))
    place = draw(st.integers(-len(shape), len(shape) - 1)) if draw(st.booleans()) or not axis else 1
    vectors = tuple(draw(tensors((shape[place],), dtype)) for _ in range(count))
    attributes = {} if axis and place == 1 else {"axis": place}
    return Application((draw(tensors(shape, dtype)), *vectors), attributes)


ROWS: dict[str, Row] = {
    "nn.dense": _dense(),
    "nn.matmul": _matmul(),
    "nn.batch_matmul": _batch_matmul(),
    "nn.bias_add": column(1),
}
