"""Chapter 4, `dim.decide.interval`: the interval of a dim, from what facts say of forms."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from math import gcd

from .dims import Con, Dim, Div, Ite, Max, Mono, Var, dim, divide, le, make

Interval = tuple[int | None, int | None]
ANY: Interval = (None, None)


def primitive(d: Dim) -> tuple[Dim, int, int]:
    """[dim.form]: form, factor and number with `d = factor * form + number`."""
    number = d.const
    rest = [t for t in d.terms if t[0]]
    if not rest:
        return dim(0), 1, number
    k = reduce(gcd, [c for _, c in rest], 0) * (1 if rest[0][1] > 0 else -1)
    return make({m: c // k for m, c in rest}), k, number


class Intervals:
    """What facts say of forms [dim.facts.bound]."""

    def __init__(self, facts: Iterable[Con]) -> None:
        self.forms: dict[Dim, Interval] = {}
        self.apart: set[tuple[Dim, int]] = set()
        known = list(facts)
        for f in [*known, *known]:
            for p in f.parts if f.kind == "and" else (f,):
                self.learn(p)

    def learn(self, c: Con) -> None:
        """An inequality, an equation, or a number that a form is not."""
        d = c.parts[0].d if c.kind == "not" else c.d
        if d is None or c.kind not in ("le", "eq", "not") or d.number is not None:
            return
        form, k, number = primitive(d)
        if c.kind == "le":
            self.narrow(form, *((None, -number // k) if k > 0 else (-(number // k), None)))
        elif number % k == 0 and c.kind == "eq":
            self.narrow(form, -number // k, -number // k)
        elif number % k == 0:
            self.apart.add((form, -number // k))
            self.narrow(form, None, None)

    def narrow(self, form: Dim, low: int | None, high: int | None) -> None:
        """A bound of a form, and of the dividend if the form is a quotient by a number."""
        one = sole(form)
        least = 0 if isinstance(one, Var) and one.size else None
        low, high = meet(meet(self.forms.get(form, ANY), (low, high)), (least, None))
        while low is not None and (form, low) in self.apart and (high is None or low <= high):
            low += 1
        while high is not None and (form, high) in self.apart and (low is None or low <= high):
            high -= 1
        self.forms[form] = low, high
        if isinstance(one, Div) and (by := one.by.number):
            if low is not None:
                self.learn(le(low * by, one.top))
            if high is not None:
                self.learn(le(one.top, high * by + by - 1))

    def values(self) -> list[tuple[Dim, int]]:
        """The forms of which only one number is possible."""
        return [(form, low) for form, (low, high) in self.forms.items() if low is not None and low == high]

    def of(self, d: Dim) -> Interval:
        """The interval of a sum."""
        if d.number is not None:
            return d.number, d.number
        parts, rest = remainders(d)
        total: Interval = (rest.const, rest.const)
        for m, c in rest.terms:
            if m:
                total = plus(total, times((c, c), self.product(m)))
        for cofactor, top, by in parts:
            total = plus(total, times(self.of(cofactor), self.remainder(top, by)))
        form, k, number = primitive(d)
        if form in self.forms:
            total = meet(total, plus(times((k, k), self.forms[form]), (number, number)))
        return total

    def product(self, m: Mono) -> Interval:
        """The interval of a product of factors."""
        total: Interval = (1, 1)
        for a, k in m:
            for _ in range(k):
                total = times(total, meet(self.atom(a), self.forms.get(dim(a), ANY)))
        return meet(total, (0, None)) if all(k % 2 == 0 for _, k in m) else total

    def remainder(self, top: Dim, by: Dim) -> Interval:
        """The interval of `top % by`."""
        most = self.of(by)[1]
        low, high = self.of(top)
        return meet((0, None if most is None else most - 1), (0, high) if low is not None and low >= 0 else ANY)

    def atom(self, a: Var | Div | Max | Ite) -> Interval:
        """The interval of a factor, by its parts."""
        if isinstance(a, Var):
            return (0 if a.size else None), None
        if isinstance(a, Div):
            return quotients(self.of(a.top), self.of(a.by))
        if isinstance(a, Ite):
            known = decided(self, a.cond)
            if known is not None:
                return self.of(a.yes if known else a.no)
            (low, high), (low2, high2) = self.of(a.yes), self.of(a.no)
            return smallest([low, low2]), largest([high, high2])
        ends = [self.of(p) for p in a.parts]
        lows, highs = [low for low, _ in ends], [high for _, high in ends]
        if a.low:
            return smallest(lows), min((h for h in highs if h is not None), default=None)
        return max((k for k in lows if k is not None), default=None), largest(highs)


def sole(form: Dim) -> Var | Div | Max | Ite | None:
    """The factor that a form is, if it is one."""
    if len(form.terms) != 1 or form.terms[0][1] != 1 or len(form.terms[0][0]) != 1:
        return None
    ((a, k),) = form.terms[0][0]
    return a if k == 1 else None


def numbered(intervals: Intervals, d: Dim) -> Dim:
    """The number that a dim is by bounds, or the dim."""
    low, high = intervals.of(d)
    return dim(low) if low is not None and low == high else d


def remainders(d: Dim) -> tuple[list[tuple[Dim, Dim, Dim]], Dim]:
    """The terms `c * (a % h)` of a sum as c, a and h, and the rest of it [dim.remainder]."""
    found: list[tuple[Dim, Dim, Dim]] = []
    for q in [a for m, _ in d.terms for a, k in m if isinstance(a, Div) and k == 1]:
        for m, c in d.terms:
            if (q, 1) in m and q.by.terms:
                cofactor = divide(make({tuple(p for p in m if p[0] != q): -c}), q.by)
                rest = d - cofactor * (q.top - q.by * dim(q)) if cofactor is not None else d
                if cofactor is not None and len(rest.terms) + 1 < len(d.terms):
                    found.append((cofactor, q.top, q.by))
                    d = rest
                    break
    return found, d


def decided(intervals: Intervals, c: Con, apart: bool = True) -> bool | None:
    """Whether a constraint holds by bounds; `apart`: or fails by a fact that two sizes differ."""
    if c.kind in ("and", "or"):
        parts = [decided(intervals, p, apart) for p in c.parts]
        least = c.kind == "or"
        return least if least in parts else None if None in parts else not least
    if c.kind == "not":
        part = decided(intervals, c.parts[0], apart)
        return None if part is None else not part
    if c.kind in ("true", "false") or c.d is None:
        return c.kind == "true"
    low, high = intervals.of(c.d)
    if low is not None and low > 0:
        return False
    if c.kind == "le":
        return True if high is not None and high <= 0 else None
    form, k, number = primitive(c.d)
    if number % k or (apart and (form, -number // k) in intervals.apart):
        return False
    return False if high is not None and high < 0 else True if low == high == 0 else None


def quotients(top: Interval, by: Interval) -> Interval:
    """The quotients of two intervals, for divisors of at least 1."""
    (low, high), most = top, by[1]
    least = max(by[0] or 1, 1)
    down = None if low is None else low // least if low < 0 else low // most if most else 0
    up = None if high is None else high // least if high >= 0 else high // most if most else -1
    return down, up


def smallest(ends: list[int | None]) -> int | None:
    known = [e for e in ends if e is not None]
    return min(known) if len(known) == len(ends) else None


def largest(ends: list[int | None]) -> int | None:
    known = [e for e in ends if e is not None]
    return max(known) if len(known) == len(ends) else None


def plus(a: Interval, b: Interval) -> Interval:
    """The interval of a sum."""
    low = None if a[0] is None or b[0] is None else a[0] + b[0]
    return low, None if a[1] is None or b[1] is None else a[1] + b[1]


def meet(a: Interval, b: Interval) -> Interval:
    """What is in both intervals."""
    lows, highs = [e for e in (a[0], b[0]) if e is not None], [e for e in (a[1], b[1]) if e is not None]
    return max(lows, default=None), min(highs, default=None)


def times(a: Interval, b: Interval) -> Interval:
    """The interval of a product; an end that is not known is infinite."""
    far = 1 << 80
    ends = [
        (-far if x is None and i == 0 else far if x is None else x)
        * (-far if y is None and j == 0 else far if y is None else y)
        for i, x in enumerate(a)
        for j, y in enumerate(b)
    ]
    low, high = min(ends), max(ends)
    return (low if low > -far else None), (high if high < far else None)


def covers(intervals: Intervals, low: bool, d: Dim, e: Dim) -> bool:
    """Whether by bounds `d >= e` (`d <= e` of a minimum), so that e can be left out [dim.decide.simplify]."""
    tries = [e]
    for m, c in e.terms:
        if len(m) == 1 and m[0][1] == 1 and isinstance(x := m[0][0], Max) and x.low == (low != (c > 0)):
            tries += [e - dim(x) * c + p * c for p in x.parts]
    ends = [intervals.of(d - one)[low] for one in tries]
    return any(end is not None and (end <= 0 if low else end >= 0) for end in ends)
