"""Every operator by name, gathered from the families; nothing is imported before the first look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from gradual.ops.operator import Operator

FAMILIES: tuple[str, ...] = (
    "elementwise",
    "adjusting",
    "creating",
    "observing",
    "reducing",
    "collapsing",
    "reshaping",
    "repeating",
    "joining",
    "slicing",
    "cutting",
    "selecting",
    "indexing",
    "laying",
    "masking",
    "scanning",
    "sorting",
    "contracting",
    "sparse",
    "transforming",
    "losses",
    "rows",
    "correlating",
    "linear",
    "convolving",
    "deconvolving",
    "pooling",
    "deforming",
    "gradients",
    "normalizing",
    "grouping",
    "padding",
    "resizing",
    "sampling",
    "blocks",
    "detecting",
    "anchoring",
    "regions",
    "marking",
)
"""The modules of `gradual.ops` that declare operators: as module-level names, or rows of a module-level tuple."""


def declared(family: str) -> Iterator[Operator]:
    """The operators that a family module declares, in order."""
    for held in vars(import_module(f"gradual.ops.{family}")).values():
        if isinstance(held, Operator):
            yield held
        elif isinstance(held, tuple):
            yield from (row for row in held if isinstance(row, Operator))


@cache
def gathered() -> Mapping[str, Operator]:
    """All operators by name and alias, in the order of FAMILIES."""
    found: dict[str, Operator] = {}
    for family in FAMILIES:
        for one in declared(family):
            for name in (one.name, *one.aliases):
                assert found.setdefault(name, one) is one, f"two operators are called {name}"
    return MappingProxyType(found)


class _Catalogue(Mapping[str, Operator]):
    """The catalogue as a mapping that fills itself when it is first asked."""

    def __getitem__(self, name: str) -> Operator:
        return gathered()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(gathered())

    def __len__(self) -> int:
        return len(gathered())


CATALOGUE: Mapping[str, Operator] = _Catalogue()
