"""Operators on elements, and contractions."""

from __future__ import annotations

from typing import Any

from tests.generators.constructs.view import Construct, Made, View
from tests.generators.program_terms import Text


def _unary(view: View) -> Made:
    name = view.pick(view.floats())
    return (name and Text(f"{view.random.choice(('nn.relu', 'negative', 'abs'))}({name})")) or None


def _binary(view: View) -> Made:
    left = view.pick(view.floats())
    if left is None:
        return None
    near = [name for name in view.floats() if _could_agree(view.types[left], view.types[name])]
    right = left if view.chance(0.1) else view.pick(near if view.chance(0.8) else view.floats())
    operator = view.random.choice(("add", "subtract", "multiply", "maximum"))
    return Text(f"{operator}({left}, {right})") if view.chance(0.9) else Text(f"{left} * {right}")


def _could_agree(left: Any, right: Any) -> bool:
    """Whether no two constant sizes speak against broadcasting."""
    pairs = zip(reversed(left.shape), reversed(right.shape), strict=False)
    return all(a.value is None or b.value is None or a is b or 1 in (a.value, b.value) for a, b in pairs)


def _where(view: View) -> Made:
    left, right = view.pick(view.floats()), view.pick(view.floats())
    return Text(f"where(less({left}, {right}), {left}, {right})") if left and right else None


def _reduction(view: View) -> Made:
    name = view.pick(view.floats(1))
    if name is None:
        return None
    axis = view.random.randrange(view.types[name].rank)
    keep = view.random.choice((", keepdims=True", ""))
    return Text(f"{view.random.choice(('sum', 'sum', 'max', 'mean'))}({name}, axis=[{axis}]{keep})")


def _softmax(view: View) -> Made:
    name = view.pick(view.floats(1))
    return Text(f"nn.softmax({name})") if name else None


def _dense(view: View) -> Made:
    data, weight = view.pick(view.floats(2)), view.pick([n for n in view.floats(2) if view.types[n].rank == 2])
    size = view.size_of(view.types[weight].shape[0]) if weight else ""
    units = f", units={size}" if weight and "//" not in size and view.chance(0.3) else ""
    return Text(f"nn.dense({data}, {weight}{units})") if data and weight else None


def _bias(view: View) -> Made:
    data, bias = view.pick(view.floats(2)), view.pick([n for n in view.floats(1) if view.types[n].rank == 1])
    return Text(f"nn.bias_add({data}, {bias}, axis=-1)") if data and bias else None


CONSTRUCTS: list[Construct] = [
    (_unary, 2, ("nn.relu",)),
    (_binary, 7, ("add",)),
    (_where, 1, ("where",)),
    (_reduction, 2, ("sum",)),
    (_softmax, 1, ("nn.softmax",)),
    (_dense, 4, ("nn.dense",)),
    (_bias, 2, ("nn.bias_add",)),
]
