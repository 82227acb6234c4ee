"""Chapter 4, `dim.facts.plain`: comparisons as simpler ones."""

from __future__ import annotations

from .dims import (
    FALSE,
    TRUE,
    Atom,
    Con,
    Dim,
    Max,
    Var,
    all_,
    any_,
    dim,
    eq,
    extreme,
    le,
    make,
    no,
    replace,
    solve,
    swap,
)
from .intervals import Intervals


def with_dim(c: Con, atom: Atom, image: Dim) -> Con:
    """A comparison with a dim in place of an atom of its terms."""
    a, b = (put(side, atom, image) for side in c.sides or (c.d or dim(0), dim(0)))
    return eq(a, b) if c.kind == "eq" else le(a, b)


def decided(intervals: Intervals, c: Con) -> bool | None:
    """Whether a comparison holds by bounds."""
    if c.kind in ("true", "false") or c.d is None:
        return c == TRUE
    low, high = intervals.of(c.d)
    if low is not None and low > 0:
        return False
    if c.kind == "le":
        return True if high is not None and high <= 0 else None
    return False if high is not None and high < 0 else True if low == high == 0 else None


def extremes(facts: list[Con], c: Con) -> Con | None:
    """A comparison with a max or a min as one with its operands."""
    assert c.d is not None
    found = next((t for t in c.d.terms if len(t[0]) == 1 and t[0][0][1] == 1 and isinstance(t[0][0][0], Max)), None)
    if found is None:
        return None
    (((a, _),), k) = found
    assert isinstance(a, Max)
    rest = c.d - dim(a) * k
    if c.kind == "le":
        return None if (k > 0) is a.low else all_(*[le(p * k + rest, 0) for p in a.parts])
    if any(x % k for _, x in rest.terms):
        return None
    other, intervals = make({m: -x // k for m, x in rest.terms}), Intervals(facts)
    gaps = [intervals.of((p - other) * (-1 if a.low else 1)) for p in a.parts]
    if any(low is not None and low >= 0 for low, _ in gaps):
        return all_(*[le(other, p) if a.low else le(p, other) for p in a.parts])
    left = [p for p, (_, high) in zip(a.parts, gaps, strict=True) if high is None or high >= 0]
    if len(left) == len(a.parts):
        return None
    return eq(extreme(a.low, *left), other) if left else FALSE


def value_said(c: Con) -> dict[Var, Dim]:
    """The number that an equation says of a name."""
    found = solve(c.d) if c.kind == "eq" and c.d is not None else None
    return dict([found]) if found and found[1].number is not None else {}


def together(parts: list[Con]) -> Con:
    """A conjunction without parts that are true where another part has a name's number."""
    kept = list(dict.fromkeys(parts))
    for p in parts:
        if at := value_said(p):
            kept = [q for q in kept if q is p or swap(q, at) != TRUE]
    return all_(*kept)


def either(parts: list[Con]) -> Con:
    """A disjunction by absorption, without an equation at which another part is true."""
    known = [no(p) for p in parts]
    some = [
        all_(*[q for q in p.parts if q not in known]) if p.kind == "and" else p
        for p in parts
        if not (p.kind == "and" and any(q in parts for q in p.parts))
    ]
    kept = list(dict.fromkeys(some))
    for p in tuple(kept):
        at = value_said(p)
        if at and any(q is not p and swap(q, at) == TRUE for q in kept):
            kept.remove(p)
    return any_(*kept)


def tested(c: Con) -> tuple[Atom, int] | None:
    """The atom and the number that a condition equates."""
    if c.kind != "eq" or c.d is None:
        return None
    rest = [(m, k) for m, k in c.d.terms if m]
    if len(rest) != 1 or len(rest[0][0]) != 1 or rest[0][0][0][1] != 1 or abs(rest[0][1]) != 1:
        return None
    return rest[0][0][0][0], -c.d.const * rest[0][1]


def elsewhere(facts: list[Con], c: Con) -> list[Con]:
    """The facts where a condition that equates an atom with its least number does not hold."""
    found = tested(c)
    if found is None or (low := Intervals(facts).of(dim(found[0]))[0]) is None or low < found[1]:
        return facts
    return [*facts, le(found[1] + 1, dim(found[0]))]


def put(d: Dim, atom: Atom, number: Dim | int) -> Dim:
    """A dim with another in place of an atom of its own terms, or everywhere of a name."""
    if isinstance(atom, Var):
        return replace(d, {atom: dim(number)})
    out = dim(0)
    for m, c in d.terms:
        t = dim(c)
        for a, k in m:
            for _ in range(k):
                t = t * (number if a == atom else dim(a))
        out += t
    return out
