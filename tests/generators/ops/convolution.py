"""Applications of convolutions."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.generators.operators import NUMBERS, Application, Row, dtypes, tensors
from tests.generators.windows import SPATIAL, arranged, both_sides, extents, layout, padding, several, small


def _each(values: list[int], count: int) -> list[int]:
    return values * count if len(values) == 1 else values


@st.composite
def convolution(draw: st.DrawFn, count: int) -> Application:
    """A convolution whose window mostly fits."""
    spatial = SPATIAL[count]
    groups, into, share = draw(small), draw(st.sampled_from((1, 0, 2))), draw(st.sampled_from((1, 0, 2)))
    batch = draw(st.sampled_from((1, 0, 2)))
    kernel = [draw(small) for _ in spatial]
    dilation, pads = draw(several(count, st.sampled_from((1, 2)))), draw(padding(count))
    reach = [(size - 1) * step + 1 for size, step in zip(kernel, _each(dilation, count), strict=True)]
    room = zip(reach, both_sides(pads, count), strict=True)
    space = [max(width - pad, 0) + draw(extents) - 1 for width, pad in room]
    multiplied = groups > 1 and into == 1 and share > 0 and draw(st.booleans())
    outs = groups * share
    weight = {"O": groups, "I": share} if multiplied else {"O": outs, "I": into}
    data_layout, kernel_layout = draw(layout(count)), draw(layout(count, "OI"))
    given = arranged({"N": batch, "C": groups * into, **dict(zip(spatial, space, strict=True))}, data_layout)
    kernels = arranged({**weight, **dict(zip(spatial, kernel, strict=True))}, kernel_layout)
    dtype = draw(dtypes(NUMBERS))
    attributes = {
        "strides": draw(several(count, small)),
        "padding": pads,
        "dilation": dilation,
        "groups": groups,
        "data_layout": data_layout,
        "kernel_layout": kernel_layout,
        "out_layout": draw(st.sampled_from(("", draw(layout(count))))),
    }
    if multiplied or draw(st.booleans()):
        attributes["channels"] = outs
    if draw(st.booleans()):
        attributes["kernel_size"] = kernel
    return Application((draw(tensors(given, dtype)), draw(tensors(kernels, dtype))), attributes)


ROWS: dict[str, Row] = {f"nn.conv{count}d": convolution(count) for count in SPATIAL}
