"""Operators on shapes: reshaping, broadcasting, joining, slicing."""

from __future__ import annotations

from tests.generators.constructs.view import Construct, Made, View
from tests.generators.program_terms import Text


def _reshape(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    shape = view.types[name].shape
    exact = [f"dim({name}, {axis})" if view.chance(0.5) else view.size_of(dim) for axis, dim in enumerate(shape)]
    forms = (
        ["-1"],
        [*reversed(exact)],
        ["-1", exact[-1]],
        ["-1", str(view.random.choice((1, 2, 3)))],
        [view.size(), "-1"],
        ["0", "-1"],
        [" * ".join(f"({size})" for size in exact)],
        [view.size(), view.size()],
        [*exact, "1"],
    )
    return Text(f"reshape({name}, newshape=[{', '.join(view.random.choice(forms))}])")


def _broadcast_to(view: View) -> Made:
    name, like = view.pick(view.floats()), view.pick(view.floats(1))
    if name is None or like is None:
        return None
    shape = [view.size_of(dim) if view.chance(0.85) else view.size() for dim in view.types[like].shape]
    return Text(f"broadcast_to({name}, shape=[{', '.join(shape)}])")


def _concatenate(view: View) -> Made:
    first = view.pick(view.floats(1))
    if first is None:
        return None
    rank = view.types[first].rank
    second = view.pick([name for name in view.floats(1) if view.types[name].rank == rank])
    return Text(f"concatenate(({first}, {second}), axis={view.random.randrange(rank)})")


def _stack(view: View) -> Made:
    first = view.pick([name for name in view.floats() if view.types[name].rank < 3])
    if first is None:
        return None
    second = view.pick([name for name in view.floats() if view.types[name].rank == view.types[first].rank])
    return Text(f"stack(({first}, {second}), axis=0)")


def _slice(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    begin, end, stride = view.random.choice(((0, 2, 1), (1, 9, 1), (-2, 9, 1), (0, 9, 2), (1, 3, 1), (9, -9, -1)))
    return Text(f"strided_slice({name}, begin=[{begin}], end=[{end}], strides=[{stride}])")


def _dim_slice(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    begin, end = view.random.choice(((0, view.size()), (view.size(), 9), (1, view.size())))
    return Text(f"strided_slice({name}, begin=[{begin}], end=[{end}], strides=[1])")


def _tile(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    if view.chance(0.5):
        return Text(f"tile({name}, reps=[{view.size()}])")
    return Text(f"repeat({name}, repeats={view.plain()}, axis={view.random.randrange(view.types[name].rank)})")


def _split(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    axis = view.random.randrange(view.types[name].rank)
    return Text(f"split({name}, indices_or_sections={view.random.choice((1, 2, 3))}, axis={axis})")


def _transpose(view: View) -> Made:
    name = view.pick(view.floats(2))
    return Text(f"transpose({name})") if name else None


def _expand(view: View) -> Made:
    name = view.pick([name for name in view.floats() if view.types[name].rank < 3])
    return Text(f"expand_dims({name}, axis={view.random.choice((0, -1))})") if name else None


def _squeeze(view: View) -> Made:
    name = view.pick(view.floats(1))
    return Text(f"squeeze({name}, axis=[{view.random.randrange(view.types[name].rank)}])") if name else None


def _filled(view: View) -> Made:
    sizes = ", ".join(view.size() for _ in range(view.random.choice((1, 1, 2))))
    return Text(f'{view.random.choice(("zeros", "ones"))}(shape=[{sizes}], dtype="float32")')


CONSTRUCTS: list[Construct] = [
    (_reshape, 4, ("reshape",)),
    (_broadcast_to, 2, ("broadcast_to",)),
    (_concatenate, 3, ("concatenate",)),
    (_stack, 1, ("stack",)),
    (_slice, 2, ("strided_slice",)),
    (_dim_slice, 2, ("strided_slice",)),
    (_tile, 1, ("tile",)),
    (_split, 1, ("split",)),
    (_transpose, 1, ("transpose",)),
    (_expand, 1, ("expand_dims",)),
    (_squeeze, 1, ("squeeze",)),
    (_filled, 2, ("zeros",)),
]
