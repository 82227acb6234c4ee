"""Simplification of dims and constraints by known facts: bounds, and equations that replace products.

    max(n, m) -> m where n <= m      (h * m + r) // h -> m + r // h where h >= 1      h * (d // h) -> d where d % h == 0
    if n >= 1 then 0 else -n -> 0 where n >= 0
    if n == 1 then m else n -> m where n == m or n == 1

Each step preserves the value at every valuation that satisfies the facts.   [dim.decide.simplify]
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import field
from typing import Any

from gradual.dims.bounds.interval import Estimate, canonical
from gradual.dims.rewrite.comparisons import compared
from gradual.dims.rewrite.exact_products import Multiples, Replacement, Ways, multiples_of, replaced_products
from gradual.dims.rewrite.quotients import quotient
from gradual.dims.rewrite.split_extrema import plain
from gradual.dims.term.atom import Compound, FloorDiv, Ite, Max, Min, Variable, bottom_up
from gradual.dims.term.constraint import FALSE, TRUE, AtMost, Constraint, Equal, Not, Or, equal, negated
from gradual.dims.term.dim import Dim, constant, ite, maximum, minimum, of_atom
from gradual.dims.term.substitution import rebuilt
from gradual.record import record


@record
class Knowledge:
    """The facts that simplification may use.

    Attributes:
        estimate: bounds of dims.
        replacements: quotient -> how a product with it is rewritten.
        apart: canonical differences that are not 0.
        multiples: the equations of `replacements` as rewrite rules in the other direction.
        either: the `alternatives` of known disjunctions.
        simplest: memo table: dim or constraint -> simplified form.
    """

    estimate: Estimate
    replacements: Mapping[FloorDiv, Replacement]
    apart: Container[Dim] = ()
    multiples: Multiples = field(default_factory=dict)
    either: Container[frozenset[Any]] = ()
    simplest: dict[Any, Any] = field(default_factory=dict)

    @property
    def ways(self) -> Ways | None:
        """The function that yields equivalent forms of a dim; None if no equation gives any.  [dim.facts.multiple]"""
        return self._multiples if self.multiples else None

    def _multiples(self, dim: Dim) -> Iterator[Dim]:
        return multiples_of(dim, self.multiples, self.replacements)


NOTHING = Knowledge(Estimate({}), {})
"""No facts."""


def simplified_dim(dim: Dim, known: Knowledge) -> Dim:
    """Simplify a dim."""
    simpler: Dim = _simplified(dim, known) if dim.children else dim
    return simpler


def simplified_constraint(constraint: Constraint, known: Knowledge) -> Constraint:
    """Simplify a constraint; the result is TRUE or FALSE if bounds decide it."""
    return plain(_simplified(constraint, known), known.estimate)


def resimplified(constraint: Constraint, known: Knowledge) -> Constraint:
    """Simplify a constraint again; returned unchanged if no part of it becomes simpler."""
    simpler: Constraint = _simplified(constraint, known)
    return constraint if simpler is constraint else plain(simpler, known.estimate)


_UNCHANGED: Mapping[Variable, Dim] = {}


def _simplified(root: Any, known: Knowledge) -> Any:
    if isinstance(root, Equal | AtMost) and not any(side.children for side in root.children):
        return _improved(root, known)
    images = known.simplest
    for node in bottom_up(root, images) if root not in images else ():
        image = rebuilt(node, images, _UNCHANGED) if _changed(node, images) else _itself(node)
        images[node] = _improved(image, known)
    return images[root]


def _changed(node: Any, images: Mapping[Any, Any]) -> bool:
    return any(images[child] is not _itself(child) for child in node.children)


def _itself(node: Any) -> Any:
    return of_atom(node) if isinstance(node, Compound) else node


def _improved(image: Any, known: Knowledge) -> Any:
    match image:
        case Dim():
            return _improved_dim(image, known)
        case Equal(difference=difference) if canonical(difference) in known.apart:
            return FALSE
        case Not(part=Equal(difference=difference)) if canonical(difference) in known.apart:
            return TRUE
        case Equal() | AtMost() | Not():
            return compared(image, known.estimate, known.ways)
    return image


def _improved_dim(dim: Dim, known: Knowledge) -> Dim:
    match dim.terms:
        case (((FloorDiv() as atom,), 1),):
            return replaced_products(quotient(atom, known.estimate, known.ways), known.replacements)
        case (((Max() | Min() as extreme,), 1),):
            return _without_dominated(extreme, known)
        case (((Ite() as choice,), 1),):
            return _decided(choice, known) or _settled(choice, known.estimate)
    return replaced_products(dim, known.replacements)


# ---------------------------------------------------------------------------------------------- min and max


def _without_dominated(extreme: Max | Min, known: Knowledge) -> Dim:
    """The min or max without operands that another operand dominates."""
    kept = list(extreme.operands)
    for operand in extreme.operands:
        others = [other for other in kept if other is not operand]
        if any(_reaches(other, operand, extreme, known.estimate) for other in others):
            kept = others
    return maximum(*kept) if isinstance(extreme, Max) else minimum(*kept)


def _reaches(other: Dim, operand: Dim, extreme: Max | Min, estimate: Estimate) -> bool:
    """Whether the operand `other` dominates `operand`; in a max, `n` dominates `min(n, m)`."""
    up = isinstance(extreme, Max)
    gaps = (other - part if up else part - other for part in _further(operand, up))
    return any(low is not None and low >= 0 for low in (estimate.of(gap).low for gap in gaps))


def _further(dim: Dim, up: bool) -> Iterator[Dim]:
    """A dim, and upper (`up`) or lower bounds of it: `n - m` is an upper bound of `min(n, k) - m`."""
    yield dim
    for monomial, coefficient in dim.terms:
        match monomial:
            case ((Max() | Min()) as inner,) if isinstance(inner, Min) is ((coefficient > 0) is up):
                rest = dim - of_atom(inner) * coefficient
                yield from (rest + operand * coefficient for operand in inner.operands)


# ------------------------------------------------------------------------------------------------- choices


def alternatives(disjunction: Or) -> frozenset[Any]:
    """The parts of a disjunction, the same for both orders of the parts and of the sides of equations."""
    return frozenset(map(_alternative, disjunction.parts))


def _alternative(part: Constraint) -> Any:
    match part:
        case Equal(difference=difference):
            return canonical(difference)
        case Not(part=Equal(difference=difference)):
            return (canonical(difference),)
    return part


def _decided(choice: Ite, known: Knowledge) -> Dim | None:
    """`d` for `if c then d else e` if a known disjunction is `c or d == e`, `e` if one is `not c or d == e`; else None.

    Such a disjunction comes from broadcasting n and m, which requires `n == m or n == 1 or m == 1`: if bounds exclude
    m == 1, then `if n == 1 then m else n` is m.   [dim.decide.simplify]
    """
    if not known.either:
        return None
    same = _alternative(_improved(equal(choice.then, choice.orelse), known))
    for holds, branch in ((choice.condition, choice.then), (negated(choice.condition), choice.orelse)):
        if frozenset((_alternative(holds), same)) in known.either:
            return branch
    return None


def _settled(choice: Ite, estimate: Estimate) -> Dim:
    """The if-then-else with a simpler condition, or with the constants that its branches are where they are taken.

    Where n >= 0, `if n >= 1 then 0 else n` is 0.
    """
    condition = choice.condition
    if isinstance(condition, Equal) and any(side.children for side in condition.children):
        return ite(plain(condition, estimate), choice.then, choice.orelse)
    if not isinstance(condition, AtMost):
        return of_atom(choice)
    then, orelse = _where(choice.then, condition, True, estimate), _where(choice.orelse, condition, False, estimate)
    unchanged = then is choice.then and orelse is choice.orelse
    return of_atom(choice) if unchanged else ite(condition, then, orelse)


def _where(dim: Dim, condition: AtMost, holds: bool, estimate: Estimate) -> Dim:
    """The constant that a dim equals where a condition holds (or fails); if there is none, the dim."""
    if dim.value is not None:
        return dim
    if condition.names <= dim.names:
        number = estimate.natural(condition.difference if holds else -condition.difference - 1).number(dim)
    else:  # the condition gives no bound on the dim
        number = estimate.of(dim).value
    return dim if number is None else constant(number)
