"""Chapter 4, `dim.decide.simplify` and `dim.facts.plain`: dims and constraints in simpler form."""

from __future__ import annotations

from .dims import (
    FALSE,
    TRUE,
    Con,
    Dim,
    Div,
    Ite,
    Max,
    all_,
    any_,
    choice,
    dim,
    eq,
    extreme,
    floor,
    le,
    no,
    replace,
    swap,
)
from .intervals import Intervals, covers, decided, numbered, sole
from .laws import (
    atoms,
    by_sign,
    cancelled,
    common,
    division,
    each,
    either,
    extremes,
    stated_at,
    tested,
    together,
    with_dim,
)
from .products import factors, products, reduced, ways


class Known:
    """The facts that simplify: bounds, equations of products, and disjunctions."""

    def __init__(self, facts: list[Con]) -> None:
        self.facts = facts
        self.intervals = Intervals(facts)
        self.rules = products(facts)
        self.either = [frozenset(f.parts) for f in facts if f.kind == "or"]

    def given(self, c: Con) -> Known:
        """What is known where a constraint holds too."""
        return Known([*self.facts, c])

    def elsewhere(self, c: Con) -> Known:
        """What is known where a condition that equates a term with its least number does not hold."""
        found = tested(c)
        if found is None or self.least(dim(found[0])) != found[1]:
            return self
        return self.given(le(found[1] + 1, dim(found[0])))

    def least(self, d: Dim) -> int | None:
        """The lower bound of a dim."""
        return self.intervals.of(d)[0]

    def some(self, d: Dim) -> bool:
        """Whether a dim is at least 1."""
        low = self.least(d)
        return low is not None and low >= 1

    def within(self, d: Dim, by: Dim) -> bool:
        """Whether `0 <= d < by`."""
        low, gap = self.least(d), self.least(by - d)
        return low is not None and low >= 0 and gap is not None and gap >= 1

    # ------------------------------------------------------------------------------------------------ sizes

    def simple(self, d: Dim) -> Dim:
        """[dim.decide.simplify]"""
        out = dim(0)
        for m, c in d.terms:
            t = dim(c)
            for a, k in m:
                b = dim(a)
                if isinstance(a, Div):
                    b = self.quotient(self.simple(a.top), self.simple(a.by))
                elif isinstance(a, Max):
                    b = self.extreme(a.low, [self.simple(p) for p in a.parts])
                elif isinstance(a, Ite):
                    b = self.choice(self.constraint(a.cond), self.simple(a.yes), self.simple(a.no))
                for _ in range(k):
                    t = t * b
            out += t
        return reduced(out, self.rules)

    def extreme(self, low: bool, parts: list[Dim]) -> Dim:
        """A max or a min without operands that another one reaches."""
        kept = list(parts)
        for p in parts:
            others = [q for q in kept if q is not p]
            if any(covers(self.intervals, low, q, p) for q in others):
                kept = others
        return extreme(low, *kept)

    def choice(self, test: Con, yes: Dim, other: Dim) -> Dim:
        """An if-then-else dim."""
        if test in (TRUE, FALSE):
            return yes if test == TRUE else other
        for holds, one, case in ((test, yes, other), (no(test), other, yes)):
            if frozenset((holds, self.compared(eq(one, case)))) in self.either:
                return one
        if test.kind == "eq" and any(isinstance(a, (Max, Ite)) for a in atoms(test.d)):
            made = self.plain(test)
            return choice(made, yes, other) if made == test else self.choice(made, yes, other)
        if test.kind == "le":
            yes, other = numbered(self.given(test).intervals, yes), numbered(self.given(no(test)).intervals, other)
        return choice(test, yes, other)

    def quotient(self, top: Dim, by: Dim) -> Dim:
        """A quotient."""
        top, by = common(self.intervals, top, by)
        found = self.of_choice(top, by)
        if found is not None:
            return found
        if not self.some(by):
            return dim(Div(top, by))
        low, high = self.intervals.of(dim(Div(top, by)))
        if low is not None and low == high:
            return dim(low)
        whole, rest = division(top, by)
        if self.within(rest, by):
            return whole
        more = self.of_multiple(rest, by)
        return whole + (floor(rest, by) if more is None else more)

    def of_multiple(self, rest: Dim, by: Dim) -> Dim | None:
        """[dim.facts.multiple] in a quotient; a linear sum that is divided by a number is not rewritten."""
        if by.number is not None and all(sum(k for _, k in m) < 2 for m, _ in rest.terms):
            return None
        found = smaller = None
        for way in ways(rest, self.rules):
            whole, left = division(way, by)
            if self.within(left, by):
                return whole
            if found is None and set(left.terms) < set(rest.terms):
                found = whole + floor(left, by)
            less, divisor = common(self.intervals, way, by)
            if smaller is None and divisor != by:
                smaller = floor(less, divisor)
        return found if found is not None else smaller

    def of_choice(self, top: Dim, by: Dim) -> Dim | None:
        """The quotient by an if-then-else dim whose condition is that a term is a number."""
        atom = sole(by)
        if not isinstance(atom, Ite) or (found := tested(atom.cond)) is None:
            return None
        yes = self.exact(replace(top, {found[0]: dim(found[1])}), atom.yes)
        other = self.elsewhere(atom.cond).exact(top, atom.no)
        return choice(atom.cond, yes, other) if yes is not None and other is not None else None

    def exact(self, top: Dim, by: Dim) -> Dim | None:
        """The quotient by a divisor that is at least 1, if it is a polynomial."""
        top, by = common(self.intervals, top, by)
        if not self.some(by):
            return None
        whole, rest = division(top, by)
        return whole if self.within(rest, by) else None

    # ------------------------------------------------------------------------------------------ constraints

    def constraint(self, c: Con) -> Con:
        """A constraint with simpler sizes, and without what bounds decide."""
        return each(lambda p: self.compared(self.sides(p)), c)

    def sides(self, c: Con) -> Con:
        """A comparison with simpler sides."""
        a, b = c.sides or (c.d or dim(0), dim(0))
        one, other = self.simple(a), self.simple(b)
        return c if (a, b) == (one, other) else eq(one, other) if c.kind == "eq" else le(one, other)

    def compared(self, c: Con) -> Con:
        """A comparison that bounds decide, or without common factors, or smaller by [dim.facts.multiple]."""
        if c.d is None:
            return c
        holds = decided(self.intervals, c)
        if holds is not None:
            return TRUE if holds else FALSE
        less = cancelled(self.intervals, c)
        if less is c:
            found = next((x for x in ways(c.d, self.rules) if factors(x) < factors(c.d)), None)
            less = c if found is None else cancelled(self.intervals, by_sign(c.kind, found))
        return less

    def plain(self, c: Con, depth: int = 8) -> Con:
        """[dim.facts.plain]"""
        if c.kind in ("and", "or"):
            parts = [self.plain(p, depth) for p in c.parts]
            return together(parts) if c.kind == "and" else either(parts)
        if c.kind == "not":
            return no(self.plain(c.parts[0], depth))
        if c.d is None or not depth:
            return c
        found = self.by_cases(c, depth) or extremes(self.intervals, c)
        return c if found is None else self.plain(found, depth - 1)

    def by_cases(self, c: Con, depth: int) -> Con | None:
        """A comparison with an if-then-else dim, one of whose cases bounds decide."""
        assert c.d is not None
        for a in [a for m, _ in c.d.terms for a, _ in m if isinstance(a, Ite)]:
            yes, other = swap(with_dim(c, a, a.yes), stated_at(a.cond)), with_dim(c, a, a.no)
            holds, fails = decided(self.intervals, yes, False), decided(self.intervals, other, False)
            if holds is not None:
                rest = TRUE if fails else FALSE
                if fails is None:
                    above = self.elsewhere(a.cond)
                    rest = other if above is self else above.plain(above.compared(other), depth - 1)
                return any_(a.cond, rest) if holds else all_(no(a.cond), rest)
            if fails is not None:
                return any_(no(a.cond), yes) if fails else all_(a.cond, yes)
        return None
