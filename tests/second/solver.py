"""Chapter 4, `dim.facts`: what facts make of dims and constraints."""

from __future__ import annotations

from collections.abc import Callable

from .deciding import Decisions
from .dims import TRUE, Con, Dim, Var, any_, dim, divide, eq, le, replace, solve, swap
from .intervals import Intervals, decided
from .laws import each, twins
from .products import Product, positive, products, reduced, ways
from .simplify import Known


def with_value(solved: dict[Var, Dim], v: Var, d: Dim) -> dict[Var, Dim]:
    """A substitution with one more name."""
    return {**{w: replace(e, {v: d}) for w, e in solved.items()}, v: d}


def one_left(intervals: Intervals, c: Con) -> Con:
    """A disjunction without the parts that fail by bounds [dim.facts.plain]."""
    if c.kind != "or":
        return c
    return any_(*[p for p in c.parts if decided(intervals, p) is not False])


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


class Facts(Decisions):
    """[dim.facts] [dim.decide.simplify]"""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[tuple[int, ...], bool], tuple[list[Con], Known]] = {}

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
        rules = products(facts)
        return each(lambda p: with_sides(p, lambda d: reduced(d, rules)), c) if rules else c

    def multiple(self, facts: list[Con], p: Dim, q: Dim) -> Dim | None:
        """[dim.facts.multiple]: the quotient, where facts make the divisor a factor of the dividend."""
        found = (divide(x, q) for x in (p, *ways(p, products(facts)))) if q.terms else ()
        return next((x for x in found if x is not None), None)

    def simple(self, facts: list[Con], d: Dim, names: bool = True) -> Dim:
        """[dim.decide.simplify]; `names`: also by equations of the facts."""
        return self.known(facts, names).simple(replace(d, self.solved(facts)) if names else d)

    def written(self, facts: list[Con], goal: Con) -> Con:
        """The condition of a check [check.residual]."""
        known = self.known(facts, False)
        return known.plain(known.constraint(swap(goal, numbers(self.solved(facts)))))

    def known(self, facts: list[Con], names: bool) -> Known:
        """The facts that simplify: rewritten by their equations, or about all names."""
        key = (tuple(map(id, facts)), names)
        if key not in self.kept:
            self.kept[key] = list(facts), self.saturated(facts, names)
        return self.kept[key][1]

    def saturated(self, facts: list[Con], names: bool) -> Known:
        """Facts that are simplified by the others [dim.facts.plain]."""
        solved = self.solved(facts)
        rewritten = flat([swap(f, solved) for f in facts])
        plain = Known([f for f in rewritten if not compound(f)])
        done = flat([plain.plain(plain.constraint(f)) if compound(f) else f for f in rewritten])
        all_known = Known(done)
        done += [le(1, positive(r)) for r in all_known.rules if at_least_one(all_known, r)]
        return Known(done if names else twins(done, solved))
