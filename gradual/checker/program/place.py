"""The source position where a value flows into a written type."""

from __future__ import annotations

from gradual.core.check import Polarity, Site
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast


@record
class Place:
    """The source position where a value flows into a written type.  [check.place]

    Attributes:
        span: the span of the value.
        site: the kind of position.
        rule: the rule that requires the type.
        through: the position in words ("argument 1 of `@f`").
        blamed: the party that is blamed for the value, in words.
        annotation: the written type, if there is one.
        polarity: whether the value, or the context of a function, breaks the promise.
        context: the party that is blamed for what the context of a function passes, in words.
    """

    span: Span
    site: Site
    rule: str
    through: str
    blamed: str
    annotation: ast.Type | None = None
    polarity: Polarity = Polarity.POSITIVE
    context: str = ""

    @property
    def party(self) -> str:
        """The party that is blamed here."""
        return self.blamed if self.polarity is Polarity.POSITIVE else self.context
