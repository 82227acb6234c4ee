"""Applications of norms."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.generators.operators import EVERY, FLOATS, Application, Row, dtypes, shapes, tensors
from tests.generators.ops.products import column


@st.composite
def _with_flags(draw: st.DrawFn, count: int) -> Application:
    plain = draw(column(count, FLOATS))
    flags = {"center": draw(st.booleans()), "scale": draw(st.booleans()), "epsilon": draw(st.sampled_from([1e-5, 2.0]))}
    place = {} if count > 2 else {"axis": plain.attributes.get("axis", 1)}
    return Application(plain.arguments, plain.attributes | place | flags)


@st.composite
def _along(draw: st.DrawFn) -> Application:
    shape = draw(shapes(1))
    attributes = {"axis": draw(st.integers(-len(shape), len(shape) - 1))}
    return Application((draw(tensors(shape, draw(dtypes(FLOATS)))),), attributes)


@st.composite
def _lrn(draw: st.DrawFn) -> Application:
    plain = draw(_along())
    return Application(plain.arguments, plain.attributes | {"size": draw(st.integers(1, 5)), "bias": 0.5})


@st.composite
def _l2_normalize(draw: st.DrawFn) -> Application:
    shape = draw(shapes())
    rank = len(shape)
    chosen = draw(st.lists(st.integers(-rank, rank - 1), unique_by=lambda axis: axis % rank)) if rank else []
    attributes = {"eps": 0.001, "axis": draw(st.sampled_from([chosen, None]))}
    return Application((draw(tensors(shape, draw(dtypes(FLOATS)))),), attributes)


@st.composite
def _plain(draw: st.DrawFn, least: int = 0) -> Application:
    return Application((draw(tensors(draw(shapes(least)), draw(dtypes(EVERY)))),))


@st.composite
def _prelu(draw: st.DrawFn) -> Application:
    plain = draw(column(1))
    data, slopes = plain.arguments
    shared = draw(tensors((1,), slopes.dtype))
    return Application((data, draw(st.sampled_from([slopes, shared]))), plain.attributes)


ROWS: dict[str, Row] = {
    "nn.batch_norm": _with_flags(4),
    "nn.layer_norm": _with_flags(2),
    "nn.softmax": _along(),
    "nn.fast_softmax": _along(),
    "nn.log_softmax": _along(),
    "nn.dropout": _plain(),
    "nn.batch_flatten": _plain(1),
    "nn.prelu": _prelu(),
    "nn.lrn": _lrn(),
    "nn.l2_normalize": _l2_normalize(),
}
