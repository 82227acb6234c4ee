"""Contents: the results of elementwise operators on known elements, exact for all integers.

A rule takes the elements at one index, `Dim` for integers and `Constraint` for booleans, and returns the element of the
result, or None if no term is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradual.dims.term.constraint import Constraint, all_of, any_of, at_least, at_most, differs, negated
from gradual.dims.term.dim import Dim, constant, ite, maximum, minimum, product
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import Contents
from gradual.ops.declaration.shapes import ONE, ZERO
from gradual.types.dtype import DType
from gradual.types.type import Content, TensorType

Rule = Callable[..., Content | None]


def pointwise(rule: Rule, dtype: DType, *given: TensorType[Dim]) -> Contents:
    """The contents of an elementwise result: the rule at each index; a single element is used at every index."""
    held = [part.contents for part in given if part.contents is not None]
    if len(held) != len(given) or max(part.rank for part in given) > 1:
        return None
    lengths = {len(contents) for contents in held} - {1}
    if len(lengths) > 1:
        return None
    length = next(iter(lengths), 1)
    columns = zip(*(contents * length if len(contents) == 1 else contents for contents in held), strict=True)
    return tracked((rule(*column) for column in columns), dtype)


def tracked(contents: Iterable[Content | None], dtype: DType) -> Contents:
    """The contents, if all are known and they are not too many; else None.

    A number beyond the range of the type is kept: a run that computes it ends in a fault.   [run.overflow]
    """
    held = tuple(contents)
    if len(held) > LIMITS.contents or not all(_fits(part, dtype) for part in held):
        return None
    return held  # type: ignore[return-value]  # None was just excluded


def _fits(part: Content | None, dtype: DType) -> bool:
    if part is None or isinstance(part, Constraint) is not (dtype is DType.BOOL):
        return False
    return dtype is DType.BOOL or dtype.is_integer


def floor_quotient(left: Dim, right: Dim) -> Dim:
    """The floored quotient by a divisor of any sign; the value for the divisor 0, which is a fault, does not matter."""
    if right.value is not None:
        return left // right if right.value > 0 else -left // max(-right.value, 1)
    return ite(at_least(right, ONE), left // maximum(right, ONE), -left // maximum(-right, ONE))


def floor_remainder(left: Dim, right: Dim) -> Dim:
    """The remainder of the floored quotient."""
    if right.value is not None and right.value > 0:
        return left % right
    return left - right * floor_quotient(left, right)


def trunc_quotient(left: Dim, right: Dim) -> Dim:
    """The quotient rounded toward zero; for the divisor 0 it is that of `floor_quotient`."""
    if right.value is not None:
        above, below = (left, -left) if right.value > 0 else (-left, left)
        divisor = constant(max(abs(right.value), 1))
        return maximum(above, ZERO) // divisor - maximum(below, ZERO) // divisor
    down, up = floor_quotient(left, right), floor_quotient(-left, right)
    both = all_of(at_least(left, ZERO), at_least(right, ONE)), all_of(at_most(left, ZERO), at_most(right, -ONE))
    return ite(any_of(*both), down, -up)


def trunc_remainder(left: Dim, right: Dim) -> Dim:
    """The remainder of the quotient rounded toward zero."""
    return left - right * trunc_quotient(left, right)


def power(left: Dim, right: Dim) -> Dim | None:
    """A power if its exponent is a small constant, else None."""
    return product([left] * right.value) if right.value is not None and 0 <= right.value <= 8 else None


def shifted_left(left: Dim, right: Dim) -> Dim | None:
    """A shift to the left if its count is a constant below 64, else None."""
    return left * (1 << right.value) if right.value is not None and 0 <= right.value < 64 else None


def shifted_right(left: Dim, right: Dim) -> Dim | None:
    """An arithmetic shift to the right if its count is a constant below 64, else None."""
    return left // (1 << right.value) if right.value is not None and 0 <= right.value < 64 else None


def sign(value: Dim) -> Dim:
    """The sign of a dim, as 1, 0 or -1."""
    return ite(at_least(value, ONE), ONE, ite(at_most(value, -ONE), -ONE, ZERO))


def iff(left: Constraint, right: Constraint) -> Constraint:
    """The constraint that both hold or neither does."""
    return any_of(all_of(left, right), all_of(negated(left), negated(right)))


def unlike(left: Constraint, right: Constraint) -> Constraint:
    """The constraint that exactly one of two holds."""
    return negated(iff(left, right))


def chosen(condition: Content, left: Content, right: Content) -> Content | None:
    """`left` where the condition holds or is not 0, else `right`."""
    test = condition if isinstance(condition, Constraint) else differs(condition, ZERO)
    if isinstance(left, Dim) and isinstance(right, Dim):
        return ite(test, left, right)
    if isinstance(left, Constraint) and isinstance(right, Constraint):
        return any_of(all_of(test, left), all_of(negated(test), right))
    return None


def cast(part: Content, target: DType) -> Content | None:
    """An integer or boolean in another integer type or as a boolean; None in any other type."""
    if target is DType.BOOL:
        return part if isinstance(part, Constraint) else differs(part, ZERO)
    if not target.is_integer:
        return None
    return ite(part, ONE, ZERO) if isinstance(part, Constraint) else part


def clipped(part: Dim, low: int, high: int) -> Dim:
    """`max(min(part, high), low)`."""
    return maximum(minimum(part, constant(high)), constant(low))
