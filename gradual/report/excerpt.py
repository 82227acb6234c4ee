"""Excerpts of a source with underlines and labels, laid out as rustc does.

Widths are those of a terminal: tabs become four blanks, wide characters take two cells, combining ones none.
Of a very long line, only the parts near a mark are shown.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gradual.record import record
from gradual.report.paint import Paint, Row
from gradual.source import Source, Span

READABLE = 150
"""The longest line, in characters, that is shown whole."""
NEAR = 30
"""How many characters are kept on either side of a mark's ends in a longer line."""
WHOLE = 5
"""The most lines of a span that are all shown."""


@record
class Mark:
    """A span to underline, with its label; `style` names its colour."""

    span: Span
    label: str
    primary: bool
    style: str

    @property
    def line(self) -> str:
        """The character that underlines the span."""
        return "^" if self.primary else "-"


@record
class _Placed:
    """A mark by lines (1-based) and columns (0-based, half-open)."""

    mark: Mark
    first: int
    last: int
    start: int
    end: int


@record
class _Line:
    """A source line as shown: its cells, and the cell at which each kept column begins."""

    cells: tuple[str, ...]
    begins: Mapping[int, int]

    def cell(self, column: int) -> int:
        """The cell of a kept column; past the end, the cell after the last."""
        return self.begins.get(column, len(self.cells))


def excerpt(source: Source, marks: Sequence[Mark], paint: Paint, margin: int) -> list[str]:
    """The lines with marks, each followed by its underlines and labels; `margin` is the width of line numbers."""
    placed = [_place(source, mark) for mark in marks]
    across = [p for p in placed if p.first != p.last]
    rows = [_frame(paint, margin, "", Row())]
    previous = 0
    for number in _shown(placed, source):
        if previous and number > previous + 1:
            rows.append(_skipped(paint, margin, across, previous))
        rows.extend(_drawn(source, number, placed, across, paint, margin))
        previous = number
    return rows


def last_line(source: Source, marks: Iterable[Mark]) -> int:
    """The highest line number that an excerpt of these marks shows."""
    return max(_place(source, mark).last for mark in marks)


def _place(source: Source, mark: Mark) -> _Placed:
    """Lines and columns of a mark; a line break at the end of its span is not included."""
    start = source.position(mark.span.start)
    end = source.position(max(mark.span.end, mark.span.start))
    if end.line > start.line and end.column == 1:
        end = source.position(end.offset - 1)
    return _Placed(mark, start.line, end.line, start.column - 1, end.column - 1)


def _shown(placed: Sequence[_Placed], source: Source) -> list[int]:
    """The numbers of the lines to show: those with marks, short spans whole, and single lines between them."""
    wanted: set[int] = set()
    for p in placed:
        wanted |= {p.first, p.last}
        if p.last - p.first < WHOLE:
            wanted |= set(range(p.first, p.last))
    return sorted(wanted | {n + 1 for n in wanted if n + 2 in wanted})


def _frame(paint: Paint, margin: int, number: str, row: Row) -> str:
    """The text of a row, with its line number and the bar of the frame before it."""
    body = row.painted(paint)
    return paint(f"{number:>{margin}} |", "frame") + (f" {body}" if body else "")


def _skipped(paint: Paint, margin: int, across: Sequence[_Placed], previous: int) -> str:
    """Dots for lines that are left out, with the sides of the spans that continue."""
    row = Row()
    _sides(row, across, [p for p in across if p.first <= previous < p.last])
    body = row.painted(paint)
    return paint("...", "frame") + (" " * max(margin, 1) + body if body else "")


def _drawn(
    source: Source, number: int, placed: Sequence[_Placed], across: Sequence[_Placed], paint: Paint, margin: int
) -> Iterator[str]:
    """One source line, then the rows under it."""
    here = [p for p in placed if number in (p.first, p.last)]
    line = _line(source.line(number), _columns(here, number))
    indent = len(across) + 1 if across else 0
    open_ = [p for p in across if p.first < number <= p.last]
    begun = [p for p in here if p.first == number != p.last and _begins_line(source, p)]
    yield _frame(paint, margin, str(number) * source.is_numbered, _text(line, across, open_, begun, indent))
    open_ += begun
    for row in _under(line, [p for p in here if p.first == p.last], indent):
        _sides(row, across, open_)
        yield _frame(paint, margin, "", row)
    for row in _ends(line, number, here, across, open_, indent):
        yield _frame(paint, margin, "", row)


def _text(
    line: _Line, across: Sequence[_Placed], open_: Iterable[_Placed], begun: Iterable[_Placed], indent: int
) -> Row:
    """The line itself, with the sides of open spans and `/` where a span begins with the line."""
    row = Row()
    row.put(indent, line.cells, "")
    _sides(row, across, open_)
    for p in begun:
        row.put(across.index(p), "/", p.mark.style)
    return row


def _sides(row: Row, across: Sequence[_Placed], open_: Iterable[_Placed]) -> None:
    """Draw the left side of each span that is open in this row."""
    for p in open_:
        row.put(across.index(p), "|", p.mark.style)


def _begins_line(source: Source, p: _Placed) -> bool:
    return not source.line(p.first)[: p.start].strip()


def _ends(
    line: _Line,
    number: int,
    here: Sequence[_Placed],
    across: Sequence[_Placed],
    open_: list[_Placed],
    indent: int,
) -> Iterator[Row]:
    """The rows at which spans over several lines begin and end."""
    for p in here:
        if p.first == number != p.last and p not in open_:
            yield _corner(line, across, open_, p, indent + line.cell(p.start), "")
            open_.append(p)
    for p in here:
        if p.last == number != p.first:
            yield _corner(line, across, open_, p, indent + line.cell(max(p.end - 1, 0)), p.mark.label)
            open_.remove(p)


def _corner(line: _Line, across: Sequence[_Placed], open_: Sequence[_Placed], p: _Placed, at: int, label: str) -> Row:
    """The row `|______^ label`, in which a span begins or ends at the cell `at`."""
    row, side = Row(), across.index(p)
    row.put(side + 1, "_" * (at - side - 1), p.mark.style)
    _sides(row, across, open_)
    row.put(at, p.mark.line, p.mark.style)
    row.put(at + 2, label, p.mark.style)
    return row


# ------------------------------------------------------------------------------------------ underlines of a line
def _under(line: _Line, here: Sequence[_Placed], indent: int) -> Iterator[Row]:
    """The underlines of one line, with the last label beside them if it fits; the others are below, rightmost first."""
    if not here:
        return
    here = sorted(here, key=lambda p: (p.start, -p.end, p.mark.primary))
    row = Row()
    for p in sorted(here, key=lambda p: (p.start - p.end, p.mark.primary)):  # shorter marks overwrite longer ones
        left, width = _extent(line, p)
        row.put(indent + left, p.mark.line * width, p.mark.style)
    beside = _beside(here)
    if beside is not None:
        left, width = _extent(line, beside)
        row.put(indent + left + width + 1, beside.mark.label, beside.mark.style)
    yield row
    yield from _hung(line, [p for p in here if p.mark.label and p is not beside], indent)


def _beside(here: Sequence[_Placed]) -> _Placed | None:
    """The mark whose label fits on the row of the underlines: the last one, if it starts after all others end."""
    last = here[-1]
    fits = all(p is last or p.end <= last.start for p in here)
    return last if fits and last.mark.label else None


def _hung(line: _Line, hanging: Sequence[_Placed], indent: int) -> Iterator[Row]:
    """A row of stems, then a row for each label, the rightmost first."""
    if hanging:
        yield _stems(line, hanging, indent)
    for index in range(len(hanging) - 1, -1, -1):
        p = hanging[index]
        row = _stems(line, [q for q in hanging[:index] if q.start < p.start], indent)
        row.put(indent + line.cell(p.start), p.mark.label, p.mark.style)
        yield row


def _stems(line: _Line, hanging: Iterable[_Placed], indent: int) -> Row:
    row = Row()
    for p in hanging:
        row.put(indent + line.cell(p.start), "|", p.mark.style)
    return row


def _extent(line: _Line, p: _Placed) -> tuple[int, int]:
    """The first cell and the number of cells under a mark; at least one."""
    left, right = line.cell(p.start), line.cell(p.end)
    return left, max(right - left, 1)


# ------------------------------------------------------------------------------------------------- a line's cells
def _columns(here: Iterable[_Placed], number: int) -> list[int]:
    """The columns of this line that have to stay visible."""
    ends = [end for p in here for end in ((p.first, p.start), (p.last, p.end))]
    return [column for line, column in ends if line == number]


def _line(text: str, columns: Sequence[int]) -> _Line:
    """The cells of a line; the parts of a long line that are far from every mark become dots."""
    cells: list[str] = []
    begins: dict[int, int] = {}
    shown = 0
    for start, end in _kept(len(text), columns):
        cells.extend("..." if start > shown else "")
        for at in range(start, end):
            begins[at] = len(cells)
            cells.extend(_cells(text[at], cells))
        begins[end] = len(cells)
        shown = end
    cells.extend("..." if shown < len(text) else "")
    return _Line(tuple(cells), begins)


def _kept(length: int, columns: Sequence[int]) -> list[tuple[int, int]]:
    """The ranges of columns of a line to show, in order."""
    if length <= READABLE:
        return [(0, length)]
    kept: list[tuple[int, int]] = []
    for column in sorted(min(c, length) for c in columns or (0,)):
        start, end = max(column - NEAR, 0), min(column + NEAR, length)
        if kept and start <= kept[-1][1] + len("..."):
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    return kept


def _cells(character: str, before: list[str]) -> Sequence[str]:
    """The cells of a character in a terminal; a combining character is added to the cell before it."""
    if " " <= character <= "~":
        return character
    if character == "\t":
        return "    "
    category = unicodedata.category(character)
    if category in ("Mn", "Me") and before:
        before[-1] += character
        return ()
    if category[0] == "C" or category in ("Zl", "Zp"):
        return _picture(character)
    return (character, "") if unicodedata.east_asian_width(character) in "WF" else (character,)


def _picture(character: str) -> str:
    """A visible replacement for a character that would move the cursor or hide text."""
    code = ord(character)
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"
