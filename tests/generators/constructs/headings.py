"""What a function under growth declares: parameters with named, computed, constant and unknown sizes, preconditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.generators.constructs.view import CONSTANTS, Maker
from tests.generators.program_terms import UNKNOWN, Annotation, Arrow, Fields, Named, Size, Tensor, Unranked, resized

EMPTY = 0.85
"""How often a name that a function binds may be 0, which a `where` has to say."""


def opt_outs(maker: Maker, parameters: Sequence[tuple[str, Annotation]]) -> tuple[str, ...]:
    """What says of some of the names that parameters bind that they may be 0."""
    bound: list[str] = []

    def keep(size: Size) -> Size:
        bound.extend([size.text] if size.fixed and size.text.isidentifier() else [])
        return size

    for _, annotation in parameters:
        resized(annotation, keep)
    return tuple(f"{name} >= 0" for name in dict.fromkeys(bound) if maker.chance(EMPTY))


@dataclass(frozen=True)
class Heading:
    """The declaration of one function."""

    maker: Maker

    @property
    def random(self) -> Random:
        """The source of all choices."""
        return self.maker.random

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.maker.chance(probability)

    def parameters(self, most: int, inner: bool) -> tuple[tuple[tuple[str, Annotation], ...], list[str]]:
        """Parameters with named, computed, constant and unknown sizes; functions only for an `inner` function."""
        dims = ["n", "m"]
        bound: list[str] = []
        found: list[tuple[str, Annotation]] = []
        for _ in range(self.random.randrange(1, most + 1)):
            sizes = [self._extent(dims, bound) for _ in range(self.random.choice((1, 1, 2, 2, 2, 3)))]
            found.append((self.maker.fresh(), Tensor(tuple(sizes))))
        if self.chance(0.3):
            found.append((self.maker.fresh(), Tensor((), "int64")))
            if self.chance(0.3):
                found.append((self.maker.fresh(), Tensor((Size(found[-1][0]), self._extent(dims, bound)))))
        if self.chance(0.2):
            found.append(
                (self.maker.fresh(), Tensor((Size(str(self.random.choice((1, 2, 2, 3))), fixed=True),), "int64"))
            )
        if self.chance(0.35):
            found.append((self.maker.fresh(), Tensor((), "bool")))
        if self.chance(0.2) and not self.maker.strict:
            found.append((self.maker.fresh(), Unranked()))
        if not self.maker.first_order and self.chance(0.12):
            found.append(
                (self.maker.fresh(), Named(self.random.choice(("List", "List", "Option")), self._anything(bound)))
            )
        if inner and not self.maker.first_order and self.chance(0.25):
            arrow = Arrow(
                tuple(self._anything(bound) for _ in range(self.random.choice((1, 1, 2)))), self._anything(bound)
            )
            found.append((self.maker.fresh(), arrow))
        if len(found) > 1 and self.chance(0.1):
            (first, left), (_, right) = found[0], found[1]
            found[:2] = [(first, Fields((left, right)))]
        return tuple(found), bound

    def _anything(self, bound: Sequence[str]) -> Tensor:
        """A tensor in whose type no name is bound."""
        names = [*bound, *map(str, CONSTANTS), *(() if self.maker.strict else (UNKNOWN,) * 8)]
        return Tensor(tuple(Size(self.random.choice(names)) for _ in range(self.random.choice((1, 2, 2)))))

    def _extent(self, dims: Sequence[str], bound: list[str]) -> Size:
        which = self.random.random()
        if which < 0.35 and not self.maker.strict:
            return Size(UNKNOWN if self.chance(0.85) else self.random.choice(("?{u. u <= 4}", "?{u. u >= 1}")))
        if which < 0.75:
            name = self.random.choice(dims)
            fixed = name not in bound
            if fixed:
                bound.append(name)
            return Size(name, fixed)
        if which < 0.85 and bound:
            name = self.random.choice(bound)
            return Size(self.random.choice((f"{name} + 1", f"2 * {name}")))
        return Size(str(self.random.choice(CONSTANTS)))

    def clauses(self, dims: Sequence[str]) -> tuple[str, ...]:
        """Preconditions, rarely."""
        if not dims or not self.chance(0.2):
            return ()
        name = self.random.choice(dims)
        return (self.random.choice((f"{name} > 0", f"{name} % 2 == 0", f"{name} <= 4", f"{name} != 1")),)
