"""A memo table of operator judgements: a network repeats its layers, so few applications differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradual.core.check import Check, Promise
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Contents, Judgement, Operator
from gradual.ops.declaration.rank_cases import Together, Types
from gradual.record import record
from gradual.types.type import OpenedType

_MOST = 1024
"""Limit on the answers kept; at the limit the table is cleared."""

Question = tuple[object, ...]


@record(eq=False)
class Asked:
    """The result of applying an operator's rule.

    Attributes:
        judgement: the result type and the requirements.
        types: the operands' types as passed to the rule; None if a rank stays unknown.
        contents: the result's elements, if a rank stays unknown.
        accepts: the check that the rule holds at the run-time rank, if it does not hold at every rank.
        together: the cases of a rank that stays unknown, if they are few.
        promise: the place that the unknown rank comes from, and the party to blame.
    """

    judgement: Judgement
    types: Types | None
    contents: Contents = None
    accepts: Check | None = None
    together: Together | None = None
    promise: Promise | None = None


@record(frozen=False, eq=False)
class Answer:
    """A memo table entry.

    Attributes:
        asked: the result of applying the rule.
        attributes: the attributes as translated from the syntax.
        settings: the attributes as core has them.
        owes: whether the goal of a requirement is not the constant `true`, so that it has to be discharged.
        whole: the result type at the latest use of this entry, and the same type with its elements, which are not
            computed again if the next use has the same result type; None before the first use.
        settled: the result type with its elements, if it is the same wherever `sizes` are known to be not negative.
        sizes: the sizes in `settled` that are no numbers.
    """

    asked: Asked
    attributes: Mapping[str, Any]
    settings: Mapping[str, Any]
    owes: bool
    whole: tuple[OpenedType, OpenedType] | None = None
    settled: OpenedType | None = None
    sizes: tuple[Dim, ...] = ()


class Answers:
    """The memo table, question -> answer.  Answers do not depend on facts, so they hold at every program point."""

    def __init__(self) -> None:
        self._found: dict[Question, Answer] = {}

    def get(self, question: Question) -> Answer | None:
        """The answer if the question is in the table; None also if the question is not hashable."""
        try:
            return self._found.get(question)
        except TypeError:  # an attribute that has no hash
            return None

    def put(self, question: Question, answer: Answer) -> None:
        """Add an answer, unless the question is not hashable."""
        if len(self._found) >= _MOST:
            self._found.clear()
        try:
            self._found[question] = answer
        except TypeError:
            return


def question(operator: Operator, types: Sequence[OpenedType], given: Mapping[str, Any]) -> Question:
    """The key of the memo table: the operator, the operand types, the attributes' names, and their values as written.

    The operator has a fixed number of operands, and there are as many names as values, so a flat tuple is unambiguous.
    """
    return (operator, *types, *given, *map(_exact, given.values()))


_PLAIN = frozenset({int, str, type(None)})
"""The types whose values stand for themselves in a key; values of other types are paired with their type."""


def _exact(value: Any) -> object:
    """A key that is equal only for values of the same type and spelling: 1 is not True, and 0.0 is not -0.0."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple:
        return value if _PLAIN.issuperset(map(type, value)) else tuple(map(_exact, value))
    return kind, value.hex() if kind is float else value
