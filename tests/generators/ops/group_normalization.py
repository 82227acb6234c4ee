"""Applications of norms of channels."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.generators.operators import FLOATS, Application, Row, dtypes, shapes, tensors


@st.composite
def _in_groups(draw: st.DrawFn, groups: bool) -> Application:
    shape, count = draw(shapes(2, 4)), draw(st.sampled_from((1, 2, 3)))
    place = draw(st.integers(1, len(shape) - 1))
    if groups:
        shape = (*shape[:place], draw(st.sampled_from((count, 0, 2 * count, 3))), *shape[place + 1 :])
    dtype = draw(dtypes(FLOATS))
    attributes: dict[str, Any] = {"axis": place - len(shape) * draw(st.integers(0, 1)), "center": draw(st.booleans())}
    attributes |= {"scale": draw(st.booleans())} | ({"num_groups": count} if groups else {"epsilon": 0.5})
    return Application(
        (draw(tensors(shape, dtype)), *(draw(tensors((shape[place],), dtype)) for _ in "gb")), attributes
    )


ROWS: dict[str, Row] = {"nn.instance_norm": _in_groups(False), "nn.group_norm": _in_groups(True)}
