"""Compositions of elementwise operators in Python's arithmetic notation: `x * tanh(softplus(x))`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import reduce

from gradual.importers.common.applying import Applying
from gradual.importers.common.values import Value
from gradual.record import record
from gradual.types.dtype import DType


@record(eq=False, slots=False)
class Term:
    """A tensor in a composition; a number combined with it becomes a scalar of its element type."""

    use: Applying
    value: Value

    def applied(self, operator: str, *others: Term | float) -> Term:
        """An application of an operator to this term and others."""
        values = [one.value if isinstance(one, Term) else self.use.like(one, self.value) for one in others]
        return Term(self.use, self.use.call(operator, self.value, *values))

    def _number(self, number: float) -> Term:
        return Term(self.use, self.use.like(number, self.value))

    def __add__(self, other: Term | float) -> Term:
        return self.applied("add", other)

    def __radd__(self, other: float) -> Term:
        return self._number(other) + self

    def __sub__(self, other: Term | float) -> Term:
        return self.applied("subtract", other)

    def __rsub__(self, other: float) -> Term:
        return self._number(other) - self

    def __mul__(self, other: Term | float) -> Term:
        return self.applied("multiply", other)

    def __rmul__(self, other: float) -> Term:
        return self._number(other) * self

    def __truediv__(self, other: Term | float) -> Term:
        return self.applied("divide", other)

    def __rtruediv__(self, other: float) -> Term:
        return self._number(other) / self

    def __floordiv__(self, other: Term | float) -> Term:
        return self.applied("floor_divide", other)

    def __mod__(self, other: Term | float) -> Term:
        return self.applied("floor_mod", other)

    def __neg__(self) -> Term:
        return self.applied("negative")

    def __lt__(self, other: Term | float) -> Term:
        return self.applied("less", other)

    def __le__(self, other: Term | float) -> Term:
        return self.applied("less_equal", other)

    def __gt__(self, other: Term | float) -> Term:
        return self.applied("greater", other)

    def __ge__(self, other: Term | float) -> Term:
        return self.applied("greater_equal", other)

    def __and__(self, other: Term) -> Term:
        return self.applied("logical_and", other)

    def __or__(self, other: Term) -> Term:
        return self.applied("logical_or", other)

    def __invert__(self) -> Term:
        return self.applied("logical_not")

    def equals(self, other: Term | float) -> Term:
        """Whether the elements are equal."""
        return self.applied("equal", other)

    def to(self, dtype: DType) -> Term:
        """The elements cast to another type."""
        return self if self.value.dtype is dtype else Term(self.use, self.use.call("cast", self.value, dtype=dtype))


def function(operator: str) -> Callable[[Term], Term]:
    """A unary operator as a function of terms."""
    return lambda term: term.applied(operator)


absolute, exp, log, log2, sqrt, rsqrt = map(function, ("abs", "exp", "log", "log2", "sqrt", "rsqrt"))
floor, ceil = map(function, ("floor", "ceil"))
sin, tanh, atan, atanh, erf, sigmoid = map(function, ("sin", "tanh", "atan", "atanh", "erf", "sigmoid"))
sign, trunc, rounded, isnan, isinf = map(function, ("sign", "trunc", "round", "isnan", "isinf"))


def where(condition: Term, then: Term | float, orelse: Term | float, like: Term | None = None) -> Term:
    """An elementwise choice; a number takes the element type of the other branch, two numbers take that of `like`."""
    kind = next(one for one in (then, orelse, like) if isinstance(one, Term))
    parts = [one.value if isinstance(one, Term) else kind.use.like(one, kind.value) for one in (then, orelse)]
    return Term(kind.use, kind.use.call("where", condition.value, *parts))


def greater(one: Term, other: Term | float) -> Term:
    """The greater of two elements; NaN if any of them is NaN."""
    return one.applied("maximum", other)


def lesser(one: Term, other: Term | float) -> Term:
    """The lesser of two elements; NaN if any of them is NaN."""
    return one.applied("minimum", other)


def between(one: Term, low: Term | float, high: Term | float) -> Term:
    """A term clamped to a range."""
    return lesser(greater(one, low), high)


def log1p(x: Term) -> Term:
    """log(1 + x), precise for small x too."""
    return where(absolute(x) < 0.5, 2.0 * atanh(x / (2.0 + x)), log(1.0 + x))


def expm1(x: Term) -> Term:
    """exp(x) - 1, precise for small x too."""
    return tanh(x / 2.0) * (exp(x) + 1.0)


def is_below_zero(x: Term) -> Term:
    """Whether the sign bit is set, as it is for -0."""
    return (x < 0.0) | (1.0 / x < 0.0)


def logaddexp(x: Term, y: Term) -> Term:
    """log(exp(x) + exp(y))."""
    apart = where(x.equals(y), 0.0, x - y)
    return greater(x, y) + log1p(exp(-absolute(apart)))


def atan2(y: Term, x: Term) -> Term:
    """The angle of the point (x, y), between -pi and pi."""
    both = isinf(y) & isinf(x)
    y, x = where(both, sign(y), y), where(both, sign(x), x)
    half = where(is_below_zero(y), -math.pi, math.pi, y)
    upright = where(y.equals(0.0), where(is_below_zero(x), half, y), where(isnan(y), y, half / 2.0))
    return where(x.equals(0.0), upright, atan(y / x) + where(x < 0.0, half, 0.0))


def extent(use: Applying, x: Value, axis: int) -> Term:
    """The size of an axis of a tensor, as a term."""
    return Term(use, use.extent(x, axis))


def counted(use: Applying, size: int | Value) -> Term:
    """A size, as a term."""
    return Term(use, use.builder.number(size, DType.INT64) if isinstance(size, int) else size)


def numbered(use: Applying, size: int | Value) -> Term:
    """The numbers from 0 to a size, exclusive."""
    ends = [use.builder.number(0, DType.INT64), counted(use, size).value, use.builder.number(1, DType.INT64)]
    return Term(use, use.call("arange", *ends, dtype=DType.INT64))


def product(terms: Iterable[Term]) -> Term:
    """The product of one or more terms."""
    return reduce(lambda one, other: one * other, terms)
