"""Values of unknown rank."""

from __future__ import annotations

from tests.generators.constructs.view import Construct, Made, View
from tests.generators.program_terms import Cast, Let, Text, Unranked


def _forget(view: View) -> Made:
    """A tensor of which nothing is known any more."""
    name = view.pick(view.floats())
    if name is None or view.grower.strict:
        return None
    return [Let(view.grower.fresh(), Unranked(), Text(name))] if view.chance(0.5) else Cast(name, Unranked())


def _recall(view: View) -> Made:
    """A rank demanded of a value of unknown rank."""
    name = view.pick(view.unranked())
    return Cast(name, view.annotation(view.types[name])) if name else None


def _unary(view: View) -> Made:
    name = view.pick(view.unranked())
    if name is None:
        return None
    forms = (
        f"nn.relu({name})",
        f"negative({name})",
        f"nn.softmax({name})",
        f"sum({name}, axis=[0])",
        f"transpose({name})",
        f"reshape({name}, newshape=[-1])",
        f"reshape({name}, newshape=[-1, 2])",
        f"expand_dims({name}, axis=0)",
        f"squeeze({name}, axis=[0])",
        f"strided_slice({name}, begin=[0], end=[2], strides=[1])",
        f"shape_of({name})",
        f"take({name}, 0, axis=0)",
        f"({name}, {name})",
    )
    return Text(view.random.choice(forms))


def _binary(view: View) -> Made:
    left = view.pick(view.unranked())
    right = view.pick([*view.floats(), *view.unranked()])
    if left is None or right is None:
        return None
    first, second = (left, right) if view.chance(0.5) else (right, left)
    forms = (
        f"add({first}, {second})",
        f"multiply({first}, {second})",
        f"nn.dense({first}, {second})",
        f"nn.bias_add({first}, {second}, axis=-1)",
        f"concatenate(({first}, {second}), axis=0)",
        f"stack(({first}, {second}), axis=0)",
        f"reshape_like({first}, {second})",
    )
    return Text(view.random.choice(forms))


def _sizes(view: View) -> Made:
    name, sizes = view.pick(view.unranked()), view.pick(view.vectors())
    return Text(f"dyn.reshape({name}, {sizes})") if name and sizes else None


CONSTRUCTS: list[Construct] = [
    (_forget, 2, ()),
]

USES: list[Construct] = [
    (_recall, 2, ()),
    (_unary, 2, ()),
    (_binary, 3, ()),
    (_sizes, 1, ("dyn.reshape",)),
]
"""What is made of values of unknown rank that are there."""
