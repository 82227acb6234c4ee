"""Applications of elementwise operators with attributes or three operands."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import (
    EVERY,
    FLOATS,
    INTEGERS,
    NUMBERS,
    Application,
    Row,
    compatible,
    dtypes,
    shapes,
    tensors,
)


@st.composite
def _cast(draw: st.DrawFn) -> Application:
    x = draw(tensors(draw(shapes()), draw(dtypes()), special=True))
    return Application((x,), {"dtype": str(draw(dtypes()))})


@st.composite
def _cast_like(draw: st.DrawFn) -> Application:
    x, like = (draw(tensors(draw(shapes()), draw(dtypes()))) for _ in range(2))
    return Application((x, like))


@st.composite
def _where(draw: st.DrawFn) -> Application:
    test, left, right = draw(compatible(3))
    dtype = draw(dtypes(EVERY))
    condition = draw(tensors(test, draw(dtypes((DType.BOOL, *INTEGERS)))))
    return Application((condition, draw(tensors(left, dtype)), draw(tensors(right, dtype))))


@st.composite
def _clip(draw: st.DrawFn) -> Application:
    x = draw(tensors(draw(shapes()), draw(dtypes(NUMBERS)), special=True))
    low = draw(st.sampled_from([-2.5, 0.0, 1.0, 3.0]))
    return Application((x,), {"a_min": low, "a_max": low + draw(st.sampled_from([0, 1, 2.5, 100]))})


@st.composite
def _leaky_relu(draw: st.DrawFn) -> Application:
    x = draw(tensors(draw(shapes()), draw(dtypes(FLOATS)), special=True))
    return Application((x,), draw(st.sampled_from([{}, {"alpha": 0.1}])))


@st.composite
def _fixed_point_multiply(draw: st.DrawFn) -> Application:
    x = draw(tensors(draw(shapes()), DType.INT32, special=True))
    return Application((x,), {"multiplier": draw(st.sampled_from([1 << 30, 3])), "shift": draw(st.integers(-3, 33))})


@st.composite
def _fixed_point_multiply_per_axis(draw: st.DrawFn) -> Application:
    x = draw(tensors(draw(shapes()), DType.INT32, special=True))
    places = draw(st.permutations(range(x.rank)))[: draw(st.integers(0, x.rank))]
    shape = tuple(x.shape[axis] for axis in places)
    multiplier = draw(tensors(shape, DType.INT32, special=True))
    shifts = [
        Tensor(draw(st.lists(st.integers(0, 31), min_size=n, max_size=n)), DType.INT32, shape)
        for n in 2 * [multiplier.size]
    ]
    flags = {f"is_{side}shift_required": True for side in "lr" if draw(st.booleans())}
    axes = [axis - x.rank * draw(st.integers(0, 1)) for axis in places]
    return Application((x, multiplier, *shifts), flags | ({"axes": axes} if axes else {}))


@st.composite
def _reinterpret(draw: st.DrawFn) -> Application:
    source = draw(dtypes())
    among = [dtype for dtype in NUMBERS if dtype.bits == source.bits] if source is not DType.BOOL else [source]
    x = draw(tensors(draw(shapes()), source, special=True))
    return Application((x,), {"dtype": str(draw(dtypes(among)))})


ROWS: dict[str, Row] = {
    "cast": _cast(),
    "cast_like": _cast_like(),
    "where": _where(),
    "clip": _clip(),
    "nn.leaky_relu": _leaky_relu(),
    "fixed_point_multiply": _fixed_point_multiply(),
    "fixed_point_multiply_per_axis": _fixed_point_multiply_per_axis(),
    "reinterpret": _reinterpret(),
}
