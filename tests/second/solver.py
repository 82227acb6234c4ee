"""Chapter 4, `dim.facts` and `dim.decide.simplify`: what facts make of dims and constraints."""

from __future__ import annotations

from typing import Any

from .deciding import Decisions
from .dims import (
    FALSE,
    TRUE,
    Con,
    Dim,
    Div,
    Ite,
    Max,
    Var,
    all_,
    any_,
    choice,
    dim,
    divide,
    eq,
    extreme,
    floor,
    le,
    make,
    no,
    replace,
    solve,
    swap,
    variables,
)
from .intervals import Intervals, covers, decided, linear, single, v_mod
from .laws import by_sign, each, either, elsewhere, extremes, factor, factors, tested, together, twins, with_dim


def with_value(solved: dict[Var, Dim], v: Var, d: Dim) -> dict[Var, Dim]:
    """A substitution with one more name."""
    return {**{w: replace(e, {v: d}) for w, e in solved.items()}, v: d}


def one_left(intervals: Intervals, c: Con) -> Con:
    """A disjunction without the parts that fail by bounds [dim.facts.plain]."""
    if c.kind != "or":
        return c
    return any_(*[p for p in c.parts if decided(intervals, p) is not False])


class Facts(Decisions):
    """[dim.facts] [dim.decide.simplify]"""

    def solved(self, facts: list[Con]) -> dict[Var, Dim]:
        """[dim.facts.solve] [dim.facts.bound]: the equations of the facts as one substitution."""
        out: dict[Var, Dim] = {}
        while True:
            known = len(out)
            for c in facts:
                for p in c.parts if c.kind == "and" else (c,):
                    p = swap(p, out)
                    if p.kind == "eq" and p.d is not None and (found := solve(p.d)):
                        out = with_value(out, *found)
            now = [swap(c, out) for c in facts]
            for v, number in Intervals(now).values().items():
                out = with_value(out, v, dim(number))
            facts = [one_left(Intervals(now), c) for c in now]
            if len(out) == known:
                return out

    def divisible(self, facts: list[Con], c: Con) -> Con:
        """[dim.facts.divisible]: a product with a quotient, in a goal."""
        rules = self.products(facts)
        if not rules:
            return c
        if c.kind in ("eq", "le") and c.d is not None:
            sides = c.sides or (c.d, dim(0))
            a, b = self.reduced(sides[0], rules), self.reduced(sides[1], rules)
            return eq(a, b) if c.kind == "eq" else le(a, b)
        if c.kind in ("and", "or"):
            return (all_ if c.kind == "and" else any_)(*[self.divisible(facts, p) for p in c.parts])
        return c

    def products(self, facts: list[Con]) -> list[tuple[dict[Any, int], int, Dim]]:
        out = []
        for f in facts:
            for p in f.parts if f.kind == "and" else (f,):
                if p.kind == "eq" and p.d is not None:
                    for m, c in p.d.terms:
                        for q, k in m:
                            if isinstance(q, Div) and k == 1 and not any(isinstance(a, (Max, Ite)) for a, _ in m):
                                rest = make({n: x for n, x in p.d.terms if n != m}) * (-1 if c > 0 else 1)
                                out.append((dict(m), abs(c), rest))
        return out

    def reduced(self, d: Dim, rules: list[tuple[dict[Any, int], int, Dim]]) -> Dim:
        for _ in range(6):
            for need, c, rest in rules:
                for m, k in d.terms:
                    have = dict(m)
                    if k % c == 0 and all(have.get(a, 0) >= x for a, x in need.items()):
                        left = tuple((a, x - need.get(a, 0)) for a, x in m if x > need.get(a, 0))
                        d = d - make({m: k}) + rest * make({left: k // c})
                        break
                else:
                    continue
                break
            else:
                return d
        return d

    def multiple(self, facts: list[Con], p: Dim, q: Dim) -> Dim | None:
        """[dim.facts.multiple]: the quotient, where facts make the divisor a factor of the dividend."""
        for x in self.ways(facts, p):
            got = divide(x, q)
            if got is not None and q.terms:
                return got
        return None

    def smaller(self, facts: list[Con], c: Con) -> Con:
        """[dim.facts.multiple]: a comparison with fewer factors."""
        if c.d is None:
            return c
        found = next((x for x in self.ways(facts, c.d) if factors(x) < factors(c.d)), None)
        return c if found is None else by_sign(c.kind, found)

    def ways(self, facts: list[Con], p: Dim) -> list[Dim]:
        """The forms of a dim by the equations of products with a quotient, from right to left."""
        tries = [p]
        for need, c, rest in self.products(facts):
            if len(rest.terms) == 1 and rest.terms[0][1] == 1:
                m = dict(rest.terms[0][0])
                back = make({tuple(need.items()): c})
                tries += [self.reduced(x, [(m, 1, back * 1)]) if not any(a in m for a in need) else x for x in tries]
        return tries

    def simple(self, facts: list[Con], d: Dim, names: bool = True) -> Dim:
        """[dim.decide.simplify], with the solver in the place of bounds; `names`: also by equations of the facts."""
        if d.number is not None or (
            all(len(m) == 0 or all(isinstance(a, Var) for a, _ in m) for m, _ in d.terms)
            and not any(c.kind in ("eq", "and") for c in facts)
        ):
            return d
        known = [swap(f, self.solved([g for g in facts if g is not f])) for f in facts]
        box = [f for f in known if len(variables(f)) == 1 and f.kind in ("le", "eq", "not", "and")]
        either = [g for f in known if f.kind == "or" and (g := self.left(box, f)).kind == "or"]
        return self.reduced(
            self.inner([*box, *either], replace(d, self.solved(facts)) if names else d), self.products(facts)
        )

    def written(self, facts: list[Con], goal: Con) -> Con:
        """The condition of a check [check.residual]."""
        numbers = {v: d for v, d in self.solved(facts).items() if d.number is not None}
        known = twins([swap(f, numbers) for f in facts])
        box = self.bounds(facts)
        either = [g for f in known if f.kind == "or" and (g := self.left(box, f)).kind == "or"]
        goal = self.divisible(known, self.left(box, swap(goal, numbers)))
        goal = each(lambda p: self.smaller(known, self.inside([*box, *either], p)), goal)
        return self.plain(box, self.divisible(known, goal))

    def inside(self, facts: list[Con], c: Con) -> Con:
        """A comparison with simpler sides."""
        a, b = c.sides or (c.d or dim(0), dim(0))
        one, other = self.inner(facts, a), self.inner(facts, b)
        return c if (a, b) == (one, other) else eq(one, other) if c.kind == "eq" else le(one, other)

    def plain(self, facts: list[Con], c: Con, depth: int = 8) -> Con:
        """[dim.facts.plain]"""
        if c.kind in ("and", "or"):
            parts = [self.plain(facts, p, depth) for p in c.parts]
            return together(parts) if c.kind == "and" else either(parts)
        if c.kind == "not":
            return no(self.plain(facts, c.parts[0], depth))
        if c.kind not in ("eq", "le") or c.d is None or not c.d.terms:
            return c
        found = self.by_cases(facts, c, depth) or extremes(facts, c)
        if found is not None and depth:
            return self.plain(facts, found, depth - 1)
        return self.cancelled(facts, c)

    def by_cases(self, facts: list[Con], c: Con, depth: int) -> Con | None:
        """A comparison with an if-then-else dim, one of whose cases bounds decide."""
        assert c.d is not None
        intervals = Intervals(facts)
        for a in [a for m, _ in c.d.terms for a, _ in m if isinstance(a, Ite)]:
            solved = solve(a.cond.d) if a.cond.kind == "eq" and a.cond.d is not None else None
            at = dict([solved]) if solved else {}
            yes = swap(with_dim(c, a, a.yes), at)
            other = with_dim(c, a, a.no)
            holds, fails = decided(intervals, yes), decided(intervals, other)
            if holds is not None:
                rest = TRUE if fails else FALSE
                if fails is None:
                    rest = self.plain(elsewhere(facts, a.cond), other, depth - 1)
                return any_(a.cond, rest) if holds else all_(no(a.cond), rest)
            if fails is not None:
                return any_(no(a.cond), yes) if fails else all_(a.cond, yes)
        return None

    def cancelled(self, facts: list[Con], c: Con) -> Con:
        """A comparison without a factor of both sides that by bounds is at least 1."""
        assert c.d is not None
        given = c.sides[0] - c.sides[1] if c.sides else c.d
        d, intervals = given, Intervals(facts)
        for a in [a for a, k in d.terms[0][0] for _ in range(k)]:
            less = divide(d, dim(a))
            low = intervals.of(dim(a))[0]
            if less is not None and low is not None and low >= 1:
                d = less
        return c if d == given and factor(d) == 1 else by_sign(c.kind, make({m: k // factor(d) for m, k in d.terms}))

    def bounds(self, facts: list[Con]) -> list[Con]:
        """The bounds of single names in the facts [dim.decide.interval]."""
        parts = [p for f in facts for p in (f.parts if f.kind == "and" else (f,))]
        box = [p for p in parts if p.kind in ("le", "eq", "not") and len(variables(p)) == 1 and linear(p)]
        for p in parts:  # a multiple of k that is at least 1 is at least k
            for v in variables(p) if p.kind == "eq" and p.d is not None and len(p.d.terms) == 2 else ():
                for k in [a.by.number for m, _ in p.d.terms for a, _ in m if isinstance(a, Div) and a.top == dim(v)]:
                    low = Intervals(box).of(dim(v))[0]
                    if k is not None and low is not None and p in (eq(v_mod(v, k), 0), eq(-v_mod(v, k), 0)):
                        box.append(le(dim(-(-low // k) * k), dim(v)))
        for v, d in [pair for p in parts if p.kind == "eq" and p.d is not None and (pair := solve(p.d))]:
            if [v] != list(variables(d)) and d in map(dim, variables(d)):  # equal names have the same bounds
                (w,) = variables(d)
                box += [swap(p, {v: d}) for p in box if v in variables(p)]
                box += [swap(p, {w: dim(v)}) for p in box if w in variables(p)]
        return box

    def left(self, box: list[Con], f: Con) -> Con:
        """A disjunction without the parts that bounds exclude."""
        if f.kind != "or":
            return f
        kept = [p for p in f.parts if self.possible(box, p) != "unsat"]
        return any_(*kept) if kept else f

    def inner(self, facts: list[Con], d: Dim) -> Dim:
        out, intervals = dim(0), Intervals(facts)
        for m, c in d.terms:
            t = dim(c)
            for a, k in m:
                b = dim(a)
                if isinstance(a, Div):
                    by, top = self.inner(facts, a.by), self.inner(facts, a.top)
                    b = self.quotient(facts, top, by)
                elif isinstance(a, Max):
                    parts = [self.inner(facts, p) for p in a.parts]
                    for p in list(parts):
                        rest = [q for q in parts if q is not p]
                        if any(covers(intervals, a.low, q, p) for q in rest):
                            parts = rest
                    b = extreme(a.low, *parts)
                elif isinstance(a, Ite):
                    yes, other = self.inner(facts, a.yes), self.inner(facts, a.no)
                    test = self.condition(facts, a.cond)
                    if test.kind == "le":
                        yes, other = single([*facts, test], yes), single([*facts, no(test)], other)
                    if self.holds(facts, test) or self.agrees(facts, test, yes, other):
                        b = yes
                    elif self.holds(facts, no(test)) or self.agrees(facts, no(test), yes, other):
                        b = other
                    else:
                        b = choice(test, yes, other)
                for _ in range(k):
                    t = t * b
            out += t
        return out

    def condition(self, facts: list[Con], c: Con) -> Con:
        """The condition of an if-then-else dim [dim.decide.simplify]."""
        if c.kind == "eq" and any(isinstance(a, (Max, Ite)) for m, _ in (c.d or dim(0)).terms for a, _ in m):
            return self.plain(facts, c)
        return each(lambda p: self.cancelled(facts, p), c)

    def agrees(self, facts: list[Con], c: Con, a: Dim, b: Dim) -> bool:
        """The third line of the table: F has the disjunction of exactly c and a == b."""
        return any(f.kind == "or" and set(f.parts) == {c, eq(a, b)} for f in facts)

    def quotient(self, facts: list[Con], top: Dim, by: Dim) -> Dim:
        if by.number is not None:
            for q in range(3):
                if self.holds(facts, all_(le(by * q, top), le(top + 1, by * (q + 1)))):
                    return dim(q)
            return floor(top, by)
        if not self.holds(facts, le(1, by)):
            return dim(Div(top, by))
        for a in [a for m, _ in by.terms[:1] for a, _ in m]:
            less, rest = divide(by, dim(a)), divide(top, dim(a))
            if less is not None and rest is not None and self.holds(facts, le(1, dim(a))):
                top, by = rest, less
        got = divide(top, by) or self.of_choice(facts, top, by)
        return got if got is not None else floor(top, by) if by.number is not None else dim(Div(top, by))

    def of_choice(self, facts: list[Con], top: Dim, by: Dim) -> Dim | None:
        """The quotient by an if-then-else dim whose condition is that an atom is a number."""
        atom = by.terms[0][0][0][0]
        if by != dim(atom) or not isinstance(atom, Ite) or (found := tested(atom.cond)) is None:
            return None
        yes = self.exact(facts, replace(top, {found[0]: dim(found[1])}), atom.yes)
        other = self.exact(elsewhere(facts, atom.cond), top, atom.no)
        return choice(atom.cond, yes, other) if yes is not None and other is not None else None

    def exact(self, facts: list[Con], top: Dim, by: Dim) -> Dim | None:
        """The quotient by a divisor that is at least 1, if it is a polynomial."""
        if not self.holds(facts, le(1, by)):
            return None
        intervals = Intervals(facts)
        (low, _), (gap, _) = intervals.of(top), intervals.of(by - top)
        return dim(0) if low is not None and low >= 0 and gap is not None and gap >= 1 else divide(top, by)
