"""Factors of upsampling: attributes, values and literals, converted to decimal numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import IllFormed
from gradual.ops.declaration.windows import D
from gradual.tensors.fault import invalid_value
from gradual.tensors.scalar import rounded
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType


def decimal(value: float, dtype: DType = DType.FLOAT64) -> Fraction:
    """The shortest decimal that rounds to a value in its type, or in float32 if float32 has the value."""
    if dtype is DType.FLOAT64 and rounded(DType.FLOAT32, value) == value:
        dtype = DType.FLOAT32
    for digits in range(1, 17):
        written = f"{value:.{digits}g}"
        if rounded(dtype, float(written)) == value:
            return Fraction(written)
    return Fraction(repr(value))


def scaled(extent: D, scale: Fraction) -> D:
    """The product with a positive number, rounded to the nearest integer, halves up."""
    over, under = scale.numerator, scale.denominator
    return extent * over if under == 1 else (extent * (2 * over) + under) // (2 * under)


def factor_of(given: Tensor) -> Fraction:
    """The factor that a value gives.  Raises TensorFault if it is not positive."""
    value = given.elements[0]
    if not 0 < value < math.inf:
        raise invalid_value(f"a factor of upsampling has to be a positive number, not {value}")
    return decimal(value, given.dtype) if given.dtype.is_float else Fraction(value)


def known_factor(factor: TensorType[Dim], operand: int) -> Fraction | None:
    """The factor that a constant or a known element gives; raises IllFormed for a constant that is not positive."""
    found = factor.numbers[0] if factor.numbers is not None else None
    if found is not None and found <= 0:
        raise IllFormed("op.attribute", f"a factor has to be a positive number, not {float(found):g}", operand)
    if factor.contents is not None and isinstance(content := factor.contents[0], Dim) and content.value is not None:
        found = Fraction(content.value) if content.value > 0 else None
    return decimal(float(found), factor.dtype) if found is not None and factor.dtype.is_float else found


def read_factors(
    names: Sequence[str], types: Sequence[Any], values: Sequence[Any], attributes: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The factors, if they are literals that an attribute can express."""
    if not all(isinstance(value, Tensor) and _is_plain(value) for value in values):
        return None
    return {name: float(value.elements[0]) for name, value in zip(names, values, strict=True)}


def _is_plain(factor: Tensor) -> bool:
    """Whether a factor is positive, and the same decimal number as an attribute."""
    value = factor.elements[0]
    if not 0 < value < math.inf:
        return False
    return not factor.dtype.is_float or decimal(value, factor.dtype) == decimal(float(value))
