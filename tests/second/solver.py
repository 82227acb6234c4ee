"""Chapter 4, `dim.decide`: facts, and decisions by z3 within a budget of steps."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import z3

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
from .intervals import Intervals, covers, linear, single, v_mod
from .laws import decided, either, elsewhere, extremes, put, tested, together, with_dim
from .text import Skip


class Facts:
    """[dim.facts] [dim.decide]"""

    def __init__(self) -> None:
        self.memo: dict[tuple[Any, ...], str] = {}
        self.until = time.monotonic() + 7

    def name(self, v: Var) -> Any:
        return z3.Int(f"{v.name}#{v.uid}")

    def term(self, d: Dim) -> Any:
        out: Any = z3.IntVal(0)
        for m, c in d.terms:
            t: Any = z3.IntVal(c)
            for a, k in m:
                b: Any
                if isinstance(a, Var):
                    b = self.name(a)
                elif isinstance(a, Div):
                    b = self.term(a.top) / self.term(a.by)
                elif isinstance(a, Max):
                    b = self.term(a.parts[0])
                    for p in a.parts[1:]:
                        q = self.term(p)
                        b = z3.If(b <= q if a.low else b >= q, b, q)
                else:
                    b = z3.If(self.con(a.cond), self.term(a.yes), self.term(a.no))
                for _ in range(k):
                    t = t * b
            out = out + t
        return z3.simplify(out)

    def con(self, c: Con) -> Any:
        if c.kind == "eq" and c.d is not None:
            return self.term(c.d) == 0
        if c.kind == "le" and c.d is not None:
            return self.term(c.d) <= 0
        if c.kind == "not":
            return z3.Not(self.con(c.parts[0]))
        if c.kind == "and":
            return z3.And(*[self.con(p) for p in c.parts])
        if c.kind == "or":
            return z3.Or(*[self.con(p) for p in c.parts])
        return z3.BoolVal(c == TRUE)

    def cone(self, cs: list[Con], seed: set[Var]) -> list[Con]:
        """[dim.facts.cone]"""
        left = [(c, set(variables(c))) for c in cs if c != TRUE]
        out: list[Con] = []
        seen = set(seed)
        grown = True
        while grown:
            grown = False
            for c, vs in list(left):
                if not vs or vs & seen:
                    left.remove((c, vs))
                    out.append(c)
                    seen |= vs
                    grown = True
        return out

    def sat(self, cs: list[Con]) -> str:
        """`sat`, `unsat` or `unknown`, of a conjunction."""
        if any(c.kind == "false" for c in cs):
            return "unsat"
        if time.monotonic() > self.until:
            raise Skip("budget")
        key = tuple(sorted(map(repr, set(cs))))
        if key not in self.memo:
            formula = [self.con(c) for c in cs]
            for solver in (z3.SimpleSolver(), z3.Solver()):  # the first is quick, the second thorough
                solver.set("rlimit", 600000)
                solver.set("timeout", 350)
                solver.add(*formula)
                self.memo[key] = str(solver.check())
                if self.memo[key] != "unknown":
                    break
        return self.memo[key]

    def holds(self, facts: list[Con], goal: Con) -> bool:
        """[dim.decide.valid]"""
        if goal == TRUE:
            return True
        near = self.cone(facts, set(variables(goal)))
        return self.sat([*near, no(goal)]) == "unsat"

    def possible(self, facts: list[Con], goal: Con) -> str:
        """[dim.decide.plausible]"""
        return self.sat([*self.cone(facts, set(variables(goal))), goal])

    def least(self, facts: list[Con], goal: Con, earlier: Iterable[Con] = ()) -> dict[Var, int] | None:
        """[dim.decide.models]: the least valuation at which `goal` fails, or None."""
        order: list[Var] = list({v: None for c in (goal, *earlier) for v in variables(c)})
        near = self.cone(facts, set(order))
        for c in near:
            order += [v for v in variables(c) if v not in order]
        s = z3.SimpleSolver()
        s.set("timeout", 600)
        for c in [*near, no(goal)]:
            s.add(self.con(c))
        if s.check() != z3.sat:
            return None
        s.push()
        s.add(*[self.name(v) >= 0 for v in order])
        if s.check() != z3.sat:
            s.pop()
            s.check()
        model = s.model()
        top = max([abs(model.eval(self.name(v), model_completion=True).as_long()) for v in order] or [0])
        for k in [*range(70), 128, 256, 512, 1024, 2048, 4096]:
            if k >= top:
                k = top
            s.push()
            for v in order:
                s.add(self.name(v) <= k, self.name(v) >= -k)
            if s.check() == z3.sat:
                break
            s.pop()
            if k == top:
                break
        out: dict[Var, int] = {}
        for v in order:
            if s.check() != z3.sat:
                return None
            best = s.model().eval(self.name(v), model_completion=True).as_long()
            for j in range(min(0, best), best):
                if s.check(self.name(v) == j) == z3.sat:
                    best = j
                    break
            s.add(self.name(v) == best)
            out[v] = best
        return out

    def solved(self, facts: list[Con]) -> dict[Var, Dim]:
        """[dim.facts.solve]: the equations of the facts as one substitution."""
        out: dict[Var, Dim] = {}
        for c in facts:
            for p in c.parts if c.kind == "and" else (c,):
                p = swap(p, out)
                if p.kind == "eq" and p.d is not None and (found := solve(p.d)):
                    v, d = found
                    out = {w: replace(e, {v: d}) for w, e in out.items()}
                    out[v] = d
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
        tries = [p]
        for need, c, rest in self.products(facts):
            if len(rest.terms) == 1 and rest.terms[0][1] == 1:
                m = dict(rest.terms[0][0])
                back = make({tuple(need.items()): c})
                tries += [self.reduced(x, [(m, 1, back * 1)]) if not any(a in m for a in need) else x for x in tries]
        for x in tries:
            got = divide(x, q)
            if got is not None and q.terms:
                return got
        return None

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
        d, intervals = c.d, Intervals(facts)
        for a in [a for a, k in c.d.terms[0][0] for _ in range(k)]:
            less = divide(d, dim(a))
            low = intervals.of(dim(a))[0]
            if less is not None and low is not None and low >= 1:
                d = less
        return c if d == c.d else eq(d, 0) if c.kind == "eq" else le(d, 0)

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
                    if a.cond.kind == "le":
                        yes, other = single([*facts, a.cond], yes), single([*facts, no(a.cond)], other)
                    if self.holds(facts, a.cond) or self.agrees(facts, a.cond, yes, other):
                        b = yes
                    elif self.holds(facts, no(a.cond)) or self.agrees(facts, no(a.cond), yes, other):
                        b = other
                    else:
                        b = choice(a.cond, yes, other)
                for _ in range(k):
                    t = t * b
            out += t
        return out

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
        yes = self.exact(facts, put(top, *found), atom.yes)
        other = self.exact(elsewhere(facts, atom.cond), top, atom.no)
        return choice(atom.cond, yes, other) if yes is not None and other is not None else None

    def exact(self, facts: list[Con], top: Dim, by: Dim) -> Dim | None:
        """The quotient by a divisor that is at least 1, if it is a polynomial."""
        return divide(top, by) if self.holds(facts, le(1, by)) else None
