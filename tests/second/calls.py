"""Chapter 6: calls of functions of the file."""

from __future__ import annotations

from .body import last
from .branches import Branches
from .declare import Gone, ghost
from .dims import Con, Dim, Var, dim, eq, floor, le, mod, replace, solve, swap, variables
from .goals import Bad
from .text import Node, Place, Skip
from .types import FLOATS, INTS, Function, Tensor, Tuple, Type, Value, Written


class Calls(Branches):
    """[type.call.arity] to [type.call.result]."""

    def call(self, e: Node, hint: str) -> Value:
        """[type.call.arity] [type.call.dims] [type.call.argument] [type.call.where] [type.call.result]"""
        f = e.kids[0]
        if f.kind == "word":
            if f.text == "dim":
                return Value(Tensor((), "int64"), elems=(self.to_dim(e),))
            if f.text in ("max", "min") and len(e.kids) > 2 and not e.attrs:
                return self.fold(e, "maximum" if f.text == "max" else "minimum", e.kids[1:])
            return self.operator(e, f.text, e.kids[1:], hint)
        if f.kind == "instance":
            raise Skip("instances")
        if f.kind != "global":
            v = self.expr(f)
            if v.error:
                raise Skip("values in error")
            raise Bad("E0307", "type.structure", f.span)
        fn = self.functions(f.text, f.span)
        args = self.exprs(e.kids[1:])
        if fn.broken:  # it has no interface, and nothing is known of it [check.strict] [type.strict]
            self.gradual = self.gradual or self.asked
            raise Gone
        if e.attrs:
            raise Bad("E0207", "name.attribute", e.attrs[0][1])
        if len(args) != len(fn.params):
            raise Bad("E0304", "type.call.arity", e.span)
        if fn.holes and self.asked:
            self.gradual = True
        error = any(a.error for a in args)
        subst: dict[Var, Dim] = {}
        places = [last(k).span for k in e.kids[1:]]
        pairs: list[tuple[Dim, Dim, Place]] = []
        for a, (_, w), p in zip(args, fn.params, places, strict=False):
            self.collect(a.type, w, pairs, p)
        for scalar, i in fn.scalars.items():
            if isinstance(args[i].type, Tensor) and not args[i].tensor.shape and args[i].tensor.dtype in INTS:
                subst[scalar] = self.elements(args[i], e.span)[0]
        for want, have, _ in pairs:
            s = solve(want)
            if len(want.terms) == 1 and s and s[0] not in subst and want == dim(s[0]):
                subst[s[0]] = have
        unsolved = False
        for _round in range(3):
            for want, have, p in pairs:
                unsolved = not self.solve_for(want, have, p, subst, error or unsolved) or unsolved
        error = error or unsolved
        for a, (_, w), p in zip(args, fn.params, places, strict=False):
            literal = a.weak and isinstance(a.type, Tensor) and w.kind == "tensor" and a.tensor.dtype != w.dtype
            if literal and (w.dtype in INTS or w.dtype in FLOATS):
                raise Bad("E0306", "type.call.argument", p)
            a.error, kept = a.error or unsolved, a.error
            self.flow(a, w, subst, "type.call.argument", p)
            a.error = kept
        for c in fn.pre:
            self.need("type.call.where", swap(c, subst), e.span, error)
        if not self.dead and not error:
            now = [*self.facts, *self.path]
            for c in self.latent(f.text):
                c = swap(c, subst)
                if self.solver.possible(now, c) == "unsat":
                    self.report.say("E0403", "type.call.latent", e.span)
                    break
                now.append(c)
                if not self.path and not self.solver.holds(self.facts, c):
                    self.every.append(c)
        name = hint or (self.fresh() if fn.open else "")
        if fn.written is not None:
            return Value(self.opened(fn.written, name, e.span, subst), error=error, name=name)
        assert fn.result is not None
        return Value(self.reopened(fn.result, fn, name, e.span, subst), error=error, name=name)

    def fold(self, e: Node, name: str, kids: list[Node]) -> Value:
        """[type.extremum]"""
        if len(kids) == 2:
            return self.operator(e, name, kids, "")
        inner = Node("fold", e.span, name, kids[:-1])
        return self.operator(e, name, [inner, kids[-1]], "")

    def latent(self, name: str) -> list[Con]:
        raise NotImplementedError

    def collect(self, t: Type, w: Written, pairs: list[tuple[Dim, Dim, Place]], place: Place) -> None:
        if isinstance(t, Tuple) and w.kind == "tuple" and len(t.parts) == len(w.parts):
            for a, b in zip(t.parts, w.parts, strict=False):
                self.collect(a, b, pairs, place)
        elif isinstance(t, Tensor) and w.kind == "tensor" and len(t.shape) == len(w.dims):
            for d, (_kind, e, _bound, _) in zip(t.shape, w.dims, strict=False):
                if e is not None:
                    pairs.append((e, d, place))

    def solve_for(self, want: Dim, have: Dim, place: Place, subst: dict[Var, Dim], error: bool) -> bool:
        """[type.call.dims]: `k * n + c` against d."""
        free = [v for v in variables(want) if v not in subst]
        if len(free) != 1:
            return True
        v = free[0]
        k = dict(want.terms).get(((v, 1),), 0)
        rest = want - dim(v) * k
        if not k or v in variables(rest):
            return True
        d = have - replace(rest, subst)
        if k < 0:
            d, k = -d, -k
        good = k == 1 or self.need("type.call.dims", eq(mod(d, k), 0), place, error)
        q = floor(d, k)
        good = good and self.need("type.call.dims", le(0, q), place, error)
        subst[v] = q
        return good

    def reopened(self, t: Type, fn: Function, name: str, place: Place, subst: dict[Var, Dim]) -> Type:
        if isinstance(t, Tuple):
            return Tuple(tuple(self.reopened(p, fn, f"{name}.{i}", place, subst) for i, p in enumerate(t.parts)))
        shape: list[Dim] = []
        for i, d in enumerate(t.shape):
            if all(v in subst for v in variables(d)):
                shape.append(replace(d, subst))
            else:
                g = ghost(f"dim({name}, {i})", place)
                self.gain(le(0, dim(g)))
                shape.append(dim(g))
        return Tensor(tuple(shape), t.dtype)
