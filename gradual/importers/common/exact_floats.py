"""Floats that represent sizes, tracked as fractions of formulas over sizes.

Exporters compute sizes in floats: `Cast` to a float, `Div` by 2, `Ceil` or `Floor`, and `Cast` back.  At the last cast
the program gets the integer formula instead, and `@main` requires that the sizes are so small that the floats are
exact.
[decision 0043]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import gcd, isfinite, lcm
from typing import Any

from gradual.dims.bounds.interval import Estimate, Interval, primitive
from gradual.dims.rewrite.readable import is_large
from gradual.dims.rewrite.simplify import Knowledge, simplified_dim
from gradual.dims.term.dim import Dim, Variable, constant, maximum, minimum, of_atom
from gradual.importers.common.folding import MOVING, TRACKED, moved
from gradual.importers.common.values import Fraction, Value, is_named
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import Operator
from gradual.ops.declaration.symbolic_elements import trunc_quotient
from gradual.tensors.scalar import PRECISION, integer_range
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType

FINEST = 1 << 10
"""The greatest denominator of a constant that is tracked."""

Fractions = tuple[Fraction, ...]
Limits = tuple[tuple[Dim, int], ...]
"""Formulas, each with the limit of its magnitude."""
Rule = Callable[..., Fraction | None]
"""The operands' elements at one index -> the result's element, or None if it is unknown."""


def followed(
    operator: Operator,
    operands: Sequence[Value],
    settings: Mapping[str, Any],
    type: OpenedType,
    positive: Collection[str],
) -> Fractions | None:
    """The elements of a float result as fractions of sizes, in row-major order; None if they are unknown.

    Args:
        positive: the names of sizes that are at least 1.
    """
    if not isinstance(type, TensorType) or not type.dtype.is_float:
        return None
    if operator.name == "cast":
        return _converted(operands[0], 1 << PRECISION[type.dtype])
    flat = _flat(operands)
    if not [operand for operand in flat if operand.fractions is not None]:
        return None
    given = [_fractions(operand) for operand in flat]
    if any(one is None for one in given):
        return None
    known = [one for one in given if one is not None]
    if operator.name in MOVING or operator.name == "concatenate":
        return _moved(operator, operands, settings, known)
    rule = _RULES.get(operator.name)
    if rule is None or max(operand.rank for operand in operands) > 1:
        return None
    length = 0 if () in known else max(map(len, known))
    if any(len(one) not in (1, length) for one in known):  # the checker reports that they do not broadcast
        return None
    columns = zip(*(one * length if len(one) == 1 else one for one in known), strict=True)
    limit = 1 << PRECISION[type.dtype]
    found = [_exact(rule(*column), limit, column, positive) for column in columns]
    return None if None in found else tuple(one for one in found if one is not None)


def _flat(operands: Sequence[Value]) -> Sequence[Value]:
    """The operands, or the fields of the only one if it was made as a tuple."""
    return (operands[0].made_by("tuple") or operands) if len(operands) == 1 else operands


def _fractions(value: Value) -> Fractions | None:
    """The elements of a tracked value, or of a constant of few floats with small denominators."""
    tensor = value.constant
    if value.fractions is not None or not isinstance(tensor, Tensor):
        return value.fractions
    if not tensor.dtype.is_float or tensor.size > TRACKED or not all(map(isfinite, tensor.flat())):
        return None
    pairs = [float(element).as_integer_ratio() for element in tensor.flat()]
    if any(below > FINEST for _, below in pairs):
        return None
    return tuple(Fraction(constant(above), below) for above, below in pairs)


def _converted(value: Value, limit: int) -> Fractions | None:
    """A value's elements after a cast to a float type that is exact for integers up to `limit`; None if unknown.

    Before the cast the elements are integers with formulas of sizes, or tracked floats.
    """
    if value.fractions is not None:
        found = [_exact(one, limit, (one,), ()) for one in value.fractions]
        return None if None in found else tuple(one for one in found if one is not None)
    contents = value.type.contents if isinstance(value.type, TensorType) and value.dtype.is_integer else None
    named = [part for part in contents or () if is_named(part) and all(name.witness is None for name in part.names)]
    if contents is None or len(named) < len(contents):
        return None
    return tuple(Fraction(part, small=((part, limit),)) for part in named)


def _moved(
    operator: Operator, operands: Sequence[Value], settings: Mapping[str, Any], known: Sequence[Fractions]
) -> Fractions | None:
    """The elements of the result of an operator that only moves elements."""
    places, parts = [], list[Fraction]()
    for operand, elements in zip(_flat(operands), known, strict=True):
        numbers = list(range(len(parts), len(parts) + len(elements)))
        places.append(Tensor(numbers, DType.INT64, operand.shape))
        parts += elements
    found = moved(operator, places if _flat(operands) is operands else (tuple(places),), settings)
    return None if found is None else tuple(parts[int(place)] for place in found.flat())


def _exact(found: Fraction | None, limit: int, parts: Sequence[Fraction], positive: Collection[str]) -> Fraction | None:
    """The result of a rule, in lowest terms, with the limits under which its float is exact or correctly rounded.

    A float holds every integer up to `limit`, and their halves, quarters and so on.  Other quotients are rounded, but
    not across an integer while the numerators are small: Muller et al., "Handbook of Floating-Point Arithmetic" (2018).
    """
    if found is None:
        return None
    numerator, denominator = _simplified(found.numerator, positive), found.denominator
    common = gcd(denominator, *(coefficient for _, coefficient in numerator.terms))
    if common > 1:
        numerator, denominator = numerator // common, denominator // common
    if denominator > limit // 2:
        return None
    here = numerator, limit
    if denominator & (denominator - 1) == 0:
        return Fraction(numerator, denominator, small=_union(*(part.required for part in parts), (here,)))
    rounded = _union(*(part.rounded for part in parts), (here,))
    # So few roundings add up to an error of less than k + 1 times the error of one, where k is their number.
    is_near = len(rounded) ** 2 < min(limit for _, limit in rounded)
    return Fraction(numerator, denominator, rounded, _union(*(part.small for part in parts))) if is_near else None


def _union(*several: Limits) -> Limits:
    return tuple(dict.fromkeys(one for limits in several for one in limits))


# --------------------------------------------------------------------------------------------------------- operators
def _of_exact(rule: Rule) -> Rule:
    """The rule, but with an unknown result if an operand is rounded."""
    return lambda *given: None if any(one.is_rounded for one in given) else rule(*given)


def _alike(join: Callable[[Dim, Dim], Dim]) -> Rule:
    """A rule that combines numerators over a common denominator; if one operand is rounded, the other is an integer.

    Adding an integer moves no quotient across an integer: the sum is an integer only if the quotient is an exact one.
    """

    def rule(one: Fraction, other: Fraction) -> Fraction | None:
        for this, that in ((one, other), (other, one)):
            if this.is_rounded and (that.is_rounded or that.denominator > 1):
                return None
        common = lcm(one.denominator, other.denominator)
        left, right = (each.numerator * (common // each.denominator) for each in (one, other))
        return Fraction(join(left, right), common)

    return rule


def _product(one: Fraction, other: Fraction) -> Fraction:
    return Fraction(one.numerator * other.numerator, one.denominator * other.denominator)


def _quotient(one: Fraction, other: Fraction) -> Fraction | None:
    above, below = other.denominator, other.numerator.value
    if not below:
        return None
    return Fraction(one.numerator * (above if below > 0 else -above), one.denominator * abs(below))


_RULES: dict[str, Rule] = {
    "add": _alike(lambda left, right: left + right),
    "subtract": _alike(lambda left, right: left - right),
    "maximum": _alike(maximum),
    "minimum": _alike(minimum),
    "multiply": _of_exact(_product),
    "divide": _of_exact(_quotient),
    "negative": lambda one: Fraction(-one.numerator, one.denominator),
    "nn.relu": lambda one: Fraction(maximum(one.numerator, constant(0)), one.denominator),
    "floor": lambda one: Fraction(one.numerator // one.denominator),
    "ceil": lambda one: Fraction(-(-one.numerator // one.denominator)),
    "trunc": lambda one: Fraction(_truncated(one)),
}
"""Operator -> the rule for an element.  Operators that round to an integer accept a rounded quotient."""


def _truncated(one: Fraction) -> Dim:
    """The fraction rounded toward zero."""
    return trunc_quotient(one.numerator, constant(one.denominator)) if one.denominator > 1 else one.numerator


def _simplified(dim: Dim, positive: Collection[str]) -> Dim:
    """The formula simplified, given which names of sizes are at least 1."""
    sizes = Estimate({of_atom(name): Interval(int(name.name in positive)) for name in dim.names})
    return simplified_dim(dim, Knowledge(sizes, {}))


# ---------------------------------------------------------------------------------------------------- requirements
class Small:
    """Upper bounds on the sizes of inputs, under which floats represent them exactly.

    Attributes:
        greatest: name -> the greatest size.
        others: a formula of several names -> its greatest value.
    """

    def __init__(self) -> None:
        self.greatest: dict[Variable, int] = {}
        self.others: dict[Dim, int] = {}

    @property
    def notes(self) -> list[str]:
        """One line if there are requirements."""
        why = "the model computes sizes in floats, which hold no greater integers exactly"
        return [f"`{clauses[0]}` is required: {why}"] if (clauses := self.clauses) else []

    @property
    def clauses(self) -> list[str]:
        """The requirements, as clauses of a `where`."""
        return [f"{one} <= {most}" for one, most in (*self.greatest.items(), *self.others.items())]

    def integers(self, value: Value, dtype: DType, positive: Collection[str]) -> list[Dim] | None:
        """The formulas of floats that are cast to integers; they are required to be small.  None if they are unknown.

        Args:
            dtype: the type of the integers.
            positive: the names of sizes that are at least 1.
        """
        if value.fractions is None or value.rank > 1 or dtype not in (DType.INT32, DType.INT64):
            return None
        found = [_simplified(_truncated(one), positive) for one in value.fractions]
        if any(is_large(dim, LIMITS.nodes) for dim in found):
            return None
        for one in value.fractions:
            for dim, limit in one.required:
                self.required(dim, limit)
        if dtype is DType.INT32:
            for dim in found:
                self.required(dim, integer_range(dtype)[1])
        return found

    def required(self, dim: Dim, limit: int) -> None:
        """Require that a formula of sizes lies between `-limit` and `limit`."""
        names = sorted(dim.names, key=str)
        for name in names:
            greatest = self.greatest.setdefault(name, limit)
            self.greatest[name] = greatest if len(names) == 1 else min(limit, greatest)
        if len(names) == 1:
            self._lower(names[0], dim, limit)
        around = self._estimate().of(dim)
        if around.high is None or around.high > limit:
            self.others[dim] = limit
        if around.low is None or around.low < -limit:
            self.others[-dim] = limit

    def _lower(self, name: Variable, dim: Dim, limit: int) -> None:
        """Lower the greatest size of a name until interval bounds show that the formula is within the limit."""
        low, high = 0, self.greatest[name]
        while low < high:
            middle = (low + high + 1) // 2
            around = Estimate({of_atom(name): Interval(0, middle)}).of(dim)
            if around.high is not None and around.low is not None and max(around.high, -around.low) <= limit:
                low = middle
            else:
                high = middle - 1
        if low > 0:
            self.greatest[name] = low

    def _estimate(self) -> Estimate:
        bounds = {of_atom(name): Interval(0, most) for name, most in self.greatest.items()}
        for dim, most in self.others.items():
            form, scale, offset = primitive(dim)
            most -= offset
            inside = Interval(None, most // scale) if scale > 0 else Interval(-(most // -scale), None)
            bounds[form] = bounds.get(form, Interval()) & inside
        return Estimate(bounds)
