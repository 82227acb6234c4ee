"""Chapter 6: the branches of an `if`, and how they join."""

from __future__ import annotations

from .body import Body, last
from .declare import COUNT, Gone, ghost
from .dims import TRUE, Con, Dim, any_, choice, dim, eq, le, no, variables
from .goals import Bad
from .text import Node, Place, Skip
from .types import Tensor, Tuple, Type, Value


class Branches(Body):
    """[type.if.condition] to [type.if.join]."""

    def branch(self, e: Node, hint: str) -> Value:
        """[type.if.condition] [type.if.facts] [type.if.part] [type.if.test]"""
        c, lost = self.condition(e.kids[0])
        yes, other, exact = c.cond or (TRUE, TRUE, False)
        mark, doubt = next(COUNT), self.doubt
        self.doubt = doubt or lost
        taken: int | None = None
        if c.test and not self.dead:
            lasting = self.lasting
            never = [f != TRUE and self.solver.possible(lasting, f) == "unsat" for f in (yes, other)]
            taken = None if never[0] == never[1] else int(never[0])
        if taken is not None:
            return self.taken(e, taken)
        passed: list[Con] = []
        outs: list[tuple[Value | None, Con, bool]] = []
        outermost = self.outside is None
        if outermost:
            self.outside = list(self.facts)
        for body, fact in ((e.kids[1], yes), (e.kids[2], other)):
            saved = (list(self.facts), list(self.path), list(self.certain), self.dead, self.failed, list(self.failing))
            ended, branches = self.ended, list(self.branches)
            before = len(self.failing)
            self.path.append(fact)
            self.tests += bool(c.test)
            v = self.side(body)
            dead = self.dead
            fails = self.failing[before:]
            self.ended, self.branches = ended, branches
            self.facts, self.path, self.certain, self.dead, self.failed, self.failing = saved
            self.tests -= bool(c.test)
            passed += [any_(no(fact), g) for g in fails]
            outs.append((v, fact, dead))
        if outermost:
            self.outside = None
        self.doubt = doubt
        self.branches += passed
        self.failing += passed
        (a, _, dead_a), (b, _, dead_b) = outs
        if not self.dead and dead_a and dead_b and not lost:
            if self.tests:
                self.dead = True
            else:
                self.report.say("E0301", "type.if.fails", e.span)
                self.dead = self.ended = True
            if a is None or b is None:
                raise Gone
            self.structure(a.type, b.type, last(e.kids[2]).span)
            return Value(self.alike(a.type, b.type, hint or self.fresh(), e.span))
        v, fact = (b, other) if dead_a else (a, yes)
        if v is None or lost:
            raise Gone
        if not self.dead and (dead_a != dead_b):
            if a is not None and b is not None:
                self.compared(a.type, b.type, e)
            self.gain(fact, not self.failed)
            whole = last(e.kids[1]).span[0], last(e.kids[2]).span[1]
            seen = self.named(v.type, hint or self.fresh(), whole, mark)
            return Value(seen, v.elems, v.cond, v.test, error=v.error)
        if a is None or b is None:
            raise Gone
        self.excused = a.error or b.error
        t = self.joined_type(
            a.type,
            b.type,
            (yes, other, exact),
            bool(c.test) or self.tests > 0,
            last(e.kids[1]).span,
            last(e.kids[2]).span,
            (last(e.kids[1]).span[0], last(e.kids[2]).span[1]),
            hint or "",
            mark,
        )
        out = Value(t, error=a.error or b.error)
        out.test = a.test or b.test
        if a.elems is not None and b.elems is not None and len(a.elems) == len(b.elems):
            if a.elems == b.elems:
                out.elems = a.elems
            elif exact:
                out.elems = tuple(
                    self.solver.simple(self.facts, choice(yes, x, y)) for x, y in zip(a.elems, b.elems, strict=False)
                )
        return out

    def alike(self, a: Type, b: Type, name: str, place: Place) -> Type:
        """The type of an `if` that always fails: an unknown for each size in which the branches differ."""
        if isinstance(a, Tuple) and isinstance(b, Tuple):
            pairs = enumerate(zip(a.parts, b.parts, strict=False))
            return Tuple(tuple(self.alike(p, q, f"{name}.{i}", place) for i, (p, q) in pairs))
        if not isinstance(a, Tensor) or not isinstance(b, Tensor) or len(a.shape) != len(b.shape):
            return a
        sizes = enumerate(zip(a.shape, b.shape, strict=True))
        return Tensor(tuple(d if d == e else dim(ghost(f"dim({name}, {i})", place)) for i, (d, e) in sizes), a.dtype)

    def named(self, t: Type, name: str, place: Place, mark: int) -> Type:
        """The type of a branch after it: a size that has no name there is an unknown [type.if.fails]."""
        if isinstance(t, Tuple):
            return Tuple(tuple(self.named(p, f"{name}.{i}", place, mark) for i, p in enumerate(t.parts)))
        out = []
        for i, d in enumerate(t.shape):
            if not self.seen(d, mark):
                self.notice(d)
                d = dim(ghost(f"dim({name}, {i})", place))
                self.gain(le(0, d))
            out.append(d)
        return Tensor(tuple(out), t.dtype)

    def either(self, lasting: list[Con], d: Dim) -> Dim:
        """An if-then-else dim in the form of [dim.decide.simplify]; what is unknown in it counts [type.strict]."""
        d = self.solver.simple(lasting, d)
        self.notice(d)
        return d

    def taken(self, e: Node, which: int) -> Value:
        """[type.if.taken]: the `if` is the branch that is taken; the other one owes nothing."""
        live, other = (e.kids[1], e.kids[2]) if which == 0 else (e.kids[2], e.kids[1])
        self.dead, (dead, ended) = True, (self.dead, self.ended)
        beside = self.side(other)
        self.dead, self.ended = dead, ended
        value = self.side(live)
        if value is None:
            raise Gone
        if beside is not None:
            self.compared(*((value.type, beside.type) if which == 0 else (beside.type, value.type)), e)
        return Value(self.simplified(value.type, again=True), value.elems, value.cond, value.test, error=value.error)

    def side(self, e: Node) -> Value | None:
        """The value of a branch; None if it has no type, which was reported."""
        try:
            return self.expr(e)
        except Bad as b:
            self.tell(b)
        except Gone:
            pass
        return None

    def condition(self, e: Node) -> tuple[Value, bool]:
        """[type.if.condition]: the condition, and whether it is in error; the branches are checked then too."""
        try:
            c = self.expr(e)
            if c.type != Tensor((), "bool"):
                raise Bad("E0307", "type.if.condition", last(e).span)
        except Bad as b:
            self.tell(b)
        except Gone:
            pass
        else:
            return c, False
        return Value(Tensor((), "bool")), True

    def seen(self, d: Dim, mark: int) -> bool:
        """Whether a size can be named outside of the branches, which began after a mark."""
        return all(v.rigid or v.uid < mark or (not v.size and v.name.split("[")[0] in self.env) for v in variables(d))

    def compared(self, a: Type, b: Type, e: Node) -> None:
        """A branch that is never taken, or that always fails, beside the other one, whose type is that of the `if`."""
        try:
            self.structure(a, b, last(e.kids[2]).span)
        except Bad as wrong:
            self.tell(wrong)

    def simplified(self, t: Type, again: bool = False) -> Type:
        raise NotImplementedError

    def structure(self, a: Type, b: Type, place: Place) -> None:
        if isinstance(a, Tuple) != isinstance(b, Tuple) or (
            isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.parts) != len(b.parts)
        ):
            raise Bad("E0307", "type.structure", place)
        if isinstance(a, Tuple) and isinstance(b, Tuple):
            for p, q in zip(a.parts, b.parts, strict=False):
                self.structure(p, q, place)
        elif isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype != b.dtype:
            raise Bad("E0306", "type.dtype", place)

    def joined_type(
        self,
        a: Type,
        b: Type,
        cond: tuple[Con, Con, bool],
        test: bool,
        first: Place,
        place: Place,
        whole: Place,
        hint: str,
        mark: int,
    ) -> Type:
        """[type.join] [type.if.join]"""
        self.structure(a, b, place)
        if isinstance(a, Tuple) and isinstance(b, Tuple):
            return Tuple(
                tuple(
                    self.joined_type(p, q, cond, test, first, place, whole, f"{hint}.{i}" if hint else "", mark)
                    for i, (p, q) in enumerate(zip(a.parts, b.parts, strict=False))
                )
            )
        assert isinstance(a, Tensor) and isinstance(b, Tensor)
        if self.dead:
            return a
        if len(a.shape) != len(b.shape):
            if test:
                raise Skip("unknown rank")
            raise Bad("E0308", "type.if.join", place, [first])
        yes, other, exact = cond
        lasting = self.lasting
        out: list[Dim] = []
        for i, (d, e) in enumerate(zip(a.shape, b.shape, strict=False)):
            d1 = self.solver.simple([*lasting, yes], d)
            e1 = self.solver.simple([*lasting, other], e)
            hidden = not (self.seen(d, mark) and self.seen(e, mark))
            if (d == e and not hidden) or (d1 == e1 and self.seen(d1, mark)):
                out.append(d if d == e else d1)
            elif not (hidden or test or self.excused) and self.solver.possible(self.facts, eq(d, e)) == "unsat":
                raise Bad("E0308", "type.if.join", place, [first])
            elif exact and not hidden:
                out.append(self.either(lasting, choice(yes, d1, e1)))
            elif self.seen(d, mark) and self.solver.holds([*self.facts, other], eq(d, e)):
                out.append(d)
            elif self.seen(e, mark) and self.solver.holds([*self.facts, yes], eq(d, e)):
                out.append(e)
            elif exact and self.seen(d1, mark) and self.seen(e1, mark):
                out.append(self.either(lasting, choice(yes, d1, e1)))
            else:
                if not hint:
                    hint = self.fresh()
                g = ghost(f"dim({hint}, {i})", whole)
                if hidden and any(not v.rigid and v not in self.joined for v in (variables(d) | variables(e))):
                    self.gradual = True
                else:
                    self.joined.add(g)
                if not (test or hidden or self.excused) and all(v.rigid for v in variables(d) | variables(e)):
                    if not any(not v.rigid for v in variables(d) | variables(e)):
                        self.join(place, d, e, first)
                    else:
                        self.notice(d)
                        self.notice(e)
                        self.join(place, d, e, first)
                self.gain(le(0, dim(g)))
                if not hidden:
                    self.gain(any_(eq(dim(g), d), eq(dim(g), e)))
                out.append(dim(g))
        return Tensor(tuple(out), a.dtype)
