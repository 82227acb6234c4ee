"""Applications of scans."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.types.dtype import DType
from tests.generators.operators import EVERY, NUMBERS, Application, Row, dtypes, shapes, tensors


@st.composite
def _scan(draw: st.DrawFn) -> Application:
    shape: tuple[int, ...] = draw(st.one_of(shapes(1, 1), shapes()))
    data = draw(tensors(shape, draw(dtypes(EVERY))))
    attributes: dict[str, Any] = {"exclusive": draw(st.booleans())}
    if len(shape) > 0 and draw(st.booleans()):
        attributes["axis"] = draw(st.integers(-len(shape), len(shape) - 1))
    if data.dtype is DType.BOOL or draw(st.booleans()):
        attributes["dtype"] = str(draw(dtypes(NUMBERS)))
    return Application((data,), attributes)


ROWS: dict[str, Row] = {"cumsum": _scan(), "cumprod": _scan()}
