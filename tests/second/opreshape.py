"""Chapter 7: `reshape`, its codes, and its dynamic form."""

from __future__ import annotations

from .declare import ghost
from .dims import Dim, Var, all_, choice, dim, divide, eq, floor, le, mod
from .goals import Bad
from .opattrs import plain
from .opproducts import Products
from .text import Skip
from .types import INTS, Tensor, Value


class Reshapes(Products):
    """[op.reshape.code] [op.reshape.size] [op.reshape.elements] [op.reshape.divides]"""

    def reshape(self) -> Value:
        """[op.reshape.code] [op.reshape.size] [op.reshape.elements] [op.reshape.divides]"""
        t = self.tensor(0)
        place = self.places[0]
        zero = self.flag("allowzero")
        if len(self.args) == 2:
            if "newshape" in self.attrs:
                raise Bad("E0207", "op.dyn.form", next(p for n, p, _ in self.site.attrs if n == "newshape"))
            v = self.args[1]
            if not isinstance(v.type, Tensor) or v.tensor.dtype not in INTS or len(v.tensor.shape) != 1:
                raise Skip("dynamic operators")
            entries = [(d, d.number) for d in self.elements(v, self.places[1])]
            for d, k in entries:
                if k is None and not self.solver.holds([*self.facts, *self.path], le(1, d)):
                    raise Skip("dynamic operators")
        else:
            shape = self.sizes("newshape")
            if shape is None:
                raise Bad("E0207", "name.attribute", self.site.span)
            entries = [
                (d, d.number if n.kind == "number" or (d.number is not None and d.number > 0) else None)
                for d, n in shape
            ]
        out: list[Dim | None] = []
        at = 0
        pairs: list[tuple[Dim | None, Dim | None]] = []
        split = self.split_codes(entries, t.shape) if len(self.args) == 1 else {}
        for j, (d, k) in enumerate(entries):
            if j in split or j - 1 in split or j - 2 in split:
                if j in split:
                    out += split[j]
                    at += 1
                continue
            if k is None:
                self.owes("op.reshape.size", le(0, d), place)
            if k == 0 and not zero:
                out.append(t.shape[at] if at < len(t.shape) else dim(0))
                if at >= len(t.shape):
                    pairs.append((None, dim(0)))
                at += 1
            elif k == -2 and len(self.args) == 1:
                out += t.shape[at:]
                at = len(t.shape)
            elif k == -3 and len(self.args) == 1:
                if at + 2 > len(t.shape):
                    raise Bad("E0312", "op.attribute", self.site.span)
                out.append(t.shape[at] * t.shape[at + 1])
                at += 2
            elif k is not None and k < -1 and len(self.args) == 2:
                self.owes("op.reshape.size", le(-1, d), place)
                out.append(d)
                pairs.append((None, d))
            elif k is not None and k < -1:
                raise Bad("E0312", "op.attribute", self.site.span)
            else:
                out.append(None if k == -1 else d)
                pairs.append((t.shape[at] if at < len(t.shape) else None, out[-1]))
                at += 1
        if out.count(None) > 1:
            raise Bad("E0312", "op.attribute", self.site.span)
        if None in out:
            p, q = dim(1), dim(1)
            for have, want in [*pairs, *[(d, None) for d in t.shape[at:]]]:
                a, b = factors(have, want)
                p, q = p * a, q * b
            if q.number is None or q.number < 1:
                self.owes("op.reshape.divides", le(1, q), place)
            owed = self.solver.simple(self.lasting, p, False), self.solver.simple(self.lasting, q, False)
            given, plainly = q, floor(p, q) if q.number is None or q.number >= 1 else None
            p, q = (self.solver.simple(self.lasting, x) for x in (p, q))
            if self.bad or (q.number is not None and q.number < 1):
                rest = dim(ghost(f"dim({self.hint or self.fresh()}, 0)", self.site.span))
                error = self.bad or given.number is not None
                return Value(Tensor(tuple(rest if d is None else d for d in out), t.dtype), error=error)
            whole = self.solver.multiple([*self.facts, *self.path], p, q) or self.solver.simple(
                self.lasting, floor(p, q)
            )
            if whole * q != p and self.solver.multiple([*self.facts, *self.path], p, q):
                p = whole * q
            if whole * q != p:
                self.owes("op.reshape.divides", eq(mod(*owed), 0), place)
                whole = self.solver.simple(self.lasting, floor(p, q))
            if plainly is not None and plain(plainly) and plainly in self.held:
                whole = plainly  # not simplified again [dim.decide.simplify]
            new = tuple(whole if d is None else d for d in out)
        else:
            new = tuple(d for d in out if d is not None)
            p, q = dim(1), dim(1)
            for d in t.shape:
                p = p * d
            for d in new:
                q = q * d
            self.owes("op.reshape.elements", eq(p, q), place)
        return Value(Tensor(new, t.dtype), elems=self.args[0].elems if len(new) <= 1 else None)

    def split_codes(self, entries: list[tuple[Dim, int | None]], shape: tuple[Dim, ...]) -> dict[int, list[Dim]]:
        """The code -4: the two sizes into which one is split, by the place of the code."""
        out: dict[int, list[Dim]] = {}
        at = j = 0
        while j < len(entries):
            k = entries[j][1]
            if k == -4:
                if at >= len(shape) or j + 2 >= len(entries):
                    raise Bad("E0312", "op.attribute", self.site.span)
                (s, a), (u, b), whole = entries[j + 1], entries[j + 2], shape[at]
                if a == -1 and b == -1:
                    raise Bad("E0312", "op.attribute", self.site.span)
                if a == -1 or b == -1:
                    known = u if a == -1 else s
                    self.owes("op.reshape.divides", le(1, known), self.places[0])
                    self.owes("op.reshape.divides", eq(mod(whole, known), 0), self.places[0])
                    s, u = (floor(whole, u), u) if a == -1 else (s, floor(whole, s))
                else:
                    self.owes("op.reshape.elements", eq(s * u, whole), self.places[0])
                out[j] = [s, u]
                j += 2
            at += len(shape) - at if k == -2 else 2 if k == -3 else 1
            j += 1
        return out


def factors(d: Dim | None, e: Dim | None) -> tuple[Dim, Dim]:
    """The table of [op.reshape.divides]: what a size of the data and one of the result add to p and q."""
    if d is None or e is None:
        return d or dim(1), e or dim(1)
    if d == e:
        return dim(1), dim(1)
    if positive(d) or positive(e):
        return d, e
    if d.terms and (r := divide(e, d)) is not None and r.terms:
        return dim(1), choice(eq(d, 0), dim(1), r)
    if e.terms and (r := divide(d, e)) is not None and r.terms:
        return choice(eq(e, 0), dim(1), r), dim(1)
    both = all_(eq(d, 0), eq(e, 0))
    return choice(both, dim(1), d), choice(both, dim(1), e)


def positive(d: Dim) -> bool:
    """Whether a size is at least 1 by its form: a number, or a sum of sizes and a number."""
    sizes = all(c > 0 and all(isinstance(a, Var) and a.size for a, _ in m) for m, c in d.terms if m)
    return d.const >= 1 and sizes
