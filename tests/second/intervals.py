"""Chapter 4, `dim.decide.interval`: the interval of a dim, from those of its names."""

from __future__ import annotations

from .dims import Con, Dim, Div, Ite, Max, Var, dim, floor, le

Interval = tuple[int | None, int | None]


class Intervals:
    """The intervals of names that facts about one name each give."""

    def __init__(self, facts: list[Con]) -> None:
        self.names: dict[Var, Interval] = {}
        for f in [*facts, *facts]:
            for p in f.parts if f.kind == "and" else (f,):
                self.learn(p)

    def values(self) -> dict[Var, int]:
        """The names of which only one number is possible."""
        found = {v: self.atom(v) for v in self.names}
        return {v: low for v, (low, high) in found.items() if low is not None and low == high}

    def learn(self, c: Con) -> None:
        """A bound `k * n + c <= 0`, an equation, or a number that a name is not."""
        d = c.parts[0].d if c.kind == "not" else c.d
        if d is None or c.kind not in ("le", "eq", "not"):
            return
        rest, number = [t for t in d.terms if t[0]], d.const
        if len(rest) != 1 or len(rest[0][0]) != 1 or rest[0][0][0][1] != 1:
            return
        v, k = rest[0][0][0][0], rest[0][1]
        if isinstance(v, Div) and v.by.number is not None and c.kind == "le":
            # v <= h means top <= h * by + by - 1, and v >= h means top >= h * by
            least = v.by * -(number // k) - v.top if k < 0 else v.top - v.by * (-number // k) - v.by + 1
            self.learn(le(least, 0))
        if not isinstance(v, Var):
            return
        low, high = self.names.get(v, (None, None))
        if c.kind == "eq" or (c.kind == "le" and k > 0):
            high = lesser(high, -number // k)
        if c.kind == "eq" or (c.kind == "le" and k < 0):
            low = greater(low, -(number // k) if c.kind == "le" else -number // k)
        if c.kind == "not" and number % k == 0:
            low = low + 1 if low is not None and low == -number // k else low
            high = high - 1 if high is not None and high == -number // k else high
        self.names[v] = (low, high)

    def of(self, d: Dim) -> Interval:
        """The interval of a sum."""
        low: int | None = 0
        high: int | None = 0
        for m, c in d.terms:
            one: Interval = (c, c)
            for a, k in m:
                for _ in range(k):
                    one = times(one, self.atom(a))
            low = None if low is None or one[0] is None else low + one[0]
            high = None if high is None or one[1] is None else high + one[1]
        return low, high

    def atom(self, a: Var | Div | Max | Ite) -> Interval:
        """The interval of a factor."""
        if isinstance(a, Var):
            low, high = self.names.get(a, (None, None))
            return (max(low or 0, 0) if a.size else low), high
        if isinstance(a, Div):
            (low, high), (least_by, most_by) = self.of(a.top), self.of(a.by)
            if least_by is None or least_by < 1:
                return None, None
            down = None if low is None else low // least_by if low < 0 else low // most_by if most_by else 0
            up = None if high is None else high // least_by if high >= 0 else high // most_by if most_by else -1
            return down, up
        if isinstance(a, Ite) and (known := decided(self, a.cond)) is not None:
            return self.of(a.yes if known else a.no)
        parts = [self.of(p) for p in a.parts] if isinstance(a, Max) else [self.of(a.yes), self.of(a.no)]
        lows, highs = [p[0] for p in parts], [p[1] for p in parts]
        if isinstance(a, Ite):
            return smallest(lows), largest(highs)
        if a.low:
            return smallest(lows), min((h for h in highs if h is not None), default=None)
        return max((k for k in lows if k is not None), default=None), largest(highs)


def decided(intervals: Intervals, c: Con) -> bool | None:
    """Whether a constraint holds by bounds."""
    if c.kind in ("and", "or"):
        parts = [decided(intervals, p) for p in c.parts]
        least = c.kind == "or"
        return least if least in parts else None if None in parts else not least
    if c.kind == "not":
        part = decided(intervals, c.parts[0])
        return None if part is None else not part
    if c.kind in ("true", "false") or c.d is None:
        return c.kind == "true"
    low, high = intervals.of(c.d)
    if low is not None and low > 0:
        return False
    if c.kind == "le":
        return True if high is not None and high <= 0 else None
    return False if high is not None and high < 0 else True if low == high == 0 else None


def smallest(ends: list[int | None]) -> int | None:
    known = [e for e in ends if e is not None]
    return min(known) if len(known) == len(ends) else None


def largest(ends: list[int | None]) -> int | None:
    known = [e for e in ends if e is not None]
    return max(known) if len(known) == len(ends) else None


def lesser(a: int | None, b: int) -> int:
    return b if a is None else min(a, b)


def greater(a: int | None, b: int) -> int:
    return b if a is None else max(a, b)


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
        if len(m) == 1 and m[0][1] == 1 and isinstance(x := m[0][0], Max) and x.low != low and c > 0:
            tries += [e - dim(x) * c + p * c for p in x.parts]
    for one in tries:
        end = intervals.of(d - one)[low]
        if end is not None and (end <= 0 if low else end >= 0):
            return True
    return False


def v_mod(v: Var, k: int) -> Dim:
    """`v % k`."""
    return dim(v) - floor(dim(v), k) * k


def single(facts: list[Con], d: Dim) -> Dim:
    """The number that a dim is by bounds, or the dim."""
    low, high = Intervals(facts).of(d)
    return dim(low) if low is not None and low == high else d


def linear(c: Con) -> bool:
    """Whether a constraint is about a multiple of a name and a number."""
    d = c.parts[0].d if c.kind == "not" else c.d
    return d is not None and all(
        not m or (len(m) == 1 and m[0][1] == 1 and isinstance(m[0][0], Var)) for m, _ in d.terms
    )
