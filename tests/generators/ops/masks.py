"""Applications of masks."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import INTEGERS, NUMBERS, Application, Row, dtypes, promoted, shapes, sizes, tensors
from tests.generators.ops.take import SIGNED, indices


@st.composite
def _reverse_sequence(draw: st.DrawFn) -> Application:
    data = draw(tensors(draw(shapes(2, 4)), draw(dtypes())))
    along, batch = draw(st.permutations(range(data.rank)))[:2]
    lengths = draw(indices((data.shape[batch],), -1, data.shape[along] + 2))
    if (along, batch) == (1, 0) and draw(st.booleans()):
        return Application((data, lengths))
    places = [axis - data.rank * draw(st.integers(0, 1)) for axis in (along, batch)]
    return Application((data, lengths), {"seq_axis": places[0], "batch_axis": places[1]})


@st.composite
def _sequence_mask(draw: st.DrawFn) -> Application:
    data = draw(tensors(draw(shapes(2, 4)), draw(dtypes())))
    axis = draw(st.integers(0, 1))
    lengths = draw(tensors((data.shape[1 - axis],), draw(dtypes(NUMBERS)), special=draw(st.booleans())))
    value = draw(st.sampled_from((0, 1.5, -3.0, 300.0)))
    return Application((data, lengths), {"axis": axis, "mask_value": value} if draw(st.booleans()) else {"axis": axis})


@st.composite
def _one_hot(draw: st.DrawFn) -> Application:
    depth = draw(sizes)
    shape = () if draw(st.booleans()) else draw(shapes(0, 2))
    named = draw(indices(shape, -1, depth))
    dtype = draw(dtypes())
    values = [draw(tensors((), dtype)) for _ in range(2)]
    attributes: dict[str, Any] = {"depth": depth}
    if draw(st.booleans()):
        values[1] = draw(tensors((), draw(dtypes())))
        attributes["dtype"] = str(draw(dtypes((*INTEGERS, DType.FLOAT32, DType.BOOL))))
    if draw(st.booleans()):
        attributes["axis"] = draw(st.integers(-len(shape) - 1, len(shape)))
    return Application((named, *values), attributes)


@st.composite
def _trilu(draw: st.DrawFn) -> Application:
    data = draw(tensors(draw(shapes(2, 4)), draw(dtypes())))
    k = Tensor(draw(st.integers(-9, 9)), draw(dtypes(SIGNED)))
    return Application((data, k), draw(st.sampled_from(({}, {"upper": False}, {"upper": True}))))


@st.composite
def _matrix_set_diag(draw: st.DrawFn) -> Application:
    data = draw(tensors(draw(shapes(2, 4)), draw(dtypes())))
    rows, columns = data.shape[-2:]
    k1, k2 = sorted(draw(st.lists(st.integers(-rows, columns), min_size=2, max_size=2)))
    if draw(st.booleans()):
        k2 = k1
    longest = min(rows + min(k2, 0), columns - max(k1, 0))
    count = () if k1 == k2 else (k2 - k1 + 1,)
    new = draw(tensors((*data.shape[:-2], *count, longest), data.dtype))
    attributes = {} if (k1, k2) == (0, 0) else {"k1": k1, "k2": k2}
    for name in ("super_diag_right_align", "sub_diag_right_align"):
        if draw(st.booleans()):
            attributes[name] = draw(st.booleans())
    return Application((data, new), attributes)


ROWS: dict[str, Row] = {
    "reverse_sequence": _reverse_sequence(),
    "sequence_mask": _sequence_mask(),
    "one_hot": _one_hot(),
    "dyn.one_hot": promoted(_one_hot(), ["depth"]),
    "trilu": _trilu(),
    "matrix_set_diag": _matrix_set_diag(),
}
