"""Comments that allow warnings: `// gradual: allow E0801, unused`, with an optional reason after ` -- `.

A comment after code applies to warnings that begin on its line; a comment on a line of its own, to the next line with
code; a comment before the first definition, to the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gradual.diagnostic import Diagnostic, Severity
from gradual.interface.input.levels import NoLevel, named, stands_for
from gradual.record import record
from gradual.source import Source, Span
from gradual.syntax.parsing.comments import Comment, comments

UNKNOWN = "E0806"

_MARK = "gradual:"
_ALLOWS = re.compile(r"//+\s*gradual:\s*allow\b(?P<names>.*?)(?:\s--\s.*)?$")
_NAME = re.compile(r"[^\s,]+")


@record
class Allowed:
    """What the comments of a text allow.

    Attributes:
        names: line, or 0 for the whole file -> allowed codes and groups.
        unknown: a diagnostic for each name that denotes no warning.
    """

    names: dict[int, set[str]]
    unknown: tuple[Diagnostic, ...]

    def kept(self, source: Source, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """The findings that no comment allows; errors are never allowed."""
        for one in found:
            if one.severity is Severity.ERROR or not self._allows(one.code, source.position(one.span.start).line):
                yield one

    def _allows(self, code: str, line: int) -> bool:
        here = (*self.names.get(0, ()), *self.names.get(line, ()))
        return any(stands_for(name, code) for name in here)


def allowed(source: Source) -> Allowed:
    """What the comments of a text allow; a text without `gradual:` is not tokenized."""
    names: dict[int, set[str]] = {}
    unknown: list[Diagnostic] = []
    for comment in comments(source.text) if _MARK in source.text else ():
        match = _ALLOWS.match(source.text[comment.span.start : comment.span.end].rstrip())
        if match is not None:
            here = names.setdefault(_line(source, comment), set())
            for name in _NAME.finditer(match["names"]):
                start = comment.span.start + match.start("names") + name.start()
                try:
                    here.add(named(name[0]))
                except NoLevel as reason:
                    unknown.append(_unknown(str(reason), Span(start, start + len(name[0]))))
    return Allowed(names, tuple(unknown))


def allowing(source: Source, code: str, offset: int) -> tuple[int, str]:
    """What allows a warning at an offset: where to insert it, and the text.

    That is a name in a comment that already allows others there, a comment at the end of the line, or, if the line has
    another comment, a comment on a line before.
    """
    here = source.position(offset)
    end = offset - here.column + 1 + len(source.line(here.line))
    around = [one for one in comments(source.text) if _applies(source, one, here.line)]
    for comment in around:
        match = _ALLOWS.match(source.text[comment.span.start : comment.span.end].rstrip())
        if match is not None:
            return comment.span.start + match.start("names") + len(match["names"].rstrip()), f", {code}"
    if not any(comment.span.start < end for comment in around if source.position(comment.span.start).line == here.line):
        return end, f"  {_COMMENT} {code}"
    start = offset - here.column + 1
    line = source.line(here.line)
    return start, f"{line[: len(line) - len(line.lstrip())]}{_COMMENT} {code}\n"


_COMMENT = f"// {_MARK} allow"


def _applies(source: Source, comment: Comment, line: int) -> bool:
    return line in (_line(source, comment), source.position(comment.span.start).line)


def _line(source: Source, comment: Comment) -> int:
    """The line to which a comment applies, or 0 for the whole file."""
    if comment.leads:
        return 0
    line = source.position(comment.span.start).line
    is_alone = source.position(comment.after).line < line
    return source.position(comment.before).line if is_alone else line


def _unknown(reason: str, span: Span) -> Diagnostic:
    return Diagnostic(UNKNOWN, "", reason, span, Severity.WARNING, label="no code or group of warnings")
