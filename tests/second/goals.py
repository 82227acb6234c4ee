"""Chapter 9: how goals are discharged, and what is reported at the end of a definition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .dims import FALSE, TRUE, Con, Dim, Ite, Var, all_, any_, dim, eq, no, swap, variables
from .show import con
from .solver import Facts
from .text import Place


class Bad(Exception):
    """A construct that is rejected: code, rule, place."""

    def __init__(self, code: str, rule: str, place: Place, related: list[Place] | None = None) -> None:
        super().__init__(code)
        self.code, self.rule, self.place, self.related = code, rule, place, related


@dataclass
class Pending:
    """A goal of which it is decided at the end what it is: a check, an error, a warning."""

    kind: str
    rule: str
    goal: Con
    place: Place
    facts: list[Con]
    blames: list[Place]
    path: list[Con]
    model: dict[Var, int] | None = None
    never: bool = False
    silent: bool = False
    few: bool = False
    declared: Place | None = None
    raw: Con = TRUE
    shown: Con = TRUE
    behind: list[Con] = field(default_factory=list)
    earlier: list[Con] = field(default_factory=list)


@dataclass
class Report:
    """What is said of a file."""

    diagnostics: list[dict[str, Any]] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    functions: list[dict[str, Any]] = field(default_factory=list)
    bindings: list[dict[str, Any]] = field(default_factory=list)

    def say(
        self,
        code: str,
        rule: str,
        place: Place,
        related: list[Place] | None = None,
        model: dict[Var, int] | None = None,
    ) -> None:
        severity = "warning" if code in ("E0402", "E0403", "E0404", "E0501") else "error"
        one: dict[str, Any] = {"code": code, "severity": severity, "rule": rule, "span": span(place), "message": rule}
        if code == "E0301" and any(
            d["code"] == code and d["rule"] == rule and d["span"] == one["span"] for d in self.diagnostics
        ):
            return  # item 6 of `check.strict`: one mistake at several axes
        one["related"] = [{"span": span(p)} for p in related or [] if p != place]
        if model is not None:
            one["data"] = {"counterexample": {v.name: k for v, k in model.items()}}
        self.diagnostics.append(one)


def span(p: Place) -> dict[str, dict[str, int]]:
    return {k: {"line": a, "column": b} for k, (a, b) in zip(("start", "end"), p, strict=False)}


STATED = ("type.annotation", "type.cast", "type.call", "type.result", "type.assert", "type.instance")


class Goals:
    """F, P and the goals of one definition [check.strict]."""

    def __init__(self, report: Report, solver: Facts) -> None:
        self.report, self.solver = report, solver
        self.facts: list[Con] = []
        self.path: list[Con] = []
        self.certain: list[Con] = []
        self.branches: list[Con] = []
        self.pending: list[Pending] = []
        self.failed = self.dead = self.ended = self.doubt = False
        self.gradual = False
        self.tests = 0
        self.joined: set[Var] = set()
        self.excused = False
        self.forgot: dict[Var, Dim] = {}
        self.failing: list[Con] = []
        self.every: list[Con] = []
        self.outside: list[Con] | None = None

    @property
    def lasting(self) -> list[Con]:
        """The facts that hold outside of all branches, which alone simplify sizes [dim.decide.simplify]."""
        return self.facts if self.outside is None else self.outside

    def gain(self, c: Con, certain: bool = True) -> None:
        """[dim.facts.assume] [dim.facts.lift]"""
        c = lifted(c)
        if c != TRUE:
            self.facts.append(c)
            if certain:
                self.certain.append(c)

    def blame(self, rule: str, goal: Con, place: Place) -> list[Place]:
        """[run.check.blame]"""
        if rule.startswith(STATED):
            return [place]
        seen = variables(goal)
        ghosts = {p for v in seen if not v.rigid for p in v.origin}
        names = {p for v in seen if v.rigid for p in v.origin}
        return sorted(ghosts or names) or [place]

    @property
    def asked(self) -> bool:
        """Whether an unknown here makes the definition gradual: not in code that is not reached [type.if.fails]."""
        return not self.dead or self.ended

    def notice(self, d: Dim | Con) -> None:
        """[type.strict]: an unknown makes the definition gradual."""
        if self.asked and any(not v.rigid and v not in self.joined for v in variables(d)):
            self.gradual = True

    def need(self, rule: str, goal: Con, place: Place, error: bool = False, declared: Place | None = None) -> bool:
        """`owes goal by rule at place` [check.proved] [check.refuted] [check.residual]."""
        if self.dead or error:
            return True
        self.notice(goal)
        raw = goal
        goal = self.solver.divisible(self.facts, swap(goal, self.solver.solved(self.facts)))
        if goal == TRUE:
            return True
        both = [*self.facts, *self.path]
        goal = self.parts(goal)
        possible = self.solver.possible(self.facts, goal)
        if possible == "unsat":
            self.refute(rule, raw, goal, place, both, declared)
            return False
        if self.solver.simplest(both, goal) or self.solver.sat(both) == "unsat" or self.solver.holds(both, goal):
            self.gain(goal, not self.failed and not self.path)
            return True
        p = Pending(
            "open",
            rule,
            goal,
            place,
            both,
            self.blame(rule, goal, place),
            list(self.path),
            silent=self.doubt,
            raw=raw,
            declared=declared,
        )
        near = self.solver.cone(both, set(variables(goal)))
        p.never = self.solver.sat([*near, goal]) == "unsat"
        if self.forgot and not p.never:
            known = swap(raw, self.forgot)
            p.never = (
                known != raw and self.solver.sat([*self.solver.cone(both, set(variables(known))), known]) == "unsat"
            )
        p.few = self.fewest(goal)
        p.shown = self.written_check(raw)
        p.blames = self.blame(rule, p.shown, place)
        self.postpone(p)
        if not self.path:
            self.every.append(goal)
        rigid = all(v.rigid for v in variables(raw))
        if possible == "sat":
            self.gain(goal, False)
        else:
            self.path.append(goal)
        if rigid and rule != "type.assert":
            self.failed = True
            self.failing.append(goal)
        elif not self.failed or rule == "type.assert":
            self.certain.append(goal)
        return True

    def postpone(self, p: Pending) -> None:
        """A goal that is judged at the end, with the failing goals before it, and those of branches apart."""
        p.behind, p.earlier = list(self.branches), list(self.failing)
        self.pending.append(p)

    def parts(self, goal: Con) -> Con:
        """A disjunction without the parts that F excludes."""
        if goal.kind != "or":
            return goal
        kept = [p for p in goal.parts if self.solver.possible(self.facts, p) != "unsat"]
        return any_(*kept) if kept else goal

    def written_check(self, raw: Con) -> Con:
        """A check is written with the numbers that F has for its names, and without what F excludes."""
        plain = self.solver.written(self.facts, raw)
        return raw if plain.kind in ("true", "false") else plain

    def refute(
        self, rule: str, raw: Con, goal: Con, place: Place, both: list[Con], declared: Place | None = None
    ) -> None:
        blames = self.blame(rule, goal, place)
        if self.tests:
            p = Pending("fails", rule, goal, place, both, blames, list(self.path), raw=raw)
            p.shown = self.written_check(raw)
            p.blames = self.blame(rule, p.shown, place)
            p.silent, p.declared = self.doubt or self.solver.sat(both) == "unsat", declared
            self.postpone(p)
            self.dead = True
            return
        if self.solver.possible(self.certain, raw) == "unsat":
            self.report.say("E0301", rule, place, [declared] if declared else None)
        else:
            self.postpone(
                Pending(
                    "refuted",
                    rule,
                    goal,
                    place,
                    both,
                    blames,
                    list(self.path),
                    silent=self.doubt,
                    raw=raw,
                    declared=declared,
                )
            )
        self.failed = True

    def misfit(self, code: str, rule: str, place: Place, related: list[Place] | None = None) -> None:
        """A rank, axis or attribute that is refused: an error, or in a branch of a test a check [type.if.fails]."""
        if self.dead:
            return
        if not self.tests:
            raise Bad(code, rule, place, related)
        self.refute(rule, FALSE, FALSE, place, [*self.facts, *self.path])

    def fewest(self, goal: Con) -> bool:
        """[check.few] [dim.few]"""
        parts = list(goal.parts if goal.kind == "or" else (goal,))
        ghosts = [v for v in variables(goal) if not v.rigid]
        if len(ghosts) != 1:
            return False
        g = ghosts[0]
        if not any(
            p.kind == "eq" and p.sides and g in variables(p.sides[0]) and g in variables(p.sides[1]) for p in parts
        ):
            return False
        near = self.solver.cone(self.facts, set(variables(goal)))
        others: list[Con] = []
        for _ in range(4):
            if self.solver.sat([*near, goal, *others]) != "sat":
                left = self.solver.sat([*near, goal, *others]), self.solver.sat([*near, *others])
                return left == ("unsat", "sat")
            model = self.solver.least([*near, goal, *others], no(goal))
            if model is None:
                return False
            others.append(no(eq(dim(g), model.get(g, 0))))
        return False

    def join(self, place: Place, d: Dim, e: Dim, related: Place) -> None:
        """[type.if.join] item 5, in a strict definition."""
        both = [*self.facts, *self.path]
        self.postpone(
            Pending(
                "join",
                "type.if.join",
                eq(d, e),
                place,
                both,
                [place],
                list(self.path),
                silent=self.doubt,
                raw=eq(d, e),
                declared=related,
            )
        )

    def finish(self) -> None:
        """[check.strict] [check.rigid-warning] [check.fails-if-reached] [check.gave-up]"""
        seen: set[tuple[str, str, Place]] = set()
        out: list[tuple[str, Pending, dict[Var, int] | None]] = []
        for p in self.pending:
            asserted = p.rule == "type.assert"
            rigid = all(v.rigid for v in variables(p.raw))
            if p.kind == "join":
                if not self.gradual and not p.silent:
                    model = self.solver.least(p.facts, p.raw)
                    if model is not None:
                        out.append(("E0308", p, model))
                continue
            if p.kind == "refuted":
                if self.gradual:
                    out.append(("E0301", p, None))
                elif not p.silent:
                    model = self.solver.least([*p.facts, *p.behind], p.raw, p.earlier)
                    if model is not None:
                        out.append(("E0302", p, self.full(model, p)))
                continue
            if not self.gradual and (not asserted or p.kind == "fails"):
                if p.kind == "fails":
                    model = self.full({}, p)
                    if not p.silent and self.solver.holds([], all_(*p.path)):
                        out.append(("E0301", p, None))
                    elif not p.silent and model:
                        out.append(("E0302", p, model))
                    continue
                model = self.solver.least([*p.facts, *p.behind], p.raw, p.earlier)
                if model is not None:
                    if not p.silent:
                        out.append(("E0302", p, model))
                    if p.kind == "open" and p.never:
                        out.append(("E0403", p, None))
                    continue
                if self.solver.sat([*p.facts, *p.behind, no(p.goal)]) == "unsat":
                    if p.kind == "open" and p.never:
                        out.append(("E0403", p, None))
                    continue
                out.append(("E0501", p, None))
            elif rigid and not asserted and p.kind == "open":
                model = self.solver.least([*p.facts, *p.behind], p.raw, p.earlier) or self.solver.least(p.facts, p.raw)
                if model is not None:
                    out.append(("E0402", p, model))
            if p.kind == "fails" or p.never:
                out.append(("E0403", p, None))
            if p.few:
                out.append(("E0404", p, None))
            self.report.checks.append(
                {
                    "condition": con(p.shown),
                    "rule": p.rule,
                    "span": span(p.place),
                    "blames": [span(b) for b in p.blames],
                }
            )
        for i, (code, p, model) in enumerate(out):
            if (
                code == "E0302"
                and p.goal.kind == "le"
                and any(self.implied(p, q) for c, q, _ in out[i + 1 :] if c == "E0302")
            ):
                continue
            if code in ("E0301", "E0302", "E0402") and (code, p.rule, p.place) in seen:
                continue
            seen.add((code, p.rule, p.place))
            if model is not None and all(v.rigid for v in variables(p.raw)):
                model = {v: k for v, k in model.items() if v.rigid}
            self.report.say(code, p.rule, p.place, [p.declared] if p.declared else None, model)

    def full(self, model: dict[Var, int], p: Pending) -> dict[Var, int] | None:
        """Sizes that reach a goal that always fails."""
        if model:
            return model
        seen = {v for c in p.path for v in variables(c)}
        return self.solver.least([*self.solver.cone(p.facts, seen)], no(all_(*p.path))) if p.path else {}

    def implied(self, p: Pending, q: Pending) -> bool:
        """Item 5: a later inequality over the same names that implies this one."""
        return (
            q.goal.kind == "le"
            and not q.path
            and set(variables(p.goal)) == set(variables(q.goal))
            and self.solver.sat([*self.base(), q.goal, no(p.goal)]) == "unsat"
        )

    def base(self) -> list[Con]:
        return [c for c in self.certain if c.kind == "le"]


def lifted(c: Con) -> Con:
    """[dim.facts.lift]: an equation of an if-then-else dim with one of its cases, as a disjunction."""
    if c.kind != "eq" or c.d is None:
        return c
    for m, k in c.d.terms:
        if abs(k) == 1 and len(m) == 1 and m[0][1] == 1 and isinstance(x := m[0][0], Ite):
            yes, other = eq(c.d + (x.yes - dim(x)) * k, 0), eq(c.d + (x.no - dim(x)) * k, 0)
            if TRUE in (yes, other):
                return any_(no(x.cond), yes) if other == TRUE else any_(x.cond, other)
    return c
