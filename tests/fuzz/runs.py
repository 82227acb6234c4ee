"""Accepted programs, run on small random arguments: a value of the promised type, blame, a fault, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from random import Random

import gradual
from gradual.compiler import Compilation
from gradual.dims.dim import Dim, Undefined, Variable
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Value
from gradual.types.text import shown
from gradual.types.type import FunctionType, GradualType, Hole, TensorType, TupleType

SIZES = (0, 1, 1, 2, 2, 3, 4, 5, 7)
ELEMENTS = 3_000
"""Functions that take larger tensors are not run."""

Sizes = Mapping[Variable, int]


class Unfit(Exception):
    """No small argument of the type is at hand."""


def breaches(compilation: Compilation, seed: str) -> Iterator[str]:
    """How a run of each function breaks the function's promise; whatever else it raises is an internal error."""
    for name, type in compilation.functions.items():
        random = Random(f"{seed}/{name}")
        sizes = {variable: random.choice(SIZES) for variable in _variables(type)}
        try:
            values = [argument(param, random, sizes) for param in type.params]
            result = compilation.run(name, *values)
        except (Unfit, gradual.Blame, gradual.Fault):
            continue
        wrong = misfit(result, type.result, {v: size for v, size in sizes.items() if v in type.binders})
        if wrong:
            yield f"{name}: {wrong} where {', '.join(f'{variable.name} = {sizes[variable]}' for variable in sizes)}"


def _variables(type: FunctionType) -> list[Variable]:
    found = {v for param in type.params for size in _sizes(param) for v in size.variables()}
    return sorted(found | set(type.binders), key=lambda variable: variable.name)


def _sizes(type: GradualType) -> Iterator[Dim]:
    match type:
        case TensorType(shape):
            yield from (size for size in shape if not isinstance(size, Hole))
        case TupleType(fields):
            for field in fields:
                yield from _sizes(field)


def argument(type: GradualType, random: Random, sizes: Sizes) -> Value:
    """A random value of a type at some sizes.  Raises Unfit."""
    match type:
        case TensorType(shape, dtype):
            extents = tuple(random.choice(SIZES) if isinstance(size, Hole) else _extent(size, sizes) for size in shape)
            if prod(extents) > ELEMENTS:
                raise Unfit
            return random_tensor(extents, dtype, random.randrange(1_000))
        case TupleType(fields):
            return tuple(argument(field, random, sizes) for field in fields)
        case _:
            raise Unfit


def _extent(size: Dim, sizes: Sizes) -> int:
    try:
        extent = size.evaluate(sizes)
    except (Undefined, KeyError):
        raise Unfit from None
    if not 0 <= extent <= ELEMENTS:
        raise Unfit
    return extent


def misfit(value: Value, type: GradualType, sizes: Sizes) -> str | None:
    """Why a value is not of the type; sizes that nobody chose are not looked at."""
    match value, type:
        case Tensor(), TensorType(shape, dtype):
            fits = value.dtype is dtype and len(value.shape) == len(shape)
            if fits and all(map(lambda extent, size: _agrees(extent, size, sizes), value.shape, shape)):
                return None
            return f"{value.dtype}{list(value.shape)} is not {shown(type)}"
        case tuple(), TupleType(fields) if len(value) == len(fields):
            return next((wrong for pair in zip(value, fields, strict=True) if (wrong := misfit(*pair, sizes))), None)
    return f"a value of another structure than {shown(type)}"


def _agrees(extent: int, size: Dim | Hole, sizes: Sizes) -> bool:
    if isinstance(size, Hole) or not size.variables() <= sizes.keys():
        return True
    return extent == size.evaluate(sizes)
