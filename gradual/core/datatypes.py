"""Entry goals, declared facts and literal types, derived from declarations; the verifier compares core with them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from gradual.core.terms import Function
from gradual.dims.term.constraint import FALSE, TRUE, Constraint, at_least, equal
from gradual.dims.term.dim import Dim, SizeOf, Variable, constant, of_atom
from gradual.limits import LIMITS
from gradual.tensors.tensor import Tensor
from gradual.types.binder_solving import bare, requirements
from gradual.types.dtype import DType
from gradual.types.type import Hole, OpenedType, TensorType, TupleType


def entry_goals(function: Function, solved: Mapping[Variable, Dim | None]) -> Iterator[Constraint]:
    """The goals that a call from outside the program has to meet, beyond ranks and dtypes."""
    for param in function.params:
        for extent, size, _, _ in requirements(param.written, param.name):
            if isinstance(extent, Hole):
                yield from extent.bounds(size)
            elif (variable := bare(extent)) is None or solved.get(variable) is not size:
                yield equal(size, extent)
    for solution in solved.values():
        if solution is not None and bare(solution) is None:
            yield at_least(solution, constant(0))
    yield from function.type.where


def declarations(function: Function) -> Iterator[Constraint]:
    """The facts that hold in the body once the entry checks have passed, beyond the written sizes."""
    for param in function.params:
        for extent, size, _, _ in requirements(param.written, param.name):
            if isinstance(extent, Hole):
                yield from extent.bounds(size)
    for variable, solution in function.binders:
        if bare(solution) is None:
            yield at_least(of_atom(variable), constant(0))
    yield from function.type.where


def literal_type(value: Tensor, tracked: bool) -> TensorType[Dim]:
    """The type of a literal: its elements are contents if they are tracked, else the type records its numbers."""
    shape = tuple(map(constant, value.shape))
    if not tracked:
        return TensorType(shape, value.dtype, None, numbers_of(value))
    truths = (TRUE if element else FALSE for element in value.elements) if value.dtype is DType.BOOL else ()
    numbers = (constant(int(element)) for element in value.elements) if value.dtype.is_integer else ()
    return TensorType(shape, value.dtype, (*truths, *numbers))


def numbers_of(value: Tensor) -> tuple[Fraction, ...] | None:
    """The elements of a small numeric tensor as exact numbers.  [type.literal]

    None for booleans, for a large tensor, and if an element is not finite.
    """
    if value.dtype is DType.BOOL or value.size > LIMITS.contents or not all(map(math.isfinite, value.elements)):
        return None
    return tuple(map(Fraction, value.elements))


def known_numbers(type: OpenedType) -> tuple[Fraction, ...] | None:
    """The numbers that a type records for a constant; None if it records none."""
    return type.numbers if isinstance(type, TensorType) else None


def is_own(size: Dim, path: str, axis: int) -> bool:
    """Whether a size is the unknown `dim(path, axis)` of this very value, so that it says nothing about the size."""
    variable = bare(size)
    return variable is not None and variable.is_existential and variable.witness == SizeOf(path, axis)


def without_contents(type: OpenedType) -> Any:
    """The type without known elements."""
    match type:
        case TensorType(shape, dtype):
            return TensorType(shape, dtype)
        case TupleType(fields):
            return TupleType(tuple(map(without_contents, fields)))
        case _:
            return type
