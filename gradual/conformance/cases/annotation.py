"""The `//~` lines of a program: they are removed from it, and give the expected diagnostics with their positions.

    //~      ^^ error E0302 at n=3, m=2    the primary span is the columns of the carets, on the last program line above
    //~          -- the weight             a related span of the diagnostic just above
    //~ @3-15 error E0302                  columns as numbers, for columns 1 to 4, empty spans and wide spans
    //~ @3-+2:4 error E0308                from column 3 to column 4, two program lines further down
    //~ related 1:12-1:20 the parameter    a related span on any line
    //~ ^^ may warning E0501               allowed, not required

Annotation lines are removed, so positions count only the lines of the program.
"""

from __future__ import annotations

import re
from dataclasses import replace

from gradual.conformance.cases.case import ExpectedDiagnostic, ExpectedRelated, Place
from gradual.record import record

_LINE = re.compile(r"^\s*//~")
_MARK = re.compile(
    r"""^\s*//~\s*(?:(?P<carets>\^+)|(?P<dashes>-+)
          |@(?P<start>\d+)-(?:\+(?P<down>\d+):)?(?P<end>\d+)
          |related\s+(?P<place>\d+:\d+-\d+:\d+))(?:\s+(?P<rest>.*?))?\s*$""",
    re.VERBOSE,
)
_SAYS = re.compile(
    r"^(?P<may>may )?(?P<severity>error|warning) (?P<code>E\d{4})"
    r"(?: at (?P<at>.+))?$"
)
_SIZE = re.compile(r"([^=]+?)=(-?\d+)(?:,\s+|$)")
_PLACE = re.compile(r"^(\d+):(\d+)-(\d+):(\d+)$")


@record
class Annotated:
    """A program without its annotations, the expected diagnostics, and errors in annotations (line, message)."""

    text: str
    diagnostics: tuple[ExpectedDiagnostic, ...]
    problems: tuple[tuple[int, str], ...]


def is_annotation(line: str) -> bool:
    """Whether a line of a program is an annotation."""
    return bool(_LINE.match(line))


def place(text: str) -> Place:
    """Parse a range such as `1:28-1:29`; raises ValueError for any other text."""
    if not (match := _PLACE.match(text.strip())):
        raise ValueError(f"expected a place such as 1:28-1:29, found `{text.strip()}`")
    return Place(*map(int, match.groups()))


def annotated(lines: tuple[str, ...], first: int) -> Annotated:
    """Separate a program from its annotations; `first` is the line number of its first line in the file."""
    program: list[str] = []
    found: list[ExpectedDiagnostic] = []
    waiting: list[ExpectedRelated] = []
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(lines, first):
        if not is_annotation(line):
            program.append(line)
            continue
        try:
            _note(line, number, program, found, waiting)
        except ValueError as error:
            problems.append((number, str(error)))
    if waiting:
        problems.append((first, "a related place belongs to no diagnostic"))
    return Annotated("\n".join(program), tuple(found), tuple(problems))


def _note(
    line: str, number: int, program: list[str], found: list[ExpectedDiagnostic], waiting: list[ExpectedRelated]
) -> None:
    if not (match := _MARK.match(line)):
        raise ValueError("expected `//~ ^^ error E0301`, `//~ @3-7 …`, `//~ -- label` or `//~ related 1:2-1:4 label`")
    if not program:
        raise ValueError("an annotation stands below the line it speaks of")
    where = _place(match, len(program))
    if match["dashes"] or match["place"]:
        _relate(ExpectedRelated(where, match["rest"] or ""), found, waiting)
        return
    found.append(_expected(match["rest"] or "", where, tuple(waiting), number))
    waiting.clear()


def _relate(related: ExpectedRelated, found: list[ExpectedDiagnostic], waiting: list[ExpectedRelated]) -> None:
    """Add a related span to the diagnostic above it, or else to the first one below."""
    if found:
        found[-1] = replace(found[-1], related=(*found[-1].related, related))
    else:
        waiting.append(related)


def _place(match: re.Match[str], line: int) -> Place:
    if match["place"]:
        return place(match["place"])
    if match["start"]:
        return Place(line, int(match["start"]), line + int(match["down"] or 0), int(match["end"]))
    group = "carets" if match["carets"] else "dashes"
    return Place(line, match.start(group) + 1, line, match.end(group) + 1)


def _expected(text: str, where: Place, related: tuple[ExpectedRelated, ...], number: int) -> ExpectedDiagnostic:
    if not (match := _SAYS.match(text)):
        raise ValueError(f"expected `error E0301`, `warning E0402 at n=3` or `may error E0302`, found `{text}`")
    return ExpectedDiagnostic(
        match["code"], match["severity"], where, related, _witness(match["at"]), bool(match["may"]), number
    )


def _witness(text: str | None) -> dict[str, int]:
    if not text:
        return {}
    if _SIZE.sub("", text):
        raise ValueError(f"expected sizes such as `n=3, m=2`, found `{text}`")
    return {name: int(value) for name, value in _SIZE.findall(text)}


def rewritten(expected: ExpectedDiagnostic, above: str) -> list[str]:
    """The annotation lines of `expected`, to insert below the program line `above`, with its indentation."""
    may = "may " if expected.optional else ""
    at = " at " + ", ".join(f"{n}={v}" for n, v in expected.witness.items()) if expected.witness else ""
    if expected.place is None:
        return []
    start = above[: len(above) - len(above.lstrip())] + "//~"
    lines = [f"{_pointer(start, expected.place, '^')} {may}{expected.severity} {expected.code}{at}"]
    return lines + [_related(start, expected.place, other) for other in expected.related]


def _pointer(start: str, where: Place, mark: str) -> str:
    if where.line != where.end_line:
        return f"{start} @{where.column}-+{where.end_line - where.line}:{where.end_column}"
    if where.column < len(start) + 2 or where.end_column == where.column:
        return f"{start} @{where.column}-{where.end_column}"
    return start.ljust(where.column - 1) + mark * (where.end_column - where.column)


def _related(start: str, primary: Place, related: ExpectedRelated) -> str:
    other = related.place
    near = primary.line == other.line == other.end_line and other.end_column > other.column >= len(start) + 2
    return f"{_pointer(start, other, '-') if near else f'{start} related {other}'} {related.label}".rstrip()
