"""Applications of operators on lists of entries."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.index import coordinates
from gradual.tensors.scalar import wrapped
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from tests.generators.operators import INTEGERS, Application, Row, dtypes, promoted, shapes, sizes, tensors

COUNTING = (DType.INT64, DType.INT32, DType.INT16)


@st.composite
def entries(draw: st.DrawFn, shape: tuple[int, ...], most: int = 5) -> list[tuple[int, ...]]:
    """Some indices of a shape, perhaps the same one twice."""
    every = list(coordinates(shape))
    return draw(st.lists(st.sampled_from(every), max_size=most)) if every else []


def listed(rows: list[tuple[int, ...]], width: int, dtype: DType) -> Tensor:
    """The tensor of indices."""
    return Tensor([index for row in rows for index in row], dtype, (len(rows), width))


@st.composite
def _sparse_to_dense(draw: st.DrawFn) -> Application:
    shape = draw(shapes())
    rows, index, dtype = draw(entries(shape)), draw(dtypes(INTEGERS)), draw(dtypes())
    named = listed(rows, len(shape), index)
    if len(shape) == 1 and draw(st.booleans()):
        rows = rows[:1] if draw(st.booleans()) else rows
        rank = 0 if len(rows) == 1 and draw(st.booleans()) else 1
        named = Tensor([row[0] for row in rows], index, (len(rows),) if rank else ())
    values = draw(tensors((len(rows),) if draw(st.booleans()) else (), dtype))
    default: Any = draw(tensors((), dtype if draw(st.booleans()) else draw(dtypes(COUNTING))))
    return Application((named, values, default), {"output_shape": list(shape)})


@st.composite
def _sparse_fill_empty_rows(draw: st.DrawFn) -> Application:
    shape = draw(shapes(1))
    rows, dtype = draw(entries(shape)), draw(dtypes())
    values = random_tensor((len(rows),), dtype, draw(st.integers(0, 99)))
    default = draw(tensors(draw(st.sampled_from(((), (1,)))), dtype))
    dense = Tensor(list(shape), draw(dtypes(COUNTING)))
    return Application((listed(rows, len(shape), draw(dtypes(INTEGERS))), values, dense, default))


@st.composite
def _sparse_reshape(draw: st.DrawFn) -> Application:
    parts = draw(st.lists(sizes, max_size=4))
    old, new = _merged(parts, draw(st.integers(0, 15))), _merged(parts, draw(st.integers(0, 15)))
    rows = draw(entries(old))
    written = list(new)
    place = draw(st.integers(0, len(new)))
    if place < len(new) and 0 not in new[:place] + new[place + 1 :]:
        written[place] = -1
    shapes_ = (Tensor(list(part), draw(dtypes(COUNTING)), (len(part),)) for part in (old, written))
    among = [dtype for dtype in INTEGERS if all(wrapped(dtype, index) == index for row in rows for index in row)]
    return Application((listed(rows, len(old), draw(dtypes(among))), *shapes_))


def _merged(parts: list[int], where: int) -> tuple[int, ...]:
    """The same elements in fewer axes: each bit says whether an axis is one with the axis before it."""
    found: list[int] = []
    for place, extent in enumerate(parts):
        if found and where >> place & 1:
            found[-1] *= extent
        else:
            found.append(extent)
    return tuple(found)


ROWS: dict[str, Row] = {
    "sparse_to_dense": _sparse_to_dense(),
    "dyn.sparse_to_dense": promoted(_sparse_to_dense(), ("output_shape",)),
    "sparse_fill_empty_rows": _sparse_fill_empty_rows(),
    "sparse_reshape": _sparse_reshape(),
}
