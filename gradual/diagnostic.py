"""Diagnostics as values, which `report/render.py` and JSON render.

A diagnostic carries a code for users (`E0302`, a page in `spec/errors/`) and a rule for implementers
(`op.nn.dense.contract`, a heading in `spec/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from gradual.origin import Frame, Origin
from gradual.record import record
from gradual.source import NOWHERE, Position, Source, Span, visible

PRESUMED = ", as of every named size"
"""The end of the label for the one requirement that the program does not state: that a named size is at least 1."""


class Severity(StrEnum):
    """The severity; only errors make `gradual check` fail."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@record
class Related:
    """Another span that explains the finding, with a label."""

    span: Span
    label: str


@record
class Edit:
    """A replacement of source text that was tried before it is offered."""

    span: Span
    text: str


@record
class Help:
    """Advice on what to change; tools can apply the `edits`, if there are any.

    Attributes:
        safe: whether the edits keep the program's meaning, so that a tool may apply them unasked.
        mends: how many errors it removes.
    """

    text: str
    edits: tuple[Edit, ...] = ()
    safe: bool = False
    mends: int = 1


@record
class Diagnostic:
    """One finding about a program.

    Attributes:
        rule: empty if there is no program, as for a file that cannot be read.
        message: one line, lower case, no full stop, understandable alone.
        label: the words under the primary span.
        notes: facts, the counterexample first.
        data: details for tools, such as `{"counterexample": {"n": 3}}`; the keys depend on the code.
        source: the text of the spans, if the user has it.
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
        """The requirements on sizes that fail, as text; empty if the diagnostic is about names or structure."""
        some = self.data.get("goals")
        if isinstance(some, list):
            return tuple(some)
        return (str(self.data["goal"]),) if "goal" in self.data else ()

    @property
    def start(self) -> Position | None:
        """The position at which the span begins; None without a span or a source."""
        return None if self.source is None or self.span == NOWHERE else self.source.position(self.span.start)

    @property
    def end(self) -> Position | None:
        """The position after the span; None without a span or a source."""
        return None if self.start is None or self.source is None else self.source.position(self.span.end)

    @property
    def line(self) -> int | None:
        """The line on which the span begins, counted from 1."""
        return None if self.start is None else self.start.line

    @property
    def column(self) -> int | None:
        """The column at which the span begins, in code points, counted from 1."""
        return None if self.start is None else self.start.column

    @property
    def origin(self) -> Origin | None:
        """The node of a model that the finding is about; None for a program that was written as text."""
        return None if self.source is None else self.source.origin(self.span)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The lines of Python that made the node of a model, the outermost first, each with its `file` and `line`."""
        return () if self.origin is None else self.origin.frames

    def __str__(self) -> str:
        """`file:line:column: error[E0302]: message [rule]`, on one line; `file.py:line` or the node for a model."""
        said = f"{self.severity}[{self.code}]: {visible(self.message)}" + (f" [{self.rule}]" if self.rule else "")
        if self.source is None:
            return said
        if self.frames:
            return f"{visible(self.frames[-1].place)}: {said}"
        if self.origin is not None:
            return f"{visible(self.source.name)}: {visible(self.origin.node)}: {said}"
        place = "" if self.start is None else f":{self.line}:{self.column}"
        return f"{visible(self.source.name)}{place}: {said}"


def counted(number: int, noun: str) -> str:
    """A count with its noun: `1 argument`, `2 arguments`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
