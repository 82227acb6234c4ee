"""Constraints that hold whatever else is so, since a variable of which nothing else is said can be chosen for them.

    n <= m   where nothing is said of m but m >= 0        n == k - 1   where nothing is said of n, and k >= 1

Whoever asks whether such a constraint can hold need not look at what is said of the others.   [dim.decide.models]
"""

from __future__ import annotations

from gradual.dims.bounds.interval import ANY, Interval
from gradual.dims.store.store import Store
from gradual.dims.term.atom import Variable
from gradual.dims.term.constraint import AtMost, Constraint, Equal, Not, is_total
from gradual.dims.term.dim import of_atom


def can_be_chosen(name: Variable, constraint: Constraint, known: Store) -> bool:
    """Whether some number within the bounds of a variable makes a constraint hold, whatever the others are."""
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
    """Whether `slope * x + rest` can be 0, at least 0, or other than 0, for some x within bounds, for every rest."""
    match constraint:
        case Equal():
            solution = rest.scaled(-slope)
            return abs(slope) == 1 and solution & bounds == solution
        case AtMost():
            best = bounds.scaled(slope).high
            return best is None or (rest.low is not None and best + rest.low >= 0)
        case _:
            return bounds.value is None and not bounds.is_empty
