"""The shape that a reshape requests by sizes and codes.   [op.reshape.code]

    0    the input's size at this position; with `allowzero=1`, or beyond its last axis, the size 0
    -1   whatever remains
    -2   all sizes that follow
    -3   the product of the next two sizes
    -4   the next size split into the two that follow the code, one of which may be -1

What remains is the product of the input's sizes divided by that of the requested ones, after equal sizes at the same
position have cancelled: so `(b, 3, 4)` to `[b, -1]` is `(b, 12)` for every b, 0 included.  The terms show the
cancelling only where the size that cancels may be 0: elsewhere the quotient is the same without it.

In an attribute only a written integer is a code: a computed size is no code, even if it is 0.  Elements of a value can
have only the codes 0 and -1, since each element gives exactly one size of the result.  An element that is computed
from sizes is a size and no code; if it may be 0 where a run would copy a size of the input, the two are required to be
equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import combinations, islice

from gradual.dims.term.constraint import (
    FALSE,
    TRUE,
    Constraint,
    all_of,
    any_of,
    at_least,
    at_most,
    divides,
    equal,
    negated,
)
from gradual.dims.term.dim import Dim, constant, ite, maximum, product, sum_of
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import IllFormed, Need
from gradual.ops.declaration.shapes import ONE, ZERO, Shape, size
from gradual.ops.declaration.sign_analysis import is_computed, is_positive, is_size, multiple, vanishes_with
from gradual.record import record

REST, ALL, JOIN, SPLIT = -1, -2, -3, -4
MINUS = constant(REST)
COUNTS = "the numbers of elements differ"


@record(frozen=False)
class Reading:
    """The result's shape, computed from the requested sizes and codes and from the input's shape, front to back.

    Attributes:
        shape: the input's shape.
        allowzero: whether 0 is a size.
        target: the result's shape so far, with a placeholder for what remains.
        dividend, divisor: the sizes of input and request that have not cancelled, if something remains.
        place: how many of the input's axes have been passed.
        rest: index in the target -> the condition that it is what remains.
        vanishing: whether the divisor may be 0 in a valid run, so that dividing by it needs a guard.
        needs: the needs so far.
        copied_instead: needs that no computed size is 0 where a run would take it for the code 0 and copy another size;
            they are added last, since the other needs imply most of them.
    """

    shape: Shape
    allowzero: bool
    target: list[Dim] = field(default_factory=list)
    dividend: list[Dim] = field(default_factory=list)
    divisor: list[Dim] = field(default_factory=list)
    place: int = 0
    rest: dict[int, Constraint] = field(default_factory=dict)
    vanishing: bool = False
    needs: list[Need] = field(default_factory=list)
    copied_instead: list[Need] = field(default_factory=list)

    def passed(self) -> Dim | None:
        """Advance over the input's size at this position and return it; None beyond its end."""
        found = self.shape[self.place] if self.place < len(self.shape) else None
        self.place += 1
        return found

    def copied(self, code: int) -> Dim:
        """Advance over the input's size at this position, which has to exist, and return it."""
        found = self.passed()
        if found is None:
            raise IllFormed("op.attribute", f"code {code} refers to more axes than the {len(self.shape)} of the input")
        return found

    def code(self, code: int, parts: Iterator[Code]) -> None:
        """Apply a written code; -4 takes the two sizes that follow it."""
        match code:
            case 0:
                here = self.passed()
                self.target.append(ZERO if here is None else here)
                self.divisor.append(ONE if here is not None else ZERO)
            case -1:
                self.remaining()
            case -2:
                self.target += self.shape[self.place :]
                self.place = len(self.shape)
            case -3:
                self.target.append(self.copied(JOIN) * self.copied(JOIN))
            case -4:
                self.split([constant(part) if isinstance(part, int) else part for part in islice(parts, 2)])
            case _:
                raise IllFormed("op.attribute", f"{code} is neither a size nor one of the codes 0 and -1 to -4")

    def size(self, asked: Dim) -> None:
        """Add a requested size."""
        here = self.passed()
        if not (asked is here or is_size(asked)):
            self.require(at_most(ZERO, asked), "op.reshape.size", "a size is negative")
        self.target.append(asked)
        left, right = cancelled(here, asked, asked)
        self.dividend.append(left)
        self.divisor.append(right)

    def remaining(self) -> None:
        """Apply code -1: what remains."""
        if TRUE in self.rest.values():
            raise IllFormed("op.attribute", "a shape has more than one -1")
        self.rest[len(self.target)] = TRUE
        self.target.append(ONE)
        self.dividend.append(self.passed() or ONE)

    def split(self, parts: list[Dim]) -> None:
        """Apply code -4: split one size into two, one of which may be -1."""
        whole = self.copied(SPLIT)
        if len(parts) < 2 or parts[0] is parts[1] is MINUS:
            raise IllFormed("op.attribute", "code -4 must be followed by two sizes, at most one of them -1")
        if MINUS not in parts:
            self.require(
                equal(parts[0] * parts[1], whole),
                "op.reshape.elements",
                "the two sizes after -4 do not multiply to the size of the axis",
            )
            self.target += parts
            return
        other = parts[1 - parts.index(MINUS)]
        self.require(at_most(ONE, other), "op.reshape.divides", "cannot infer the -1 after -4: the other size may be 0")
        self.require(
            divides(other, whole),
            "op.reshape.divides",
            "cannot infer the -1 after -4: the other size does not divide the axis",
        )
        self.target += [whole // other if part is MINUS else part for part in parts]

    def element(self, code: Dim) -> None:
        """Add an element of a value: 0 copies, -1 is what remains; any other number, or a computed dim, is a size."""
        if is_computed(code):
            self.computed(code)
            return
        here = self.passed()
        minus = FALSE if code is here or is_size(code) else equal(code, MINUS)
        copies = FALSE if self.allowzero or is_positive(code) else equal(code, ZERO)
        if not (code is here or is_size(code)):
            self.require(at_most(MINUS, code), "op.reshape.size", "a size is negative")
        if minus is not FALSE:
            self.rest[len(self.target)] = minus
        if here is None or vanishes_with(here, code):  # if the element is 0, so is the size that it copies
            copies = FALSE
        self.vanishing = self.vanishing or self.allowzero or here is None
        asked = code if here is None else ite(copies, here, code)
        left, right = cancelled(here, asked, code)
        self.target.append(asked)
        self.dividend.append(left)
        self.divisor.append(ite(minus, ONE, right))

    def computed(self, asked: Dim) -> None:
        """Add an element that is computed from sizes."""
        here = self.shape[self.place] if self.place < len(self.shape) else None
        self.size(asked)
        self.vanishing = self.vanishing or self.allowzero or here is None
        if self.allowzero or here is None or here is asked or is_positive(asked) or vanishes_with(here, asked):
            return  # nothing is copied, or if the element is 0, so is the size that it copies
        goal = any_of(at_least(asked, ONE), equal(asked, here))
        says = f"a size of 0 here would copy dimension {self.place - 1} of the input"
        self.copied_instead.append(Need(goal, "op.reshape.code", says, ((0, None),)))

    def require(self, goal: Constraint, rule: str, says: str) -> None:
        """Add a need, unless its goal is trivially true."""
        if goal is not TRUE:
            self.needs.append(Need(goal, rule, says, ((0, None),)))

    def finished(self) -> Shape:
        """The result's shape, after the last entry.   [op.reshape.elements] [op.reshape.divides]"""
        self.dividend += self.shape[self.place :]
        rest = {place: when for place, when in self.rest.items() if when is not FALSE}
        some = any_of(*rest.values())
        if some is not TRUE:
            counts = size(self.shape), product(self.target)
            goal = any_of(some, equal(*counts))
            self.needs.append(Need(goal, "op.reshape.elements", COUNTS, ((0, None),), counts))
        found = tuple(self.target) if some is FALSE else self._divided(rest, some)
        self.needs += self.copied_instead
        return found

    def _divided(self, rest: dict[int, Constraint], some: Constraint) -> Shape:
        none = negated(some)
        dividend, divisor = map(product, _without_common(self.dividend, self.divisor))
        for goal in _at_most_one(tuple(rest.values())):
            self.require(goal, "op.reshape.code", "a shape has more than one -1")
        self.require(
            any_of(none, at_most(ONE, divisor)),
            "op.reshape.divides",
            "cannot infer the -1: the other sizes may multiply to 0",
        )
        by = maximum(divisor, ONE) if self.vanishing and some is not TRUE else divisor
        says = "cannot infer the -1: the other sizes do not divide the number of elements"
        if dividend.value is not None and by.value is not None:
            says = f"cannot infer the -1: {dividend} elements are not divisible by {by}"
        self.needs.append(Need(any_of(none, divides(by, dividend)), "op.reshape.divides", says, ((0, None),)))
        remains = dividend // by
        return tuple(ite(rest[i], remains, asked) if i in rest else asked for i, asked in enumerate(self.target))


def _at_most_one(conditions: Sequence[Constraint]) -> Iterator[Constraint]:
    """Constraints that no two conditions hold together: for each pair if they are few, else by counting."""
    if len(conditions) <= 3:
        yield from (any_of(negated(left), negated(right)) for left, right in combinations(conditions, 2))
    else:
        yield at_most(sum_of(ite(condition, ONE, ZERO) for condition in conditions), ONE)


def cancelled(here: Dim | None, asked: Dim, zero: Dim) -> tuple[Dim, Dim]:
    """The factors of dividend and divisor for a size of the input and the requested one: 1 and 1 if both are 0.

    Cancelling equal sizes of at least 1 would not change the quotient. Wherever both are 0, the dim `zero` is 0; and
    wherever `zero` is 0, `asked` is 0 or equal to `here`.
    """
    if here is None:
        return ONE, asked
    if here is asked:
        return ONE, ONE
    if is_positive(here) or is_positive(asked):
        return here, asked
    if (ratio := multiple(asked, here)) is not None:  # unless they are 0, the smaller one cancels
        return ONE, ite(equal(here, ZERO), ONE, ratio)
    if (ratio := multiple(here, asked)) is not None:
        return ite(equal(asked, ZERO), ONE, ratio), ONE
    both = all_of(equal(here, ZERO), equal(zero, ZERO))
    return ite(both, ONE, here), ite(both, ONE, asked)


def _without_common(dividend: list[Dim], divisor: list[Dim]) -> tuple[list[Dim], list[Dim]]:
    """Both lists without shared factors that are certainly at least 1, which does not change the quotient."""
    common = Counter(dividend) & Counter(divisor)
    shared = Counter({factor: count for factor, count in common.items() if is_positive(factor)})
    return list((Counter(dividend) - shared).elements()), list((Counter(divisor) - shared).elements())


Code = int | Dim
"""An entry of a request: an integer, which may be a code, or a computed size, which is never a code."""


def requested(shape: Shape, codes: Sequence[Code], allowzero: bool, elements: bool) -> tuple[Shape, tuple[Need, ...]]:
    """The requested shape, and its needs; `elements`: whether the dims are elements of a value."""
    if len(codes) > LIMITS.rank:
        raise IllFormed("op.rank", f"rank {len(codes)} is above the limit of {LIMITS.rank}")
    reading = Reading(shape, allowzero)
    left = iter(codes)
    for code in left:
        if isinstance(code, Dim):
            reading.element(code) if elements else reading.size(code)
        elif code > 0 or (code == 0 and allowzero):
            reading.size(constant(code))
        elif elements and code < REST:
            reading.element(constant(code))
        else:
            reading.code(code, left)
    return reading.finished(), tuple(reading.needs)
