"""Chapters 5 and 6: written types, dims and predicates in scope, and declarations."""

from __future__ import annotations

import itertools

from .dims import Con, Dim, Var, all_, any_, choice, dim, eq, extreme, floor, le, mod, no, replace, variables
from .goals import Bad, Goals
from .text import Node, Place, Skip
from .types import DTYPES, INTS, Tensor, Tuple, Type, Value, Written

COUNT = itertools.count(1)
COMPARE = {"==", "!=", "<", "<=", ">", ">="}


class Gone(Exception):
    """An expression without a type: it was reported, and nothing is asked about it."""


def rigid(name: str, place: Place, size: bool = True) -> Var:
    return Var(name, next(COUNT), True, size, (place,))


def ghost(name: str, place: Place, size: bool = True) -> Var:
    return Var(name, next(COUNT), False, size, (place,))


class Scope(Goals):
    """What is in scope: values, dims; and how written dims and types are read."""

    env: dict[str, Value]
    names: dict[str, Dim]
    divisors: list[tuple[Dim, Place]] | None = None
    lost: set[str]
    kinds: set[str]

    def to_dim(self, e: Node) -> Dim:
        """The dim that an expression denotes (chapter 4)."""
        if e.kind == "number":
            if not e.text.lstrip("-").isdigit():
                raise Bad("E0206", "name.dimension", e.span)
            return dim(int(e.text))
        if e.kind == "group":
            return self.to_dim(e.kids[0])
        if e.kind == "word":
            if e.text in self.names:
                return self.names[e.text]
            if e.text in self.lost:
                raise Gone
            raise Bad("E0206", "name.dimension", e.span)
        if e.kind in ("local", "graph"):
            v = self.look(e)
            if not (isinstance(v.type, Tensor) and not v.type.shape and v.type.dtype in INTS):
                raise Bad("E0206", "name.dimension", e.span)
            return self.elements(v, e.span)[0]
        if e.kind == "unary" and e.text == "-":
            return -self.to_dim(e.kids[0])
        if e.kind == "infix" and e.text in ("+", "-", "*", "//", "%"):
            a, b = self.to_dim(e.kids[0]), self.to_dim(e.kids[1])
            if e.text == "+":
                return a + b
            if e.text == "-":
                return a - b
            if e.text == "*":
                return a * b
            self.divisor(b, e.kids[1].span)
            return floor(a, b) if e.text == "//" else mod(a, b)
        if e.kind == "choose":
            return choice(self.to_con(e.kids[0]), self.to_dim(e.kids[1]), self.to_dim(e.kids[2]))
        if e.kind == "call" and e.kids is not None and not e.attrs and self.head(e) in ("max", "min") and e.kids[1:]:
            return extreme(self.head(e) == "min", *[self.to_dim(k) for k in e.kids[1:]])
        if e.kind == "call" and self.head(e) == "broadcast" and len(e.kids) == 3:
            a, b = self.to_dim(e.kids[1]), self.to_dim(e.kids[2])
            return choice(eq(a, 1), b, a)
        if e.kind == "call" and self.head(e) in ("dim", "ndim", "numel"):
            return self.size(e)
        if e.kind == "instance" and e.kids[0].kind in ("local", "graph") and len(e.kids) == 2:
            v = self.look(e.kids[0])
            i = self.to_dim(e.kids[1]).number
            if not isinstance(v.type, Tensor) or len(v.type.shape) != 1 or v.type.dtype not in INTS:
                raise Bad("E0206", "name.dimension", e.span)
            k = v.type.shape[0].number
            if k is None or k > 64 or i is None:
                raise Skip("elements of long vectors")
            if not 0 <= i < k:
                raise Bad("E0305", "op.axis", e.span)
            return self.elements(v, e.span)[i]
        if e.kind == "instance" and e.kids[0].text == "dim" and len(e.kids) == 2:
            return self.to_dim(e.kids[1])
        raise Bad("E0207", "name.attribute", e.span)

    def head(self, e: Node) -> str:
        return e.kids[0].text if e.kids and e.kids[0].kind == "word" else ""

    def divisor(self, b: Dim, place: Place) -> None:
        """[dim.division]"""
        if b.number is not None:
            if b.number < 1:
                raise Bad("E0206", "dim.division", place)
        elif self.divisors is not None:
            self.divisors.append((b, place))
        else:
            self.need("dim.division", le(1, b), place)

    def size(self, e: Node) -> Dim:
        """[dim.size] [dim.rank]"""
        of = e.kids[1] if len(e.kids) > 1 else e
        field = None
        if of.kind == "project":
            of, field = of.kids[0], int(of.text)
        if of.kind not in ("local", "graph"):
            raise Bad("E0207", "name.attribute", e.span)
        t = self.look(of).type
        if field is not None:
            if not isinstance(t, Tuple):
                raise Bad("E0307", "type.project", of.span)
            if field >= len(t.parts):
                raise Bad("E0309", "type.project", e.kids[1].span)
            t = t.parts[field]
        if not isinstance(t, Tensor):
            raise Bad("E0307", "type.structure", of.span)
        if self.head(e) == "ndim":
            return dim(len(t.shape))
        if self.head(e) == "numel":
            out = dim(1)
            for d in t.shape:
                out = out * d
            return out
        if len(e.kids) != 3 or e.kids[2].kind != "number":
            raise Bad("E0207", "name.attribute", e.span)
        i = int(e.kids[2].text)
        if not -len(t.shape) <= i < len(t.shape):
            self.misfit("E0305", "op.axis", of.span)
            return dim(ghost(f"dim({of.text}, {i})", of.span))
        return t.shape[i]

    def to_con(self, e: Node) -> Con:
        """The predicate that an expression denotes [dim.constraint]."""
        if e.kind == "group":
            return self.to_con(e.kids[0])
        if e.kind == "word" and e.text in ("True", "False"):
            return eq(0, 0 if e.text == "True" else 1)
        if e.kind == "unary" and e.text == "not":
            return no(self.to_con(e.kids[0]))
        if e.kind == "infix" and e.text in ("and", "or"):
            return (all_ if e.text == "and" else any_)(self.to_con(e.kids[0]), self.to_con(e.kids[1]))
        if e.kind == "infix" and e.text in COMPARE:
            return compare(e.text, self.to_dim(e.kids[0]), self.to_dim(e.kids[1]))
        if e.kind == "call" and self.head(e) == "broadcasts" and len(e.kids) == 3:
            a, b = self.to_dim(e.kids[1]), self.to_dim(e.kids[2])
            return any_(eq(a, b), eq(a, 1), eq(b, 1))
        if e.kind == "call" and self.head(e) == "divides" and len(e.kids) == 3:
            b, a = self.to_dim(e.kids[1]), self.to_dim(e.kids[2])
            self.divisor(b, e.kids[1].span)
            return eq(mod(a, b), 0)
        raise Bad("E0207", "name.attribute", e.span)

    def look(self, e: Node) -> Value:
        """[type.variable] [name.variable]"""
        if e.text in self.lost:
            raise Gone
        if e.text not in self.env:
            raise Bad("E0202", "name.variable", e.span)
        return self.env[e.text]

    def elements(self, v: Value, place: Place) -> tuple[Dim, ...]:
        """[type.contents]: unknown elements get a witness."""
        if v.elems is None:
            t = v.tensor
            k = 1 if not t.shape else t.shape[0].number if len(t.shape) == 1 else None
            if k is None or k > 64:
                raise Skip("elements of long vectors")
            base = v.name or self.fresh()
            v.elems = tuple(dim(ghost(base if not t.shape else f"{base}[{i}]", place, False)) for i in range(k))
        return v.elems

    def fresh(self) -> str:
        self.temps = getattr(self, "temps", 0) + 1
        return f"%_{self.temps}"

    def written(self, t: Node) -> Written:
        """A type as written; its dims are read later, when its names are bound."""
        if t.kind == "tuple_type":
            return Written("tuple", t.span, parts=[self.written(k) for k in t.kids])
        if t.text not in DTYPES:
            if not t.kids and t.text in self.kinds:
                raise Skip("type parameters")
            if not t.kids:
                raise Bad("E0205", "name.type", t.span)
            raise Bad("E0306", "type.dtype", t.span)
        w = Written("tensor", t.span, t.text)
        unbound = [
            x
            for k in t.kids
            if k.kind not in ("hole", "bounded")
            for x in words(k)
            if x.text not in self.names and x.text not in self.lost
        ]
        for x in unbound[:-1]:
            self.report.say("E0206", "name.dimension", x.span)
        if unbound:
            raise Bad("E0206", "name.dimension", unbound[-1].span)
        wrong: list[Bad] = []
        for k in t.kids:
            try:
                w.dims.append(self.extent(k))
            except Bad as b:
                wrong.append(b)
        for b in wrong[:-1]:
            self.report.say(b.code, b.rule, b.place, b.related)
        if wrong:
            raise wrong[-1]
        return w

    def extent(self, k: Node) -> tuple[str, Dim | None, tuple[Var, Con] | None, Place]:
        """One size of a written type."""
        if k.kind == "hole":
            return "hole", None, None, k.span
        if k.kind != "bounded":
            d = self.to_dim(k)
            if k.kind == "number" and (d.number or 0) < 0:
                raise Bad("E0206", "name.dimension", k.span)
            return "dim", d, None, k.span
        u = Var(k.text, next(COUNT), False)
        old = self.names.get(k.text)
        self.names[k.text] = dim(u)
        kept, self.divisors = self.divisors, []
        c = all_(*[le(1, d) for d, _ in self.divisors], self.to_con(k.kids[0]))
        c = all_(*[le(1, d) for d, _ in self.divisors], c)
        self.divisors = kept
        if old is None:
            del self.names[k.text]
        else:
            self.names[k.text] = old
        if self.solver.sat([*self.solver.cone(self.certain, set(variables(c))), le(0, dim(u)), c]) == "unsat":
            raise Bad("E0311", "type.bound", k.kids[0].span)
        return "bound", None, (u, c), k.span

    def opened(self, w: Written, name: str, call: Place | None = None, subst: dict[Var, Dim] | None = None) -> Type:
        """[type.open]: a ghost for each `?`."""
        if w.kind == "tuple":
            return Tuple(tuple(self.opened(p, f"{name}.{i}", call, subst) for i, p in enumerate(w.parts)))
        shape: list[Dim] = []
        for i, (kind, d, bound, place) in enumerate(w.dims):
            if kind == "dim" and d is not None:
                shape.append(replace(d, subst or {}))
                continue
            g = ghost(f"dim({name}, {i})", call or place)
            self.gain(le(0, dim(g)))
            if bound is not None:
                from .dims import swap

                self.gain(swap(bound[1], {bound[0]: dim(g), **(subst or {})}))
            shape.append(dim(g))
        return Tensor(tuple(shape), w.dtype)


def compare(sign: str, a: Dim, b: Dim) -> Con:
    if sign == "==":
        return eq(a, b)
    if sign == "!=":
        return no(eq(a, b))
    if sign == "<":
        return le(a + 1, b)
    if sign == "<=":
        return le(a, b)
    return le(b + 1, a) if sign == ">" else le(b, a)


def dimension_names(t: Node) -> list[tuple[Node, Node | None]]:
    """Each size of a written type, left to right, with the name if it is one alone."""
    if t.kind == "tuple_type":
        return [x for k in t.kids for x in dimension_names(k)]
    return [(k, k if k.kind == "word" else None) for k in t.kids]


def words(e: Node) -> list[Node]:
    """The dimension names in a size."""
    if e.kind == "word" and e.text not in ("True", "False"):
        return [e]
    if e.kind in ("hole", "bounded", "number"):
        return []
    kids = e.kids[1:] if e.kind in ("call", "instance") else e.kids
    return [w for k in kids for w in words(k)]
