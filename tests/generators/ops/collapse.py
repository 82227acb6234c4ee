"""Applications of sums that undo a broadcast."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import NUMBERS, Application, Row, dtypes, shapes, tensors


@st.composite
def _collapse_sum(draw: st.DrawFn, like: bool) -> Application:
    data = draw(tensors(draw(shapes(0, 4)), draw(dtypes(NUMBERS)), special=draw(st.booleans())))
    left = data.shape[draw(st.integers(0, data.rank)) :]
    shape = tuple(1 if draw(st.booleans()) else extent for extent in left)
    if like:
        return Application((data, draw(tensors(shape, data.dtype))))
    wanted = Tensor(list(shape), draw(dtypes((DType.INT64, DType.INT32))), (len(shape),))
    return Application((data, wanted), draw(st.sampled_from(({}, {"shape": list(shape), "dtype": "float32"}))))


ROWS: dict[str, Row] = {"collapse_sum_like": _collapse_sum(like=True), "collapse_sum_to": _collapse_sum(like=False)}
