"""Lifting of if-then-else out of a fact: a fact on `if n == 0 then a else b` is split into n == 0 and n != 0.

    (if n == 0 then 288 else n) == n or n == 1      ->  n != 0

A bound hidden behind an if-then-else becomes explicit, so that later facts can use it.  [dim.facts.lift]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradual.dims.rewrite.simplify import NOTHING, Knowledge, simplified_constraint
from gradual.dims.term.atom import Ite, Variable, bottom_up
from gradual.dims.term.constraint import FALSE, And, Constraint, Equal, Not, Or, all_of, any_of, negated
from gradual.dims.term.dim import Dim
from gradual.dims.term.substitution import rebuilt, substituted_constraint

_CHOICES = 4
"""Limit on the if-then-else lifted from one fact, each of which may double it."""


_PARTS = 60
"""Limit on the size of a fact from which if-then-else is lifted."""


def lifted(constraint: Constraint, known: Knowledge = NOTHING) -> Constraint:
    """Lift if-then-else that test one variable's value; the result is equivalent wherever it is defined.

    If the result would be larger, the constraint is returned unchanged.
    """
    small = _has_parts(constraint) and _size(constraint) <= _PARTS
    found = _lifted(constraint, known, _CHOICES) if small else constraint
    return found if found is constraint or _size(found) <= _size(constraint) else constraint


def _lifted(constraint: Constraint, known: Knowledge, choices: int) -> Constraint:
    chosen = next(_choices(constraint), None) if choices else None
    if chosen is None:
        return constraint if known is NOTHING else simplified_constraint(constraint, known)
    test, variable = chosen
    where = _lifted(substituted_constraint(constraint, {variable: test.right}), known, choices - 1)
    elsewhere = _lifted(_where_false(constraint, test), known, choices - 1)
    if elsewhere is FALSE:
        return all_of(test, where)
    if where is FALSE:
        return all_of(negated(test), elsewhere)
    return all_of(any_of(test, elsewhere), any_of(negated(test), where))


def _choices(constraint: Constraint) -> Iterator[tuple[Equal, Variable]]:
    """The if-then-else conditions that test a variable against a constant, innermost first."""
    for node in bottom_up(constraint):
        if isinstance(node, Ite) and isinstance(node.condition, Equal) and node.condition.right.value is not None:
            variable = _alone(node.condition.left)
            if variable is not None:
                yield node.condition, variable


def _alone(dim: Dim) -> Variable | None:
    """The variable if the dim is just a variable, else None."""
    match dim.terms:
        case (((Variable() as variable,), 1),):
            return variable
        case _:
            return None


def _where_false(constraint: Constraint, test: Equal) -> Constraint:
    """The constraint with a test in it replaced by false."""
    images: dict[Any, Any] = {}
    for node in bottom_up(constraint):
        image = FALSE if node is test else rebuilt(node, images, {})
        images[node] = image
    found: Constraint = images[constraint]
    return found


def _has_parts(constraint: Constraint) -> bool:
    """Whether a constraint contains more than sums and products of variables."""
    match constraint:
        case And(parts=parts) | Or(parts=parts):
            return any(map(_has_parts, parts))
        case Not(part=part):
            return _has_parts(part)
        case _:
            return any(side.children for side in constraint.children)


def _size(constraint: Constraint) -> int:
    """The number of parts of a constraint, each occurrence counted."""
    sizes: dict[Any, int] = {}
    for node in bottom_up(constraint):
        own = sum(len(monomial) + 1 for monomial, _ in node.terms) if isinstance(node, Dim) else 1
        sizes[node] = own + sum(sizes[child] for child in node.children)
    return sizes[constraint]
