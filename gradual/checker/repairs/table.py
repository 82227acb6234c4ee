"""The table of repair families and the error codes that they apply to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradual.checker.repairs.elements import element_types
from gradual.checker.repairs.names import functions, operators, unused, variables, written_names
from gradual.checker.repairs.place import Program
from gradual.checker.repairs.results import declared, results
from gradual.checker.repairs.shapes import axes, broadcast, enlarged, layouts, products, reshaped, windows
from gradual.checker.repairs.structure import arity, attributes, counterparts, exchanged, structure
from gradual.diagnostic import Diagnostic, Help

Family = Callable[[Diagnostic, Program], Iterator[Help]]
"""A function that yields repairs of an error, the likeliest first."""

FAMILIES: tuple[tuple[Family, tuple[str, ...]], ...] = (
    (operators, ("E0201", "E0205")),
    (functions, ("E0203",)),
    (written_names, ("E0205", "E0206", "E0306")),
    (variables, ("E0202",)),
    (attributes, ("E0207",)),
    (arity, ("E0304",)),
    (structure, ("E0307",)),
    (unused, ("E0301", "E0302")),
    (broadcast, ("E0301", "E0302")),
    (enlarged, ("E0301", "E0302")),
    (windows, ("E0301", "E0302")),
    (products, ("E0301", "E0302")),
    (reshaped, ("E0301", "E0302")),
    (results, ("E0301", "E0302")),
    (exchanged, ("E0301", "E0302", "E0303", "E0306", "E0307", "E0308")),
    (element_types, ("E0306",)),
    (layouts, ("E0301", "E0302")),
    (declared, ("E0301", "E0302")),
    (axes, ("E0301", "E0302", "E0305")),
    (counterparts, ("E0303",)),
)
"""Each family with its error codes, in the order in which the families are tried."""


def proposed(error: Diagnostic, program: Program) -> Iterator[Help]:
    """Yield the repairs of an error from all families that apply to its code."""
    for family, codes in FAMILIES:
        if error.code in codes:
            yield from family(error, program)
