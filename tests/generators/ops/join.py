"""Applications of operators that join and split."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.types.dtype import DType
from tests.generators.operators import INTEGERS, Application, Row, dtypes, shapes, sizes, tensors


@st.composite
def _concatenate(draw: st.DrawFn) -> Application:
    shape = (draw(sizes),) if draw(st.booleans()) else draw(shapes(1, 3, 40))
    dtype = draw(dtypes((*INTEGERS, DType.BOOL) if len(shape) == 1 else tuple(DType)))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        extents = list(shape)
        extents[axis] = draw(sizes)
        parts.append(draw(tensors(tuple(extents), dtype)))
    return Application((tuple(parts),), {} if axis == 0 else {"axis": axis})


@st.composite
def _stack(draw: st.DrawFn) -> Application:
    shape = () if draw(st.booleans()) else draw(shapes(0, 3, 40))
    dtype = draw(dtypes())
    parts = tuple(draw(tensors(shape, dtype)) for _ in range(draw(st.integers(1, 3))))
    return Application((parts,), {"axis": draw(st.integers(-len(shape) - 1, len(shape)))})


@st.composite
def _split(draw: st.DrawFn) -> Application:
    shape = draw(shapes(1))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    extent = shape[axis]
    if draw(st.booleans()):
        sections = [size for size in range(1, 8) if extent % size == 0]
        cut: int | list[int] = draw(st.sampled_from(sections)) if draw(st.integers(0, 5)) else 2
    else:
        cut = draw(st.lists(st.integers(0, extent), max_size=3).map(sorted))
    return Application((draw(tensors(shape, draw(dtypes()))),), {"indices_or_sections": cut, "axis": axis})


ROWS: dict[str, Row] = {"concatenate": _concatenate(), "stack": _stack(), "split": _split()}
