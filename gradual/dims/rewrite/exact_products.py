"""Rewriting of products with an exact quotient, where `g` divides `c` and `h`.

    g * (c // g) -> c        c * n // g -> (c // g) * n        h * (c // g) == c * (h // g)

Applied left to right, an equation simplifies a product; right to left, it shows that a dividend is a multiple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from gradual.dims.bounds.interval import Estimate
from gradual.dims.term.atom import Atom, FloorDiv, Ite, Max, Min, bottom_up
from gradual.dims.term.dim import Dim, Monomial, of_atom, polynomial
from gradual.dims.term.polynomial import cofactor
from gradual.record import record

_TRIES = 16
"""Limit on the equivalent forms of a dim that are tried."""
_EACH = 4
"""Limit on the equations used for one factor."""
_TERMS = 24
"""Limit on the terms of a dim that is rewritten to other forms."""


@record
class Replacement:
    """`coefficient * monomial == image`."""

    monomial: Monomial
    coefficient: int
    image: Dim


Multiples = Mapping[Atom | None, Mapping[FloorDiv, Replacement]]
"""First factor of a product (None for a constant) -> quotient -> equation that rewrites the product."""

Ways = Callable[[Dim], Iterator[Dim]]
"""Dim -> equivalent forms under the known equations."""


def replacement_of(difference: Dim) -> tuple[FloorDiv, Replacement] | None:
    """The replacement that `difference == 0` gives for its first product with a quotient.  [dim.facts.divisible]

    None if min, max or if-then-else contains a quotient, as in `2 * q == min(n, 2 * q)`: such a comparison is split
    into parts, and the parts would be rewritten back to it.
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
    """Whether a min, max or if-then-else in a dim contains a quotient."""
    choices = (node for node in bottom_up(dim) if isinstance(node, Max | Min | Ite))
    return any(isinstance(node, FloorDiv) for choice in choices for node in bottom_up(choice))


def multiple_of(replacement: Replacement) -> Replacement | None:
    """The equation reversed: the first term of the image is rewritten to the product minus the other terms."""
    for monomial, coefficient in replacement.image.terms:
        if monomial or len(replacement.image.terms) == 1:
            product = polynomial({replacement.monomial: replacement.coefficient})
            rest = replacement.image - polynomial({monomial: coefficient})
            return Replacement(monomial, coefficient, product - rest)
    return None


def replaced_products(dim: Dim, replacements: Mapping[FloorDiv, Replacement]) -> Dim:
    """The dim with products replaced by their images, repeatedly."""
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
    """Whether all factors of a product are at least 1, because the product is and no factor is negative."""
    lows = (estimate.of(of_atom(atom)).low for atom in replacement.monomial)
    return (estimate.of(replacement.image).low or 0) >= 1 and all(low is not None and low >= 0 for low in lows)


def multiples_of(dim: Dim, multiples: Multiples, replacements: Mapping[FloorDiv, Replacement]) -> Iterator[Dim]:
    """Equivalent forms of a dim, by equations applied right to left, breadth first.

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
    """Iterate over the dims, including those added during the iteration."""
    seen = 0
    while seen < len(found):
        for dim in list(found)[seen:]:
            seen += 1
            yield dim
