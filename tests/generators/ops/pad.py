"""Applications of paddings."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import Application, Row, dtypes, shapes, tensors


@st.composite
def _pad(draw: st.DrawFn) -> Application:
    shape, dtype = draw(shapes(0, 3, 60)), draw(dtypes())
    mode = draw(st.sampled_from(("constant", "edge", "reflect")))
    widths = [[draw(_side(extent, mode)), draw(_side(extent, mode))] for extent in shape]
    fill = draw(tensors((), draw(st.sampled_from((dtype, DType.INT32)))))
    return Application((draw(tensors(shape, dtype)), fill), {"pad_width": widths, "pad_mode": mode})


def _side(extent: int, mode: str) -> st.SearchStrategy[int]:
    most = {"reflect": extent - 1, "symmetric": extent, "edge": 2 if extent else 0, "constant": 2}[mode]
    return st.integers(-1, max(min(most, 2), 0))


@st.composite
def _mirror_pad(draw: st.DrawFn) -> Application:
    shape, mode = draw(shapes(0, 3, 60)), draw(st.sampled_from(("symmetric", "reflect")))
    widths = [[draw(_side(extent, mode)), draw(_side(extent, mode))] for extent in shape]
    return Application((draw(tensors(shape, draw(dtypes()))),), {"mode": mode.upper(), "pad_width": widths})


@st.composite
def _dyn_pad(draw: st.DrawFn) -> Application:
    shape, dtype = draw(shapes(0, 3, 60)), draw(dtypes())
    mode = draw(st.sampled_from(("constant", "edge", "reflect")))
    flat = [draw(_side(extent, mode)) for extent in shape for _ in range(2)]
    widths = Tensor(flat, DType.INT64, (len(shape), 2))
    return Application((draw(tensors(shape, dtype)), widths, draw(tensors((), dtype))), {"pad_mode": mode})


ROWS: dict[str, Row] = {"nn.pad": _pad(), "nn.mirror_pad": _mirror_pad(), "dyn.nn.pad": _dyn_pad()}
