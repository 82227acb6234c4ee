"""Chapter 7: the operators of the subset."""

from __future__ import annotations

from collections.abc import Callable

from .body import RANGES, last
from .declare import compare
from .dims import TRUE, Con, Dim, all_, any_, broadcast, dim, eq, extreme, floor, le, mod, no
from .goals import Bad
from .opshapes import Shapes
from .text import Node, Place, Skip
from .types import FLOATS, INTS, Tensor, Tuple, Value

FLOATING = ("exp", "log", "sqrt", "rsqrt", "sigmoid", "tanh", "erf", "sin", "cos", "tan")
KEEPING = ("nn.relu", "abs", "negative", "copy", "sign", "ceil", "floor", "round", "trunc", *FLOATING)
ARITH = ("add", "subtract", "multiply", "divide", "floor_divide", "floor_mod", "maximum", "minimum", "power", "mod")
COMPARING = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
FLAGS = ("keepdims", "exclude", "select_last_index", "transpose_a", "transpose_b", "allowzero")
LOGIC = ("logical_and", "logical_or", "logical_xor")


PAIRED = (
    "op.broadcast.agree",
    "op.nn.dense.contract",
    "op.nn.matmul.contract",
    "op.nn.batch_matmul.contract",
    "op.nn.bias_add.axis",
    "op.conv.channels",
    "op.window.fits",
)


class Ops(Shapes):
    """[type.operator]: the judgement of each operator."""

    def operator(self, e: Node, name: str, kids: list[Node], hint: str) -> Value:
        name = name.removeprefix("relay.")
        method: Callable[[], Value] | None = None
        self.site, self.hint = e, hint
        if name in (
            "reshape",
            "broadcast_to",
            "zeros",
            "ones",
            "full",
            "squeeze",
            "expand_dims",
            "strided_slice",
        ) or name.startswith("dyn."):
            limit = {"zeros": 0, "ones": 0, "strided_slice": 1}.get(name, 2 if name == "full" else 1)
            if name.startswith("dyn.") or (
                len(kids) > (1 if name == "full" else limit) and not (name == "reshape" and len(kids) == 2)
            ):
                if not (name == "dyn.reshape" and len(kids) == 2):
                    raise Skip("dynamic operators")
                name = "reshape"
        args = self.exprs(kids)
        places = [last(k).span for k in kids]
        attrs = {n: v for n, _, v in e.attrs} if e.kind == "call" else {}
        self.args, self.places, self.attrs = args, places, attrs
        self.site, self.hint = e, hint
        self.bad = any(a.error for a in args)
        known: dict[str, tuple[int, tuple[str, ...], Callable[[], Value]]] = {}
        for n in KEEPING:
            known[n] = (1, (), lambda: self.keeping(name))
        for n in (*ARITH, *COMPARING, *LOGIC):
            known[n] = (2, (), lambda: self.elementwise(name))
        known["logical_not"] = (1, (), self.negate)
        for n in ("sum", "mean", "max", "min", "prod", "all", "any", "argmax", "argmin"):
            known[n] = (
                1,
                ("axis", "keepdims", "exclude", *(("select_last_index",) if n.startswith("arg") else ())),
                lambda: self.reduce(name),
            )
        known |= self.table()
        if name not in known:
            from .names import OTHERS

            if name.split(".")[0] in ("vm", "memory", "contrib", "random", "qnn", "annotation"):
                raise Skip("operator outside of the subset")
            if name in OTHERS:
                raise Skip("operator outside of the subset")
            if e.kind == "call" and e.kids[0].text[:1].isupper():
                raise Bad("E0205", "name.type", e.kids[0].span)
            raise Bad("E0201", "name.operator", e.kids[0].span)
        count, names, method = known[name]
        if count >= 0 and len(args) != count and not (name == "reshape" and len(args) == 2):
            raise Bad("E0304", "type.call.arity", e.span)
        self.attributes_fit(names)
        before = len(self.report.diagnostics), len(self.pending)
        try:
            out = method()
        except Bad as b:
            if b.code not in ("E0303", "E0305", "E0312") or not (self.dead or self.tests):
                raise
            self.misfit(b.code, b.rule, b.place)
            return self.shapeless(name)
        refuted = any(p.kind != "open" for p in self.pending[before[1] :]) or len(self.report.diagnostics) > before[0]
        out.error = out.error or self.bad or refuted
        if not hint:
            out.name = out.name or ""
        else:
            out.name = hint
        out.type = self.simplified(out.type)
        return out

    def attributes_fit(self, names: tuple[str, ...]) -> None:
        """[name.attribute]: one given twice, before one that is unknown or of another kind."""
        attrs = self.site.attrs if self.site.kind == "call" else []
        given = [n for n, _, _ in attrs]
        again = [p for i, (n, p, _) in enumerate(attrs) if n in given[:i]]
        wrong = [p for n, p, v in attrs if n not in names or not self.is_of_kind(n, v)]
        if again or wrong:
            raise Bad("E0207", "name.attribute", (*again, *wrong)[0])

    def is_of_kind(self, name: str, e: Node) -> bool:
        """Whether a flag is one, and an axis no text."""
        if name == "axis":
            return e.kind != "string"
        return name not in FLAGS or e.text in (("True", "False") if e.kind == "word" else ("0", "1"))

    def owes(self, rule: str, goal: Con, place: Place) -> None:
        """The remaining requirements of an application with a refuted one are not asked."""
        other = self.places[1] if len(self.places) > 1 and rule in PAIRED else None
        if not self.bad and not self.need(rule, goal, place, False, other):
            self.bad = True

    def shapeless(self, name: str) -> Value:
        """The structure and element type of a result whose rank does not fit, in a branch of a test [type.if.fails]."""
        first = self.args[0].type if self.args else None
        while isinstance(first, Tuple) and first.parts:
            first = first.parts[0]
        dtype = first.dtype if isinstance(first, Tensor) else "float32"
        if name in COMPARING or name in LOGIC:
            dtype = "bool"
        elif name in ("shape_of", "argmax", "argmin"):
            dtype = "int32"
        if "dtype" in self.attrs:
            dtype = self.element_type("dtype", dtype)
        out = Tensor((), dtype)
        if name != "split":
            return Value(out)
        at = self.attrs["indices_or_sections"]
        count = len(at.kids) + 1 if at.kind == "list" else self.integer("indices_or_sections", 1)
        return Value(Tuple((out,) * count))

    def keeping(self, name: str) -> Value:
        t = self.tensor(0)
        if (name in FLOATING and t.dtype not in FLOATS) or t.dtype == "bool":
            raise Skip("element types of an operator")
        a = self.args[0]
        elems = None
        if a.elems is not None and t.dtype in INTS:
            if name == "negative":
                elems = tuple(-x for x in a.elems)
            elif name == "copy":
                elems = a.elems
            elif name == "nn.relu":
                elems = tuple(extreme(False, x, dim(0)) for x in a.elems)
        return Value(t, elems=elems, cond=a.cond if name == "copy" else None, test=a.test)

    def negate(self) -> Value:
        a = self.args[0]
        t = self.tensor(0)
        if t.dtype != "bool":
            raise Skip("element types of an operator")
        return Value(t, cond=(a.cond[1], a.cond[0], a.cond[2]) if a.cond else None, test=a.test)

    def unify(self, indices: list[int]) -> str:
        """[type.literal] [op.dtype]: an integer literal takes the type of the operands next to it."""
        strong = [i for i in indices if not self.args[i].weak]
        if strong:
            dtype = self.tensor(strong[0]).dtype
            for i in indices:
                a = self.args[i]
                if (
                    a.weak
                    and dtype in INTS
                    and all(
                        x.number is not None and RANGES[dtype][0] <= x.number <= RANGES[dtype][1] for x in a.elems or ()
                    )
                ):
                    self.args[i] = Value(Tensor(a.tensor.shape, dtype), elems=a.elems)
        else:
            dtype = "int64" if any(self.tensor(i).dtype == "int64" for i in indices) else self.tensor(indices[0]).dtype
            for i in indices:
                self.args[i] = Value(Tensor(self.tensor(i).shape, dtype), elems=self.args[i].elems, weak=True)
        dtype = self.tensor(indices[0]).dtype
        for i in indices[1:]:
            if self.tensor(i).dtype != dtype:
                raise Bad("E0306", "op.dtype", self.places[i])
        return dtype

    def together(self, a: tuple[Dim, ...], b: tuple[Dim, ...], i: int) -> tuple[Dim, ...]:
        """[op.broadcast.agree]"""
        k = max(len(a), len(b))
        a = (dim(1),) * (k - len(a)) + a
        b = (dim(1),) * (k - len(b)) + b
        out = []
        for d, e in zip(a, b, strict=False):
            if d.number == 1:
                out.append(e)
            elif e.number == 1:
                out.append(d)
            else:
                self.owes("op.broadcast.agree", any_(eq(d, e), eq(d, 1), eq(e, 1)), self.places[i])
                out.append(broadcast(d, e))
        return tuple(out)

    def elementwise(self, name: str) -> Value:
        dtype = self.unify([0, 1])
        x, y = self.args
        if name in LOGIC and dtype != "bool":
            raise Skip("element types of an operator")
        if (
            dtype == "bool"
            and name not in LOGIC
            and name not in ("add", "multiply", "equal", "not_equal", "maximum", "minimum")
        ):
            raise Skip("element types of an operator")
        shape = self.together(x.tensor.shape, y.tensor.shape, 0)
        out = Value(Tensor(shape, "bool" if name in COMPARING else dtype), test=x.test or y.test)
        scalar = not shape
        if name in COMPARING and dtype in INTS:
            out.test = True
            if scalar:
                a, b = self.elements(x, self.places[0])[0], self.elements(y, self.places[1])[0]
                c = compare(COMPARING[name], a, b)
                out.cond = (c, no(c), True)
            return out
        if (
            dtype == "bool"
            and scalar
            and name in ("logical_and", "multiply", "minimum", "logical_or", "add", "maximum")
        ):
            p, q = x.cond or (TRUE, TRUE, False), y.cond or (TRUE, TRUE, False)
            both = name in ("logical_and", "multiply", "minimum")
            f, g = (all_, any_) if both else (any_, all_)
            out.cond = (f(p[0], q[0]), g(p[1], q[1]), p[2] and q[2])
            return out
        if (
            dtype in INTS
            and x.elems
            and y.elems
            and (len(x.elems) == len(y.elems) or 1 in (len(x.elems), len(y.elems)))
            and len(shape) <= 1
        ):
            n = max(len(x.elems), len(y.elems))
            xs, ys = x.elems * (n // len(x.elems)), y.elems * (n // len(y.elems))
            got = [self.compute(name, a, b) for a, b in zip(xs, ys, strict=False)]
            if all(g is not None for g in got):
                out.elems = tuple(g for g in got if g is not None)
        return out

    def compute(self, name: str, a: Dim, b: Dim) -> Dim | None:
        if name in ("add", "subtract", "multiply"):
            return a + b if name == "add" else a - b if name == "subtract" else a * b
        if name in ("maximum", "minimum"):
            return self.solver.simple(self.facts, extreme(name == "minimum", a, b))
        positive = (b.number is not None and b.number >= 1) or self.solver.holds(self.facts, le(1, b))
        if not positive:
            return None
        if name == "floor_divide":
            return floor(a, b)
        if name == "floor_mod":
            return mod(a, b)
        if name == "divide":
            from .dims import choice

            return self.solver.simple(self.facts, choice(le(0, a), floor(a, b), -floor(-a, b)))
        return None

    def reduce(self, name: str) -> Value:
        """[op.axis] [op.max.extent] [op.mean.extent]"""
        t = self.tensor(0)
        if name in ("all", "any") or t.dtype == "bool":
            raise Skip("element types of an operator")
        axes = self.axes("axis", len(t.shape))
        if self.flag("exclude") and axes:
            axes = [i for i in range(len(t.shape)) if i not in axes]
        elif not axes:
            axes = list(range(len(t.shape)))
        keep = self.flag("keepdims")
        if name in ("max", "min", "argmax", "argmin") or (name == "mean" and t.dtype in INTS):
            for i in axes:
                self.owes(f"op.{name}.extent", le(1, t.shape[i]), self.places[0])
        shape = [dim(1) if i in axes else d for i, d in enumerate(t.shape) if keep or i not in axes]
        elems: tuple[Dim, ...] | None = None
        a = self.args[0].elems
        if a and len(t.shape) == 1 and not shape and name in ("sum", "max", "min", "prod"):
            total = a[0]
            for x in a[1:]:
                total = (
                    total + x if name == "sum" else total * x if name == "prod" else extreme(name == "min", total, x)
                )
            elems = (total,)
        if name in ("sum", "prod") and a and not t.shape:
            elems = a
        return Value(Tensor(tuple(shape), "int32" if name.startswith("arg") else t.dtype), elems=elems)
