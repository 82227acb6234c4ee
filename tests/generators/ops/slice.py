"""Applications of slices."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.generators.operators import Application, Row, promoted
from tests.generators.ops.reshape import any_tensor

places = st.one_of(st.integers(-3, 3), st.integers(-9, 9), st.sampled_from((2**31 - 1, -(2**31), 10**6, -(10**6))))
steps = st.sampled_from((1, 2, 3, -1, -2))


@st.composite
def _strided_slice(draw: st.DrawFn, even: bool = False) -> Application:
    data = draw(any_tensor(0, 3))
    count = draw(st.integers(0, data.rank))
    attributes: dict[str, Any] = {
        "begin": draw(st.lists(places, min_size=count, max_size=count)),
        "end": draw(st.lists(places, min_size=count, max_size=count)),
        "strides": draw(st.lists(steps, min_size=count if even else 0, max_size=count)),
    }
    if draw(st.integers(0, 3)) == 0:
        attributes["slice_mode"] = "size"
    if draw(st.booleans()):
        axes = draw(st.permutations(range(data.rank)))[:count]
        attributes["axes"] = [axis - data.rank * draw(st.integers(0, 1)) for axis in axes]
    return Application((data,), attributes)


ROWS: dict[str, Row] = {
    "strided_slice": _strided_slice(),
    "dyn.strided_slice": promoted(_strided_slice(even=True), ["begin", "end", "strides"]),
}
