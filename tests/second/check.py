"""Chapters 6 and 9: definitions, their interfaces, and the whole file."""

from __future__ import annotations

from .body import last
from .declare import Gone, dimension_names, ghost, rigid, words
from .dims import Con, Dim, Var, dim, le, replace, variables
from .goals import Bad, Report
from .ops import Ops
from .show import con, joined, shown, text
from .solver import Facts
from .text import Node, Place, Skip
from .types import INTS, Function, Tensor, Tuple, Type, Value, Written


class File:
    """All definitions; a function without a written result is inferred where it is needed."""

    def __init__(self, nodes: list[Node], report: Report) -> None:
        self.report = report
        self.solver = Facts()
        self.nodes: dict[str, Node] = {}
        self.done: dict[str, Function] = {}
        self.busy: set[str] = set()
        self.bodies: dict[str, Definition] = {}
        for n in nodes:
            if n.text in self.nodes:
                name = n.more["name"]
                assert name is not None
                report.say("E0204", "name.duplicate", name.span)
            else:
                self.nodes[n.text] = n

    def interface(self, name: str) -> Function:
        if name not in self.done:
            if name in self.busy:
                raise Skip("recursion without a result")
            self.busy.add(name)
            d = Definition(self, self.nodes[name])
            self.bodies[name] = d
            d.declare()
            if d.fn.written is not None:
                self.done[name] = d.fn
            else:
                d.run()
                self.done[name] = d.fn
            self.busy.discard(name)
        return self.done[name]

    def latent(self, name: str) -> list[Con]:
        """[type.call.latent]: checks on every path of a definition, about its parameters alone."""
        d = self.bodies[name]
        if name in self.busy:
            return []
        self.busy.add(name)
        d.run()
        self.busy.discard(name)
        known = {v for _, w in d.fn.params for x in dims_of(w) for v in variables(x)} | set(d.fn.scalars)
        return [c for c in d.every if set(variables(c)) <= known]

    def check(self) -> None:
        for name in self.nodes:
            self.interface(name)
        for d in self.bodies.values():
            d.run()
        for name in self.nodes:
            d = self.bodies[name]
            if not d.fn.broken:
                self.report.functions.append({"name": name, "type": d.printed()})
            for n, v in d.bound:
                entry = {"function": name, "name": n, "type": shown(v.type), "contents": None}
                if v.elems is not None and isinstance(v.type, Tensor) and v.type.dtype in ("int32", "int64"):
                    elems = ", ".join(text(x) for x in v.elems)
                    entry["contents"] = f"[{elems}]" if v.type.shape else elems
                self.report.bindings.append(entry)


class Definition(Ops):
    """[type.result] [type.where] [type.positive] [name.dimension]"""

    def __init__(self, file: File, node: Node) -> None:
        super().__init__(file.report, file.solver)
        self.file, self.node = file, node
        self.fn = Function(node)
        self.env, self.names, self.lost, self.bound = {}, {}, set(), []
        self.ran = False
        self.implied_by_type: list[Con] = []
        self.kinds = {n for n, _, _ in node.attrs}
        self.clauses: list[Con] = []
        self.hopeless = False
        self.args, self.places, self.attrs = [], [], {}

    def functions(self, name: str, place: Place) -> Function:
        if name not in self.file.nodes:
            raise Bad("E0203", "name.function", place)
        return self.file.interface(name)

    def latent(self, name: str) -> list[Con]:
        return self.file.latent(name)

    def broken(self, b: Bad) -> None:
        self.tell(b)
        self.fn.broken = self.doubt = True

    def declare(self) -> None:
        """The declaration: names, types, preconditions, in the order of `dim.division`."""
        node, fn = self.node, self.fn
        self.bind_names()
        self.divisors = []
        seen: set[str] = set()
        for p in node.kids:
            if p.text in seen:
                self.broken(Bad("E0204", "name.duplicate", p.span))
                continue
            seen.add(p.text)
            if p.kids[0].kind == "tensor" and not p.kids[0].kids and p.kids[0].text in INTS:
                v = (
                    rigid(p.text, p.kids[0].span, False)
                    if self.mentioned(p.text)
                    else ghost(p.text, p.kids[0].span, False)
                )
                fn.scalars[v] = node.kids.index(p)
                self.env[p.text] = Value(Tensor((), p.kids[0].text), elems=(dim(v),), name=p.text)
        for p in node.kids:
            try:
                w = self.written(p.kids[0])
                t = self.opened(w, p.text)
                if p.text not in self.env:
                    self.env[p.text] = Value(t, name=p.text)
                    if (
                        isinstance(t, Tensor)
                        and len(t.shape) == 1
                        and t.dtype in INTS
                        and (t.shape[0].number or 99) <= 64
                    ):
                        k = t.shape[0].number or 0
                        self.env[p.text].elems = tuple(
                            dim(ghost(f"{p.text}[{i}]", p.kids[0].span, False)) for i in range(k)
                        )
                self.bound.append((p.text, self.env[p.text]))
                self.fn.holes |= w.holes
                self.gradual |= w.holes
                fn.params.append((p.text, self.concrete(w, t)))
            except Bad as b:
                self.lost.add(p.text)
                self.broken(b)
            except Gone:
                self.lost.add(p.text)
                self.fn.broken = self.doubt = True
        self.positive()
        where = node.more["where"]
        assert where is not None
        for c in where.kids:
            try:
                kept, self.divisors = self.divisors or [], []
                goal = self.to_con(c)
                inner, self.divisors = self.divisors, kept
                for d, place in inner:
                    self.gain_pre(le(1, d), place)
                self.clauses.append(goal)
                if self.solver.sat([*self.facts, goal]) == "unsat":
                    self.broken(Bad("E0311", "type.where", c.span))
                    self.hopeless = True
                    break
                fn.pre += [goal] if goal.kind != "and" else list(goal.parts)
                self.gain(goal)
            except Bad as b:
                self.broken(b)
            except Gone:
                self.fn.broken = self.doubt = True
        result = node.more["result"]
        if result is not None:
            try:
                fn.written = self.written(result)
                fn.holes |= fn.written.holes
                if fn.written.holes:
                    fn.open.add(Var("?"))
            except Gone:
                fn.broken = self.doubt = True
                fn.written = Written("none", result.span)
            except Bad as b:
                self.broken(b)
                fn.written = Written("none", result.span)
        owed, self.divisors = self.divisors or [], None
        for d, place in owed:
            self.need("dim.division", le(1, d), place)

    def gain_pre(self, c: Con, place: Place) -> None:
        self.fn.pre.append(c)
        self.gain(c)

    def mentioned(self, name: str) -> bool:
        """A scalar that the declaration mentions in a type or a clause is a rigid name."""

        def inside(e: Node | None) -> bool:
            return e is not None and ((e.kind == "local" and e.text == name) or any(inside(k) for k in e.kids))

        return (
            any(inside(p.kids[0]) for p in self.node.kids)
            or inside(self.node.more["where"])
            or inside(self.node.more["result"])
        )

    def bind_names(self) -> None:
        """[name.dimension]: causality."""
        occurrences = [o for p in self.node.kids for o in dimension_names(p.kids[0])]
        known: dict[str, Place] = {}
        for _, bare in occurrences:
            if bare is not None and bare.text not in ("_", "None", *known):
                known[bare.text] = bare.span
        grown = True
        while grown:
            grown = False
            for size, bare in occurrences:
                new = {w.text for w in words(size)} - set(known)
                if bare is None and len(new) == 1:
                    name = next(iter(new))
                    if self.solvable(size, name, set(known)):
                        known[name] = next(w.span for w in words(size) if w.text == name)
                        grown = True
        for n, place in known.items():
            v = rigid(n, place)
            self.fn.dims[n] = v
            self.names[n] = dim(v)
            self.gain(le(0, dim(v)))
        types = {p.kids[0].text for p in self.node.kids if not p.kids[0].kids} | {
            k.text for p in self.node.kids for k in p.kids[0].kids
        }
        used = {w.text for _, e in enumerate(self.node.kids) for k in sizes(e.kids[0]) for w in words(k)}
        for i, (n, place, binder) in enumerate(self.node.attrs):
            if n in [m for m, _, _ in self.node.attrs[:i]]:
                self.broken(Bad("E0204", "name.duplicate", place))
            elif n not in known and n in types:
                raise Skip("type parameters")
            elif n not in known and n not in used and binder.kind != "Dim":
                self.fn.types.append(n)  # a type that no parameter mentions
            elif n not in known:
                self.broken(Bad("E0206", "name.dimension", place))
                self.lost.add(n)

    def solvable(self, size: Node, name: str, known: set[str]) -> bool:
        kept = dict(self.names), self.divisors, dict(self.env)
        try:
            self.divisors = []
            for n in known | {name}:
                self.names[n] = dim(Var(n, 0))
            d = self.to_dim(size)
            v = Var(name, 0)
            k = dict(d.terms).get(((v, 1),), 0)
            return bool(k) and v not in variables(d - dim(v) * k)
        except (Bad, Skip, Gone):
            return False
        finally:
            self.names, self.divisors, self.env = kept

    def concrete(self, w: Written, t: Type) -> Written:
        """The interface keeps the ghost of each `?`, which results may mention."""
        if isinstance(t, Tuple):
            return Written(
                "tuple", w.place, parts=[self.concrete(p, q) for p, q in zip(w.parts, t.parts, strict=False)]
            )
        out = Written("tensor", w.place, w.dtype)
        for (kind, _, bound, place), d in zip(w.dims, t.shape, strict=False):
            out.dims.append((kind, d, bound, place))
        return out

    def positive(self) -> None:
        """[type.positive]"""
        lifted: list[Dim] = []
        zero: set[Var] = set()

        def conjuncts(e: Node) -> list[Node]:
            e = e.kids[0] if e.kind == "group" else e
            return conjuncts(e.kids[0]) + conjuncts(e.kids[1]) if e.kind == "infix" and e.text == "and" else [e]

        where = self.node.more["where"]
        assert where is not None
        for c in [x for k in where.kids for x in conjuncts(k)]:
            try:
                got = self.to_con(c)
            except (Bad, Gone):
                continue
            for d in [dim(v) for v in variables(got)] + [d for _, w in self.fn.params for d in dims_of(w)]:
                if got == le(0, d):
                    lifted.append(d)
                    zero |= {v for v in variables(d) if d == dim(v)}
        for _, w in self.fn.params:
            for d in dims_of(w):
                names = [v for v in variables(d) if v in self.fn.dims.values()]
                if not names or d in lifted:
                    continue
                if zero and replace(d, {v: dim(0) for v in zero}).number == 0:
                    continue
                goal = le(1, d)
                if self.solver.sat([*[le(0, dim(v)) for v in variables(d) if v.size], le(d, 0)]) == "unsat":
                    continue
                if goal not in self.fn.pre:
                    self.fn.pre.append(goal)
                    self.implied_by_type.append(goal)
        for g in self.fn.pre:
            self.gain(g)
        for _, w in self.fn.params:
            for d in dims_of(w):
                self.gain(le(0, d))

    def run(self) -> None:
        """The body, then what the result owes [type.result]."""
        if self.ran:
            return
        self.ran = True
        body = self.node.more["body"]
        assert body is not None
        if self.hopeless:
            return
        try:
            v = self.expr(body)
            w = self.fn.written
            if w is not None and w.kind != "none":
                self.flow(v, w, {}, "type.result", last(body).span)
            elif w is None:
                self.fn.result = v.type
                self.closing(v.type)
        except Bad as b:
            self.tell(b)
            self.fn.broken |= self.fn.written is None
        except Gone:
            self.fn.broken |= self.fn.written is None
        self.finish()

    def keeps(self, d: Dim) -> bool:
        """[type.close]"""
        return all(v.rigid for v in variables(d))

    def closing(self, t: Type) -> None:
        if isinstance(t, Tuple):
            for p in t.parts:
                self.closing(p)
            return
        for d in t.shape:
            if not self.keeps(d):
                self.fn.open.add(Var("?"))
                self.fn.holes = True
        self.fn.result = self.cut(self.fn.result) if self.fn.result else None

    def cut(self, t: Type) -> Type:
        """A size without a name outside is `?`: an unknown that no call can choose."""
        if isinstance(t, Tuple):
            return Tuple(tuple(self.cut(p) for p in t.parts))
        return Tensor(tuple(d if self.keeps(d) else dim(Var("?", -1, False)) for d in t.shape), t.dtype)

    def printed(self) -> str:
        """[syntax.print]"""
        params = ", ".join(written_text(w) for _, w in self.fn.params)
        w = self.fn.written
        result = written_text(w) if w is not None else shown(self.fn.result, self.keeps) if self.fn.result else "_"
        clauses = joined([c for c in self.clauses if c not in self.implied_by_type])
        binders = f"[{', '.join(f'{n}: Type' for n in self.fn.types)}] " if self.fn.types else ""
        return f"fn {binders}({params}) -> {result}" + (f" where {clauses}" if clauses else "")


def sizes(t: Node) -> list[Node]:
    """The sizes in a type as written."""
    return [s for k in t.kids for s in sizes(k)] if t.kind == "tuple_type" else t.kids


def dims_of(w: Written) -> list[Dim]:
    return [d for p in w.parts for d in dims_of(p)] + [d for _, d, _, _ in w.dims if d is not None]


def written_text(w: Written) -> str:
    if w.kind == "tuple":
        parts = [written_text(p) for p in w.parts]
        return "(" + ", ".join(parts) + (",)" if len(parts) == 1 else ")")
    if not w.dims:
        return w.dtype
    out = []
    for kind, d, bound, _ in w.dims:
        out.append(
            "?"
            if kind == "hole"
            else f"?{{{bound[0].name}. {con(bound[1])}}}"
            if bound is not None
            else text(d)
            if d is not None
            else "?"
        )
    return f"Tensor[({', '.join(out)}{',' if len(out) == 1 else ''}), {w.dtype}]"
