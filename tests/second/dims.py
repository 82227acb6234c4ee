"""Chapter 4: dims as polynomials over atoms, and constraints over dims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import gcd
from typing import Any

from .text import Place


@dataclass(frozen=True)
class Var:
    """[dim.witness]: a rigid name, or a ghost with its witness.  `uid` tells two of one name apart."""

    name: str
    uid: int = 0
    rigid: bool = True
    size: bool = True
    origin: tuple[Place, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Div:
    """[dim.floor]"""

    top: Dim
    by: Dim


@dataclass(frozen=True)
class Max:
    """[dim.max] [dim.min]: `low` for a minimum."""

    low: bool
    parts: tuple[Dim, ...]


@dataclass(frozen=True)
class Ite:
    """[dim.choice]"""

    cond: Con
    yes: Dim
    no: Dim


Atom = Var | Div | Max | Ite
Mono = tuple[tuple[Atom, int], ...]


def akey(a: Atom) -> str:
    return a.name + f"#{a.uid}" if isinstance(a, Var) else "~" + repr(a)


@dataclass(frozen=True)
class Dim:
    """[dim.normal-form]: a polynomial, as sorted pairs of a monomial and its factor."""

    terms: tuple[tuple[Mono, int], ...]

    @property
    def number(self) -> int | None:
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def const(self) -> int:
        return dict(self.terms).get((), 0)

    def __add__(self, o: Dim | int) -> Dim:
        out = dict(self.terms)
        for m, c in dim(o).terms:
            out[m] = out.get(m, 0) + c
        return make(out)

    def __mul__(self, o: Dim | int) -> Dim:
        out: dict[Mono, int] = {}
        for m, c in self.terms:
            for m2, c2 in dim(o).terms:
                powers = dict(m)
                for a, k in m2:
                    powers[a] = powers.get(a, 0) + k
                m3 = tuple(sorted(powers.items(), key=lambda p: akey(p[0])))
                out[m3] = out.get(m3, 0) + c * c2
        return make(out)

    def __neg__(self) -> Dim:
        return self * -1

    def __sub__(self, o: Dim | int) -> Dim:
        return self + -dim(o)


def make(terms: dict[Mono, int]) -> Dim:
    return Dim(
        tuple(
            sorted(
                ((m, c) for m, c in terms.items() if c),
                key=lambda t: (-sum(k for _, k in t[0]), [(akey(a), k) for a, k in t[0]]),
            )
        )
    )


def dim(d: Dim | int | Atom) -> Dim:
    if isinstance(d, Dim):
        return d
    if isinstance(d, int):
        return make({(): d})
    return make({((d, 1),): 1})


def floor(a: Dim, b: Dim | int) -> Dim:
    """[dim.floor]: the four steps of the normal form, for a number."""
    b = dim(b)
    k = b.number
    if k is None:
        return dim(Div(a, b))
    if k < 1:
        raise ValueError
    if k == 1:
        return a
    n = a.number
    if n is not None:
        return dim(n // k)
    out, inside = dim(0), dim(0)
    for m, c in a.terms:
        q = (abs(c) // k) * (1 if c > 0 else -1) if m else c // k
        out += make({m: q})
        inside += make({m: c - k * q})
    if inside.number is not None:
        return out + inside.number // k
    g = reduce(gcd, [abs(c) for m, c in inside.terms if m], k)
    if g > 1:
        c0 = inside.const
        smaller = make({m: c // g for m, c in inside.terms if m}) + c0 // g
        return out + floor(smaller, k // g)
    if (
        not any(
            m
            for m, c in inside.terms
            if m and not (len(m) == 1 and m[0][1] == 1 and isinstance(m[0][0], Div) and c == 1)
        )
        and len([1 for m, _ in inside.terms if m]) == 1
    ):
        m = next(m for m, _ in inside.terms if m)
        d = m[0][0]
        assert isinstance(d, Div)
        j = d.by.number
        if j is not None:
            return out + floor(d.top + inside.const * j, j * k)
    return out + dim(Div(inside, b))


def mod(a: Dim, b: Dim | int) -> Dim:
    """[dim.remainder]"""
    return a - dim(b) * floor(a, b)


def extreme(low: bool, *parts: Dim) -> Dim:
    """[dim.max] [dim.min]"""
    flat: list[Dim] = []
    for p in parts:
        a = (
            p.terms[0][0][0][0]
            if len(p.terms) == 1 and p.terms[0][1] == 1 and len(p.terms[0][0]) == 1 and p.terms[0][0][0][1] == 1
            else None
        )
        flat += a.parts if isinstance(a, Max) and a.low == low else [p]
    keep: list[Dim] = []
    for p in flat:
        for i, q in enumerate(keep):
            k = (p - q).number
            if k is not None:
                if (k < 0) == low and k != 0:
                    keep[i] = p
                break
        else:
            keep.append(p)
    if len(keep) == 1:
        return keep[0]
    return dim(Max(low, tuple(sorted(keep, key=repr))))


@dataclass(frozen=True)
class Con:
    """[dim.constraint]: `true`, `false`, `eq` and `le` of a difference with 0, `not`, `and`, `or`."""

    kind: str
    d: Dim | None = None
    parts: tuple[Con, ...] = ()
    sides: tuple[Dim, Dim] | None = field(default=None, compare=False)


TRUE, FALSE = Con("true"), Con("false")


def never(a: Dim | int, b: Dim | int) -> Con:
    """A relation of two sizes that never holds: it is about their names nevertheless."""
    return Con("false", sides=(dim(a), dim(b)))


def eq(a: Dim | int, b: Dim | int) -> Con:
    d = dim(a) - b
    if d.number is not None:
        return TRUE if d.number == 0 else never(a, b)
    g = reduce(gcd, [c for m, c in d.terms if m], 0) * (-1 if d.terms[0][1] < 0 else 1)
    if d.const % g:
        return never(a, b)
    return Con("eq", make({m: c // g for m, c in d.terms}), sides=(dim(a), dim(b)))


def le(a: Dim | int, b: Dim | int) -> Con:
    d = dim(a) - b
    if d.number is not None:
        return TRUE if d.number <= 0 else never(a, b)
    return Con("le", d, sides=(dim(a), dim(b)))


def no(c: Con) -> Con:
    if c.kind in ("true", "false"):
        return FALSE if c == TRUE else TRUE
    if c.kind == "not":
        return c.parts[0]
    if c.kind == "le":
        assert c.d is not None
        a, b = c.sides or (c.d, dim(0))
        return le(b + 1, a)
    if c.kind in ("and", "or"):
        return (any_ if c.kind == "and" else all_)(*[no(p) for p in c.parts])
    return Con("not", None, (c,))


def all_(*cs: Con) -> Con:
    return gather("and", TRUE, FALSE, cs)


def any_(*cs: Con) -> Con:
    return gather("or", FALSE, TRUE, cs)


def gather(kind: str, unit: Con, zero: Con, cs: tuple[Con, ...]) -> Con:
    out: list[Con] = []
    for c in cs:
        if c == zero:
            return zero
        for p in c.parts if c.kind == kind else (c,):
            if p != unit and p not in out:
                out.append(p)
    if any(p.kind == "not" and p.parts[0] in out for p in out):
        return zero
    return unit if not out else out[0] if len(out) == 1 else Con(kind, None, tuple(out))


def choice(c: Con, a: Dim, b: Dim) -> Dim:
    """[dim.choice]"""
    if c == TRUE or a == b:
        return a
    if c == FALSE:
        return b
    if c.kind == "not":
        return choice(c.parts[0], b, a)
    if c.kind == "eq" and c.d is not None:
        solved = stated(c)
        if solved and replace(a, {solved[0]: solved[1]}) == replace(b, {solved[0]: solved[1]}):
            return b
        if solved and solved[1].number is not None:
            a = replace(a, {solved[0]: solved[1]})
    return a if a == b else dim(Ite(c, a, b))


def stated(c: Con) -> tuple[Var, Dim] | None:
    """The name that is one side of an equation, and the other side."""
    a, b = c.sides or (c.d or dim(0), dim(0))
    for one, other in ((a, b), (b, a)):
        for v in variables(one):
            if one == dim(v) and v not in variables(other):
                return v, other
    return None


def solve(d: Dim) -> tuple[Var, Dim] | None:
    """[dim.facts.solve]: a variable with the factor 1 or -1 that occurs nowhere else; ghosts and later ones first."""
    best: tuple[Var, Dim] | None = None
    for m, c in d.terms:
        if len(m) == 1 and m[0][1] == 1 and isinstance(v := m[0][0], Var) and abs(c) == 1:
            rest = make({n: k for n, k in d.terms if n != m}) * -c
            if v not in variables(rest) and (
                best is None or (not v.rigid, v.uid, v.name) > (not best[0].rigid, best[0].uid, best[0].name)
            ):
                best = (v, rest)
    return best


def variables(d: Dim | Con) -> dict[Var, None]:
    """The variables, in the order of the text."""
    out: dict[Var, None] = {}
    if isinstance(d, Con):
        for x in d.sides if d.sides else [d.d] if d.d is not None else d.parts:
            out.update(variables(x))
        return out
    for m, _ in d.terms:
        for a, _k in m:
            if isinstance(a, Var):
                out[a] = None
                continue
            parts = (a.top, a.by) if isinstance(a, Div) else a.parts if isinstance(a, Max) else (a.cond, a.yes, a.no)
            for p in parts:
                out.update(variables(p))
    return out


def replace(d: Dim, s: Mapping[Any, Dim]) -> Dim:
    """[dim.substitute], of names or of other atoms."""
    if not s:
        return d
    out = dim(0)
    for m, c in d.terms:
        t = dim(c)
        for a, k in m:
            if isinstance(a, Var) or a in s:
                b = s.get(a, dim(a))
            elif isinstance(a, Div):
                by = replace(a.by, s)
                b = (
                    dim(Div(replace(a.top, s), by))
                    if by.number is not None and by.number < 1
                    else floor(replace(a.top, s), by)
                )
            elif isinstance(a, Max):
                b = extreme(a.low, *[replace(p, s) for p in a.parts])
            else:
                b = choice(swap(a.cond, s), replace(a.yes, s), replace(a.no, s))
            for _ in range(k):
                t = t * b
        out += t
    return out


def swap(c: Con, s: Mapping[Any, Dim]) -> Con:
    """[dim.substitute] in a constraint."""
    if c.kind in ("eq", "le") and c.d is not None:
        sides = c.sides or (c.d, dim(0))
        a, b = replace(sides[0], s), replace(sides[1], s)
        return eq(a, b) if c.kind == "eq" else le(a, b)
    if c.kind == "not":
        return no(swap(c.parts[0], s))
    if c.kind in ("and", "or"):
        return (all_ if c.kind == "and" else any_)(*[swap(p, s) for p in c.parts])
    return c


def broadcast(a: Dim, b: Dim) -> Dim:
    """[op.broadcast.agree]: if one is a number other than 1, it is that number."""
    if a.number is not None and a.number != 1:
        return a
    if b.number is not None and b.number != 1:
        return b
    return choice(eq(a, 1), b, a)


def divide(top: Dim, by: Dim) -> Dim | None:
    """The quotient of polynomials, where the divisor divides exactly."""
    if not by.terms:
        return None
    if len(by.terms) > 1:
        return long_division(top, by)
    m, c = by.terms[0]
    need = dict(m)
    out = dim(0)
    for n, k in top.terms:
        have = dict(n)
        if k % c or any(have.get(a, 0) < p for a, p in need.items()):
            return None
        t = dim(k // c)
        for a, p in have.items():
            for _ in range(p - need.get(a, 0)):
                t = t * dim(a)
        out += t
    return out


def long_division(top: Dim, by: Dim) -> Dim | None:
    """The quotient by a divisor of several terms, if nothing is left over."""
    names = sorted({str(a) for d in (top, by) for m, _ in d.terms for a, _ in m})

    def degree(term: tuple[Mono, int]) -> tuple[int, ...]:
        powers = {str(a): k for a, k in term[0]}
        return (sum(powers.values()), *(powers.get(n, 0) for n in names))

    first = make(dict([max(by.terms, key=degree)]))
    out = dim(0)
    while top.terms:
        step = divide(make(dict([max(top.terms, key=degree)])), first)
        if step is None:
            return None
        out, top = out + step, top - step * by
    return out
