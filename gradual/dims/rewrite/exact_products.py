"""What equations say about products with a quotient: where `g` divides `c` and `h`.

    g * (c // g) -> c        c * n // g -> (c // g) * n        h * (c // g) == c * (h // g)

From left to right a product becomes simpler; from right to left a dividend is seen to be a multiple of its divisor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from gradual.dims.bounds.interval import Estimate
from gradual.dims.term.atom import Atom, FloorDiv, Ite, Max, Min, bottom_up
from gradual.dims.term.dim import Dim, Monomial, of_atom, polynomial
from gradual.dims.term.polynomial import cofactor

_TRIES = 16
"""How many ways to write a dim are looked at."""
_EACH = 4
"""How many equations about one factor are used."""
_TERMS = 24
"""How many terms a dim may have that is written in other ways."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """`coefficient * monomial == image`."""

    monomial: Monomial
    coefficient: int
    image: Dim


Multiples = Mapping[Atom | None, Mapping[FloorDiv, Replacement]]
"""What equations with a quotient say of what is divided, by its first factor; None for a number."""

Ways = Callable[[Dim], Iterator[Dim]]
"""Other ways to write a dim, by what is known."""


def replacement_of(difference: Dim) -> tuple[FloorDiv, Replacement] | None:
    """What `difference == 0` says about its first product with a quotient.  [dim.facts.divisible]

    `2 * q == min(n, 2 * q)` says nothing simpler, nor does any other extreme or choice of quotients: a comparison with
    one is taken apart, and its parts would be rewritten to it again.
    """
    if _chooses_quotients(difference):
        return None
    for monomial, coefficient in difference.terms:
        for atom in monomial:
            if isinstance(atom, FloorDiv):
                image = polynomial({monomial: coefficient}) - difference
                sign = 1 if coefficient > 0 else -1
                return atom, Replacement(monomial, coefficient * sign, image * sign)
    return None


def _chooses_quotients(dim: Dim) -> bool:
    """Whether an extreme or a choice in a dim speaks of quotients."""
    choices = (node for node in bottom_up(dim) if isinstance(node, Max | Min | Ite))
    return any(isinstance(node, FloorDiv) for choice in choices for node in bottom_up(choice))


def multiple_of(replacement: Replacement) -> Replacement | None:
    """The same equation from right to left: the first term of the image, as the product and the other terms."""
    for monomial, coefficient in replacement.image.terms:
        if monomial or len(replacement.image.terms) == 1:
            product = polynomial({replacement.monomial: replacement.coefficient})
            rest = replacement.image - polynomial({monomial: coefficient})
            return Replacement(monomial, coefficient, product - rest)
    return None


def replaced_products(dim: Dim, replacements: Mapping[FloorDiv, Replacement]) -> Dim:
    """The dim with products replaced by what they are."""
    for _ in range(8) if dim.children else ():
        smaller = dim
        for atom in dim.children:
            if isinstance(atom, FloorDiv) and atom in replacements:
                smaller = _with(smaller, replacements[atom])
        if smaller is dim:
            break
        dim = smaller
    return dim


def _with(dim: Dim, replacement: Replacement) -> Dim:
    for monomial, coefficient in dim.terms:
        rest = cofactor(monomial, replacement.monomial)
        if rest is not None and coefficient % replacement.coefficient == 0:
            factor = polynomial({rest: coefficient // replacement.coefficient})
            dim = dim - polynomial({monomial: coefficient}) + factor * replacement.image
    return dim


def is_positive(replacement: Replacement, estimate: Estimate) -> bool:
    """Whether all factors of a product are at least 1, as the product is and none is negative."""
    lows = (estimate.of(of_atom(atom)).low for atom in replacement.monomial)
    return (estimate.of(replacement.image).low or 0) >= 1 and all(low is not None and low >= 0 for low in lows)


def multiples_of(dim: Dim, multiples: Multiples, replacements: Mapping[FloorDiv, Replacement]) -> Iterator[Dim]:
    """Other ways to write a dim, by equations from right to left, those with the fewest steps first.

    [dim.facts.multiple]
    """
    found = {dim: None}
    for way in _growing(found):
        for atom in (*way.atoms(), None) if len(way.terms) <= _TERMS else ():
            for quotient, multiple in islice(multiples.get(atom, _NONE).items(), _EACH):
                other = _with(way, multiple) if quotient in replacements else way
                if other not in found:
                    found[other] = None
                    yield other
                    if len(found) > _TRIES:
                        return


_NONE: Mapping[FloorDiv, Replacement] = {}


def _growing(found: dict[Dim, None]) -> Iterator[Dim]:
    """The dims, those too that are found on the way."""
    seen = 0
    while seen < len(found):
        for dim in list(found)[seen:]:
            seen += 1
            yield dim
