"""Applications of operators on regions of an image."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from tests.generators.operators import EVERY, FLOATS, Application, Row, dtypes, sizes, tensors

few = st.sampled_from((1, 0, 2))


@st.composite
def _regions(draw: st.DrawFn, align: bool) -> Application:
    batches, channels, height, width = draw(st.sampled_from((1, 2))), draw(few), draw(sizes), draw(sizes)
    layout = draw(st.sampled_from(("NCHW", "NHWC")))
    shape = (batches, channels, height, width) if layout == "NCHW" else (batches, height, width, channels)
    count = draw(st.sampled_from((1, 0, 2, 3)))
    corner = st.sampled_from((-3.0, -1.0, 0.0, 0.5, 1.5, 2.0, 3.25, 6.0, 9.0))
    rows = [[float(draw(st.integers(0, batches - 1))), *(draw(corner) for _ in range(4))] for _ in range(count)]
    rois = Tensor([part for row in rows for part in row], draw(dtypes(FLOATS)), (count, 5))
    attributes: dict[str, Any] = {
        "pooled_size": draw(st.sampled_from(([1], [2], [3, 2]))),
        "spatial_scale": draw(st.sampled_from((1.0, 0.5, 0.25))),
        "layout": layout,
    }
    if align:
        attributes |= {"mode": draw(st.sampled_from(("avg", "max"))), "sample_ratio": draw(st.sampled_from((-1, 1, 2)))}
    return Application((draw(tensors(shape, draw(dtypes(FLOATS)))), rois), attributes, ("sample_ratio",))


@st.composite
def _reorg(draw: st.DrawFn) -> Application:
    stride = draw(st.sampled_from((1, 2, 3)))
    counts = draw(few), draw(few), draw(few), draw(few)
    shape = counts[0], counts[1] * stride * stride, counts[2] * stride, counts[3] * stride
    return Application((draw(tensors(shape, draw(dtypes(EVERY)))),), {"stride": stride})


ROWS: dict[str, Row] = {
    "vision.roi_align": _regions(align=True),
    "vision.roi_pool": _regions(align=False),
    "vision.yolo_reorg": _reorg(),
}
