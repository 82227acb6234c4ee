"""Integers whose values are tracked, and operators that take them for sizes."""

from __future__ import annotations

from gradual.types.dtype import DType
from tests.generators.constructs.view import Construct, Made, View
from tests.generators.program_terms import Text


def _shape_of(view: View) -> Made:
    name = view.pick(view.floats(1))
    kind = ', dtype="int64"' if view.chance(0.6) else ""
    return Text(f"shape_of({name}{kind})") if name else None


def _element(view: View) -> Made:
    name = view.pick(view.vectors())
    if name is None:
        return None
    index = view.random.randrange(view.types[name].shape[0].value) if view.chance(0.95) else 9
    return Text(f"take({name}, {index}{', axis=0' if view.chance(0.5) else ''})")


def _arithmetic(view: View) -> Made:
    name = view.pick(view.of(DType.INT64, 0) + view.of(DType.INT32, 0))
    operator = view.random.choice(("+ 1", "- 1", "* 2", "- 3", "+ 0"))
    return Text(f"{name} {operator}") if name else None


def _whole(view: View) -> Made:
    """Arithmetic whose results are tracked."""
    scalars = view.of(DType.INT64, 0)
    left, right = view.pick(scalars), view.pick(scalars)
    if left is None:
        return None
    forms = (
        f"floor_divide({left}, 2i64)",
        f"minimum({left}, {right})",
        f"maximum({left}, 0i64)",
        f"where({left} > 2, {left}, {right})",
        f"negative({left})",
        f"{left} * {right}",
        f"floor_mod({left}, 3i64)",
        f"abs({left})",
    )
    return Text(view.random.choice(forms))


def _vector(view: View) -> Made:
    """A vector of tracked elements."""
    vectors = view.vectors()
    left = view.pick(vectors)
    if left is None:
        return Text("[2, 1]")
    same = [name for name in vectors if view.types[name].dtype is view.types[left].dtype]
    forms = (
        f"concatenate(({left}, {view.pick(same)}), axis=0)",
        f"take({left}, [0])",
        f'take({left}, [0, -1], mode="wrap")',
        f"strided_slice({left}, begin=[0], end=[2], strides=[1])",
        f"maximum({left}, {view.pick(same)})",
        f"reverse({left}, axis=0)",
    )
    return Text(view.random.choice(forms))


def _product(view: View) -> Made:
    name = view.pick(view.vectors())
    return Text(f"{view.random.choice(('prod', 'sum', 'max'))}({name})") if name else None


def _arange(view: View) -> Made:
    name = view.pick(view.of(DType.INT64, 0))
    step = view.random.choice(("1i64", "1i64", "2i64", "-1i64"))
    ends = view.random.choice((("0i64", name), ("1i64", name), (name, "0i64")))
    return Text(f'cast(arange({ends[0]}, {ends[1]}, {step}), dtype="float32")') if name else None


def _dyn_reshape(view: View) -> Made:
    name, sizes = view.pick(view.floats(1)), view.pick(view.vectors())
    return Text(f"dyn.reshape({name}, {sizes})") if name and sizes else None


def _dyn_broadcast(view: View) -> Made:
    name, sizes = view.pick(view.floats()), view.pick(view.vectors())
    return Text(f"dyn.broadcast_to({name}, {sizes})") if name and sizes else None


def _dyn_zeros(view: View) -> Made:
    name = view.pick(view.vectors())
    return Text(f'dyn.zeros({name}, dtype="float32")') if name else None


CONSTRUCTS: list[Construct] = [
    (_shape_of, 2, ("shape_of",)),
    (_element, 2, ("take",)),
    (_arithmetic, 1, ("add",)),
    (_whole, 2, ("floor_divide",)),
    (_vector, 2, ("reverse",)),
    (_product, 1, ("prod",)),
    (_arange, 2, ("arange",)),
    (_dyn_reshape, 2, ("dyn.reshape",)),
    (_dyn_broadcast, 1, ("dyn.broadcast_to",)),
    (_dyn_zeros, 1, ("dyn.zeros",)),
]
