"""Applications of sorting and searching."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from tests.generators.operators import NUMBERS, Application, Row, dtypes, promoted, shapes, sizes, tensors


@st.composite
def _sorted(draw: st.DrawFn, places: bool) -> Application:
    shape = draw(shapes(1))
    attributes: dict[str, Any] = {"is_ascend": draw(st.booleans())}
    if draw(st.booleans()):
        attributes["axis"] = draw(st.integers(-len(shape), len(shape) - 1))
    if places and draw(st.booleans()):
        attributes["dtype"] = str(draw(dtypes(NUMBERS)))
    return Application((draw(tensors(shape, draw(dtypes()), special=True)),), attributes)


@st.composite
def _topk(draw: st.DrawFn) -> Application:
    one = draw(_sorted(places=True))
    (data,) = one.arguments
    assert isinstance(data, Tensor)
    extent = data.shape[one.attributes.get("axis", -1)]
    found = {"k": draw(st.integers(-1, extent)), "ret_type": draw(st.sampled_from(("both", "values", "indices")))}
    return Application(one.arguments, one.attributes | found)


@st.composite
def _searchsorted(draw: st.DrawFn) -> Application:
    lead, width, count = draw(shapes(0, 2, 12)), draw(sizes), draw(sizes)
    dtype = draw(dtypes())
    plain = draw(tensors((*lead, width), dtype, special=True)).flat()
    rows = [plain[start : start + width] for start in range(0, len(plain), width)] if width else []
    flat = [part for row in rows for part in sorted(row, key=lambda part: (part != part, part))]
    shape = (*lead, count) if lead else draw(shapes(0, 2))
    attributes: dict[str, Any] = {"right": draw(st.booleans())}
    if draw(st.booleans()):
        attributes["dtype"] = str(draw(dtypes(NUMBERS)))
    return Application((Tensor(flat, dtype, (*lead, width)), draw(tensors(shape, dtype, special=True))), attributes)


ROWS: dict[str, Row] = {
    "sort": _sorted(places=False),
    "argsort": _sorted(places=True),
    "topk": _topk(),
    "dyn.topk": promoted(_topk(), ("k",)),
    "searchsorted": _searchsorted(),
}
