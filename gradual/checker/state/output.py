"""What a definition becomes: the steps of core, and what is reported of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

from gradual.core.terms import Conversion, Step
from gradual.diagnostic import Diagnostic, Help, Related, Severity
from gradual.source import Span
from gradual.types.type import DataType


class More(TypedDict, total=False):
    """What a diagnostic may say beside its message."""

    severity: Severity
    label: str
    related: tuple[Related, ...]
    notes: tuple[str, ...]
    help: tuple[Help, ...]
    data: Mapping[str, object]


@dataclass(slots=True, eq=False)
class Output:
    """What was written so far.

    Attributes:
        steps: the block being written.
        diagnostics: what is reported, in the order in which it was found.
        conversions: those of data being written, by the types between which they go.
        written_out: how many calls of function literals were written out.
        decided: what the condition of a test always is, by where the `if` stands; None where it is not always the
            same.  [type.if.taken]
    """

    steps: list[Step] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    conversions: dict[tuple[DataType, DataType], Conversion] = field(default_factory=dict)
    written_out: int = 0
    decided: dict[Span, bool | None] = field(default_factory=dict)

    def report(self, code: str, rule: str, message: str, span: Span, **more: Unpack[More]) -> Diagnostic:
        """Add a diagnostic to the definition's list."""
        found = Diagnostic(code, rule, message, span, **more)
        self.diagnostics.append(found)
        return found
