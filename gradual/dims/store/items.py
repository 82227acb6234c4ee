"""The items of a store: what a fact is indexed by, its variables, and the constraints that it represents."""

from __future__ import annotations

from typing import Any

from gradual.dims.bounds.interval import Interval
from gradual.dims.term.atom import Compound, bottom_up
from gradual.dims.term.constraint import Constraint, Or, at_most, equal
from gradual.dims.term.dim import Dim, Variable, constant, polynomial

Item = Any
"""The index of a fact: a form (dim) that has bounds, `(difference,)` for a difference not 0, or a disjunction."""


def within(form: Dim, interval: Interval) -> tuple[Constraint, ...]:
    """The constraints that a form is inside an interval, with negative terms moved to the other side."""
    plus, minus = form, constant(0)
    if len(form.terms) > 1:
        plus = polynomial({monomial: coefficient for monomial, coefficient in form.terms if coefficient > 0})
        minus = plus - form
    if interval.value is not None:
        return (equal(plus + max(-interval.value, 0), minus + max(interval.value, 0)),)
    low = () if interval.low is None else (at_most(minus + interval.low, plus),)
    return low if interval.high is None else (*low, at_most(plus, minus + interval.high))


def is_compound(item: Item) -> bool:
    """Whether bounds could simplify an item: whether it is more than a sum of variables."""
    if isinstance(item, Or):
        return True
    form = item[0] if isinstance(item, tuple) else item
    return bool(form.children) or len(form.terms[0][0]) > 1


def names_in(item: Item) -> frozenset[Variable]:
    """The variables of an item."""
    names: frozenset[Variable] = item[0].names if isinstance(item, tuple) else item.names
    return names


def parts_of(item: Item) -> frozenset[Any]:
    """The variables and compound atoms of an item; only facts about these can simplify it."""
    root = item[0] if isinstance(item, tuple) else item
    return names_in(item).union(node for node in bottom_up(root) if isinstance(node, Compound))
