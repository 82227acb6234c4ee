"""Constraints that are satisfiable because of an otherwise unconstrained variable.

    n <= m   if the only fact about m is m >= 0        n == k - 1 if the only fact about n is n >= 0, and k >= 1

To decide such a constraint, the facts about the other variables need not be searched.   [dim.decide.models]
"""

from __future__ import annotations

from gradual.dims.bounds.interval import ANY, Interval
from gradual.dims.store.store import Store
from gradual.dims.term.atom import Variable
from gradual.dims.term.constraint import AtMost, Constraint, Equal, Not, is_total
from gradual.dims.term.dim import of_atom


def can_be_chosen(name: Variable, constraint: Constraint, known: Store) -> bool:
    """Whether, whatever the other variables are, some value within a variable's bounds meets the constraint."""
    match constraint:
        case Equal(difference=difference) | AtMost(difference=difference) | Not(part=Equal(difference=difference)):
            form = of_atom(name)
            slope = dict(difference.terms).get((name,), 0)
            rest = difference - form * slope
            if slope == 0 or name in rest.names or not is_total(constraint):
                return False
            return _can_be(constraint, slope, known.estimate.of(rest), known.bounds.get(form, ANY))
    return False


def _can_be(constraint: Constraint, slope: int, rest: Interval, bounds: Interval) -> bool:
    """Whether for every `rest` some x within bounds makes `slope * x + rest` meet the comparison with 0."""
    match constraint:
        case Equal():
            solution = rest.scaled(-slope)
            return abs(slope) == 1 and solution & bounds == solution
        case AtMost():
            best = bounds.scaled(slope).high
            return best is None or (rest.low is not None and best + rest.low >= 0)
        case _:
            return bounds.value is None and not bounds.is_empty
