"""Chapter 6: expressions, in the order of the rules."""

from __future__ import annotations

import dataclasses
import re

from .declare import Gone, Scope, words
from .dims import FALSE, TRUE, Dim, Var, dim, eq, no, replace, solve, swap, variables
from .goals import Bad
from .text import Node, Place, Skip
from .types import FLOATS, INTS, Function, Tensor, Tuple, Type, Value, Written

SIGNS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "floor_mod",
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}
RANGES = {
    "int8": (-128, 127),
    "int16": (-32768, 32767),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 255),
    "uint16": (0, 65535),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
SUFFIX = {
    "i": "int32",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f": "float32",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "bf16": "bfloat16",
}


def signed(e: Node) -> Node:
    """A number with its sign."""
    if e.kind == "unary" and e.text == "-" and e.kids[0].kind == "number":
        return Node("number", e.span, "-" + e.kids[0].text)
    return e


def last(e: Node) -> Node:
    """The expression that gives the value of a body [check.place]."""
    while e.kind in ("block", "contents", "group"):
        e = e.kids[-1]
    return e


class Body(Scope):
    """The judgement of chapter 9 on expressions."""

    def functions(self, name: str, place: Place) -> Function:
        raise NotImplementedError

    def operator(self, e: Node, name: str, kids: list[Node], hint: str) -> Value:
        raise NotImplementedError

    def call(self, e: Node, hint: str) -> Value:
        raise NotImplementedError

    def fold(self, e: Node, name: str, kids: list[Node]) -> Value:
        raise NotImplementedError

    def branch(self, e: Node, hint: str) -> Value:
        raise NotImplementedError

    def expr(self, e: Node, hint: str = "") -> Value:
        """`Γ ⊢ e ↝ s : T`"""
        k = e.kind
        if k in ("local", "graph"):
            return self.look(e)
        if k == "number":
            return self.number(e)
        if k == "list":
            return self.listing(e)
        if k == "group":
            return self.expr(e.kids[0], hint)
        if k in ("block", "contents"):
            return self.block(e, hint)
        if k == "tuple":
            parts = self.exprs(e.kids, hint)
            return Value(Tuple(tuple(p.type for p in parts)), parts=parts, error=any(p.error for p in parts))
        if k == "project":
            return self.project(e)
        if k == "cast":
            return self.ascribe(e.kids[0], e.more["type"], "type.cast", hint)
        if k == "if":
            return self.branch(e, hint)
        if k == "word":
            if e.text in ("True", "False"):
                c = TRUE if e.text == "True" else FALSE
                return Value(Tensor((), "bool"), cond=(c, no(c), True))
            if e.text in self.names:
                return Value(Tensor((), "int64"), elems=(self.names[e.text],))
            if m := re.fullmatch(r"(?:inf|nan)(f(?:16|32|64)?|bf16)?", e.text):
                return Value(Tensor((), SUFFIX[m.group(1) or "f"]))
            raise Skip("operators as values")
        if k == "global":
            raise Skip("function values")
        if k == "infix":
            if e.text in ("and", "or"):
                raise Bad("E0307", "type.assert", e.span)
            return self.operator(e, SIGNS[e.text], e.kids, hint)
        if k == "unary":
            return self.operator(e, "negative", e.kids, hint)
        if k == "instance":
            if e.kids[0].kind == "word" and e.kids[0].text == "dim" and len(e.kids) == 2:
                return Value(Tensor((), "int64"), elems=(self.to_dim(e.kids[1]),))
            raise Skip("instances")
        if k == "call":
            return self.call(e, hint)
        if k == "fold":
            return self.fold(e, e.text, e.kids)
        raise Skip("syntax")

    def exprs(self, kids: list[Node], hint: str = "") -> list[Value]:
        """Each part, also after one that is in error: each is reported once."""
        out: list[Value] = []
        gone = False
        for i, k in enumerate(kids):
            try:
                out.append(self.expr(k, f"{hint}.{i}" if hint else ""))
            except Bad as b:
                self.tell(b)
                gone = True
            except Gone:
                gone = True
        if gone:
            raise Gone
        return out

    def tell(self, b: Bad) -> None:
        self.report.say(b.code, b.rule, b.place, b.related)

    def number(self, e: Node) -> Value:
        """[syntax.number] [type.literal]"""
        m = re.fullmatch(r"(-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)([a-z]+[0-9]*)?", e.text)
        if not m:
            raise Skip("syntax")
        text, suffix = m.group(1), m.group(2)
        whole = text.lstrip("-").isdigit()
        if suffix:
            dtype = SUFFIX[suffix]
            if dtype in INTS and (not whole or not RANGES[dtype][0] <= int(text) <= RANGES[dtype][1]):
                raise Bad("E0104", "syntax.number", e.span)
        elif not whole:
            dtype = "float32"
        else:
            dtype = "int32" if RANGES["int32"][0] <= int(text) <= RANGES["int32"][1] else "int64"
            if not RANGES["int64"][0] <= int(text) <= RANGES["int64"][1]:
                raise Bad("E0104", "syntax.number", e.span)
        if dtype in FLOATS:
            return Value(Tensor((), dtype))
        return Value(Tensor((), dtype), elems=(dim(int(text)),), weak=not suffix)

    def listing(self, e: Node) -> Value:
        parts = []
        numbers = [signed(k) for k in e.kids]
        for k in numbers:
            if k.kind == "list" or (k.kind == "word" and k.text in ("True", "False")):
                raise Skip("literal tensors")
            if k.kind != "number":
                raise Bad("E0307", "type.literal", e.span)
            v = self.number(k)
            if v.tensor.dtype not in INTS:
                raise Bad("E0307", "type.literal", e.span)
            parts.append(v)
        strong = [p.tensor.dtype for p in parts if not p.weak]
        dtype = strong[0] if strong else "int64" if any(p.tensor.dtype == "int64" for p in parts) else "int32"
        for p, k in zip(parts, numbers, strict=True):
            n = (p.elems or (dim(0),))[0].number or 0
            if (not p.weak and p.tensor.dtype != dtype) or not RANGES[dtype][0] <= n <= RANGES[dtype][1]:
                raise Bad("E0306", "type.literal", k.span)
        return Value(
            Tensor((dim(len(parts)),), dtype), elems=tuple((p.elems or (dim(0),))[0] for p in parts), weak=not strong
        )

    def block(self, e: Node, hint: str = "") -> Value:
        """[type.let] [type.annotation] [type.assert]"""
        env, names = dict(self.env), dict(self.names)
        inner = e.kids[0] if e.kind == "block" else e
        items = inner.kids[:-1] if inner.kind == "contents" else []
        final = inner.kids[-1] if inner.kind == "contents" else inner
        for item in items:
            try:
                self.item(item)
            except Bad as b:
                self.tell(b)
                self.lost.add(item.text)
            except Gone:
                self.lost.add(item.text)
        try:
            return self.expr(final, hint)
        finally:
            self.env, self.names = env, names

    def item(self, item: Node) -> None:
        """[type.let]"""
        if item.kind == "let":
            ann = item.more["type"]
            v = (
                self.ascribe(item.kids[0], ann, "type.annotation", item.text)
                if ann is not None
                else self.expr(item.kids[0], item.text)
            )
            self.env[item.text] = v
            self.lost.discard(item.text)
            if not v.name and v.elems is None:
                v.name = item.text
            self.bound.append((item.text, v))
        elif item.kind == "assert":
            self.assertion(item.kids[0])
        else:
            self.expr(item.kids[0])

    bound: list[tuple[str, Value]]

    def assertion(self, c: Node) -> None:
        """[type.assert]: a predicate, or a boolean."""
        try:
            goal = self.to_con(c)
        except Bad as b:
            if b.code != "E0207":
                raise
            v = self.expr(c)
            if v.cond is None or not (v.cond[2]):
                raise Skip("assertions about data") from b
            goal = v.cond[0]
        gradual = self.gradual
        self.need("type.assert", goal, c.span)
        if not any(not x.rigid and x.size for x in variables(goal)):
            self.gradual = gradual or self.gradual

    def project(self, e: Node) -> Value:
        """[type.project]"""
        v = self.expr(e.kids[0])
        if not isinstance(v.type, Tuple):
            raise Bad("E0307", "type.project", e.span)
        i = int(e.text)
        if i >= len(v.type.parts):
            raise Bad("E0309", "type.project", e.span)
        if v.parts:
            return dataclasses.replace(v.parts[i], error=v.error or v.parts[i].error)
        return Value(v.type.parts[i], error=v.error)

    def ascribe(self, e: Node, ann: Node | None, rule: str, hint: str) -> Value:
        """[type.annotation] [type.cast] [type.forget]"""
        assert ann is not None
        v = self.expr(e)
        self.bind_new(ann, v.type)
        w = self.written(ann)
        self.flow(v, w, {}, rule, last(e).span)
        if w.holes and self.asked:
            self.gradual = True
        t = self.opened(w, hint or self.fresh())
        self.remember(t, v.type)
        return Value(t, elems=v.elems, cond=v.cond, name=hint, test=v.test)

    def bind_new(self, t: Node, v: Type) -> None:
        """[name.dimension]: a new name in an annotation is the size that the value has."""
        if t.kind == "tuple_type" and isinstance(v, Tuple) and len(t.kids) == len(v.parts):
            for k, p in zip(t.kids, v.parts, strict=False):
                self.bind_new(k, p)
        elif t.kind == "tensor" and isinstance(v, Tensor) and len(t.kids) == len(v.shape):
            for k, d in zip(t.kids, v.shape, strict=False):
                if k.kind == "word" and k.text not in self.names and k.text != "_":
                    self.names[k.text] = d
                elif any(w.text not in self.names for w in words(k)):
                    raise Skip("solving in annotations")

    def remember(self, t: Type, v: Type) -> None:
        """[type.forget]: the size that an opened unknown has forgotten, for warnings."""
        if isinstance(t, Tuple) and isinstance(v, Tuple):
            for a, b in zip(t.parts, v.parts, strict=False):
                self.remember(a, b)
        elif isinstance(t, Tensor) and isinstance(v, Tensor):
            for d, e in zip(t.shape, v.shape, strict=False):
                x = solve(d)
                if x and not x[0].rigid and len(d.terms) == 1 and x[0] not in variables(e):
                    self.forgot = {w: replace(f, {x[0]: e}) for w, f in self.forgot.items()} | {
                        x[0]: replace(e, self.forgot)
                    }

    def flow(self, v: Value, w: Written, subst: dict[Var, Dim], rule: str, place: Place, t: Type | None = None) -> None:
        """[type.consistent]: `⟨T ⇒ S⟩ by rule`."""
        t = t or v.type
        if isinstance(t, Tuple) != (w.kind == "tuple") or (isinstance(t, Tuple) and len(t.parts) != len(w.parts)):
            raise Bad("E0307", rule, place)
        if isinstance(t, Tuple):
            for p, q in zip(t.parts, w.parts, strict=False):
                self.flow(v, q, subst, rule, place, p)
            return
        if v.weak and t.dtype != w.dtype:
            raise Bad("E0306", rule, place)
        if t.dtype != w.dtype:
            raise Bad("E0306", rule, place)
        if len(t.shape) != len(w.dims):
            self.misfit("E0303", rule, place)
            return
        good = True
        for d, (kind, e, bound, at) in zip(t.shape, w.dims, strict=False):
            if kind == "dim" and e is not None:
                good &= self.need(
                    rule, eq(d, replace(e, subst)), place, v.error, None if rule == "type.call.argument" else at
                )
            elif bound is not None:
                good &= self.need(
                    rule,
                    swap(bound[1], {bound[0]: d, **subst}),
                    place,
                    v.error,
                    None if rule == "type.call.argument" else at,
                )
        del good
