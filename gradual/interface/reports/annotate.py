"""A program with its inferred types and residual checks as comments, so that it remains a valid program."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradual.compilation import Compilation

WIDEST = 72
"""The longest line with a comment on the same line; a longer line has its comments below."""


def annotated(compilation: Compilation) -> str:
    """The text, each line followed by the types bound on it and the checks left on it."""
    lines = compilation.source.text.rstrip("\n").split("\n")
    facts = _facts(compilation)
    short = [len(lines[number - 1]) for number in facts if len(lines[number - 1]) <= WIDEST]
    column = max(short, default=0) + 2
    return "\n".join(row for number, text in enumerate(lines, 1) for row in _beside(text, facts.get(number), column))


def _facts(compilation: Compilation) -> dict[int, list[str]]:
    """Line number -> the comments for the line."""
    facts: dict[int, list[str]] = {}
    line = compilation.source.position
    for found in compilation.bindings:
        known = f" = {found.contents}" if found.contents is not None else ""
        facts.setdefault(line(found.span.start).line, []).append(f"{found.name} : {found.type}{known}")
    for check in compilation.checks:
        says = f"check {check.id}: {check.shown} [{check.blame.rule}]"
        facts.setdefault(line(check.span.start).line, []).append(says)
    return facts


def _beside(text: str, facts: list[str] | None, column: int) -> Iterator[str]:
    """The line, followed by its first comment if it is short enough, with the other comments below."""
    text = text.removesuffix("\r")
    if not facts:
        yield text
        return
    rows = [text] if len(text) <= WIDEST else [text, ""]
    head = len(rows) - 1
    for row, fact in zip_longest([*rows[head:]], facts, fillvalue=""):
        yield from rows[:head]
        head = 0
        yield f"{row:<{column}}// {fact}"
