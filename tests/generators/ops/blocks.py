"""Applications of blocks."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.generators.operators import Application, Row, dtypes, shapes, tensors
from tests.generators.windows import arranged, layout

_few = st.sampled_from((1, 0, 2))
_block = st.sampled_from((2, 1, 3))


@st.composite
def _turned(draw: st.DrawFn, into: bool) -> Application:
    block, written = draw(_block), draw(layout(2))
    factor = block if draw(st.integers(0, 4)) else 1
    extents = {"N": draw(_few), "C": draw(_few), "H": draw(_few), "W": draw(_few)}
    for letter in "C" if into else "HW":
        extents[letter] *= factor**2 if into else factor
    modes = ("DCR", "CDR", "CRD") if into else ("DCR", "")
    attributes = {"block_size": block, "layout": written, "mode": draw(st.sampled_from(modes))}
    return Application((draw(tensors(arranged(extents, written), draw(dtypes()))),), attributes)


@st.composite
def _batched(draw: st.DrawFn, into: bool) -> Application:
    count = draw(st.sampled_from((2, 1, 0)))
    blocks = [draw(_block) for _ in range(count)]
    widths = [[draw(st.integers(0, 2)), draw(st.integers(0, 2))] for _ in blocks]
    rest = draw(shapes(0, 1, 3))
    batch = draw(_few)
    if into:
        space = [
            max(draw(st.integers(1, 2)) * block - sum(pair), 0) for block, pair in zip(blocks, widths, strict=True)
        ]
        attributes: dict[str, Any] = {"block_shape": blocks, "paddings": widths}
        if draw(st.booleans()):
            attributes["pad_value"] = 1.5
    else:
        space = [draw(st.sampled_from((2, 1, 3))) for _ in blocks]
        for block in blocks:
            batch *= block
        attributes = {"block_shape": blocks, "crops": widths}
    return Application((draw(tensors((batch, *space, *rest), draw(dtypes()))),), attributes)


@st.composite
def _dilate(draw: st.DrawFn) -> Application:
    shape = draw(shapes(0, 3, 24))
    attributes: dict[str, Any] = {"strides": [draw(_block) for _ in shape]}
    if draw(st.booleans()):
        attributes["dilation_value"] = -1.5
    return Application((draw(tensors(shape, draw(dtypes()))),), attributes)


@st.composite
def _fifo_buffer(draw: st.DrawFn) -> Application:
    shape, dtype = draw(shapes(1)), draw(dtypes())
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    new = list(shape)
    new[axis] = draw(st.integers(0, new[axis]))
    return Application((draw(tensors(tuple(new), dtype)), draw(tensors(shape, dtype))), {"axis": axis})


ROWS: dict[str, Row] = {
    "nn.depth_to_space": _turned(True),
    "nn.space_to_depth": _turned(False),
    "nn.space_to_batch_nd": _batched(True),
    "nn.batch_to_space_nd": _batched(False),
    "nn.dilate": _dilate(),
    "nn.fifo_buffer": _fifo_buffer(),
}
