"""Bounds of dims, and constraints that bounds alone decide.   [dim.decide.interval]"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from math import gcd
from operator import mul
from typing import Any

from gradual.dims.bounds.overlay import With, Without
from gradual.dims.term.atom import Atom, FloorDiv, Ite, Max, Min, Product, Variable, bottom_up
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Not, Or, Truth
from gradual.dims.term.dim import Dim, Monomial, of_atom, polynomial
from gradual.dims.term.print import remainders
from gradual.limits import LIMITS
from gradual.record import record

_WIDEST = 1 << LIMITS.bound


@record
class Interval:
    """All integers from `low` to `high`; an end that is None is no bound. Empty if `low > high`."""

    low: int | None = None
    high: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no integer is inside."""
        return self.low is not None and self.high is not None and self.low > self.high

    @property
    def value(self) -> int | None:
        """The only integer inside, if there is just one."""
        return self.low if self.low == self.high else None

    def __contains__(self, k: int) -> bool:
        return (self.low is None or self.low <= k) and (self.high is None or k <= self.high)

    def __add__(self, other: Interval) -> Interval:
        return Interval(
            None if self.low is None or other.low is None else self.low + other.low,
            None if self.high is None or other.high is None else self.high + other.high,
        )

    def scaled(self, by: int, offset: int = 0) -> Interval:
        """Bounds of `by * x + offset` for x in this interval."""
        low = None if self.low is None else self.low * by + offset
        high = None if self.high is None else self.high * by + offset
        return Interval(low, high) if by > 0 else Interval(high, low) if by < 0 else Interval(offset, offset)

    def __mul__(self, other: Interval) -> Interval:
        if self.value is not None:
            return other.scaled(self.value)
        if other.value is not None:
            return self.scaled(other.value)
        return Interval(_corner(self, other), _negation(_corner(self.scaled(-1), other))).within_limits()

    def divided(self, by: Interval) -> Interval:
        """Bounds of `x // y` for x in this interval and those y in `by` that are at least 1."""
        least = max(by.low or 1, 1)
        low = high = None
        if self.low is not None:
            low = self.low // least if self.low < 0 else self.low // by.high if by.high else 0
        if self.high is not None:
            high = self.high // least if self.high >= 0 else self.high // by.high if by.high else -1
        return Interval(low, high)

    def __and__(self, other: Interval) -> Interval:
        low, high = self.low, self.high
        if low is None or (other.low is not None and other.low > low):
            low = other.low
        if high is None or (other.high is not None and other.high < high):
            high = other.high
        return Interval(low, high)

    def within_limits(self) -> Interval:
        """The interval with ends of bounded length, which may be wider: products of bounds grow without end.

        [dim.decide.interval]
        """
        low, high = self.low, self.high
        if (low is None or -_WIDEST <= low <= _WIDEST) and (high is None or -_WIDEST <= high <= _WIDEST):
            return self
        return Interval(
            None if low is None or low < -_WIDEST else min(low, _WIDEST),
            None if high is None or high > _WIDEST else max(high, -_WIDEST),
        )

    def __or__(self, other: Interval) -> Interval:
        """The hull of both: the least interval that contains them."""
        return Interval(
            None if self.low is None or other.low is None else min(self.low, other.low),
            None if self.high is None or other.high is None else max(self.high, other.high),
        )


ANY = Interval()
NATURAL = Interval(0, None)
Bounds = Mapping[Dim, Interval]
"""Primitive form, such as a variable or `n - m` -> its interval."""


def _negation(k: int | None) -> int | None:
    return None if k is None else -k


def _greatest(lows: Iterable[int | None]) -> int | None:
    known = [low for low in lows if low is not None]
    return max(known) if known else None


def _corner(a: Interval, b: Interval) -> int | None:
    """The least product of two intervals, neither of which is a single number; None if there is no least."""
    products = []
    for x, y, x_is_low, y_is_low in (
        (a.low, b.low, True, True),
        (a.low, b.high, True, False),
        (a.high, b.low, False, True),
        (a.high, b.high, False, False),
    ):
        product = _limit(x, y, x_is_low, y_is_low)
        if product is None:
            return None
        products.append(product)
    finite = [product for product in products if isinstance(product, int)]
    return min(finite) if finite else None


def _limit(x: int | None, y: int | None, x_is_low: bool, y_is_low: bool) -> int | float | None:
    """The product of two ends: a number, +inf, or None for -inf."""
    if x is not None and y is not None:
        return x * y
    sign = _sign(x, x_is_low) * _sign(y, y_is_low)
    return float("inf") if sign > 0 else 0 if sign == 0 else None


def _sign(end: int | None, is_low: bool) -> int:
    if end is None:
        return -1 if is_low else 1
    return (end > 0) - (end < 0)


# ------------------------------------------------------------------------------------------------- dims


def primitive(dim: Dim) -> tuple[Dim, int, int]:
    """`(form, scale, offset)` with `dim = scale * form + offset`; the form has no constant, no common factor, and a
    positive first coefficient.  [dim.form]"""
    offset = dim.offset
    terms = dim.terms[:-1] if offset else dim.terms
    if not terms:
        return dim - offset, 1, offset
    scale = gcd(*(coefficient for _, coefficient in terms)) * (1 if terms[0][1] > 0 else -1)
    if scale == 1 and not offset:
        return dim, 1, 0
    return polynomial({monomial: coefficient // scale for monomial, coefficient in terms}), scale, offset


def canonical(difference: Dim) -> Dim:
    """A dim that is 0 iff the difference is.  [dim.form]

    It is the same for both orders of the sides, unless no integers make the difference 0.
    """
    form, scale, offset = primitive(difference)
    return form + offset // scale if offset % scale == 0 else difference


class Estimate:
    """Bounds of dims from bounds of forms, with a memo table; valid while the bounds of forms are unchanged."""

    __slots__ = ("_found", "_known", "_parts")

    def __init__(self, known: Bounds, parts: Estimate | None = None) -> None:
        self._known = known
        self._parts = parts
        self._found: dict[Any, Any] = {}

    @property
    def remembered(self) -> int:
        """The number of entries of the memo table."""
        return len(self._found)

    def of(self, dim: Dim) -> Interval:
        """Bounds of a dim wherever it is defined.  [dim.decide.interval]"""
        if dim.value is not None:
            return Interval(dim.value, dim.value)
        interval: Interval = self._at(dim)
        return interval

    def number(self, dim: Dim) -> int | None:
        """The only value of a dim, None if there may be several; stops at the first branch that has several."""
        waiting, found = [dim], None
        while waiting:
            part = waiting.pop()
            match part.terms:
                case (((Ite(condition=condition, then=then, orelse=orelse),), 1),) if part not in self._known:
                    holds = self.holds(condition)
                    # the last one is visited first, which should be one without compound atoms
                    either = (then, orelse) if then.children else (orelse, then)
                    waiting += either if holds is None else (then,) if holds else (orelse,)
                case _:
                    value = self.of(part).value
                    if value is None or value != (value if found is None else found):
                        return self.of(dim).value if self.of(part).is_empty else None
                    found = value
        return found

    def holds(self, constraint: Constraint) -> bool | None:
        """True if a constraint always holds, False if it never holds, None if bounds do not tell.

        [dim.decide.interval]
        """
        if constraint.value is not None:
            return constraint.value
        if isinstance(constraint, Equal | AtMost) and constraint not in self._found:
            # the difference decides it: `_at` would first bound the two sides, the children of the constraint
            self._found[constraint] = self._verdict(constraint)
        verdict: bool | None = self._at(constraint)
        return verdict

    def natural(self, difference: Dim) -> Estimate:
        """The estimate with the additional fact that a difference is at least 0."""
        form, scale, offset = primitive(difference)
        bound = Interval(-(offset // scale), None) if scale > 0 else Interval(None, offset // -scale)
        return Estimate(With(self._known, form, self.of(form) & bound))

    def apart(self, form: Dim) -> Estimate:
        """The estimate without the bounds of a form.

        The atoms of a form do not contain it, so their entries in the memo table are shared.
        """
        return Estimate(Without(self._known, form), self)

    def _at(self, root: Any) -> Any:
        if root not in self._found:
            if self._parts is not None and isinstance(root, Dim):
                self._found.update((atom, self._parts._at(atom)) for atom in root.children)
            for node in bottom_up(root, self._found):
                self._found[node] = self._estimated(node)
        return self._found[root]

    def _estimated(self, node: Any) -> Any:
        found = self._found
        match node:
            case Dim():
                return self._sum(node)
            case FloorDiv(dividend=dividend, divisor=divisor):
                return found[dividend].divided(found[divisor])
            case Max(operands=operands):
                return _greatest_of([found[operand] for operand in operands])
            case Min(operands=operands):
                return _greatest_of([found[operand].scaled(-1) for operand in operands]).scaled(-1)
            case Ite(condition=condition, then=then, orelse=orelse):
                holds = found[condition]
                return found[then] | found[orelse] if holds is None else found[then] if holds else found[orelse]
            case Product(operands=operands):
                return reduce(mul, (found[operand] for operand in operands))
        return self._verdict(node)

    def _sum(self, dim: Dim) -> Interval:
        modulo, rest = remainders(dim)
        total = Interval(rest.offset, rest.offset)
        for monomial, coefficient in rest.terms:
            if monomial:
                total += self._product(monomial).scaled(coefficient)
        for cofactor, dividend, divisor in modulo:
            total += self.of(cofactor) * _remainder(self.of(dividend), self.of(divisor))
        if self._known and dim.names:
            form, scale, offset = primitive(dim)
            if form in self._known:
                total &= self._known[form].scaled(scale, offset)
        return total

    def _product(self, monomial: Monomial) -> Interval:
        total = reduce(mul, (self._atom(atom) for atom in monomial))
        if len(monomial) % 2 == 0 and monomial[::2] == monomial[1::2]:  # a square
            return total & NATURAL
        return total

    def _atom(self, atom: Atom) -> Interval:
        interval: Interval = ANY if isinstance(atom, Variable) else self._found[atom]
        known = self._known.get(of_atom(atom)) if self._known else None
        return interval if known is None else known if interval is ANY else interval & known

    def _verdict(self, node: Constraint) -> bool | None:
        match node:
            case Equal(difference=difference):
                return _is_zero(difference, self.of(difference))
            case AtMost(difference=difference):
                return _is_natural(self.of(difference))
            case Not(part=part):
                holds = self._found[part]
                return None if holds is None else not holds
            case Truth(holds=holds):
                return holds
            case And(parts=parts):
                verdicts = [self._found[part] for part in parts]
                return False if False in verdicts else None if None in verdicts else True
            case Or(parts=parts):
                verdicts = [self._found[part] for part in parts]
                return True if True in verdicts else None if None in verdicts else False


def _greatest_of(intervals: list[Interval]) -> Interval:
    highs = [interval.high for interval in intervals if interval.high is not None]
    return Interval(
        _greatest(interval.low for interval in intervals), max(highs) if len(highs) == len(intervals) else None
    )


def _remainder(dividend: Interval, divisor: Interval) -> Interval:
    """Bounds of `x % k` for k of at least 1: not negative, less than k, and no more than an x that is not negative."""
    below = Interval(0, None if divisor.high is None else divisor.high - 1)
    return below & Interval(0, dividend.high) if dividend.low is not None and dividend.low >= 0 else below


def _is_natural(difference: Interval) -> bool | None:
    if difference.low is not None and difference.low >= 0:
        return True
    return False if difference.high is not None and difference.high < 0 else None


def _is_zero(difference: Dim, interval: Interval) -> bool | None:
    """True if a difference is always 0, False if it is never 0, None if bounds do not tell.

    It is never 0 if a common factor of its terms does not divide the constant.
    """
    _, scale, offset = primitive(difference)
    if 0 not in interval or offset % scale:
        return False
    return True if interval.value == 0 else None
