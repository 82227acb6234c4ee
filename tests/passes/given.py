"""What a pass is given that takes something, for a module: numbers for a size that one of its functions leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

from gradual.core.print import printed
from gradual.core.terms import Module
from gradual.passes.pinning import unknowns

Given = Mapping[str, str]


def _open(module: Module) -> Iterator[str]:
    """One of the open sizes, by the program."""
    functions = [function for name, function in module.functions.items() if name.startswith("@")]
    sizes = [f"{one.name}:{unknown}" for one in functions for unknown in dict.fromkeys(unknowns(one))]
    if sizes:
        yield Random(printed(module)).choice(sizes)


def _numbers(module: Module) -> Iterator[Given]:
    for size in _open(module):
        yield {size: "3"}
        yield {size: "1"}


def _buckets(module: Module) -> Iterator[Given]:
    for size in _open(module):
        yield {size: "1,3"}
        yield {size: "2,6", "pad": "0"}


GIVEN: dict[str, Callable[[Module], Iterator[Given]]] = {"specialize": _numbers, "bucket": _buckets}
"""By the pass's name."""

NARROWING = frozenset({"specialize"})
"""Passes that are asked to change an interface: they keep outcomes on the arguments that it admits.  [pass.outcome]"""
