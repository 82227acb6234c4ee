"""Arguments for a function of the core: a valuation is drawn, the parameters' types are evaluated under it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from gradual.core.terms import Function
from gradual.dims.term.dim import ContentOf, Dim, Undefined, Variable, constant
from gradual.tensors.scalar import integer_range
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.binder_solving import extents
from gradual.types.dtype import DType
from gradual.types.type import DataType, GradualType, Hole, TensorType, TupleType, UnrankedType

SIZES = (0, 0, 0, 1, 1, 2, 3, 4, 6, 7)
"""Sizes as they are drawn; a 0 is often refused for a name, so that it stands here more often than it is wanted."""
SCALARS = (-1, 0, 1, 2, 2, 3, 4, 6)
_ATTEMPTS = 30
_LARGEST = 2_000


class Misfit(Exception):
    """The valuation gives no arguments."""


def arguments(function: Function, random: Random, fixed: Mapping[str, int] | None = None) -> tuple[Value, ...] | None:
    """Arguments that fit the declaration, None if none were found; `fixed` gives numbers for dims by name."""
    favourite = random.choice(SIZES)
    for _ in range(_ATTEMPTS):
        drawn = Drawn(random, favourite, fixed or {})
        try:
            values = drawn.arguments(function)
        except (Misfit, Undefined):
            continue
        return values
    return None


def spoiled(values: tuple[Value, ...], random: Random) -> tuple[Value, ...]:
    """The arguments with one size of one tensor changed."""
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor) and value.shape]
    if not places:
        return values
    place = random.choice(places)
    victim: Any = values[place]
    axis = random.randrange(victim.rank)
    shape = tuple(size + (i == axis) for i, size in enumerate(victim.shape))
    return (*values[:place], random_tensor(shape, victim.dtype, 7), *values[place + 1 :])


class Drawn:
    """One valuation under way."""

    def __init__(self, random: Random, favourite: int, fixed: Mapping[str, int]) -> None:
        self.random = random
        self.favourite = favourite
        self.fixed = fixed
        self.valuation: dict[Variable, int] = {}

    def arguments(self, function: Function) -> tuple[Value, ...]:
        """Arguments at this valuation.  Raises Misfit, Undefined."""
        for variable in sorted(set(variables_of(function)), key=lambda variable: variable.name):
            self.valuation[variable] = self.number(variable.name)
        if not all(clause.evaluate(self.valuation) for clause in function.type.where):
            raise Misfit
        return tuple(self.value(param.written, param.name) for param in function.params)

    def number(self, name: str) -> int:
        """A number for a dim."""
        if name in self.fixed:
            return self.fixed[name]
        return self.favourite if self.random.random() < 0.25 else self.random.choice(SIZES)

    def value(self, type: GradualType, path: str) -> Value:
        """A value of a parameter's type."""
        match type:
            case TupleType(fields):
                return tuple(self.value(field, f"{path}#{i}") for i, field in enumerate(fields))
            case TensorType(shape, dtype):
                sizes = tuple(self.size(extent, path, axis) for axis, extent in enumerate(shape))
                return self.tensor(sizes, dtype, path)
            case UnrankedType(dtype):
                rank = self.number(f"ndim({path.replace('#', '.')})") % 4
                sizes = tuple(self.number(f"dim({path.replace('#', '.')}, {axis})") for axis in range(rank))
                return self.tensor(sizes, dtype, path)
            case DataType("List", (element,)):
                held = Constructed("Nil")
                for _ in range(self.random.choice((0, 1, 1, 2, 3))):
                    held = Constructed("Cons", (self.value(element, path), held))
                return held
            case DataType("Option", (element,)):
                return (
                    Constructed("Some", (self.value(element, path),))
                    if self.random.random() < 0.7
                    else Constructed("None_")
                )
        raise Misfit

    def size(self, extent: Any, path: str, axis: int) -> int:
        """The size at an axis."""
        name = f"dim({path.replace('#', '.')}, {axis})"
        found: int = self.number(name) if isinstance(extent, Hole) else extent.evaluate(self.valuation)
        bounds = extent.bounds(constant(found)) if isinstance(extent, Hole) else ()
        if found < 0 or not all(bound.evaluate(self.valuation) for bound in bounds):
            raise Misfit
        return found

    def tensor(self, shape: tuple[int, ...], dtype: DType, path: str) -> Tensor:
        """Elements: small integers where they may become sizes."""
        count = 1
        for size in shape:
            count *= size
        if count > _LARGEST:
            raise Misfit
        if not dtype.is_integer:
            return random_tensor(shape, dtype, self.random.randrange(1000))
        known = {v.witness: k for v, k in self.valuation.items()}
        name = path.replace("#", ".")
        flat = [
            known.get(ContentOf(path, (i,) if shape else ()), self.element(f"{name}[{i}]" if shape else name, dtype))
            for i in range(count)
        ]
        return Tensor(flat, dtype, shape)

    def element(self, name: str, dtype: DType) -> int:
        """An integer of an element type."""
        least = integer_range(dtype)[0]
        return self.fixed[name] if name in self.fixed else max(least, self.random.choice(SCALARS))


def variables_of(function: Function) -> Iterator[Variable]:
    """The variables that the types of a function's parameters and its preconditions speak of."""
    yield from function.type.binders
    for param in function.params:
        for extent in extents(param.written):
            yield from (variable for variable in extent.variables() if variable.name != "u")
    for clause in function.type.where:
        yield from clause.variables()


def numbers_of(function: Function) -> Iterator[str]:
    """The names of all numbers that make arguments: names of dims, and elements of integer parameters."""
    for variable in variables_of(function):
        yield variable.name
    for param in function.params:
        yield from _elements(param.written, param.name)


def _elements(type: GradualType, path: str) -> Iterator[str]:
    match type:
        case TupleType(fields):
            for i, field in enumerate(fields):
                yield from _elements(field, f"{path}.{i}")
        case TensorType((), dtype) if dtype.is_integer:
            yield path
        case TensorType((Dim() as length,), dtype) if dtype.is_integer and length.value is not None:
            yield from (f"{path}[{i}]" for i in range(length.value))
