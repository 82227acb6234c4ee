"""Applications of resizing."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.ops.vision.interpolation import COORDINATES, CROPPING, ROUNDINGS
from gradual.ops.vision.resize import METHODS
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import NUMBERS, Application, Row, dtypes, tensors
from tests.generators.windows import SPATIAL, arranged, layout, several

_MODES = [mode for mode in COORDINATES if mode != CROPPING]


@st.composite
def image(draw: st.DrawFn, count: int, among: tuple[DType, ...] = NUMBERS, first: str = "NC") -> Any:
    """A small image or volume and its layout."""
    written = draw(layout(count, first))
    sizes = st.sampled_from((3, 1, 2, 5, 0) if count < 3 else (2, 1, 3, 0))
    extents = {"N": draw(st.sampled_from((1, 2, 0))), "C": draw(st.sampled_from((2, 1, 0)))}
    extents |= {letter: draw(sizes) for letter in SPATIAL[count]}
    return draw(tensors(arranged(extents, written), draw(dtypes(among)))), written


@st.composite
def _resize(draw: st.DrawFn, count: int) -> Application:
    data, written = draw(image(count))
    mode = draw(st.sampled_from(list(COORDINATES)))
    attributes: dict[str, Any] = {
        "size": draw(several(count, st.sampled_from((2, 1, 3, 5, 7, 0) if count < 3 else (2, 1, 3, 0)))),
        "layout": written,
        "method": draw(st.sampled_from(METHODS)),
        "coordinate_transformation_mode": mode,
        "rounding_method": draw(st.sampled_from(("", *ROUNDINGS))),
    }
    if mode == CROPPING or draw(st.booleans()):
        attributes["roi"] = draw(
            st.lists(st.sampled_from((0.0, 0.25, 1.0, -0.5, 1.5)), min_size=2 * count, max_size=2 * count)
        )
    if draw(st.booleans()):
        attributes |= {"cubic_alpha": -0.75, "cubic_exclude": 1, "extrapolation_value": 0.5}
    if draw(st.booleans()):
        attributes["out_dtype"] = str(draw(dtypes(NUMBERS)))
    return Application((data,), attributes)


def _from_values(one: Application) -> Application:
    left = {name: value for name, value in one.attributes.items() if name not in ("size", "roi")}
    size, roi = one.attributes["size"], one.attributes.get("roi", [])
    return Application((*one.arguments, Tensor(size, DType.INT64), Tensor(roi, DType.FLOAT32)), left)


_SCALES = (2.0, 1.0, 0.5, 1.5, 0.7, 1.1)


@st.composite
def _upsampling(draw: st.DrawFn, count: int) -> Application:
    data, written = draw(image(count))
    attributes: dict[str, Any] = {
        f"scale_{letter.lower()}": draw(st.sampled_from(_SCALES)) for letter in SPATIAL[count]
    }
    kind = {2: "bi", 3: "tri"}[count]
    attributes |= {
        "layout": written,
        "method": draw(st.sampled_from(("nearest_neighbor", f"{kind}linear", f"{kind}cubic"))),
    }
    if count == 2:
        return Application((data,), attributes | {"align_corners": draw(st.booleans())})
    return Application((data,), attributes | {"coordinate_transformation_mode": draw(st.sampled_from(_MODES))})


@st.composite
def _upsampling_by(draw: st.DrawFn, count: int) -> Application:
    one = draw(_upsampling(count))
    dtype = draw(dtypes(NUMBERS))
    among = _SCALES if dtype.is_float else (2, 1, 3)
    scales = [draw(st.sampled_from(among)) for _ in SPATIAL[count]]
    left = {name: value for name, value in one.attributes.items() if not name.startswith("scale")}
    return Application((*one.arguments, *(Tensor(scale, dtype) for scale in scales)), left)


ROWS: dict[str, Row] = {f"image.resize{count}d": _resize(count) for count in SPATIAL}
ROWS |= {
    "dyn.image.resize2d": _resize(2).map(_from_values),
    "nn.upsampling": _upsampling(2),
    "nn.upsampling3d": _upsampling(3),
    "dyn.nn.upsampling": _upsampling_by(2),
    "dyn.nn.upsampling3d": _upsampling_by(3),
}
