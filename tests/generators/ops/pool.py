"""Applications of pools."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.generators.operators import NUMBERS, Application, Row, dtypes, tensors
from tests.generators.windows import SPATIAL, arranged, both_sides, extents, layout, padding, several, small


@st.composite
def _given(draw: st.DrawFn, count: int, space: list[int]) -> tuple[Any, dict[str, Any]]:
    """Data of a spatial shape, and its layouts."""
    written = draw(layout(count))
    outer = {"N": draw(st.sampled_from((1, 0, 2))), "C": draw(st.sampled_from((2, 0, 1)))}
    shape = arranged({**outer, **dict(zip(SPATIAL[count], space, strict=True))}, written)
    data = draw(tensors(shape, draw(dtypes(NUMBERS)), special=True))
    return data, {"layout": written, "out_layout": draw(st.sampled_from(("", draw(layout(count)))))}


@st.composite
def _sliding(draw: st.DrawFn, count: int, mean: bool) -> Application:
    pool, dilation = draw(several(count, small)), draw(several(count, st.sampled_from((1, 2))))
    pads = draw(padding(count))
    sizes, apart = (values * count if len(values) == 1 else values for values in (pool, dilation))
    reach = [(size - 1) * step + 1 for size, step in zip(sizes, apart, strict=True)]
    room = zip(reach, both_sides(pads, count), strict=True)
    data, layouts = draw(_given(count, [max(width - pad, 0) + draw(extents) - 1 for width, pad in room]))
    attributes = {
        "pool_size": pool,
        "strides": draw(several(count, small)),
        "dilation": dilation,
        "padding": pads,
        "ceil_mode": draw(st.booleans()),
        **layouts,
    }
    if mean:
        attributes["count_include_pad"] = draw(st.booleans())
    return Application((data,), attributes)


@st.composite
def _parts(draw: st.DrawFn, count: int, sized: bool = True) -> Application:
    data, attributes = draw(_given(count, [draw(st.sampled_from((3, 0, 1, 2, 5))) for _ in range(count)]))
    if sized:
        attributes["output_size"] = draw(st.one_of(st.just([]), several(count, st.sampled_from((1, 0, 2, 3)))))
    return Application((data,), attributes)


ROWS: dict[str, Row] = {f"nn.max_pool{count}d": _sliding(count, False) for count in SPATIAL}
ROWS |= {f"nn.avg_pool{count}d": _sliding(count, True) for count in SPATIAL}
ROWS |= {f"nn.adaptive_{kind}_pool{count}d": _parts(count) for kind in ("max", "avg") for count in SPATIAL}
ROWS |= {f"nn.global_{kind}_pool2d": _parts(2, sized=False) for kind in ("max", "avg")}
