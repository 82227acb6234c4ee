"""Constraints on dims, in negation normal form, interned like dims.

    dim(%x, 1) == 784   n >= 2   n < m   a == 3 or a == 1   d % h == 0   n != 0

The two sides of a comparison are kept, and not only their difference, so that messages can show them. They are changed
a little: a constant side of an equation comes second, `<`, `>` and `>=` become `<=`, and constant terms are moved or
cancelled. Whether a comparison always or never holds is read off the normal form of the difference.   [dim.constraint]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from gradual.dims.term.atom import FloorDiv, Ite, Variable, bottom_up, names_of, shortened
from gradual.dims.term.polynomial import Dim, Undefined, constant
from gradual.record import record

__all__ = [
    "FALSE",
    "TRUE",
    "And",
    "AtMost",
    "Constraint",
    "Equal",
    "Not",
    "Or",
    "Truth",
    "Undefined",
    "all_of",
    "any_of",
    "at_least",
    "at_most",
    "broadcasts",
    "defined",
    "differs",
    "divides",
    "equal",
    "is_total",
    "less",
    "more",
    "negated",
]


@record(frozen=False, eq=False, repr=False, weakref_slot=True)
class Formula:
    """The interface of all constraints."""

    key: str
    names: frozenset[Variable]

    @property
    def value(self) -> bool | None:
        """The truth value if the constraint is constant, else None."""
        return None

    @property
    def solution(self) -> tuple[Variable, Dim] | None:
        """`(variable, dim)` if the constraint is an equation solved for a variable, else None."""
        return None

    def variables(self) -> frozenset[Variable]:
        """The variables (an unordered set: sort before iterating)."""
        return self.names

    def evaluate(self, env: Mapping[Variable, int]) -> bool:
        """Whether the constraint holds under a valuation; raises Undefined if it depends on a divisor below 1
        or on a number that is too large.

        [dim.meaning]
        """
        return self.evaluated(env)

    def substitute(self, mapping: Mapping[Variable, Dim]) -> Constraint:
        """The constraint with variables replaced, simplified again.  [dim.substitute]"""
        return self.substituted(mapping)

    def __str__(self) -> str:
        return self.written()

    def __repr__(self) -> str:
        return f"<{self}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return self.pickled()

    evaluated: ClassVar[Callable[[Any, Mapping[Variable, int]], bool]]
    substituted: ClassVar[Callable[[Any, Mapping[Variable, Dim]], Constraint]]
    written: ClassVar[Callable[[Any], str]]
    pickled: ClassVar[Callable[[Any], tuple[Any, ...]]]
    """Functions that other files of this package define and assign here."""


@record(frozen=False, eq=False, repr=False)
class Truth(Formula):
    """The constraint that always holds, or the one that never holds."""

    holds: bool

    @property
    def value(self) -> bool | None:
        """The truth value."""
        return self.holds

    @property
    def children(self) -> tuple[Any, ...]:
        """The empty tuple."""
        return ()


@record(frozen=False, eq=False, repr=False)
class Equal(Formula):
    """`left == right`; it holds iff `difference` is 0."""

    left: Dim
    right: Dim
    difference: Dim

    @property
    def children(self) -> tuple[Any, ...]:
        """Both sides."""
        return (self.left, self.right)

    @property
    def solution(self) -> tuple[Variable, Dim] | None:
        """`(x, d)` if one side is a variable x and the other side d does not mention x; else None."""
        for side, other in ((self.left, self.right), (self.right, self.left)):
            match side.terms:
                case (((Variable() as name,), 1),) if name not in other.names:
                    return name, other
        return None


@record(frozen=False, eq=False, repr=False)
class AtMost(Formula):
    """`left <= right`; it holds iff `difference` is at least 0."""

    left: Dim
    right: Dim
    difference: Dim

    @property
    def children(self) -> tuple[Any, ...]:
        """Both sides."""
        return (self.left, self.right)


@record(frozen=False, eq=False, repr=False)
class Not(Formula):
    """`left != right`, as the negation of an equation; nothing else is ever negated."""

    part: Equal

    @property
    def children(self) -> tuple[Any, ...]:
        """The equation."""
        return (self.part,)


@record(frozen=False, eq=False, repr=False)
class And(Formula):
    """All of two or more different parts, in the order written."""

    parts: tuple[Constraint, ...]

    @property
    def children(self) -> tuple[Any, ...]:
        """The parts."""
        return self.parts


@record(frozen=False, eq=False, repr=False)
class Or(Formula):
    """Any of two or more different parts, in the order written."""

    parts: tuple[Constraint, ...]

    @property
    def children(self) -> tuple[Any, ...]:
        """The parts."""
        return self.parts


Constraint = Truth | Equal | AtMost | Not | And | Or
TRUE = Truth("True", frozenset(), True)
FALSE = Truth("False", frozenset(), False)


C = TypeVar("C", Not, And, Or)
Q = TypeVar("Q", Equal, AtMost)
J = TypeVar("J", And, Or)
_CONSTRAINTS: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()


def _interned(form: type[C], *parts: Any) -> C:
    found: C | None = _CONSTRAINTS.get((form, *parts))
    if found is None:
        nodes = parts[0] if isinstance(parts[0], tuple) else parts
        key = shortened(f"{form.__name__}({', '.join(node.key for node in nodes)})")
        found = _CONSTRAINTS[form, *parts] = form(key, names_of(nodes), *parts)
    return found


def _compared(form: type[Q], left: Dim, right: Dim, difference: Dim) -> Q:
    found: Q | None = _CONSTRAINTS.get((form, left, right))
    if found is None:
        key = shortened(f"{form.__name__}({left.key}, {right.key})")
        found = _CONSTRAINTS[form, left, right] = form(key, left.names | right.names, left, right, difference)
    return found


def _truth(holds: bool) -> Constraint:
    return TRUE if holds else FALSE


def _dim(side: Dim | int) -> Dim:
    return constant(side) if isinstance(side, int) else side


def equal(a: Dim | int, b: Dim | int) -> Constraint:
    """`a == b`; a constant side comes second."""
    left, right = _dim(a), _dim(b)
    if left is right:
        return TRUE
    if left.value is not None and right.value is not None:
        return FALSE
    difference = left - right
    if difference.value is not None:
        return _truth(difference.value == 0)
    return (
        _compared(Equal, right, left, -difference)
        if left.value is not None
        else _compared(Equal, left, right, difference)
    )


def differs(a: Dim | int, b: Dim | int) -> Constraint:
    """`a != b`."""
    return negated(equal(a, b))


def at_most(a: Dim | int, b: Dim | int) -> Constraint:
    """`a <= b`."""
    left, right = _dim(a), _dim(b)
    difference = right - left
    if difference.value is not None:
        return _truth(difference.value >= 0)
    shift = _shift(left, right)
    left, right = left - shift, right - shift
    turned = _is_negative(left, right) or _is_negative(right, left)
    return _compared(AtMost, *((-right, -left) if turned else (left, right)), difference)


def _is_negative(side: Dim, other: Dim) -> bool:
    """Whether one side is a number, and the other one is a sum of negative terms."""
    return other.value is not None and all(coefficient < 0 for _, coefficient in side.terms)


def _shift(left: Dim, right: Dim) -> int:
    """The constant to subtract from both sides.

    If one side is a constant, it is the constant term of the other side; else it is what both constant terms share.
    """
    low, high = left.offset, right.offset
    if left.value is not None:
        return high
    if right.value is not None:
        return low
    return min(low, high) if low > 0 and high > 0 else max(low, high) if low < 0 and high < 0 else 0


def at_least(a: Dim | int, b: Dim | int) -> Constraint:
    """`a >= b`."""
    return at_most(b, a)


def less(a: Dim | int, b: Dim | int) -> Constraint:
    """`a < b`, as `a + 1 <= b` over the integers."""
    return at_most(_dim(a) + 1, b)


def more(a: Dim | int, b: Dim | int) -> Constraint:
    """`a > b`."""
    return less(b, a)


def divides(divisor: Dim | int, a: Dim | int) -> Constraint:
    """`a % divisor == 0`."""
    return equal(_dim(a) % _dim(divisor), 0)


def broadcasts(a: Dim | int, b: Dim | int) -> Constraint:
    """`a == b or a == 1 or b == 1`: whether two sizes broadcast together.  [dim.broadcast]"""
    return any_of(equal(a, b), equal(a, 1), equal(b, 1))


def negated(constraint: Constraint) -> Constraint:
    """The negation of a constraint, pushed inwards to the equations."""
    match constraint:
        case Equal():
            return _interned(Not, constraint)
        case AtMost(left=left, right=right):
            return less(right, left)
        case Not(part=part):
            return part
        case Truth(holds=holds):
            return _truth(not holds)
        case And(parts=parts):
            return any_of(*map(negated, parts))
        case Or(parts=parts):
            return all_of(*map(negated, parts))


def all_of(*constraints: Constraint) -> Constraint:
    """The conjunction: TRUE if there are no constraints, FALSE if one is FALSE or is the negation of another."""
    return _joined(And, constraints, absorbing=FALSE)


def any_of(*constraints: Constraint) -> Constraint:
    """The disjunction: FALSE if there are no constraints, TRUE if one is TRUE or is the negation of another."""
    return _joined(Or, constraints, absorbing=TRUE)


def _joined(form: type[J], constraints: tuple[Constraint, ...], absorbing: Truth) -> Constraint:
    parts: dict[Constraint, None] = {}
    for constraint in constraints:
        if constraint is absorbing:
            return absorbing
        if not isinstance(constraint, Truth):
            parts.update(dict.fromkeys(constraint.parts if isinstance(constraint, form) else (constraint,)))
    if any(isinstance(part, Not) and part.part in parts for part in parts):
        return absorbing
    if len(parts) > 1:
        return _interned(form, tuple(parts))
    return next(iter(parts), TRUE if absorbing is FALSE else FALSE)


def defined(node: Dim | Constraint) -> tuple[Constraint, ...]:
    """The constraints under which a node is defined: divisors in branches taken are at least 1.  [dim.floor]

    Divisors that are constants give no constraint.
    """
    found: dict[Constraint, None] = {}
    seen: set[tuple[object, Constraint]] = set()
    stack: list[tuple[Any, Constraint]] = [(node, FALSE)]
    while stack:
        part, spared = stack.pop()
        if (part, spared) in seen:
            continue
        seen.add((part, spared))
        if isinstance(part, Ite):
            taken = part.condition
            stack += [
                (taken, spared),
                (part.then, any_of(spared, negated(taken))),
                (part.orelse, any_of(spared, taken)),
            ]
            continue
        if isinstance(part, FloorDiv) and part.divisor.value is None:
            found[any_of(spared, at_least(part.divisor, 1))] = None
        stack.extend((child, spared) for child in part.children)
    return tuple(found)


_TOTAL: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()


def is_total(node: Dim | Constraint) -> bool:
    """Whether all divisors in a dim or constraint are constants.

    If they are at least 1, it is defined for all values of its variables.
    """
    for part in bottom_up(node, _TOTAL) if node not in _TOTAL else ():
        total = not isinstance(part, FloorDiv) or part.divisor.value is not None
        _TOTAL[part] = total and all(_TOTAL[child] for child in part.children)
    return _TOTAL[node]
