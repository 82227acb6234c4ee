"""Chapter 4, `dim.facts.divisible` and `dim.facts.multiple`: equations of products with a quotient."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .dims import Atom, Con, Dim, Div, Ite, Max, Mono, dim, make


@dataclass(frozen=True)
class Product:
    """`factor * product == image`, the product with a quotient."""

    product: Mono
    factor: int
    image: Dim

    @property
    def back(self) -> Product | None:
        """The equation from right to left: the first term of the image is the product without the others."""
        m, c = self.image.terms[0] if self.image.terms else ((), 0)
        if not m or set(m) & set(self.product):
            return None
        return Product(m, c, make({self.product: self.factor}) - self.image + make({m: c}))


def products(facts: Iterable[Con]) -> list[Product]:
    """The equations of facts that say what a product with a quotient is, one for each quotient."""
    out: dict[Div, Product] = {}
    for f in facts:
        for p in f.parts if f.kind == "and" else (f,):
            found = product_of(p.d) if p.kind == "eq" and p.d is not None else None
            if found is not None:
                out.setdefault(*found)
    return list(out.values())


def product_of(d: Dim) -> tuple[Div, Product] | None:
    """The first product with a quotient in a sum that is 0, unless a quotient is inside a max, min or if-then-else."""
    if any(chosen(a) for m, _ in d.terms for a, _ in m):
        return None
    for m, c in d.terms:
        for q, _ in m:
            if isinstance(q, Div):
                image = make({n: x for n, x in d.terms if n != m}) * (-1 if c > 0 else 1)
                return q, Product(m, abs(c), image)
    return None


def chosen(a: Atom) -> bool:
    """Whether a max, a min or an if-then-else dim, here or inside of quotients, has a quotient in it."""
    if isinstance(a, Div):
        return any(chosen(b) for d in (a.top, a.by) for m, _ in d.terms for b, _ in m)
    return isinstance(a, (Max, Ite)) and "Div(" in repr(a)


def reduced(d: Dim, rules: Iterable[Product]) -> Dim:
    """A dim with products in place of what they equal."""
    known = list(rules)
    for _ in range(8):
        before = d
        for rule in known:
            d = with_image(d, rule)
        if d == before:
            break
    return d


def with_image(d: Dim, rule: Product) -> Dim:
    """A dim with the image in place of a product."""
    need = dict(rule.product)
    for m, k in d.terms:
        have = dict(m)
        if k % rule.factor == 0 and all(have.get(a, 0) >= x for a, x in need.items()):
            left = tuple((a, x - need.get(a, 0)) for a, x in m if x > need.get(a, 0))
            d = d - make({m: k}) + rule.image * make({left: k // rule.factor})
    return d


def ways(d: Dim, rules: Iterable[Product]) -> list[Dim]:
    """The forms of a dim by the equations from right to left, without the dim itself."""
    tries = [d]
    for back in [b for rule in rules if (b := rule.back) is not None]:
        tries += [x for t in tries if (x := with_image(t, back)) not in tries]
    return tries[1:17]


def factors(d: Dim) -> int:
    """How many factors the terms of a dim have."""
    return sum(k for m, _ in d.terms for _, k in m)


def positive(rule: Product) -> Dim:
    """The quotient of an equation, which is at least 1 if the image is, and no factor is negative."""
    return dim(next(a for a, _ in rule.product if isinstance(a, Div)))
