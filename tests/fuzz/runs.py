"""Accepted programs, run on small random arguments: a value of the promised type, blame, a fault, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from random import Random

import gradual
from gradual.compilation import Compilation
from gradual.dims.term.dim import Dim, Undefined, Variable
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.declared import Constructor, Data
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.substitution import instantiated
from gradual.types.type import DataType, FunctionType, GradualType, Hole, TensorType, TupleType, UnrankedType

SIZES = (0, 1, 1, 2, 2, 3, 4, 5, 7)
ELEMENTS = 3_000
"""Functions that take larger tensors are not run."""

DEPTH = 5
"""How deep a data structure may be."""

Sizes = Mapping[Variable, int]


class Unfit(Exception):
    """No small argument of the type is at hand."""


def breaches(compilation: Compilation, seed: str) -> Iterator[str]:
    """How a run of each function breaks the function's promise; whatever else it raises is an internal error."""
    for name, type in compilation.functions.items():
        random = Random(f"{seed}/{name}")
        sizes = {variable: random.choice(SIZES) for variable in _variables(type)}
        try:
            values = [Arguments(compilation.core.data, random, sizes).of(param) for param in type.params]
            result = compilation.run(name, *values)
        except (Unfit, gradual.Blame, gradual.Fault):
            continue
        chosen = {v: size for v, size in sizes.items() if v in type.binders}
        wrong = misfit(result, type.result, chosen, compilation.core.data)
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


@dataclass(frozen=True, slots=True)
class Arguments:
    """Random values of types at some sizes."""

    data: Mapping[str, Data]
    random: Random
    sizes: Sizes

    def of(self, type: GradualType, depth: int = 0) -> Value:
        """A random value of a type.  Raises Unfit."""
        random = self.random
        match type:
            case TensorType(shape, dtype):
                return self._tensor(
                    [random.choice(SIZES) if isinstance(size, Hole) else _extent(size, self.sizes) for size in shape],
                    dtype,
                )
            case UnrankedType(dtype):
                return self._tensor([random.choice(SIZES) for _ in range(random.randrange(4))], dtype)
            case TupleType(fields):
                return tuple(self.of(field, depth) for field in fields)
            case DataType(name) if depth < DEPTH and self.data[name].constructors:
                constructor = random.choice(list(self.data[name].constructors.values()))
                fields = parts(constructor, type, self.data)
                return Constructed(constructor.name, tuple(self.of(field, depth + 1) for field in fields))
            case _:
                raise Unfit

    def _tensor(self, extents: Sequence[int], dtype: DType) -> Tensor:
        if prod(extents) > ELEMENTS:
            raise Unfit
        return random_tensor(tuple(extents), dtype, self.random.randrange(1_000))


def parts(constructor: Constructor, type: DataType, data: Mapping[str, Data]) -> tuple[GradualType, ...]:
    """The types of a constructor's fields in a value of the type."""
    chosen = dict(zip(data[type.name].types, type.arguments, strict=True))
    return tuple(instantiated(field, chosen) for field in constructor.fields)


def _extent(size: Dim, sizes: Sizes) -> int:
    try:
        extent = size.evaluate(sizes)
    except (Undefined, KeyError):
        raise Unfit from None
    if not 0 <= extent <= ELEMENTS:
        raise Unfit
    return extent


def misfit(value: Value, type: GradualType, sizes: Sizes, data: Mapping[str, Data]) -> str | None:
    """Why a value is not of the type; sizes that nobody chose are not looked at."""
    waiting: list[tuple[Value, GradualType]] = [(value, type)]
    while waiting:
        match waiting.pop():
            case Tensor() as tensor, TensorType(shape, dtype) as wanted:
                fits = tensor.dtype is dtype and len(tensor.shape) == len(shape)
                if not fits or not all(map(lambda extent, size: _agrees(extent, size, sizes), tensor.shape, shape)):
                    return f"{tensor.dtype}{list(tensor.shape)} is not {shown(wanted)}"
            case Tensor() as tensor, UnrankedType(dtype) if tensor.dtype is dtype:
                pass
            case tuple() as fields, TupleType(types) if len(fields) == len(types):
                waiting += zip(fields, types, strict=True)
            case Constructed(name, fields), DataType() as whole if name in data[whole.name].constructors:
                waiting += zip(fields, parts(data[whole.name].constructors[name], whole, data), strict=True)
            case _, other:
                return f"a value of another structure than {shown(other)}"
    return None


def _agrees(extent: int, size: Dim | Hole, sizes: Sizes) -> bool:
    if isinstance(size, Hole) or not size.variables() <= sizes.keys():
        return True
    return extent == size.evaluate(sizes)
