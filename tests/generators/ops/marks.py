"""Applications of marks."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.generators.operators import Application, Row, dtypes, shapes, tensors


@st.composite
def _marked(draw: st.DrawFn) -> Application:
    parts = [draw(tensors(draw(shapes()), draw(dtypes()), special=True)) for _ in range(draw(st.integers(1, 2)))]
    return Application((tuple(parts) if len(parts) > 1 or draw(st.booleans()) else parts[0],))


ROWS: dict[str, Row] = {
    name: _marked() for name in ("annotation.stop_fusion", "annotation.checkpoint", "on_device", "device_copy")
}
