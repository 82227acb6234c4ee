"""Chapter 4, `dim.decide`: decisions by z3 within a budget of steps."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import z3

from .dims import (
    TRUE,
    Con,
    Dim,
    Div,
    Max,
    Var,
    no,
    variables,
)
from .text import Skip


class Decisions:
    """[dim.decide]: goals and facts as formulas of z3."""

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
