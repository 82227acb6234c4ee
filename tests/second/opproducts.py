"""Chapter 7: operators that contract, and convolutions."""

from __future__ import annotations

from .dims import Con, Dim, dim, eq, floor, le, mod
from .goals import Bad
from .opattrs import Attributes
from .text import Place, Skip
from .types import FLOATS, Tensor, Value


class Products(Attributes):
    """Products of matrices, biases, windows."""

    def owes(self, rule: str, goal: Con, place: Place) -> None:
        raise NotImplementedError

    def unify(self, indices: list[int]) -> str:
        raise NotImplementedError

    def together(self, a: tuple[Dim, ...], b: tuple[Dim, ...], i: int) -> tuple[Dim, ...]:
        raise NotImplementedError

    def multiplied(self) -> str:
        """[op.dtype]: the element type of a product."""
        dtype = self.unify([0, 1])
        if dtype == "bool":
            raise Bad("E0306", "op.dtype", self.places[0])
        if dtype in FLOATS and self.element_type("out_dtype", dtype) not in FLOATS:
            raise Bad("E0306", "op.dtype", self.site.span)
        return dtype

    def dense(self) -> Value:
        """[op.nn.dense.contract] [op.nn.dense.units]"""
        x = self.ranked(0, *range(1, 17))
        w = self.ranked(1, 2)
        dtype, units = self.multiplied(), self.sizes("units")
        self.owes("op.nn.dense.contract", eq(x[-1], w[1]), self.places[0])
        last = w[0]
        if units:
            self.owes("op.nn.dense.units", eq(units[0][0], w[0]), self.places[1])
            last = units[0][0] if last.number is None else last
        return Value(Tensor((*x[:-1], last), self.element_type("out_dtype", dtype)))

    def matmul(self) -> Value:
        """[op.nn.matmul.contract] [op.nn.matmul.units]"""
        a, b = self.ranked(0, *range(1, 17)), self.ranked(1, 2)
        dtype, units = self.multiplied(), self.sizes("units")
        if self.flag("transpose_a"):
            if len(a) < 2:
                raise Bad("E0303", "op.rank", self.places[0])
            a = (*a[:-2], a[-1], a[-2])
        if self.flag("transpose_b"):
            b = (b[1], b[0])
        self.owes("op.nn.matmul.contract", eq(a[-1], b[0]), self.places[0])
        if units:
            self.owes("op.nn.matmul.units", eq(units[0][0], b[1]), self.places[1])
        last = units[0][0] if units and b[1].number is None else b[1]
        return Value(Tensor((*a[:-1], last), self.element_type("out_dtype", dtype)))

    def batch_matmul(self) -> Value:
        """[op.nn.batch_matmul.contract]"""
        a, b = self.ranked(0, 3), self.ranked(1, 3)
        dtype = self.multiplied()
        if self.flag("transpose_a"):
            a = (a[0], a[2], a[1])
        if self.flag("transpose_b"):
            b = (b[0], b[2], b[1])
        self.owes("op.nn.batch_matmul.contract", eq(a[2], b[1]), self.places[0])
        batch = self.together(a[:1], b[:1], 0)
        return Value(Tensor((*batch, a[1], b[2]), self.element_type("out_dtype", dtype)))

    def bias_add(self) -> Value:
        """[op.nn.bias_add.axis]"""
        x = self.tensor(0).shape
        b = self.ranked(1, 1)
        dtype = self.multiplied()
        i = self.axis(self.integer("axis", 1), len(x))
        self.owes("op.nn.bias_add.axis", eq(x[i], b[0]), self.places[0])
        return Value(Tensor(x, dtype))

    def flatten(self) -> Value:
        t = self.tensor(0)
        if not t.shape:
            raise Bad("E0303", "op.rank", self.places[0])
        out = dim(1)
        for d in t.shape[1:]:
            out = out * d
        return Value(Tensor((t.shape[0], out), t.dtype))

    def conv2d(self) -> Value:
        """[op.conv.channels] [op.conv.kernel] [op.conv.units] [op.conv.kernel_size] [op.window.fits]"""
        x, w = self.ranked(0, 4), self.ranked(1, 4)
        dtype = self.multiplied()
        if (
            self.word("data_layout", "NCHW") != "NCHW"
            or self.word("kernel_layout", "OIHW") != "OIHW"
            or self.word("out_layout", "") not in ("", "NCHW")
        ):
            raise Skip("layouts")
        strides, dilation = self.window("strides", 1), self.window("dilation", 1)
        pads = [d.number for d, _ in self.sizes("padding") or [(dim(0), self.site)]]
        groups = self.integer("groups", 1)
        if None in pads or (groups > 1 and "channels" in self.attrs):
            raise Skip("computed attributes")
        if len(pads) not in (1, 2, 4) or any(p is not None and p < 0 for p in pads) or groups < 1:
            raise Bad("E0312", "op.attribute", self.site.span)
        p = [k or 0 for k in pads]
        before, after = (p * 2, p * 2) if len(p) == 1 else (p, p) if len(p) == 2 else (p[:2], p[2:])
        self.owes("op.conv.channels", eq(x[1], w[1] * groups), self.places[0])
        if groups != 1:
            self.owes("op.conv.groups", eq(mod(w[0], groups), 0), self.places[1])
        units, kernel = self.sizes("channels"), self.sizes("kernel_size")
        for i in (0, 1):
            self.owes("op.conv.kernel", le(1, w[2 + i]), self.places[1])
        if units:
            self.owes("op.conv.units", eq(units[0][0], w[0]), self.places[1])
        if kernel:
            for i, (k, _) in enumerate(kernel * 2 if len(kernel) == 1 else kernel):
                self.owes("op.conv.kernel_size", eq(k, w[2 + i]), self.places[1])
        out = []
        for i in (0, 1):
            wide = (w[2 + i] - 1) * dilation[i] + 1
            room = x[2 + i] + before[i] + after[i]
            self.owes("op.window.fits", le(wide, room), self.places[0])
            out.append(floor(room - wide, strides[i]) + 1)
        return Value(Tensor((x[0], w[0], *out), self.element_type("out_dtype", dtype)))

    def window(self, name: str, default: int) -> list[int]:
        got = [d.number for d, _ in self.sizes(name) or [(dim(default), self.site)]]
        if None in got:
            raise Skip("computed attributes")
        out = [k or 0 for k in got]
        if len(out) not in (1, 2) or any(k < 1 for k in out):
            raise Bad("E0312", "op.attribute", self.site.span)
        return out * 2 if len(out) == 1 else out
