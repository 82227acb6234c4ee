"""Applications of operators that index by several indices at once."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from tests.generators.operators import (
    EVERY,
    INTEGERS,
    NUMBERS,
    Application,
    Row,
    compatible,
    dtypes,
    shapes,
    sizes,
    tensors,
)
from tests.generators.ops.reshape import any_tensor
from tests.generators.ops.take import SIGNED, indices


@st.composite
def _adv_index(draw: st.DrawFn) -> Application:
    data = draw(any_tensor(0, 3))
    count = draw(st.integers(0, data.rank))
    named = draw(compatible(count, 2)) if count else ()
    parts = [draw(indices(shape, -size, size - 1)) for shape, size in zip(named, data.shape, strict=False)]
    return Application(((data, *parts),))


@st.composite
def columns(draw: st.DrawFn, extents: tuple[int, ...], outer: tuple[int, ...]) -> Tensor:
    """A tensor of indices, a column for each place of `outer` with one index within each extent."""
    dtype = draw(dtypes(SIGNED))
    flat: list[int] = []
    for extent in extents:
        count = math.prod(outer)
        flat += draw(st.lists(st.integers(-extent, max(extent - 1, -extent)), min_size=count, max_size=count))
    return Tensor(flat, dtype, (len(extents), *outer))


@st.composite
def _gather_nd(draw: st.DrawFn) -> Application:
    data = draw(any_tensor(0, 4))
    batch = draw(st.integers(0, data.rank))
    depth = draw(st.integers(0, data.rank - batch))
    outer = (*data.shape[:batch], *draw(shapes(0, 2, 6)))
    named = draw(columns(data.shape[batch : batch + depth], outer))
    attributes = {"batch_dims": batch} if batch else {}
    return Application((data, named), attributes | ({"index_rank": depth} if draw(st.booleans()) else {}))


@st.composite
def _scatter_nd(draw: st.DrawFn) -> Application:
    mode = draw(st.sampled_from(("update", "add", "mul", "min", "max")))
    dtype = draw(dtypes(EVERY if mode == "update" else NUMBERS))
    data = draw(tensors((draw(sizes),) if draw(st.booleans()) else draw(shapes(0, 3)), dtype))
    depth = draw(st.integers(0, data.rank))
    outer = draw(shapes(0, 2, 6))
    named = draw(columns(data.shape[:depth], outer))
    updates = draw(tensors((*outer, *data.shape[depth:]), dtype))
    return Application((data, named, updates), {} if mode == "update" else {"mode": mode})


@st.composite
def _unravel_index(draw: st.DrawFn) -> Application:
    extents = draw(shapes(0, 3))
    shape = () if draw(st.booleans()) else (draw(sizes),)
    data = draw(indices(shape, 0, math.prod(extents) - 1))
    return Application((data, Tensor(list(extents), draw(dtypes(INTEGERS)), (len(extents),))))


@st.composite
def _invert_permutation(draw: st.DrawFn) -> Application:
    found = draw(st.permutations(range(draw(sizes))))
    return Application((Tensor(found, draw(dtypes(INTEGERS)), (len(found),)),))


ROWS: dict[str, Row] = {
    "adv_index": _adv_index(),
    "gather_nd": _gather_nd(),
    "scatter_nd": _scatter_nd(),
    "unravel_index": _unravel_index(),
    "invert_permutation": _invert_permutation(),
}
