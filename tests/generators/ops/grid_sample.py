"""Applications of sampling."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import FLOATS, NUMBERS, Application, Row, dtypes, shapes, tensors
from tests.generators.ops.resize import image
from tests.generators.ops.take import SIGNED, indices
from tests.generators.windows import arranged, both_sides, extents, layout, padding, several, small

_PLACES = (0.0, -1.0, 1.0, 0.3, -0.75, 1.5, -2.25, 4.0)


def some(shape: tuple[int, ...], dtype: DType, among: tuple[float, ...]) -> st.SearchStrategy[Tensor]:
    """A tensor of some of these numbers."""
    count = 1
    for extent in shape:
        count *= extent
    return st.lists(st.sampled_from(among), min_size=count, max_size=count).map(lambda flat: Tensor(flat, dtype, shape))


@st.composite
def _grid_sample(draw: st.DrawFn) -> Application:
    count = draw(st.sampled_from((2, 2, 3)))
    data, written = draw(image(count, FLOATS))
    spots = draw(shapes(count, count, 12))
    grid = draw(some((data.shape[written.index("N")], count, *spots), data.dtype, _PLACES))
    methods = ("bilinear", "nearest", "bicubic")[: 5 - count]
    attributes = {
        "method": draw(st.sampled_from(methods)),
        "layout": written,
        "padding_mode": draw(st.sampled_from(("zeros", "border", "reflection"))),
        "align_corners": draw(st.booleans()),
    }
    return Application((data, grid), attributes)


@st.composite
def _affine_grid(draw: st.DrawFn) -> Application:
    data = draw(tensors((draw(st.sampled_from((1, 0, 2))), 2, 3), draw(dtypes(FLOATS))))
    return Application(
        (data,), {"target_shape": [draw(st.sampled_from((2, 3, 5, 1))), draw(st.sampled_from((2, 3, 7)))]}
    )


@st.composite
def _crop_and_resize(draw: st.DrawFn) -> Application:
    data, written = draw(image(2))
    count = draw(st.sampled_from((2, 1, 0, 3)))
    boxes = draw(some((count, 4), draw(dtypes(FLOATS)), (0.0, 1.0, 0.25, 0.5, -0.25, 1.25)))
    which = draw(indices((count,), 0, max(data.shape[written.index("N")] - 1, 0)))
    attributes: dict[str, Any] = {"crop_size": draw(several(2, st.sampled_from((2, 1, 3, 0)))), "layout": written}
    if draw(st.booleans()):
        attributes |= {"method": "nearest_neighbor", "extrapolation_value": 0.5}
    if draw(st.booleans()):
        attributes["out_dtype"] = str(draw(dtypes(NUMBERS)))
    return Application((data, boxes, which), attributes)


@st.composite
def _dilation2d(draw: st.DrawFn) -> Application:
    kernel, apart, pads = [draw(small), draw(small)], draw(several(2, st.sampled_from((1, 2)))), draw(padding(2))
    steps = apart * 2 if len(apart) == 1 else apart
    room = zip(kernel, steps, both_sides(pads, 2), strict=True)
    space = [max((size - 1) * step + 1 - pad, 0) + draw(extents) - 1 for size, step, pad in room]
    written, own = draw(layout(2)), "".join(draw(st.permutations("IHW")))
    batch, channels, dtype = draw(st.sampled_from((1, 0, 2))), draw(st.sampled_from((2, 0, 1))), draw(dtypes(NUMBERS))
    data = arranged({"N": batch, "C": channels, "H": space[0], "W": space[1]}, written)
    weight = arranged({"I": channels, "H": kernel[0], "W": kernel[1]}, own)
    attributes: dict[str, Any] = {
        "strides": draw(several(2, small)),
        "padding": pads,
        "dilations": apart,
        "data_layout": written,
        "kernel_layout": own,
    }
    if dtype in SIGNED and draw(st.booleans()):
        attributes["out_dtype"] = "int64"
    return Application((draw(tensors(data, dtype, special=True)), draw(tensors(weight, dtype))), attributes)


ROWS: dict[str, Row] = {
    "image.grid_sample": _grid_sample(),
    "image.affine_grid": _affine_grid(),
    "image.crop_and_resize": _crop_and_resize(),
    "image.dilation2d": _dilation2d(),
}
