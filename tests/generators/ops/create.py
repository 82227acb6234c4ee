"""Applications of operators that create tensors."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor
from tests.generators.operators import NUMBERS, Application, Row, dtypes, promoted, shapes, tensors

_maybe_dtype = st.one_of(st.just({}), dtypes().map(lambda dtype: {"dtype": str(dtype)}))


@st.composite
def _of_shape(draw: st.DrawFn) -> Application:
    return Application((), {"shape": list(draw(shapes())), **draw(_maybe_dtype)})


@st.composite
def _full(draw: st.DrawFn) -> Application:
    fill = draw(tensors((), draw(dtypes())))
    return Application((fill,), {"shape": list(draw(shapes())), **draw(_maybe_dtype)})


@st.composite
def _like(draw: st.DrawFn) -> Application:
    return Application((draw(tensors(draw(shapes()), draw(dtypes()))),))


@st.composite
def _full_like(draw: st.DrawFn) -> Application:
    return Application((draw(_like()).arguments[0], draw(tensors((), draw(dtypes())))))


@st.composite
def _arange(draw: st.DrawFn) -> Application:
    dtype = draw(dtypes(NUMBERS))
    low = -9 if dtype.is_signed else 0
    numbers: Any = st.integers(low, 9)
    ends = [draw(numbers), draw(numbers), draw(numbers.filter(bool))]
    if dtype.is_float:
        ends = [end / 4 for end in ends]
    return Application(tuple(Tensor(end, dtype) for end in ends), draw(st.sampled_from([{}, {"dtype": str(dtype)}])))


ROWS: dict[str, Row] = {
    "zeros": _of_shape(),
    "ones": _of_shape(),
    "full": _full(),
    "zeros_like": _like(),
    "ones_like": _like(),
    "full_like": _full_like(),
    "arange": _arange(),
    "dyn.zeros": promoted(_of_shape(), ["shape"]),
    "dyn.ones": promoted(_of_shape(), ["shape"]),
    "dyn.full": promoted(_full(), ["shape"]),
}
