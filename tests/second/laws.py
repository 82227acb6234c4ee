"""Chapter 4, `dim.facts.plain`: comparisons as simpler ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import reduce
from math import gcd

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
    divide,
    eq,
    extreme,
    le,
    make,
    no,
    solve,
    stated,
    swap,
    variables,
)
from .intervals import Intervals


def with_dim(c: Con, atom: Atom, image: Dim) -> Con:
    """A comparison with a dim in place of an atom of its terms."""
    a, b = (put(side, atom, image) for side in c.sides or (c.d or dim(0), dim(0)))
    return eq(a, b) if c.kind == "eq" else le(a, b)


def atoms(d: Dim | None) -> list[Atom]:
    """The factors of the terms of a dim."""
    return [a for m, _ in d.terms for a, _ in m] if d is not None else []


def extremes(intervals: Intervals, c: Con) -> Con | None:
    """A comparison with a max or a min as one with its operands."""
    assert c.d is not None
    for m, k in c.d.terms:
        if len(m) == 1 and m[0][1] == 1 and isinstance(a := m[0][0], Max):
            found = extreme_split(intervals, c, a, k)
            if found is not None:
                return found
    return None


def extreme_split(intervals: Intervals, c: Con, a: Max, k: int) -> Con | None:
    """A comparison with k times a max or a min as one with its operands."""
    assert c.d is not None
    rest = c.d - dim(a) * k
    if c.kind == "le":
        return None if (k > 0) is a.low else all_(*[le(p * k + rest, 0) for p in a.parts])
    if any(x % k for _, x in rest.terms):
        return None
    other = make({m: -x // k for m, x in rest.terms})
    gaps = [intervals.of((p - other) * (-1 if a.low else 1)) for p in a.parts]
    if any(low is not None and low >= 0 for low, _ in gaps):
        return all_(*[le(other, p) if a.low else le(p, other) for p in a.parts])
    left = [p for p, (_, high) in zip(a.parts, gaps, strict=True) if high is None or high >= 0]
    if len(left) == len(a.parts):
        return None
    if not left:
        return FALSE
    one = extreme(a.low, *left)
    shift = one.const if one.number is None else other.const
    return eq(one - shift, other - shift)


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


def stated_at(c: Con) -> dict[Var, Dim]:
    """What an equation says of the name that is one of its sides."""
    found = stated(c) if c.kind == "eq" else None
    return dict([found]) if found else {}


def tested(c: Con) -> tuple[Atom, int] | None:
    """The atom and the number that a condition equates."""
    if c.kind != "eq" or c.d is None:
        return None
    rest = [(m, k) for m, k in c.d.terms if m]
    if len(rest) != 1 or len(rest[0][0]) != 1 or rest[0][0][0][1] != 1 or abs(rest[0][1]) != 1:
        return None
    return rest[0][0][0][0], -c.d.const * rest[0][1]


def put(d: Dim, atom: Atom, number: Dim | int) -> Dim:
    """A dim with another in place of an atom of its own terms."""
    out = dim(0)
    for m, c in d.terms:
        t = dim(c)
        for a, k in m:
            for _ in range(k):
                t = t * (number if a == atom else dim(a))
        out += t
    return out


def each(law: Callable[[Con], Con], c: Con) -> Con:
    """A constraint with each of its comparisons as a law makes it."""
    if c.kind in ("and", "or"):
        return (all_ if c.kind == "and" else any_)(*[each(law, p) for p in c.parts])
    if c.kind == "not":
        return no(each(law, c.parts[0]))
    return law(c) if c.d is not None else c


def by_sign(kind: str, d: Dim) -> Con:
    """A comparison of d and 0 with negative terms on the other side."""
    plus = make({m: k for m, k in d.terms if k > 0})
    return eq(plus, plus - d) if kind == "eq" else le(plus, plus - d)


def factor(d: Dim) -> int:
    """The greatest number that divides all terms of a dim that is not 0."""
    return reduce(gcd, [k for _, k in d.terms], 0)


def shared(intervals: Intervals, d: Dim) -> Counter[Atom]:
    """The factors, each at least 1 by bounds, that all terms of a dim share."""
    first, *others = (Counter(dict(m)) for m, _ in d.terms)
    for m in others:
        first &= m
    lows = {a: intervals.of(dim(a))[0] for a in first}
    return Counter({a: k for a, k in first.items() if (lows[a] or 0) >= 1})


def lowered(d: Dim, less: Counter[Atom]) -> Dim:
    """A dim without factors that all its terms share."""
    return make({tuple((a, k - less[a]) for a, k in m if k > less[a]): c for m, c in d.terms})


def common(intervals: Intervals, top: Dim, by: Dim) -> tuple[Dim, Dim]:
    """Dividend and divisor without common factors that are at least 1."""
    if by.number is not None or not top.terms:
        return top, by
    less = shared(intervals, by) & shared(intervals, top)
    return (lowered(top, less), lowered(by, less)) if less else (top, by)


def cancelled(intervals: Intervals, c: Con) -> Con:
    """A comparison without a factor of both sides that by bounds is at least 1."""
    given = c.sides[0] - c.sides[1] if c.sides else c.d
    if given is None or given.number is not None:
        return c
    d = lowered(given, shared(intervals, given))
    k = factor(d)
    return c if d == given and k == 1 else by_sign(c.kind, make({m: x // k for m, x in d.terms}))


def division(top: Dim, by: Dim) -> tuple[Dim, Dim]:
    """Quotient and rest of polynomials; a divisor of several terms divides all of the dividend or nothing."""
    if len(by.terms) > 1:
        whole = divide(top, by)
        return (dim(0), top) if whole is None else (whole, dim(0))
    whole = dim(0)
    for term in top.terms:
        whole += divide(make(dict([term])), by) or 0
    return whole, top - whole * by


def twins(facts: list[Con], solved: dict[Var, Dim]) -> list[Con]:
    """Facts about a name that equals another one or a dim: what is known of that [check.residual]."""
    out = list(facts)
    for v, d in solved.items():
        (w, *more), ends = (*variables(d), None), Intervals(facts).of(d)
        if w is not None and len(more) == 1 and d == dim(w):
            out += [swap(f, {w: dim(v)}) for f in facts if w in variables(f)]
        out += [le(ends[0], dim(v))] if ends[0] is not None else []
        out += [le(dim(v), ends[1])] if ends[1] is not None else []
    return out
