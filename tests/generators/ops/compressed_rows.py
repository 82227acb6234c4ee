"""Applications of operators on sparse matrices."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import NUMBERS, Application, Row, dtypes, sizes, tensors
from tests.generators.ops.coordinates import COUNTING

Matrix = tuple[Tensor, Tensor, Tensor]


@st.composite
def matrix(draw: st.DrawFn, height: int, width: int, dtype: DType, block: tuple[int, ...] = ()) -> Matrix:
    """A sparse matrix of so many rows and columns, of blocks if they have a shape."""
    counts = [draw(st.integers(0, 3 if width else 0)) for _ in range(height)]
    columns = [draw(st.integers(0, width - 1)) for _ in range(sum(counts))]
    starts = [sum(counts[:row]) for row in range(height + 1)]
    index = draw(dtypes(COUNTING))
    values = draw(tensors((len(columns), *block), dtype))
    return values, Tensor(columns, index), Tensor(starts, index)


@st.composite
def _sparse_dense(draw: st.DrawFn) -> Application:
    lines, height, width, dtype = draw(sizes), draw(sizes), draw(sizes), draw(dtypes(NUMBERS))
    block = (draw(st.integers(1, 3)), draw(st.integers(1, 2))) if draw(st.booleans()) else ()
    data = draw(tensors((lines, width * (block[1] if block else 1)), dtype))
    return Application((data, *draw(matrix(height, width, dtype, block))), {"sparse_lhs": draw(st.booleans())})


@st.composite
def _sparse_conv2d(draw: st.DrawFn) -> Application:
    layout, side = draw(st.sampled_from((("NHWC", 1), ("NCHW", 1), ("NHWC", 3))))
    block = (draw(st.integers(1, 2)), draw(st.integers(1, 2))) if draw(st.booleans()) else (draw(st.integers(1, 3)),)
    count, height, width, groups = (draw(st.integers(0, 3)) for _ in range(4))
    channels = groups * (block[1] if len(block) > 1 else 1)
    shape = (count, channels, height, width) if layout == "NCHW" else (count, height, width, channels)
    dtype = draw(dtypes(NUMBERS))
    weight = draw(matrix(draw(st.integers(0, 3)), side * side * groups, dtype, block))
    return Application((draw(tensors(shape, dtype)), *weight), {"layout": layout, "kernel_size": [side, side]})


@st.composite
def _sparse_transpose(draw: st.DrawFn) -> Application:
    side = draw(sizes)
    return Application(draw(matrix(side, side, draw(dtypes()))))


@st.composite
def _sparse_add(draw: st.DrawFn) -> Application:
    height, width, dtype = draw(sizes), draw(sizes), draw(dtypes(NUMBERS))
    return Application((draw(tensors((height, width), dtype)), *draw(matrix(height, width, dtype))))


ROWS: dict[str, Row] = {
    "nn.sparse_dense": _sparse_dense(),
    "nn.sparse_conv2d": _sparse_conv2d(),
    "nn.sparse_transpose": _sparse_transpose(),
    "nn.sparse_add": _sparse_add(),
}
