"""The constructs that a program may be extended by, family by family."""

from __future__ import annotations

from collections.abc import Iterable

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
from tests.generators.constructs.view import Construct, Make, View

FIRST_ORDER = (arithmetic, shapes, integers, unknown, casts, calls)
FAMILIES = (*FIRST_ORDER, ranks, functions, structures)


def weighted(first_order: bool = False) -> list[Make]:
    """The constructs whose operators are built, each as often as it is to be drawn."""
    return repeated(row for family in (FIRST_ORDER if first_order else FAMILIES) for row in family.CONSTRUCTS)


def fitting(view: View) -> list[Make]:
    """What can be made of the functions, references and values of unknown rank that are there."""
    there = ((functions, view.functions), (structures, view.references()), (ranks, view.unranked()))
    return repeated(row for family, held in there if held for row in family.USES)


def repeated(rows: Iterable[Construct]) -> list[Make]:
    """The constructs of these whose operators are built, each as often as it is to be drawn."""
    return [make for make, weight, needed in rows if all(name in CATALOGUE for name in needed) for _ in range(weight)]
