"""Functions as values: used at other types, passed, chosen, called."""

from __future__ import annotations

from typing import Any

from gradual.types.dtype import DType
from gradual.types.type import FunctionType, TensorType, UnrankedType
from tests.generators.constructs.view import Construct, Made, View
from tests.generators.program_terms import Let, Text


def plain(type: Any) -> bool:
    """Whether a function takes and gives tensors only, and chooses no types."""
    parts = (*type.params, type.result) if isinstance(type, FunctionType) and not type.types else ()
    return bool(parts) and all(isinstance(part, TensorType | UnrankedType) for part in parts)


def _values(view: View) -> list[str]:
    return [name for name, type in view.functions.items() if plain(type)]


def operand(view: View, type: Any) -> str | None:
    """A variable whose value might fit a parameter."""
    if isinstance(type, UnrankedType):
        return view.pick([*view.floats(), *view.unranked()])
    if isinstance(type, FunctionType):
        fitting = [name for name, other in view.functions.items() if alike(other, type)]
        return view.pick(fitting)
    if not isinstance(type, TensorType):
        return None
    unknown = view.unranked() if type.dtype is DType.FLOAT32 and view.chance(0.2) else []
    return view.pick([*view.of(type.dtype, type.rank), *unknown])


def alike(left: Any, right: Any) -> bool:
    """Whether two function types differ in sizes only."""
    if not (plain(left) and plain(right)) or len(left.params) != len(right.params):
        return False
    return all(_ranks(a, b) for a, b in zip((*left.params, left.result), (*right.params, right.result), strict=True))


def _ranks(left: Any, right: Any) -> bool:
    ranked = isinstance(left, TensorType) and isinstance(right, TensorType)
    return left.dtype is right.dtype and (not ranked or left.rank == right.rank)


def _at_another_type(view: View) -> Made:
    """A function under an annotation, and mostly a call of it."""
    name = view.pick(_values(view))
    if name is None or (view.grower.strict and view.chance(0.7)):
        return None
    annotated = view.grower.fresh()
    items = [Let(annotated, view.annotation(view.functions[name], guessed=0.3), Text(name))]
    passed = [operand(view, param) for param in view.functions[name].params]
    if None in passed or view.chance(0.2):
        return list(items)
    return [*items, Let(view.grower.fresh(), None, Text(f"{annotated}({', '.join(map(str, passed))})"))]


def _apply(view: View) -> Made:
    name = view.pick([name for name in _values(view) if name.startswith("%")])
    if name is None:
        return None
    passed = [operand(view, param) for param in view.functions[name].params]
    return None if None in passed else Text(f"{name}({', '.join(map(str, passed))})")


def _pass(view: View) -> Made:
    """A call that is given functions."""
    takers = [
        name
        for name, type in view.functions.items()
        if any(isinstance(param, FunctionType) for param in type.params) and not type.types
    ]
    name = view.pick(takers)
    if name is None:
        return None
    passed = [operand(view, param) for param in view.functions[name].params]
    return None if None in passed else Text(f"{name}({', '.join(map(str, passed))})")


CONSTRUCTS: list[Construct] = []

USES: list[Construct] = [
    (_at_another_type, 3, ()),
    (_apply, 2, ()),
    (_pass, 3, ()),
]
"""What is made of functions that are there."""
