"""Applications of reshapes."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from tests.generators.operators import INTEGERS, Application, Row, dtypes, promoted, shapes, sizes, tensors


@st.composite
def any_tensor(draw: st.DrawFn, least: int = 0, most: int = 3) -> Tensor:
    """A tensor of any type, of a vector of integers often enough that contents matter."""
    if least <= 1 and draw(st.booleans()):
        return draw(tensors((draw(sizes),) * draw(st.integers(least, 1)), draw(dtypes((*INTEGERS, DType.BOOL)))))
    return draw(tensors(draw(shapes(least, most)), draw(dtypes())))


def regrouped(draw: Any, shape: tuple[int, ...]) -> list[int]:
    """A shape with the same number of elements: neighbours joined, sizes of 1 put in."""
    found: list[int] = []
    for extent in shape:
        if found and draw(st.booleans()):
            found[-1] *= extent
        else:
            found.append(extent)
        if draw(st.integers(0, 3)) == 0:
            found.insert(draw(st.integers(0, len(found))), 1)
    return found


def coded(draw: Any, shape: tuple[int, ...], allowzero: bool) -> list[int]:
    """A request in codes that mostly fits."""
    wanted = regrouped(draw, shape)
    for place, size in enumerate(wanted):
        if not allowzero and place >= len(shape) and size == 0 and draw(st.booleans()):
            wanted[place] = 1
        elif not allowzero and (size == 0 or (place < len(shape) and shape[place] == size and draw(st.booleans()))):
            wanted[place] = 0
    if wanted and draw(st.booleans()):
        wanted[draw(st.integers(0, len(wanted) - 1))] = -1
    return wanted


def _walked(draw: Any, shape: tuple[int, ...]) -> list[int]:
    """A request by the codes -2, -3 and -4."""
    found, place = [], 0
    while place < len(shape):
        extent = shape[place]
        choice = draw(st.sampled_from(("copy", "all", "join", "split")))
        if choice == "all":
            return [*found, -2]
        if choice == "join" and place + 1 < len(shape):
            found.append(-3)
            place += 2
            continue
        if choice == "split" and extent > 0:
            part = draw(st.sampled_from([size for size in range(1, extent + 1) if extent % size == 0]))
            found += [-4, *draw(st.sampled_from(([part, extent // part], [-1, part], [part, -1])))]
        else:
            found.append(0)
        place += 1
    return found


@st.composite
def _reshape(draw: st.DrawFn, walk: bool = True) -> Application:
    data = draw(any_tensor())
    allowzero = draw(st.booleans())
    if walk and draw(st.integers(0, 2)) == 0:
        return Application((data,), {"newshape": _walked(draw, data.shape)}, ("newshape",))
    codes = coded(draw, data.shape, allowzero)
    return Application((data,), {"newshape": codes, "allowzero": int(allowzero)}, ("newshape",))


@st.composite
def _reverse_reshape(draw: st.DrawFn) -> Application:
    """A request against the axes in opposite order, in opposite order itself."""
    data = draw(any_tensor())
    turned, allowzero = data.shape[::-1], draw(st.booleans())
    codes = coded(draw, turned, allowzero) if draw(st.booleans()) else _walked(draw, turned)
    return Application((data,), {"newshape": codes[::-1], "allowzero": int(allowzero)})


@st.composite
def _reshape_like(draw: st.DrawFn) -> Application:
    data = draw(any_tensor())
    like = random_tensor(tuple(regrouped(draw, data.shape)), draw(dtypes()), 3)
    if draw(st.booleans()):
        return Application((data, like))
    place = draw(st.integers(0, data.rank))
    return Application((data, like), {"lhs_begin": place, "lhs_end": data.rank, "rhs_begin": 0, "rhs_end": like.rank})


@st.composite
def _squeeze(draw: st.DrawFn, named: bool = False) -> Application:
    shape = draw(shapes(0, 3))
    ones = [axis for axis, extent in enumerate(shape) if extent == 1]
    chosen = draw(st.lists(st.sampled_from(ones), unique=True)) if ones else []
    if shape and draw(st.integers(0, 9)) == 0:
        chosen = [0]
    axis = [draw(st.sampled_from((place, place - len(shape)))) for place in chosen]
    data = draw(tensors(shape, draw(dtypes())))
    return Application((data,), {} if not named and draw(st.booleans()) else {"axis": axis})


@st.composite
def _expand_dims(draw: st.DrawFn) -> Application:
    data = draw(any_tensor())
    axis = draw(st.integers(-data.rank - 1, data.rank))
    return Application((data,), {"axis": axis, "num_newaxis": draw(st.integers(0, 3))})


@st.composite
def _transpose(draw: st.DrawFn) -> Application:
    data = draw(any_tensor())
    order = draw(st.permutations(range(data.rank)))
    axes = [axis - data.rank * draw(st.integers(0, 1)) for axis in order]
    return Application((data,), draw(st.sampled_from([{}, {"axes": None}, {"axes": axes}])))


ROWS: dict[str, Row] = {
    "reshape": _reshape(),
    "dyn.reshape": promoted(_reshape(walk=False), ["newshape"]),
    "contrib_reverse_reshape": _reverse_reshape(),
    "reshape_like": _reshape_like(),
    "squeeze": _squeeze(),
    "dyn.squeeze": promoted(_squeeze(named=True), ["axis"]),
    "expand_dims": _expand_dims(),
    "dyn.expand_dims": promoted(_expand_dims(), ["axis"]),
    "transpose": _transpose(),
}
