"""Applications of convolutions whose taps are moved."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from tests.generators.operators import FLOATS, Application, Row, dtypes, tensors

small = st.sampled_from((1, 2))


@st.composite
def _deformable(draw: st.DrawFn) -> Application:
    batch, kernel = draw(st.sampled_from((1, 0, 2))), (draw(small), draw(small))
    groups, deformable = draw(small), draw(small)
    depth, out = groups * deformable * draw(small), groups * draw(small)
    strides, dilation = [draw(small), draw(small)], [draw(small), draw(small)]
    padding = [draw(st.integers(0, 1)) for _ in range(4)]
    extents = draw(st.sampled_from((3, 4))), draw(st.sampled_from((3, 5)))
    pads = padding[0] + padding[2], padding[1] + padding[3]
    counts = [
        (n + pad - ((k - 1) * apart + 1)) // step + 1
        for n, pad, k, apart, step in zip(extents, pads, kernel, dilation, strides, strict=True)
    ]
    dtype = draw(dtypes(FLOATS))
    data_layout, kernel_layout = draw(st.sampled_from((("NCHW", "OIHW"), ("NHWC", "HWIO"))))
    data = laid((batch, depth, *extents), data_layout, "NCHW")
    weight = laid((out, depth // groups, *kernel), kernel_layout, "OIHW")
    shape = laid((batch, deformable * kernel[0] * kernel[1] * 2, *counts), data_layout, "NCHW")
    count = shape[0] * shape[1] * shape[2] * shape[3]
    steps = st.sampled_from((-1.5, -0.25, 0.0, 0.5, 1.0, 2.75))
    offset = Tensor(draw(st.lists(steps, min_size=count, max_size=count)), dtype, shape)
    attributes: dict[str, Any] = {
        "strides": strides,
        "padding": padding,
        "dilation": dilation,
        "groups": groups,
        "deformable_groups": deformable,
        "data_layout": data_layout,
        "kernel_layout": kernel_layout,
    }
    if draw(st.booleans()):
        attributes |= {"channels": out, "kernel_size": list(kernel)}
    return Application((draw(tensors(data, dtype)), offset, draw(tensors(weight, dtype))), attributes)


def laid(shape: tuple[int, ...], layout: str, letters: str) -> tuple[int, ...]:
    """A shape in a layout."""
    return tuple(shape[letters.index(letter)] for letter in layout)


ROWS: dict[str, Row] = {"nn.deformable_conv2d": _deformable()}
