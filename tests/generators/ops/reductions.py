"""Applications of reductions."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from tests.generators.operators import FLOATS, NUMBERS, Application, Row, dtypes, shapes, tensors


@st.composite
def axes(draw: st.DrawFn, rank: int) -> dict[str, Any]:
    """Attributes that say what to reduce, in every form."""
    chosen = draw(st.lists(st.integers(-rank, rank - 1), unique_by=lambda axis: axis % rank)) if rank else []
    axis = draw(st.sampled_from([None, chosen, chosen[0] if chosen else None]))
    return {"axis": axis, "keepdims": draw(st.booleans()), "exclude": draw(st.booleans())}


@st.composite
def _reduction(draw: st.DrawFn, among: tuple[DType, ...], places: bool = False) -> Application:
    shape = draw(shapes())
    attributes = draw(axes(len(shape)))
    if places:
        attributes["select_last_index"] = draw(st.booleans())
    return Application((draw(tensors(shape, draw(dtypes(among)))),), attributes)


@st.composite
def _variance(draw: st.DrawFn) -> Application:
    shape = draw(shapes())
    attributes = draw(axes(len(shape)))
    chosen = attributes["axis"]
    given = [chosen] if isinstance(chosen, int) else list(chosen or ())
    gone = {axis % len(shape) for axis in given}
    if given and attributes["exclude"]:
        gone = set(range(len(shape))) - gone
    kept = tuple(1 if not given or axis in gone else extent for axis, extent in enumerate(shape))
    x = draw(tensors(shape, draw(dtypes(FLOATS))))
    mean: Tensor = random_tensor(kept, x.dtype, 7)
    return Application((x, mean), attributes | {"unbiased": draw(st.booleans())})


ROWS: dict[str, Row] = {name: _reduction((DType.BOOL, *NUMBERS)) for name in ("sum", "prod", "max", "min")}
ROWS |= {"mean": _reduction(NUMBERS)}
ROWS |= {name: _reduction((DType.BOOL,)) for name in ("all", "any")}
ROWS |= {name: _reduction((*NUMBERS, DType.BOOL), places=True) for name in ("argmax", "argmin")}
ROWS |= {"variance": _variance()}
