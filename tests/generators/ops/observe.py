"""Applications of operators that read shapes as values."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.generators.operators import INTEGERS, Application, Row, dtypes, shapes, tensors


@st.composite
def _observed(draw: st.DrawFn) -> Application:
    x = draw(tensors(draw(shapes()), draw(dtypes())))
    return Application((x,), draw(st.one_of(st.just({}), dtypes(INTEGERS).map(lambda dtype: {"dtype": str(dtype)}))))


ROWS: dict[str, Row] = {"shape_of": _observed(), "ndarray_size": _observed()}
