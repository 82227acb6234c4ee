"""Evaluation of dims and constraints under a valuation.

Shared parts are evaluated once, bottom up and without recursion: a dim may be as deep as a program is long.  The list
of steps is made once for many valuations.  A quotient with a divisor below 1 is undefined, a number that is too large
too, and so is each term that contains one.  There are three exceptions: an if-then-else that takes its other branch, a
disjunction with a true part, and a conjunction with a false part.   [dim.meaning]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gradual.dims.term.atom import FloorDiv, Ite, Max, Min, Product, Variable, bottom_up
from gradual.dims.term.constraint import And, AtMost, Constraint, Equal, Not, Or, Truth
from gradual.dims.term.dim import Dim, Undefined
from gradual.limits import LIMITS

Slots = list[Any]
"""The values of the parts evaluated so far: integers and booleans, None where undefined."""

Step = Callable[[Slots, Mapping[Variable, int]], int | bool | None]


class Evaluation:
    """A list of steps that evaluates some nodes: one step for each distinct part of them."""

    __slots__ = ("_roots", "_steps")

    def __init__(self, roots: Iterable[Dim | Constraint]) -> None:
        self._steps: list[Step] = []
        places: dict[Any, int] = {}
        self._roots = [self._placed(root, places) for root in roots]

    def _placed(self, root: Dim | Constraint, places: dict[Any, int]) -> tuple[int, int]:
        """Add the steps of a root; return the index of its value, and the number of steps needed for it."""
        for node in bottom_up(root, places):
            places[node] = len(self._steps)
            self._steps.append(_step(node, places))
        return places[root], len(self._steps)

    def value(self, model: Mapping[Variable, int]) -> int | bool | None:
        """The value of the one root, None where it is undefined."""
        slots: Slots = []
        for step in self._steps:
            slots.append(step(slots, model))
        value: int | bool | None = slots[self._roots[0][0]]
        return value

    def holds(self, model: Mapping[Variable, int]) -> bool:
        """Whether all roots, which are constraints, are defined and hold; stop at the first that does not."""
        slots: Slots = []
        for place, end in self._roots:
            for step in self._steps[len(slots) : end]:
                slots.append(step(slots, model))
            if not slots[place]:
                return False
        return True


_prepared = lru_cache(maxsize=1024)(lambda root: Evaluation((root,)))


def evaluated_dim(dim: Dim, env: Mapping[Variable, int]) -> int:
    """The number under a valuation; raises Undefined."""
    value = _prepared(dim).value(env)
    if value is None:
        raise Undefined(str(dim))
    assert isinstance(value, int)
    return value


def evaluated_constraint(constraint: Constraint, env: Mapping[Variable, int]) -> bool:
    """Whether a constraint holds under a valuation; raises Undefined."""
    match constraint:  # fast paths for the most common ones
        case Equal(left=left, right=right):
            return left.evaluate(env) == right.evaluate(env)
        case AtMost(left=left, right=right):
            return left.evaluate(env) <= right.evaluate(env)
        case Not(part=part):
            return part.left.evaluate(env) != part.right.evaluate(env)
    value = _prepared(constraint).value(env)
    if value is None:
        raise Undefined(str(constraint))
    return bool(value)


def satisfied(constraints: Iterable[Constraint], model: Mapping[Variable, int]) -> bool:
    """Whether all constraints are defined and hold.  [dim.decide.models]"""
    try:
        return all(constraint.evaluate(model) for constraint in constraints)
    except Undefined:
        return False


def _step(node: Any, places: Mapping[Any, int]) -> Step:
    """The function that computes a node's value from those of its parts."""
    if isinstance(node, Dim):
        return _sum_step(node, places)
    at = [places[child] for child in node.children]
    match node:
        case Ite():
            test, then, orelse = at
            return lambda slots, _: None if slots[test] is None else slots[then] if slots[test] else slots[orelse]
        case And():
            return lambda slots, _: _all(slots, at)
        case Or():
            return lambda slots, _: _any(slots, at)
        case Truth(holds=holds):
            return lambda slots, _: holds
        case FloorDiv():
            dividend, divisor = at
            return lambda slots, _: _quotient(slots[dividend], slots[divisor])
        case Not():
            (part,) = at
            return lambda slots, _: None if slots[part] is None else not slots[part]
    return _total(_TOTAL[type(node)], at)


_TOTAL: dict[type, Callable[[list[int]], int | bool | None]] = {
    Equal: lambda parts: parts[0] == parts[1],
    AtMost: lambda parts: parts[0] <= parts[1],
    Max: max,
    Min: min,
    Product: lambda factors: _product(*factors),
}


def _total(apply: Callable[[list[int]], int | bool | None], at: Sequence[int]) -> Step:
    """Apply a function to the values of parts; the result is undefined if one of them is."""

    def step(slots: Slots, _: Mapping[Variable, int]) -> int | bool | None:
        parts = [slots[place] for place in at]
        return None if None in parts else apply(parts)

    return step


def _sum_step(dim: Dim, places: Mapping[Any, int]) -> Step:
    terms = [
        (
            coefficient,
            [atom for atom in monomial if isinstance(atom, Variable)],
            [places[atom] for atom in monomial if not isinstance(atom, Variable)],
        )
        for monomial, coefficient in dim.terms
    ]

    def step(slots: Slots, model: Mapping[Variable, int]) -> int | None:
        total = 0
        for factor, names, parts in terms:
            for name in names:
                factor *= model[name]
            for part in parts:
                value = slots[part]
                if value is None:
                    return None
                factor *= value
            total += factor
        return total if total.bit_length() <= LIMITS.number else None

    return step


def _product(left: int, right: int) -> int | None:
    return left * right if left.bit_length() + right.bit_length() <= LIMITS.number else None


def _quotient(dividend: int | None, divisor: int | None) -> int | None:
    return None if dividend is None or divisor is None or divisor < 1 else dividend // divisor


def _all(slots: Slots, at: Sequence[int]) -> bool | None:
    parts = [slots[place] for place in at]
    return False if False in parts else None if None in parts else True


def _any(slots: Slots, at: Sequence[int]) -> bool | None:
    parts = [slots[place] for place in at]
    return True if True in parts else None if None in parts else False
