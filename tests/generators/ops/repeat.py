"""Applications of operators that repeat or reverse."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.tensors.index import broadcast_shape
from gradual.tensors.tensor import random_tensor
from tests.generators.operators import Application, Row, compatible, dtypes, promoted, sizes, tensors
from tests.generators.ops.reshape import any_tensor

counts = st.sampled_from((1, 0, 2, 3))


@st.composite
def _broadcast_to(draw: st.DrawFn) -> Application:
    given, wanted = draw(compatible(2))
    return Application((draw(tensors(given, draw(dtypes()))),), {"shape": list(broadcast_shape(given, wanted))})


@st.composite
def _vector(draw: st.DrawFn) -> Application:
    """A scalar or a vector of one to a vector, so that contents matter."""
    data = draw(any_tensor(0, 1))
    if data.shape not in ((), (1,)):
        return Application((data,), {"shape": list(data.shape)})
    return Application((data,), {"shape": [draw(sizes)]})


_every = st.one_of(_broadcast_to(), _vector())


@st.composite
def _like(draw: st.DrawFn) -> Application:
    plain = draw(_every)
    return Application((*plain.arguments, random_tensor(tuple(plain.attributes["shape"]), draw(dtypes()), 1)))


@st.composite
def _tile(draw: st.DrawFn) -> Application:
    data = draw(any_tensor(0, 2))
    return Application((data,), {"reps": draw(st.lists(counts, max_size=3))})


@st.composite
def _repeat(draw: st.DrawFn) -> Application:
    data = draw(any_tensor())
    axis = draw(st.one_of(st.none(), st.sampled_from([None, *range(-data.rank, data.rank)])))
    return Application((data,), {"repeats": draw(counts), "axis": axis})


@st.composite
def _reverse(draw: st.DrawFn) -> Application:
    data = draw(any_tensor(1))
    return Application((data,), {"axis": draw(st.integers(-data.rank, data.rank - 1))})


ROWS: dict[str, Row] = {
    "broadcast_to": _every,
    "dyn.broadcast_to": promoted(_every, ["shape"]),
    "broadcast_to_like": _like(),
    "tile": _tile(),
    "dyn.tile": promoted(_tile(), ["reps"]),
    "repeat": _repeat(),
    "reverse": _reverse(),
}
