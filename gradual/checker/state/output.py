"""The output of checking a definition: its core steps and its diagnostics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypedDict, Unpack

from gradual.core.terms import Conversion, Step
from gradual.diagnostic import Diagnostic, Help, Related, Severity
from gradual.record import record
from gradual.source import Span
from gradual.types.type import DataType


class More(TypedDict, total=False):
    """The optional parts of a diagnostic."""

    severity: Severity
    label: str
    related: tuple[Related, ...]
    notes: tuple[str, ...]
    help: tuple[Help, ...]
    data: Mapping[str, object]


@record(frozen=False, eq=False)
class Output:
    """The output so far.

    Attributes:
        steps: the block being built.
        diagnostics: the diagnostics, in the order in which they were found.
        conversions: (source type, target type) -> data conversion being built.
        written_out: the number of calls of function literals inlined so far.
        decided: span of an `if` on sizes -> the constant value of its condition; None if it varies.  [type.if.taken]
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
