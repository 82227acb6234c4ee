"""Chapter 4, `dim.facts.plain`: comparisons as simpler ones."""

from __future__ import annotations

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
    eq,
    extreme,
    le,
    make,
    no,
    solve,
    swap,
    variables,
)
from .intervals import Intervals


def with_dim(c: Con, atom: Atom, image: Dim) -> Con:
    """A comparison with a dim in place of an atom of its terms."""
    a, b = (put(side, atom, image) for side in c.sides or (c.d or dim(0), dim(0)))
    return eq(a, b) if c.kind == "eq" else le(a, b)


def extremes(facts: list[Con], c: Con) -> Con | None:
    """A comparison with a max or a min as one with its operands."""
    assert c.d is not None
    for m, k in c.d.terms:
        if len(m) == 1 and m[0][1] == 1 and isinstance(a := m[0][0], Max):
            found = extreme_split(facts, c, a, k)
            if found is not None:
                return found
    return None


def extreme_split(facts: list[Con], c: Con, a: Max, k: int) -> Con | None:
    """A comparison with k times a max or a min as one with its operands."""
    assert c.d is not None
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


def factors(d: Dim) -> int:
    """How many factors the terms of a dim have."""
    return sum(k for m, _ in d.terms for _, k in m)


def twins(facts: list[Con]) -> list[Con]:
    """Facts, each also about a name that equals one of its names."""
    pairs = [(v, d) for f in facts if f.kind == "eq" and f.d is not None and (found := solve(f.d)) for v, d in [found]]
    out = list(facts)
    for v, d in pairs:
        for w in [w for w in variables(d) if d == dim(w)]:
            out += [swap(f, {v: d}) for f in facts if v in variables(f)]
            out += [swap(f, {w: dim(v)}) for f in facts if w in variables(f)]
    return [f for f in dict.fromkeys(out) if f != TRUE]
