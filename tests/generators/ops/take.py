"""Applications of operators that select by value."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import EVERY, INTEGERS, NUMBERS, Application, Row, dtypes, shapes, sizes, tensors
from tests.generators.ops.reshape import any_tensor

SIGNED = tuple(dtype for dtype in INTEGERS if dtype.is_signed)


@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...], low: int, high: int) -> Tensor:
    """Integers of a shape, within bounds."""
    low = draw(st.sampled_from((low, max(low, 0))))
    dtype = draw(dtypes(SIGNED if low < 0 else INTEGERS))
    count = 1
    for extent in shape:
        count *= extent
    flat = draw(st.lists(st.integers(low, max(low, high)), min_size=count, max_size=count))
    return Tensor(flat, dtype, shape)


@st.composite
def _take(draw: st.DrawFn) -> Application:
    mode = draw(st.sampled_from(("clip", "wrap", "fast")))
    beyond = 0 if mode == "fast" else 3
    if draw(st.booleans()):
        data = draw(any_tensor(0, 2))
        named = draw(indices(draw(shapes(0, 2, 12)), -beyond, data.size - 1 + beyond))
        return Application((data, named), {"mode": mode})
    data = draw(any_tensor(1, 3))
    axis = draw(st.integers(0, data.rank - 1))
    shared = draw(st.integers(0, axis))
    shape = (*data.shape[:shared], *draw(shapes(0, 2, 6)))
    named = draw(indices(shape, -beyond, data.shape[axis] - 1 + beyond))
    place = axis - data.rank * draw(st.integers(0, 1))
    batch = shared - len(shape) if shared < len(shape) and draw(st.booleans()) else shared
    return Application((data, named), {"axis": place, "batch_dims": batch, "mode": mode})


@st.composite
def _gather(draw: st.DrawFn) -> Application:
    data = draw(tensors(draw(shapes(1)), draw(dtypes())))
    axis = draw(st.integers(-data.rank, data.rank - 1))
    shape = list(data.shape)
    shape[axis] = draw(sizes)
    return Application((data, draw(indices(tuple(shape), 0, data.shape[axis] - 1))), {"axis": axis})


@st.composite
def _scatter_elements(draw: st.DrawFn) -> Application:
    reduction = draw(st.sampled_from(("update", "add", "mul", "mean", "min", "max")))
    dtype = draw(dtypes(EVERY if reduction == "update" else NUMBERS))
    data = draw(tensors((draw(sizes),) if draw(st.booleans()) else draw(shapes(1)), dtype))
    axis = draw(st.integers(-data.rank, data.rank - 1))
    shape = [draw(st.integers(0, extent)) for extent in data.shape]
    shape[axis] = draw(sizes)
    named = draw(indices(tuple(shape), -data.shape[axis], data.shape[axis] - 1))
    updates = draw(tensors(tuple(shape), dtype))
    return Application((data, named, updates), {"axis": axis, "reduction": reduction})


@st.composite
def _mask(draw: st.DrawFn) -> Application:
    data = draw(tensors(draw(shapes(1)), draw(dtypes())))
    return Application((data, draw(tensors(data.shape[:1], DType.BOOL))))


@st.composite
def _plain(draw: st.DrawFn, vector: bool) -> Application:
    shape = (draw(sizes),) if vector else draw(shapes())
    return Application((draw(tensors(shape, draw(dtypes()), special=True)),))


@st.composite
def _unique(draw: st.DrawFn) -> Application:
    given = draw(_plain(vector=True))
    return Application(given.arguments, {"sorted": draw(st.booleans()), "return_counts": draw(st.booleans())})


ROWS: dict[str, Row] = {
    "take": _take(),
    "gather": _gather(),
    "scatter_elements": _scatter_elements(),
    "argwhere": _plain(vector=False),
    "nonzero": _plain(vector=True),
    "boolean_mask": _mask(),
    "unique": _unique(),
}
