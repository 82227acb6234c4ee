"""Diagnostics: one value, many renderings (`tools/render.py`, JSON).

A diagnostic carries a code for users (`E0302`, a page in `spec/errors/`) and a rule for implementers
(`op.nn.dense.contract`, a heading in `spec/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gradual.source import Span


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
    """What to change; `edits` apply mechanically when present."""

    text: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a program.

    Attributes:
        message: one line, lower case, no full stop, understandable alone.
        label: the words under the primary span.
        notes: facts, the counterexample first.
        data: typed per code, e.g. `{"counterexample": {"n": 3}}`.
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


def counted(number: int, noun: str) -> str:
    """A number of things in words: `1 argument`, `2 arguments`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
