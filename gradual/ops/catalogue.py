"""Every operator by name, gathered from the families, which are imported at the first look-up."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from gradual.ops.declaration.operator import Operator

FAMILIES: tuple[str, ...] = (
    "elementwise.binary",
    "elementwise.unary",
    "elementwise.conversion",
    "shape.create",
    "shape.observe",
    "reduction.reductions",
    "reduction.variance",
    "reduction.collapse",
    "shape.reshape",
    "shape.repeat",
    "shape.join",
    "indexing.slice",
    "indexing.slice_like",
    "indexing.take",
    "indexing.selection",
    "indexing.multiple_indices",
    "shape.layout",
    "indexing.masks",
    "reduction.scans",
    "indexing.sort",
    "linear.einsum",
    "sparse.coordinates",
    "other.fourier",
    "nn.losses",
    "sparse.compressed_rows",
    "nn.correlation",
    "linear.products",
    "nn.convolution",
    "nn.transposed_convolution",
    "nn.pool",
    "vision.deformable_convolution",
    "nn.gradients",
    "nn.normalization",
    "nn.group_normalization",
    "shape.pad",
    "vision.resize",
    "vision.grid_sample",
    "shape.blocks",
    "vision.detection",
    "vision.anchors",
    "vision.regions",
    "other.marks",
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
    """The catalogue as a mapping that is filled at the first look-up."""

    def __getitem__(self, name: str) -> Operator:
        return gathered()[name]

    def get(self, name: str, default: Any = None) -> Any:
        """As `Mapping.get`, but without raising and catching a KeyError, which takes longer."""
        return gathered().get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(gathered())

    def __len__(self) -> int:
        return len(gathered())


@cache
def by_symbol() -> Mapping[str, Operator]:
    """Symbol -> the infix operator that is written with it."""
    return MappingProxyType({one.symbol: one for one in CATALOGUE.values() if one.symbol is not None})


CATALOGUE: Mapping[str, Operator] = _Catalogue()
"""Every operator by name and alias."""


def _named(name: str) -> Operator:
    return CATALOGUE[name]


def by_name(operator: Operator) -> tuple[Callable[[str], Operator], tuple[str]]:
    """Pickle an operator by its name."""
    return _named, (operator.name,)


copyreg.pickle(Operator, by_name)
