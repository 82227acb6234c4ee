"""What the rules of operators said, by what they were asked: a network repeats its layers, so few of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradual.core.check import Check, Promise
from gradual.ops.declaration.operator import Contents, Judgement, Operator
from gradual.ops.declaration.rank_cases import Together, Types
from gradual.types.type import OpenedType

_MOST = 1024
"""How many answers are kept; what a program asks later is asked again."""

Question = tuple[Operator, tuple[OpenedType, ...], object]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What came of asking.

    Attributes:
        judgement: what holds at every rank, with what is owed.
        types: the operands' types as the rule was given them; None where a rank stays unknown.
        contents: the result's elements, where a rank stays unknown.
        accepts: the check that the rule holds at the rank that there is, if it does not hold at all.
        together: the cases of a rank that stays unknown, if they are few.
        promise: who left the rank open.
    """

    judgement: Judgement
    types: Types | None
    contents: Contents = None
    accepts: Check | None = None
    together: Together | None = None
    promise: Promise | None = None


@dataclass(slots=True, eq=False)
class Answer:
    """What came of asking.

    Attributes:
        asked: the judgement, with what it was given.
        attributes: those that were read.
        settings: those that the core writes.
        whole: the last result without its elements, and with them.
        forgets: whether the elements of that are too large to be kept.
    """

    asked: Asked
    attributes: Mapping[str, Any]
    settings: Mapping[str, Any]
    whole: tuple[OpenedType, OpenedType] | None = None
    forgets: bool = False


class Answers:
    """Answers by their questions.  An answer says nothing of facts, so it holds wherever the same is asked."""

    def __init__(self) -> None:
        self._found: dict[Question, Answer] = {}

    def get(self, question: Question) -> Answer | None:
        """The answer, if the question was asked before and can be told from others."""
        try:
            return self._found.get(question)
        except TypeError:  # an attribute that has no hash
            return None

    def put(self, question: Question, answer: Answer) -> None:
        """Remember an answer."""
        if len(self._found) >= _MOST:
            self._found.clear()
        try:
            self._found[question] = answer
        except TypeError:
            return


def question(operator: Operator, types: Sequence[OpenedType], given: Mapping[str, Any]) -> Question:
    """What is asked: the operator's judgement of operands of these types, with attributes as they are written."""
    return operator, tuple(types), _exact(tuple(given.items()))


def _exact(value: Any) -> object:
    """A value that is equal to another only where both are written alike: 1 is not True, and 0.0 is not -0.0."""
    if isinstance(value, tuple):
        return tuple(map(_exact, value))
    return (
        (float, value.hex()) if isinstance(value, float) else value if isinstance(value, str) else (type(value), value)
    )
