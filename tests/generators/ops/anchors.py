"""Applications of operators on anchors."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.generators.operators import FLOATS, Application, Row, dtypes, sizes, tensors

few = st.sampled_from((1, 0, 2))
small = st.sampled_from((1, 0, 2, 3))


@st.composite
def _prior(draw: st.DrawFn) -> Application:
    shape = draw(few), draw(few), draw(sizes), draw(small)
    attributes: dict[str, Any] = {"clip": draw(st.booleans())}
    for name in ("sizes", "ratios"):
        attributes[name] = draw(st.lists(st.sampled_from((0.25, 0.5, 1.0, 2.0)), min_size=1, max_size=3))
    for name in ("steps", "offsets"):
        if draw(st.booleans()):
            attributes[name] = [draw(st.sampled_from((-1.0, 0.5, 0.125))) for _ in range(2)]
    return Application((draw(tensors(shape, draw(dtypes(FLOATS)))),), attributes)


@st.composite
def _transform(draw: st.DrawFn) -> Application:
    batches, classes, count = draw(few), draw(small), draw(sizes)
    dtype = draw(dtypes(FLOATS))
    shapes = (batches, classes, count), (batches, 4 * count), (1, count, 4)
    attributes: dict[str, Any] = {"clip": draw(st.booleans()), "threshold": draw(st.sampled_from((-1.0, 0.01, 0.5)))}
    if draw(st.booleans()):
        attributes["variances"] = [0.5, 0.25, 0.125, 1.0]
    return Application(tuple(draw(tensors(shape, dtype)) for shape in shapes), attributes)


@st.composite
def _proposal(draw: st.DrawFn) -> Application:
    batches, height, width = draw(few), draw(small), draw(small)
    dtype = draw(dtypes(FLOATS))
    scales, ratios = (
        draw(st.lists(st.sampled_from(among), min_size=1, max_size=2)) for among in ((1.0, 2.0, 8.0), (0.5, 1.0, 2.0))
    )
    anchors = len(scales) * len(ratios)
    shapes = (batches, 2 * anchors, height, width), (batches, 4 * anchors, height, width), (batches, 3)
    scores, moves, images = (draw(tensors(shape, dtype)) for shape in shapes)
    for place in range(batches):
        images.elements[3 * place : 3 * place + 3] = type(images.elements)(
            images.elements.typecode,
            [draw(st.sampled_from((4.0, 20.0, 40.0))), draw(st.sampled_from((12.0, 40.0))), 1.0],
        )
    attributes = {
        "scales": scales,
        "ratios": ratios,
        "feature_stride": draw(st.sampled_from((1, 4, 16))),
        "threshold": draw(st.sampled_from((0.125, 0.7))),
        "rpn_pre_nms_top_n": draw(st.sampled_from((-1, 3, 6000))),
        "rpn_post_nms_top_n": draw(st.sampled_from((1, 0, 5))),
        "rpn_min_size": draw(st.sampled_from((0, 3, 16))),
        "iou_loss": draw(st.booleans()),
    }
    literal = ("feature_stride", "rpn_pre_nms_top_n", "rpn_min_size")
    return Application((scores, moves, images), attributes, literal)


ROWS: dict[str, Row] = {
    "vision.multibox_prior": _prior(),
    "vision.multibox_transform_loc": _transform(),
    "vision.proposal": _proposal(),
}
