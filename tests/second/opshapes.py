"""Chapter 7: operators that create, move, join and contract."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from .dims import Dim, any_, choice, dim, eq, extreme, floor, le, mod, variables
from .goals import Bad
from .opreshape import Reshapes
from .text import Skip
from .types import FLOATS, INTS, Tensor, Tuple, Value


class Shapes(Reshapes):
    """The operators about shapes."""

    def table(self) -> dict[str, tuple[int, tuple[str, ...], Callable[[], Value]]]:
        return {
            "zeros": (0, ("shape", "dtype"), lambda: self.create("zeros")),
            "ones": (0, ("shape", "dtype"), lambda: self.create("ones")),
            "full": (1, ("shape", "dtype"), lambda: self.create("full")),
            "zeros_like": (1, (), lambda: Value(self.tensor(0))),
            "ones_like": (1, (), lambda: Value(self.tensor(0))),
            "cast": (1, ("dtype",), self.cast),
            "clip": (1, ("a_min", "a_max"), lambda: Value(self.tensor(0))),
            "nn.leaky_relu": (1, ("alpha",), lambda: Value(self.tensor(0))),
            "nn.softmax": (1, ("axis",), lambda: self.softmax(-1)),
            "nn.log_softmax": (1, ("axis",), lambda: self.softmax(-1)),
            "nn.dense": (2, ("units", "out_dtype"), self.dense),
            "nn.matmul": (2, ("units", "out_dtype", "transpose_a", "transpose_b"), self.matmul),
            "nn.batch_matmul": (2, ("out_dtype", "transpose_a", "transpose_b"), self.batch_matmul),
            "nn.bias_add": (2, ("axis",), self.bias_add),
            "nn.batch_flatten": (1, (), self.flatten),
            "nn.conv2d": (
                2,
                (
                    "strides",
                    "padding",
                    "dilation",
                    "groups",
                    "channels",
                    "kernel_size",
                    "data_layout",
                    "kernel_layout",
                    "out_layout",
                    "out_dtype",
                ),
                self.conv2d,
            ),
            "transpose": (1, ("axes",), self.transpose),
            "reshape": (1, ("newshape", "allowzero"), self.reshape),
            "concatenate": (1, ("axis",), self.concatenate),
            "stack": (1, ("axis",), self.stack),
            "split": (1, ("indices_or_sections", "axis"), self.split),
            "expand_dims": (1, ("axis", "num_newaxis"), self.expand),
            "squeeze": (1, ("axis",), self.squeeze),
            "shape_of": (1, ("dtype",), self.shape_of),
            "take": (2, ("batch_dims", "axis", "mode"), self.take),
            "strided_slice": (1, ("begin", "end", "strides", "slice_mode", "axes"), self.slice),
        }

    # -------------------------------------------------------------------------------------- creating
    def create(self, name: str) -> Value:
        """[op.zeros.size] [op.ones.size] [op.full.size]"""
        shape = self.sizes("shape")
        if shape is None:
            raise Bad("E0207", "name.attribute", self.site.span)
        for d, _ in shape:
            self.owes(f"op.{name}.size", le(0, d), self.site.span)
        default = "float32"
        if name == "full":
            if self.tensor(0).shape:
                raise Bad("E0303", "op.rank", self.places[0])
            default = self.tensor(0).dtype
        dims = tuple(d for d, _ in shape)
        out = Value(Tensor(dims, self.element_type("dtype", default)))
        k = dims[0].number if len(dims) == 1 else 1 if not dims else None
        if out.tensor.dtype in INTS and k is not None and k <= 64:
            one = self.args[0].elems if name == "full" else (dim(int(name == "ones")),)
            if one is not None:
                out.elems = one * max(k, 0)
        return out

    def cast(self) -> Value:
        t = self.tensor(0)
        if "dtype" not in self.attrs:
            raise Bad("E0207", "name.attribute", self.site.span)
        to = self.element_type("dtype", "")
        a = self.args[0]
        return Value(
            Tensor(t.shape, to),
            elems=a.elems if to in INTS and t.dtype in INTS else None,
            cond=a.cond if to == "bool" else None,
            test=a.test,
        )

    def softmax(self, default: int) -> Value:
        t = self.tensor(0)
        if t.dtype not in FLOATS:
            raise Skip("element types of an operator")
        self.axis(self.integer("axis", default), len(t.shape))
        return Value(t)

    def shape_of(self) -> Value:
        t = self.tensor(0)
        return Value(Tensor((dim(len(t.shape)),), self.element_type("dtype", "int32")), elems=t.shape)

    # ---------------------------------------------------------------------------------------- moving
    def transpose(self) -> Value:
        t = self.tensor(0)
        n = len(t.shape)
        axes = self.axes("axes", n) or list(reversed(range(n)))
        if len(axes) != n:
            raise Bad("E0312", "op.attribute", self.site.span)
        return Value(Tensor(tuple(t.shape[i] for i in axes), t.dtype), elems=self.args[0].elems)

    def tuple_of(self) -> list[Tensor]:
        t = self.args[0].type
        if not isinstance(t, Tuple):
            raise Bad("E0307", "op.structure", self.places[0])
        if not t.parts:
            raise Skip("empty tuples")
        out = []
        parts = self.args[0].parts
        if parts and any(p.weak for p in parts):
            strong = next((p.tensor.dtype for p in parts if not p.weak and isinstance(p.type, Tensor)), None)
            if strong in INTS:
                parts = [
                    Value(Tensor(p.tensor.shape, strong), elems=p.elems) if p.weak and strong else p for p in parts
                ]
                t = Tuple(tuple(p.type for p in parts))
                self.args[0] = Value(t, parts=parts)
        for p in t.parts:
            if not isinstance(p, Tensor):
                raise Bad("E0307", "op.structure", self.places[0])
            out.append(p)
        if any(p.dtype != out[0].dtype for p in out):
            raise Bad("E0306", "op.dtype", self.places[0])
        return out

    def concatenate(self) -> Value:
        """[op.concatenate.agree]"""
        ts = self.tuple_of()
        n = len(ts[0].shape)
        if any(len(t.shape) != n for t in ts) or n == 0:
            raise Bad("E0303", "op.rank", self.places[0])
        i = self.axis(self.integer("axis", 0), n)
        total = dim(0)
        for t in ts:
            total = total + t.shape[i]
            for j in range(n):
                if j != i and t is not ts[0]:
                    self.owes("op.concatenate.agree", eq(ts[0].shape[j], t.shape[j]), self.places[0])
        agreed = [next((t.shape[j] for t in ts if t.shape[j].number is not None), ts[0].shape[j]) for j in range(n)]
        elems = None
        parts = self.args[0].parts
        if n == 1 and parts and all(p.elems is not None for p in parts):
            elems = tuple(x for p in parts for x in p.elems or ())
        return Value(Tensor((*agreed[:i], total, *agreed[i + 1 :]), ts[0].dtype), elems=elems)

    def stack(self) -> Value:
        """[op.stack.agree]"""
        ts = self.tuple_of()
        n = len(ts[0].shape)
        if any(len(t.shape) != n for t in ts):
            raise Bad("E0303", "op.rank", self.places[0])
        i = self.axis(self.integer("axis", 0), n + 1)
        for t in ts[1:]:
            for a, b in zip(ts[0].shape, t.shape, strict=False):
                self.owes("op.stack.agree", eq(a, b), self.places[0])
        parts = self.args[0].parts
        elems = (
            tuple(x for p in parts for x in p.elems or ())
            if parts and n == 0 and all(p.elems is not None for p in parts)
            else None
        )
        agreed = [next((t.shape[j] for t in ts if t.shape[j].number is not None), ts[0].shape[j]) for j in range(n)]
        return Value(Tensor((*agreed[:i], dim(len(ts)), *agreed[i:]), ts[0].dtype), elems=elems)

    def split(self) -> Value:
        """[op.split.divides] [op.split.order]"""
        t = self.tensor(0)
        i = self.axis(self.integer("axis", 0), len(t.shape))
        at = self.sizes("indices_or_sections")
        if at is None:
            raise Bad("E0207", "name.attribute", self.site.span)
        n = t.shape[i]
        if self.attrs["indices_or_sections"].kind == "list" or len(at) > 1:
            points = [dim(0), *[d for d, _ in at], n]
            for a, b in itertools.pairwise(points):
                self.owes("op.split.order", le(a, b), self.places[0])
            sizes = [b - a for a, b in itertools.pairwise(points)]
        else:
            k = at[0][0].number
            if k is None:
                raise Skip("computed attributes")
            if k < 1:
                raise Bad("E0312", "op.attribute", self.site.span)
            self.owes("op.split.divides", eq(mod(n, k), 0), self.places[0])
            sizes = [floor(n, k)] * k
        parts = tuple(Tensor((*t.shape[:i], s, *t.shape[i + 1 :]), t.dtype) for s in sizes)
        return Value(Tuple(parts))

    def expand(self) -> Value:
        t = self.tensor(0)
        if "axis" not in self.attrs:
            raise Bad("E0207", "name.attribute", self.site.span)
        n = len(t.shape)
        i, k = self.integer("axis", 0), self.integer("num_newaxis", 1)
        if k < 0:
            raise Bad("E0312", "op.attribute", self.site.span)
        i = self.axis(i, n + 1)
        elems = self.args[0].elems if n == 0 and k == 1 else None
        return Value(Tensor((*t.shape[:i], *[dim(1)] * k, *t.shape[i:]), t.dtype), elems=elems)

    def squeeze(self) -> Value:
        """[op.squeeze.one]"""
        t = self.tensor(0)
        if self.sizes("axis") is None:
            if any(d.number is None for d in t.shape):
                raise Skip("unknown rank")
            return Value(Tensor(tuple(d for d in t.shape if d.number != 1), t.dtype), elems=self.args[0].elems)
        axes = self.axes("axis", len(t.shape))
        for i in axes:
            self.owes("op.squeeze.one", eq(t.shape[i], 1), self.places[0])
        return Value(
            Tensor(tuple(d for i, d in enumerate(t.shape) if i not in axes), t.dtype), elems=self.args[0].elems
        )

    def take(self) -> Value:
        """[op.index.bounds]: an index that is clipped or wrapped needs an axis that is not empty."""
        t, i = self.tensor(0), self.tensor(1)
        mode = self.word("mode", "clip")
        if mode == "fast" and self.args[1].elems is None and i.shape:
            raise Skip("forms of take")
        if mode not in ("clip", "wrap", "fast"):
            raise Bad("E0312", "op.attribute", self.site.span)
        if i.dtype not in INTS:
            raise Bad("E0306", "op.dtype", self.places[1])
        if "batch_dims" in self.attrs:
            raise Skip("forms of take")
        if self.sizes("axis") is None:  # the elements in row-major order
            whole = dim(1)
            for d in t.shape:
                whole = whole * d
            t = Tensor((whole,), t.dtype)
        a = self.axis(self.integer("axis", 0), len(t.shape)) if self.sizes("axis") else 0
        n = t.shape[a]
        known = self.args[1].elems
        if known is not None and any(not v.rigid and not v.size for k in known for v in variables(k)):
            known = None
        if known is None:
            pass
        elif mode != "fast":
            if i.shape and not all(d.number for d in i.shape):
                count = dim(1)
                for d in i.shape:
                    count = count * d
                self.owes("op.index.bounds", any_(le(1, n), eq(count, 0)), self.places[1])
            else:
                self.owes("op.index.bounds", le(1, n), self.places[1])
        elif any(k.number is None for k in known):
            raise Skip("forms of take")
        else:
            for k in sorted({min(x.number or 0 for x in known), max(x.number or 0 for x in known)}) if known else []:
                self.owes("op.index.bounds", le(k + 1, n) if k >= 0 else le(-k, n), self.places[1])
        elems = None
        mine = self.args[0].elems
        if len(self.tensor(0).shape) == 1 and mine and known is not None and all(k.number is not None for k in known):
            size = len(mine)
            pick = [(k.number or 0) for k in known]
            pick = [min(max(k, 0), size - 1) if mode == "clip" else k % size for k in pick]
            elems = tuple(mine[k] for k in pick)
        return Value(Tensor((*t.shape[:a], *i.shape, *t.shape[a + 1 :]), t.dtype), elems=elems)

    def slice(self) -> Value:
        """[op.strided_slice.clamp]"""
        t = self.tensor(0)
        begin, end, strides = self.sizes("begin"), self.sizes("end"), self.sizes("strides") or []
        if begin is None or end is None:
            raise Bad("E0207", "name.attribute", self.site.span)
        if self.word("slice_mode", "end") != "end" or len(begin) != len(end):
            raise Skip("forms of strided_slice")
        axes = self.axes("axes", len(t.shape)) or list(range(len(begin)))
        if len(axes) != len(begin) or len(begin) > len(t.shape):
            raise Skip("forms of strided_slice")
        shape = list(t.shape)
        elems = self.args[0].elems
        for j, i in enumerate(axes):
            s = (strides[j] if j < len(strides) else (dim(1), self.site))[0].number
            if s is None:
                raise Skip("forms of strided_slice")
            if s == 0:
                raise Bad("E0312", "op.attribute", self.site.span)
            n = shape[i]
            shape[i] = self.solver.simple(self.lasting, count(n, begin[j][0], end[j][0], s))
            b, e = (self.limited(x, n) for x in (begin[j][0], end[j][0]))
            if s < 0:
                elems = None
            if elems is not None and len(t.shape) == 1:
                elems = (
                    elems[b.number or 0 : e.number or 0 : s] if b.number is not None and e.number is not None else None
                )
        return Value(Tensor(tuple(shape), t.dtype), elems=elems if len(t.shape) == 1 else None)

    def limited(self, x: Dim, n: Dim) -> Dim:
        x = self.solver.simple(self.lasting, choice(le(0, x), x, x + n))
        return self.solver.simple(self.lasting, extreme(True, extreme(False, x, dim(0)), n))


def count(n: Dim, b: Dim, e: Dim, s: int) -> Dim:
    """[op.strided_slice.clamp]: how many elements, without the limits that do not change the number."""
    if s < 0:
        start = choice(le(b, -1), b + n, extreme(True, b, n - 1))
        stop = choice(le(e, -1), extreme(False, e + n, dim(-1)), e)
        return floor(extreme(False, start - stop + (-s - 1), dim(0)), -s)
    start = choice(le(b, -1), extreme(False, b + n, dim(0)), b)
    if e == n:
        if b.number is not None and b.number < 0:
            return floor(extreme(True, -b, n) + (s - 1), s)
        return floor(extreme(False, n - start + (s - 1), dim(0)), s)
    stop = choice(le(e, -1), e + n, extreme(True, e, n))
    return floor(extreme(False, stop - start + (s - 1), dim(0)), s)
