"""Checks and their labels: what a rule demands and where, what left it unproved, and who is blamed on failure."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Annotated

from gradual.core.roles import Plain, Role
from gradual.core.value_words import Words, reworded
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.print import brief
from gradual.record import record
from gradual.source import Span
from gradual.types.positive import says_not_empty


class Polarity(StrEnum):
    """Which side broke a promise: the value that flows (POSITIVE), or the context that uses a function (NEGATIVE)."""

    POSITIVE = "positive"
    NEGATIVE = "negative"

    @property
    def other(self) -> Polarity:
        """The other side: arguments of a function come from its context."""
        return Polarity.NEGATIVE if self is Polarity.POSITIVE else Polarity.POSITIVE


class Site(StrEnum):
    """The kind of construct that makes a demand."""

    OPERATOR = "operator"
    ARGUMENT = "argument"
    RESULT = "result"
    ANNOTATION = "annotation"
    CAST = "cast"
    WHERE = "where"
    ASSERT = "assert"
    ENTRY = "entry"


@record(eq=False)
class Promise:
    """What left a size unknown: the span of a `?` (or of a call or operator), and words for it.

    In the label of a check, `names` are the names that the check's goal has for the sizes left unknown here.
    """

    span: Span
    says: str
    names: tuple[str, ...] = ()


@record(eq=False)
class Blame:
    """The label of a check, from which its report is made.

    Attributes:
        rule: the rule that demands.
        site: the kind of construct; `span` is its source position.
        says: the requirement in words ("contracted dimensions differ").
        through: the position through which the value came ("argument 1 of `nn.dense`").
        promises: the `?`s, calls or operators that left the sizes unknown.
        blamed: the blamed party in words ("the value supplied for parameter `%x` of `@f`").
        blames: the blamed spans.
        because: why the obligation is not proved.
        owed: the constraint that the rule requires; the check's goal is a simplified form of it.
        polarity: whether the value or the context of a function broke the promise.
        terms: explanations of generated names in the goal, if `words` are not enough.
        words: generated name of core -> words for it.
    """

    rule: str
    site: Site
    span: Span
    says: str
    through: str
    promises: tuple[Promise, ...]
    blamed: str
    blames: tuple[Span, ...]
    because: str
    owed: Constraint
    polarity: Polarity = Polarity.POSITIVE
    terms: tuple[str, ...] = ()
    words: Words = field(default_factory=dict)

    def worded(self, text: str) -> str:
        """Replace generated names of core in a text by the expressions in the program."""
        return reworded(text, self.words)


@record(frozen=False, eq=False, repr=False)
class Check:
    """`check goal // id [rule]`: halt with blame unless `goal` holds at this run's sizes.

    `id` is set once, when the checks of a file are numbered in source order.  `says` describes checks that no
    constraint on sizes expresses: an operator's rule applied at run time (its `goal` is true), and two numbers that are
    never equal (its `goal` is false).
    """

    id: Plain[str]
    goal: Annotated[Constraint, Role.GOAL]
    blame: Annotated[Blame, Role.BLAME]
    span: Plain[Span]
    says: Plain[str] = ""

    @property
    def condition(self) -> str:
        """What is checked, as text."""
        return self.says or str(self.goal)

    @property
    def shown(self) -> str:
        """What is checked, for users: parts of a long condition are elided.  [dim.text]"""
        return self.blame.worded(self.says) or brief(self.goal, self.blame.worded)

    @property
    def not_empty(self) -> bool:
        """Whether the check only requires that something is not empty."""
        return says_not_empty(self.goal)

    def __str__(self) -> str:
        return f"{self.id}: {self.condition} [{self.blame.rule}]"

    def __repr__(self) -> str:
        return f"<Check {self}>"
