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
    """What allows a warning at an offset, by a comment: where to insert it, and the text."""
    options = list(_options(source, code, offset))
    return next((option for option in options if _is_allowed(source, code, offset, *option)), options[-1])


def _options(source: Source, code: str, offset: int) -> Iterator[tuple[int, str]]:
    """A name in a comment that allows others, a comment at the end of the line, words in one, a line with one."""
    here = source.position(offset)
    start, line = offset - here.column + 1, source.line(here.line)
    for comment in comments(source.text):
        match = _ALLOWS.match(source.text[comment.span.start : comment.span.end].rstrip())
        if match is not None and _line(source, comment) == here.line:
            yield comment.span.start + match.start("names") + len(match["names"].rstrip()), f", {code}"
    yield start + len(line), f"  // {_MARK} allow {code}"
    if (at := line.find("//")) >= 0:
        yield start + at + len("//"), f" {_MARK} allow {code} --"
    yield start, f"{line[: len(line) - len(line.lstrip())]}// {_MARK} allow {code}\n"


def _is_allowed(source: Source, code: str, offset: int, at: int, inserted: str) -> bool:
    """Whether a warning is allowed on its line once a text is inserted."""
    after = Source(source.name, source.text[:at] + inserted + source.text[at:])
    line = after.position(offset + (len(inserted) if at <= offset else 0)).line
    return code in allowed(after).names.get(line, ())


def _line(source: Source, comment: Comment) -> int:
    """The line to which a comment applies, or 0 for the whole file."""
    if comment.leads:
        return 0
    line = source.position(comment.span.start).line
    is_alone = source.position(comment.after).line < line
    return source.position(comment.before).line if is_alone else line


def _unknown(reason: str, span: Span) -> Diagnostic:
    return Diagnostic(UNKNOWN, "", reason, span, Severity.WARNING, label="no code or group of warnings")
