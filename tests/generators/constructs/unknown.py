"""Operators whose sizes depend on data."""

from __future__ import annotations

from tests.generators.constructs.view import Construct, Made, View
from tests.generators.program_terms import Text


def _argwhere(view: View) -> Made:
    name = view.pick(view.floats(1))
    return Text(f'cast(argwhere({name}), dtype="float32")') if name and not view.grower.strict else None


def _unique(view: View) -> Made:
    name = view.pick([name for name in view.floats(1) if view.types[name].rank == 1])
    return Text(f"unique({name}).0") if name and not view.grower.strict else None


def _mask(view: View) -> Made:
    name = view.pick([name for name in view.floats(1) if view.types[name].rank == 1])
    other = view.pick(view.floats(1))
    if name is None or view.grower.strict:
        return None
    return Text(f"boolean_mask({other}, less({name}, {name} * {name}))")


CONSTRUCTS: list[Construct] = [
    (_argwhere, 1, ("argwhere",)),
    (_unique, 1, ("unique",)),
    (_mask, 1, ("boolean_mask",)),
]
