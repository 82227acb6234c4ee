"""Casts, annotations, assertions, tuples."""

from __future__ import annotations

from gradual.types.dtype import DType
from gradual.types.type import TupleType
from tests.generators.constructs.view import Construct, Made, View, is_data
from tests.generators.program_terms import Assertion, Cast, Let, Size, Tensor, Text


def _cast(view: View) -> Made:
    name = view.pick(view.floats(1))
    return Cast(name, view.annotation(view.types[name])) if name else None


def _annotated_let(view: View) -> Made:
    tuples = [name for name, type in view.types.items() if isinstance(type, TupleType)]
    name = view.pick(tuples) if view.chance(0.15) else view.pick(view.floats(1))
    if name is None or not is_data(view.types[name]):
        return None
    return [Let(view.grower.fresh(), view.annotation(view.types[name]), Text(name))]


def _named(view: View) -> Made:
    """A cast that names a size."""
    name = view.pick(view.floats(1))
    if name is None:
        return None
    axis, variable = view.random.randrange(view.types[name].rank), view.grower.fresh()
    sizes = [view.annotated(dim) for dim in view.types[name].shape]
    sizes[axis] = Size(variable.replace("%v", "k"), fixed=True)
    return [Let(variable, None, Cast(name, Tensor(tuple(sizes))))]


def _assert(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    axis = view.random.randrange(view.types[name].rank)
    return [Assertion(f"dim({name}, {axis}) {view.random.choice(('==', '<=', '!='))} {view.size()}")]


def _data_assertion(view: View) -> Made:
    flag = view.pick(view.of(DType.BOOL, 0))
    return [Assertion(flag)] if flag else None


def _tuple(view: View) -> Made:
    left, right = view.pick(view.floats()), view.pick(list(view.types))
    return Text(f"({left}, {right})") if left and right else None


def _project(view: View) -> Made:
    name = view.pick([name for name, type in view.types.items() if isinstance(type, TupleType) and type.fields])
    return Text(f"{name}.{view.random.randrange(len(view.types[name].fields))}") if name else None


CONSTRUCTS: list[Construct] = [
    (_cast, 4, ()),
    (_annotated_let, 4, ()),
    (_named, 1, ()),
    (_assert, 1, ()),
    (_data_assertion, 1, ()),
    (_tuple, 1, ()),
    (_project, 2, ()),
]
