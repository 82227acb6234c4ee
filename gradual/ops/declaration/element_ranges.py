"""Ranges: bounds on all elements of a tensor of integers.

Contents track each element of a small tensor; a range has a lower and an upper bound on the elements of any tensor.
A rule computes the range of an operator's result from the ranges of its operands.
[op.index.known]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gradual.dims.term.dim import ContentOf, Dim, Variable, constant, maximum, minimum
from gradual.record import record
from gradual.tensors.scalar import integer_range
from gradual.types.dtype import DType
from gradual.types.type import Content, TensorType, Type


@record
class Range:
    """Every element of a tensor is at least `least` and at most `greatest`; an empty tensor has every range.

    Attributes:
        least, greatest: the two ends.
        attained: whether both bounds are elements, unless the tensor is empty.
        wraps: whether the bounds come from sums and products of unbounded integers; they are then bounds of the exact
            results, and each element is an exact result wrapped to the element type.
    """

    least: Dim
    greatest: Dim
    attained: bool = True
    wraps: bool = False

    @property
    def single(self) -> bool:
        """Whether all elements are equal."""
        return self.least is self.greatest

    def bounding(self) -> Range:
        """The same bounds for a selection of the elements, which may leave out the least and the greatest."""
        return replace(self, attained=self.attained and self.single)

    def numbers(self) -> tuple[int, int] | None:
        """Both bounds as numbers; None if an end is symbolic."""
        low, high = self.least.value, self.greatest.value
        return None if low is None or high is None else (low, high)


Ranges = Range | tuple["Ranges", ...] | None
"""The range of a tensor, or the ranges of the fields of a tuple; None if nothing is known."""


def is_natural_number(dim: Dim) -> bool:
    """Whether a dim is a number that is not negative."""
    return dim.value is not None and dim.value >= 0


@record
class Operands:
    """The operands of an application.

    Attributes:
        ranges, types: the range and the type of each operand.
        attributes: the attributes of the application.
        natural: tells whether a dim is known not to be negative.
    """

    ranges: Sequence[Ranges]
    types: Sequence[Type[Dim]]
    attributes: Mapping[str, Any]
    natural: Callable[[Dim], bool] = is_natural_number


RangeRule = Callable[[Operands], Ranges]


# --------------------------------------------------------------------------------------------------------- of types
def known_range(type: Type[Dim]) -> Range | None:
    """The range of a tensor whose elements are all numbers or sizes; None if an element is known only at run time."""
    if not isinstance(type, TensorType) or not type.dtype.is_integer:
        return None
    if type.numbers:
        numbers = [int(number) for number in type.numbers]
        return Range(constant(min(numbers)), constant(max(numbers)))
    parts = [part for part in type.contents or () if isinstance(part, Dim) and not data_of(part)]
    if type.contents is None or not parts or len(parts) < len(type.contents):
        return None
    return Range(minimum(*parts), maximum(*parts))


def data_of(*parts: Content) -> frozenset[Variable]:
    """The variables in contents that are elements known only at run time, such as `%i` of a parameter `%i: int64`."""
    found = (one for part in parts for one in part.variables())
    return frozenset(one for one in found if one.is_existential and isinstance(one.witness, ContentOf))


def of_first(given: Operands) -> Ranges:
    """The rule of an operator whose result, unless it is empty, has every element of the first operand."""
    return given.ranges[0]


def among_first(given: Operands) -> Ranges:
    """The rule of an operator whose result has some elements of the first operand."""
    return given.ranges[0].bounding() if isinstance(given.ranges[0], Range) else None


def hull(parts: Sequence[Ranges], attained: bool) -> Range | None:
    """The least range that contains several ranges; `attained` if the result has elements from each of them."""
    ranges = [part for part in parts if isinstance(part, Range)]
    if not ranges or len(ranges) < len(parts):
        return None
    least, greatest = minimum(*(one.least for one in ranges)), maximum(*(one.greatest for one in ranges))
    attained = attained and all(one.attained for one in ranges)
    return Range(least, greatest, attained, any(one.wraps for one in ranges))


def places(extent: Dim, attained: bool = False) -> Range:
    """The range of the indices of an axis: 0 to its extent less 1."""
    return Range(constant(0), extent - 1, attained)


def only(number: Dim) -> RangeRule:
    """The rule of an operator whose result has this number as every element."""

    def ranges(given: Operands) -> Ranges:
        return Range(number, number)

    return ranges


def fitted(found: Range | None, dtype: DType) -> Range | None:
    """The range of results that are stored in a type; None if a result may have wrapped.

    With two numbers as bounds, nothing has wrapped if the type contains both.  With a symbolic bound, a range that
    `wraps` is kept, still marked, for the types of sizes and indices (`DType.counts`), and is None for others.
    """
    numbers = found.numbers() if found is not None else None
    if found is None or numbers is None:
        return found if found is None or dtype.counts or not found.wraps else None
    low, high = integer_range(dtype)
    return replace(found, wraps=False) if low <= numbers[0] and numbers[1] <= high else None


def recast(found: Ranges, source: DType, target: DType) -> Range | None:
    """The range of elements in another integer type; booleans are 0 and 1."""
    if not target.is_integer:
        return None
    if source is DType.BOOL:
        return Range(constant(0), constant(1), False)
    if not isinstance(found, Range) or not source.is_integer:
        return None
    if target is source:
        return found
    (low, high), (least, greatest) = integer_range(source), integer_range(target)
    if not found.wraps and least <= low and high <= greatest:
        return found
    return None if found.wraps and target.bits > source.bits else fitted(replace(found, wraps=True), target)
