"""Applications of transposed convolutions."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.generators.operators import NUMBERS, Application, Row, dtypes, tensors
from tests.generators.windows import SPATIAL, arranged, extents, layout, padding, several, small


@st.composite
def _transposed(draw: st.DrawFn, count: int) -> Application:
    spatial = SPATIAL[count]
    groups, into, share = draw(small), draw(st.sampled_from((1, 0, 2))), draw(st.sampled_from((1, 0, 2)))
    batch = draw(st.sampled_from((1, 0, 2)))
    kernel, space = [draw(small) for _ in spatial], [draw(extents) for _ in spatial]
    data_layout, kernel_layout = draw(layout(count)), draw(layout(count, "IO"))
    given = arranged({"N": batch, "C": groups * into, **dict(zip(spatial, space, strict=True))}, data_layout)
    weight = {"I": groups * into, "O": share, **dict(zip(spatial, kernel, strict=True))}
    dtype = draw(dtypes(NUMBERS))
    attributes = {
        "strides": draw(several(count, small)),
        "padding": draw(padding(count, 1)),
        "output_padding": draw(several(count, st.integers(0, 1))),
        "dilation": draw(several(count, st.sampled_from((1, 2)))),
        "groups": groups,
        "data_layout": data_layout,
        "kernel_layout": kernel_layout,
    }
    if draw(st.booleans()):
        attributes |= {"channels": groups * share, "kernel_size": kernel}
    arguments = draw(tensors(given, dtype)), draw(tensors(arranged(weight, kernel_layout), dtype))
    return Application(arguments, attributes)


ROWS: dict[str, Row] = {f"nn.conv{count}d_transpose": _transposed(count) for count in SPATIAL}
