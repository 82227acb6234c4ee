"""What a pass is given that takes something, for a module: numbers for a size that one of its functions leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

from gradual.core.print import printed
from gradual.core.terms import Function, Module
from gradual.dims.term.dim import Dim
from gradual.types.binder_solving import requirements
from gradual.types.type import TensorType
from gradual.types.unpacking import spelled

Given = Mapping[str, str]


def _open(module: Module) -> Iterator[str]:
    """Something that may be pinned, by the program."""
    functions = [function for name, function in module.functions.items() if name.startswith("@")]
    names = [f"{one.name}:{name}" for one in functions for name in dict.fromkeys(_pinned(one))]
    if names:
        yield Random(printed(module)).choice(names)


def _pinned(function: Function) -> Iterator[str]:
    """The names of what a function's declaration leaves open: dims, sizes however they are written, and integers."""
    yield from (variable.name for variable in function.type.binders)
    for param in function.params:
        if isinstance(param.written, TensorType) and param.written.rank == 0 and param.written.dtype.counts:
            yield param.name
        for extent, _, path, axis in requirements(param.written, param.name):
            if not isinstance(extent, Dim) or extent.value is None:
                yield f"dim({spelled(path)},{axis})"


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
