"""Applications of correlation."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.generators.operators import FLOATS, Application, Row, dtypes, tensors


@st.composite
def _correlation(draw: st.DrawFn) -> Application:
    kernel, reach = draw(st.sampled_from((1, 3))), draw(st.integers(0, 2))
    padding = draw(st.sampled_from(([], [0], [1], [1, 2], [2, 0, 1, 1])))
    befores = {0: (0, 0), 1: (padding * 2), 2: padding}.get(len(padding), padding[:2])
    least = max(2 * (reach + (kernel - 1) // 2) + 1 - min(befores), 1)
    extents = (least + draw(st.integers(0, 2)), least + draw(st.integers(0, 2)))
    shape = (draw(st.sampled_from((1, 2, 0))), draw(st.sampled_from((1, 2, 0))), *extents)
    dtype = draw(dtypes(FLOATS))
    attributes: dict[str, Any] = {
        "kernel_size": kernel,
        "max_displacement": reach,
        "stride1": draw(st.integers(1, 2)),
        "stride2": draw(st.integers(1, 2)),
        "padding": list(padding),
        "is_multiply": draw(st.booleans()),
    }
    return Application((draw(tensors(shape, dtype)), draw(tensors(shape, dtype))), attributes)


ROWS: dict[str, Row] = {"nn.correlation": _correlation()}
