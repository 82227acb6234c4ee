"""Compositions of operators on elements, written as Python's arithmetic: `x * tanh(softplus(x))`.

Operators of ATen that the language lacks are declared as functions of such terms; the parameters have the names of the
schema's arguments:

    @composed("aten.threshold.default")
    def threshold(self: Term, threshold: Term, value: Term) -> Term:
        return where(self > threshold, self, value)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from gradual.importers.common.applying import Applying
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import IMPORTERS, Use
from gradual.types.dtype import DType


@dataclass(frozen=True, eq=False)
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
        """The elements in another type."""
        return self if self.value.dtype is dtype else Term(self.use, self.use.call("cast", self.value, dtype=dtype))


def function(operator: str) -> Callable[[Term], Term]:
    """A unary operator as a function of terms."""
    return lambda term: term.applied(operator)


absolute, exp, log, log2, sqrt, rsqrt = map(function, ("abs", "exp", "log", "log2", "sqrt", "rsqrt"))
sin, tanh, atan, atanh, erf, sigmoid = map(function, ("sin", "tanh", "atan", "atanh", "erf", "sigmoid"))
sign, trunc, rounded, isnan, isinf = map(function, ("sign", "trunc", "round", "isnan", "isinf"))


def where(condition: Term, then: Term | float, orelse: Term | float, like: Term | None = None) -> Term:
    """An elementwise choice; a number has the element type of the other branch, two numbers have that of `like`."""
    kind = next(one for one in (then, orelse, like) if isinstance(one, Term))
    parts = [one.value if isinstance(one, Term) else kind.use.like(one, kind.value) for one in (then, orelse)]
    return Term(kind.use, kind.use.call("where", condition.value, *parts))


def greater(one: Term, other: Term | float) -> Term:
    """The greater of two; NaN if either is."""
    return one.applied("maximum", other)


def lesser(one: Term, other: Term | float) -> Term:
    """The lesser of two; NaN if either is."""
    return one.applied("minimum", other)


def between(one: Term, low: Term | float, high: Term | float) -> Term:
    """A term limited to a range."""
    return lesser(greater(one, low), high)


def log1p(x: Term) -> Term:
    """log(1 + x), precise for small x too."""
    return where(absolute(x) < 0.5, 2.0 * atanh(x / (2.0 + x)), log(1.0 + x))


def expm1(x: Term) -> Term:
    """exp(x) - 1, precise for small x too."""
    return tanh(x / 2.0) * (exp(x) + 1.0)


def is_below_zero(x: Term) -> Term:
    """Whether the sign is negative; also for -0."""
    return (x < 0.0) | (1.0 / x < 0.0)


def composed(*names: str) -> Callable[[Callable[..., Term]], Callable[..., Term]]:
    """Declare the importer of operators that a function of terms computes.

    It computes in the element type of the result, narrow floats in float32, as PyTorch does.
    """

    def declared(made: Callable[..., Term]) -> Callable[..., Term]:
        parameters = signature(made).parameters

        def imported(use: Use) -> Value:
            dtype = use.dtype()
            wide = DType.FLOAT32 if dtype.is_float and dtype.bits < 32 else dtype
            terms = {name: _argument(use, one, wide) for name, one in parameters.items()}
            return use.as_type(made(**terms).value, dtype)

        for name in names:
            IMPORTERS[name] = imported
        return made

    return declared


def _argument(use: Use, parameter: Parameter, dtype: DType) -> Any:
    """An argument, or its default, as a term; None if both are None."""
    is_optional = parameter.default is not Parameter.empty
    if is_optional and use.given(parameter.name) is None:
        default = parameter.default
        return default if default is None else Term(use, use.builder.number(default, dtype))
    return Term(use, use.scalar(parameter.name, dtype))
