"""Applications of gradients of windows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.generators.operators import NUMBERS, Application, Row, dtypes, tensors
from tests.generators.windows import arranged, layout, small


@st.composite
def _window(draw: st.DrawFn, most: int = 2) -> dict[str, Any]:
    """How a window moves over two axes."""
    return {
        "strides": [draw(small), draw(small)],
        "dilation": [draw(st.integers(1, most)), draw(st.integers(1, most))],
        "padding": [draw(st.integers(0, 1)) for _ in range(4)],
    }


def counts(space: tuple[int, int], kernel: list[int], move: dict[str, Any], ceil_mode: bool = False) -> list[int]:
    """How many places the window takes."""
    pads = [move["padding"][axis] + move["padding"][axis + 2] for axis in range(2)]
    return [
        (n + pad - ((k - 1) * apart + 1) + (step - 1 if ceil_mode else 0)) // step + 1
        for n, pad, k, apart, step in zip(space, pads, kernel, move["dilation"], move["strides"], strict=True)
    ]


@st.composite
def _weight(draw: st.DrawFn) -> Application:
    move, kernel, groups = draw(_window()), [draw(small), draw(small)], draw(small)
    space = draw(st.sampled_from((3, 4))), draw(st.sampled_from((3, 5)))
    batch, outs, depth = draw(st.sampled_from((1, 0, 2))), groups * draw(small), groups * draw(small)
    layouts = draw(layout(2)), draw(layout(2)), draw(layout(2, "OI"))
    rows, columns = counts(space, kernel, move)
    grad = arranged({"N": batch, "C": outs, "H": rows, "W": columns}, layouts[0])
    data = arranged({"N": batch, "C": depth, "H": space[0], "W": space[1]}, layouts[1])
    dtype = draw(dtypes(NUMBERS))
    attributes = {**move, "groups": groups, "kernel_size": kernel}
    attributes |= dict(zip(("data_layout", "kernel_layout", "out_layout"), layouts, strict=True))
    if draw(st.booleans()):
        attributes["channels"] = outs
    return Application((draw(tensors(grad, dtype)), draw(tensors(data, dtype))), attributes)


@st.composite
def _pool(draw: st.DrawFn, mean: bool) -> Application:
    move, pool = draw(_window()), [draw(small), draw(small)]
    space = draw(st.sampled_from((3, 4))), draw(st.sampled_from((3, 5)))
    outer, ceil_mode = {"N": draw(st.sampled_from((1, 0, 2))), "C": draw(small)}, draw(st.booleans())
    written, other = draw(layout(2)), draw(st.sampled_from(("", draw(layout(2)))))
    rows, columns = counts(space, pool, move, ceil_mode)
    dtype = draw(dtypes(NUMBERS))
    grad = arranged({**outer, "H": rows, "W": columns}, other or written)
    data = arranged({**outer, "H": space[0], "W": space[1]}, written)
    attributes = {"pool_size": pool, **move, "layout": written, "out_layout": other, "ceil_mode": ceil_mode}
    if mean:
        attributes["count_include_pad"] = draw(st.booleans())
    return Application((draw(tensors(grad, dtype)), draw(tensors(data, dtype))), attributes)


ROWS: dict[str, Row] = {
    "nn.conv2d_backward_weight": _weight(),
    "nn.max_pool2d_grad": _pool(False),
    "nn.avg_pool2d_grad": _pool(True),
}
