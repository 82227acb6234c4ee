"""Diagnostics: one value, many renderings (`report/render.py`, JSON).

A diagnostic carries a code for users (`E0302`, a page in `spec/errors/`) and a rule for implementers
(`op.nn.dense.contract`, a heading in `spec/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gradual.source import NOWHERE, Position, Source, Span, visible


class Severity(StrEnum):
    """How grave: only errors make `gradual check` fail."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that takes part, with its own words."""

    span: Span
    label: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of source text that was tried before it is offered."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Help:
    """What to change; `edits` apply mechanically when present.

    Attributes:
        safe: whether the edits only write in other words what was written, so that a tool may apply them unasked.
    """

    text: str
    edits: tuple[Edit, ...] = ()
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a program.

    Attributes:
        rule: empty where there is no program that a rule could speak of: a file that cannot be read.
        message: one line, lower case, no full stop, understandable alone.
        label: the words under the primary span.
        notes: facts, the counterexample first.
        data: typed per code, e.g. `{"counterexample": {"n": 3}}`.
        source: the text that the spans lie in, where it is one that the user has.
    """

    code: str
    rule: str
    message: str
    span: Span
    severity: Severity = Severity.ERROR
    label: str = ""
    related: tuple[Related, ...] = ()
    notes: tuple[str, ...] = ()
    help: tuple[Help, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)
    source: Source | None = field(default=None, compare=False, repr=False)

    @property
    def goals(self) -> tuple[str, ...]:
        """The requirements on sizes that it is about, as text; none where it is about names or structure."""
        some = self.data.get("goals")
        if isinstance(some, list):
            return tuple(some)
        return (str(self.data["goal"]),) if "goal" in self.data else ()

    @property
    def start(self) -> Position | None:
        """Where the span begins; None for what has no place, or is not placed in a text."""
        return None if self.source is None or self.span == NOWHERE else self.source.position(self.span.start)

    @property
    def end(self) -> Position | None:
        """Where the span ends: the first place behind it."""
        return None if self.start is None or self.source is None else self.source.position(self.span.end)

    @property
    def line(self) -> int | None:
        """The line on which the span begins, counted from 1."""
        return None if self.start is None else self.start.line

    @property
    def column(self) -> int | None:
        """The column at which the span begins, in code points, counted from 1."""
        return None if self.start is None else self.start.column

    def __str__(self) -> str:
        """`file:line:column: error[E0302]: message [rule]`, on one line."""
        said = f"{self.severity}[{self.code}]: {visible(self.message)}" + (f" [{self.rule}]" if self.rule else "")
        if self.source is None:
            return said
        place = "" if self.start is None else f":{self.line}:{self.column}"
        return f"{visible(self.source.name)}{place}: {said}"


def counted(number: int, noun: str) -> str:
    """A number of things in words: `1 argument`, `2 arguments`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
