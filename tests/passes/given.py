"""What a pass is given that takes something, for a module: numbers for sizes that its functions leave open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from gradual.core.terms import Function, Module
from gradual.passes.pinning import unknowns

Given = Mapping[str, str]

SIZES = 2
"""How many open sizes of each function are tried."""


def _open(module: Module) -> Iterator[str]:
    for function in module.functions.values():
        yield from islice(_sizes_of(function), SIZES)


def _sizes_of(function: Function) -> Iterator[str]:
    return (f"{function.name}:{unknown}" for unknown in dict.fromkeys(unknowns(function)))


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
