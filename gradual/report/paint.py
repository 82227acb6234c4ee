"""Styles and colour: a painter maps a text and a style to the text that is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from gradual.source import visible

Paint = Callable[[str, str], str]
Cell = tuple[str, str]

_SGR = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "help": "1;32",
    "frame": "1;34",
    "related": "1;34",
    "strong": "1",
    "faint": "2",
}


def plain(text: str, style: str) -> str:
    """The text itself."""
    return text


def ansi(text: str, style: str) -> str:
    """The text between the terminal's colour codes for its style."""
    code = _SGR.get(style)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


_PAINTED = re.compile("(" + "|".join(re.escape(f"\x1b[{code}m") for code in ("0", *dict.fromkeys(_SGR.values()))) + ")")


def shielded(text: str, paint: Paint) -> str:
    """Lines without terminal control characters, except the colour codes of the painter that made them."""
    if paint is not ansi:
        return visible(text, _LAYOUT)
    pieces = _PAINTED.split(text)
    pieces[::2] = [visible(piece, _LAYOUT) for piece in pieces[::2]]
    return "".join(pieces)


_LAYOUT = "\n\t"
"""The layout characters, which are harmless in a terminal."""


def painter(color: bool) -> Paint:
    """The painter for a terminal with or without colour."""
    return ansi if color else plain


class Row:
    """A row of a terminal, written cell by cell; `""` is the right half of a wide character."""

    __slots__ = ("_cells",)

    def __init__(self) -> None:
        self._cells: list[Cell] = []

    def put(self, column: int, pieces: Iterable[str], style: str) -> None:
        """Write one piece per cell from `column` on, over what is written there."""
        for at, piece in enumerate(pieces, column):
            if at >= len(self._cells):
                self._cells.extend([(" ", "")] * (at + 1 - len(self._cells)))
            self._cells[at] = (piece, style)

    def painted(self, paint: Paint) -> str:
        """The row without trailing blanks; adjacent cells of one style are painted together."""
        cells = self._cells
        while cells and cells[-1][0] == " ":
            cells.pop()
        out, run, style = [], "", ""
        for piece, wanted in cells:
            if wanted != style:
                out.append(paint(run, style))
                run, style = "", wanted
            run += piece
        return "".join([*out, paint(run, style)])
