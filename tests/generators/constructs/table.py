"""The constructs that a program may be extended by, family by family."""

from __future__ import annotations

from gradual.ops.catalogue import CATALOGUE
from tests.generators.constructs import (
    arithmetic,
    calls,
    casts,
    functions,
    integers,
    ranks,
    shapes,
    structures,
    unknown,
)
from tests.generators.constructs.view import Make

FIRST_ORDER = (arithmetic, shapes, integers, unknown, casts, calls)
FAMILIES = (*FIRST_ORDER, ranks, functions, structures)


def weighted(first_order: bool = False) -> list[Make]:
    """The constructs whose operators are built, each as often as it is to be drawn."""
    every = [row for family in (FIRST_ORDER if first_order else FAMILIES) for row in family.CONSTRUCTS]
    return [make for make, weight, needed in every if all(name in CATALOGUE for name in needed) for _ in range(weight)]
