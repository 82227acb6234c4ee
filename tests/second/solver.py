"""Chapter 4, `dim.facts`: what facts make of dims and constraints."""

from __future__ import annotations

from collections.abc import Callable

from .deciding import Decisions
from .dims import TRUE, Con, Dim, Var, dim, divide, eq, le, replace, solve, swap
from .intervals import Intervals
from .laws import each, twins
from .products import Product, positive, products, reduced, ways
from .simplify import Known

Saturated = tuple[dict[Var, Dim], list[Con]]
"""Names that are solved, and the facts about the others."""


def with_value(solved: dict[Var, Dim], v: Var, d: Dim) -> dict[Var, Dim]:
    """A substitution with one more name."""
    return {**{w: replace(e, {v: d}) for w, e in solved.items()}, v: d}


def numbers(solved: dict[Var, Dim]) -> dict[Var, Dim]:
    """The names that equal a number."""
    return {v: d for v, d in solved.items() if d.number is not None}


def with_sides(c: Con, law: Callable[[Dim], Dim]) -> Con:
    """A comparison with its sides as a law makes them."""
    a, b = c.sides or (c.d or dim(0), dim(0))
    return eq(law(a), law(b)) if c.kind == "eq" else le(law(a), law(b))


def flat(facts: list[Con]) -> list[Con]:
    """Facts that are no conjunctions."""
    return [p for f in facts for p in (f.parts if f.kind == "and" else (f,)) if p != TRUE]


def compound(c: Con) -> bool:
    """Whether bounds could simplify a fact: whether it has more than sums of names."""
    if c.kind in ("or", "and", "not"):
        return c.kind == "or" or any(map(compound, c.parts))
    return c.d is not None and any(len(m) > 1 or not isinstance(a, Var) for m, _ in c.d.terms for a, _ in m)


def at_least_one(known: Known, rule: Product) -> bool:
    """Whether the quotient of an equation is at least 1, since the product is, and no factor is negative."""
    lows = [known.least(dim(a)) for a, _ in rule.product]
    return known.some(rule.image) and all(low is not None and low >= 0 for low in lows)


def equations(facts: list[Con]) -> dict[Var, Dim]:
    """What equations, and bounds with one number only, say of names."""
    out: dict[Var, Dim] = {}
    for c in facts:
        p = swap(c, out)
        if p.kind == "eq" and p.d is not None and (found := solve(p.d)):
            out = with_value(out, *found)
    for form, number in Intervals(swap(c, out) for c in facts).values():
        if found := solve(replace(form, out) - number):
            out = with_value(out, *found)
    return out


def simplified(facts: list[Con]) -> list[Con]:
    """Facts that are simplified by the others, and quotients that are at least 1."""
    known = Known([f for f in facts if not compound(f) or (f.kind == "or" and not any(map(compound, f.parts)))])
    done = flat([known.plain(known.constraint(f)) if compound(f) else f for f in facts])
    known = Known(done)
    more = [le(1, positive(r)) for r in known.rules if at_least_one(known, r)]
    return list(dict.fromkeys([*done, *more]))


def saturated(facts: list[Con]) -> Saturated:
    """The equations of facts, and the facts that are left."""
    solved: dict[Var, Dim] = {}
    left = flat(facts)
    for _ in range(6):
        found = equations(left)
        for v, d in found.items():
            solved = with_value(solved, v, d)
        now = simplified(flat([swap(f, found) for f in left]))
        if now == left:
            break
        left = now
    return solved, left


class Facts(Decisions):
    """[dim.facts] [dim.decide.simplify]"""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[int, ...], tuple[list[Con], Saturated]] = {}
        self.told: dict[tuple[int, ...], Known] = {}

    def solved(self, facts: list[Con]) -> dict[Var, Dim]:
        """[dim.facts.solve] [dim.facts.bound]: the equations of the facts as one substitution."""
        return self.saturated(facts)[0]

    def saturated(self, facts: list[Con]) -> Saturated:
        """The equations of facts, and the facts that are left, each simplified by the others [dim.facts.plain]."""
        key = tuple(map(id, facts))
        if key not in self.kept:
            self.kept[key] = list(facts), saturated(facts)
        return self.kept[key][1]

    def divisible(self, facts: list[Con], c: Con) -> Con:
        """[dim.facts.divisible]: a product with a quotient, in a goal."""
        rules = products(facts)
        return each(lambda p: with_sides(p, lambda d: reduced(d, rules)), c) if rules else c

    def multiple(self, facts: list[Con], p: Dim, q: Dim) -> Dim | None:
        """[dim.facts.multiple]: the quotient, where facts make the divisor a factor of the dividend."""
        found = (divide(x, q) for x in (p, *ways(p, products(facts)))) if q.terms else ()
        return next((x for x in found if x is not None), None)

    def simplest(self, facts: list[Con], goal: Con) -> bool:
        """Whether the laws of sizes make a goal true."""
        return self.known(facts, True).constraint(swap(goal, self.solved(facts))) == TRUE

    def simple(self, facts: list[Con], d: Dim, names: bool = True) -> Dim:
        """[dim.decide.simplify]; `names`: also by equations of the facts."""
        return self.known(facts, names).simple(replace(d, self.solved(facts)) if names else d)

    def written(self, facts: list[Con], goal: Con) -> Con:
        """The condition of a check [check.residual]."""
        known = self.known(facts, False)
        return known.plain(known.constraint(swap(goal, numbers(self.solved(facts)))))

    def known(self, facts: list[Con], names: bool) -> Known:
        """The facts that simplify: rewritten by their equations, or about all names."""
        solved, left = self.saturated(facts)
        key = (*map(id, facts), names)
        if key not in self.told:
            self.told[key] = Known(left if names else twins(left, solved))
        return self.told[key]
