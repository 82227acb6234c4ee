"""The canonical layout of a program: the blanks and line breaks between tokens, and nothing else.

The printer and the formatter share it, so what is printed is already formatted.  Blocks, arms and constructors are on
lines of their own, indented by two blanks; a line is broken elsewhere by a comment, or because it is too long.
"""

from __future__ import annotations

from collections.abc import Iterable

from gradual.gc_paused import collector_paused
from gradual.syntax.printing.line_breaks import broken
from gradual.syntax.printing.pieces import CLOSERS, COMMENTS, DEFINING, OPENERS, Piece, Sort

REFERENCES = frozenset({"ref", "ref_read", "ref_write"})
START = Piece("", Sort.HEADER)


def laid_out(pieces: Iterable[Piece], width: int | None = None) -> str:
    """The pieces as text in canonical layout, without a final line feed.   [syntax.format]

    Lines longer than `width` are broken; without it, none.
    """
    with collector_paused():
        layout = _Layout(list(pieces))
        for place, piece in enumerate(layout.pieces):
            layout.place(place, piece)
        return "".join(layout.text) if width is None else _within(layout, width)


def _within(layout: _Layout, width: int) -> str:
    """The text with its long lines broken."""
    text: list[str] = []
    line: list[tuple[str, Piece]] = []
    indent = 0
    for gap, piece in zip(layout.text[::2], layout.pieces, strict=True):
        if "\n" in gap:
            text += broken(line, indent, width), gap
            indent, line, gap = len(gap.lstrip("\n")), [], ""
        line.append((gap, piece))
    return "".join((*text, broken(line, indent, width)))


class _Layout:
    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.text: list[str] = []
        self.open: list[str] = []  # "block" and "arms" break lines, "inline" does not
        self.last = START  # the last token
        self.before = START  # the token before `last`
        self.written = START  # the last token or comment
        self.breaks = False  # a line break is due
        self.leads = False  # the last piece is a comment in front of what follows it
        self.matches: list[int] = []  # for each `match` whose arms have not begun, how many brackets were open
        self.types = False
        self.angle = ""  # `<` inside the brackets of an operator's names, `>` right after them
        self.keyed = False  # the last `=` belongs to an attribute
        self.prefix = False  # the last token is a sign in front of its operand

    def place(self, index: int, piece: Piece) -> None:
        """Write a piece after the separator from the previous one."""
        if piece.sort is not Sort.METADATA and piece.text == "}" and self.open and self.open[-1] != "inline":
            self.breaks = self.last.text != "{" or self.written is not self.last
        separator = self._separator(index, piece)
        self.leads = piece.sort is Sort.INLINE and (self.leads or "\n" in separator or self.written is START)
        self.text += separator, piece.text
        self.written = piece
        if piece.sort in COMMENTS:
            pending = self.breaks and "\n" not in separator
            self.breaks = pending or piece.sort is Sort.ALONE or piece.text.startswith("//")
        else:
            self._note(index, piece)

    # -------------------------------------------------------------------------------- separators
    def _separator(self, index: int, piece: Piece) -> str:
        if self.written is START:
            return ""
        if piece.sort is Sort.TRAILING and (self.breaks or piece.text.startswith("//")):
            return " "
        if self.leads and not self.breaks:
            return self._blank(piece)
        if self._begins_definition(index) and self.written.sort not in (Sort.HEADER, Sort.ALONE):
            return "\n\n"
        if piece.sort is Sort.METADATA:
            return "\n\n"
        if self.breaks or piece.sort is Sort.ALONE or self.written.sort is Sort.ALONE:
            return self._line_break(piece)
        return self._blank(piece)

    def _line_break(self, piece: Piece) -> str:
        inside = bool(self.open) and self.open[-1] == "inline"
        depth = sum(kind != "inline" for kind in self.open)
        closes = piece.sort is Sort.SIGN and piece.text in CLOSERS
        depth += (2 if inside else 0) - (closes and (2 if inside else 1))
        blank = piece.blank and not closes and not inside and self.written.text != "{"
        return ("\n\n" if blank else "\n") + "  " * depth

    def _begins_definition(self, index: int) -> bool:
        """Whether a definition begins, perhaps with comments in front of it on its line."""
        if self.open or self.last.text == "extern":
            return False
        while self.pieces[index].sort is Sort.INLINE and index + 1 < len(self.pieces):
            index += 1
        piece = self.pieces[index]
        return piece.sort is Sort.KEYWORD and piece.text in DEFINING

    def _blank(self, piece: Piece) -> str:
        last, text = self.last, piece.text
        if self.written.sort is Sort.INLINE or self.written.sort is Sort.TRAILING:
            return "" if piece.sort is Sort.SIGN and text in (",", ";", ")", "]", "}", ":") else " "
        if piece.sort is Sort.SIGN and self._clings_left(text):
            return ""
        if piece.sort is Sort.OPERAND and text.startswith("."):
            return ""
        if last.sort is Sort.SIGN and self._clings_right(last.text):
            return ""
        return " "

    def _clings_left(self, text: str) -> bool:
        last = self.last
        if text in (",", ";", ":", ")", "]") or (text == "}" and self.open[-1:] == ["inline"]):
            return not (text == "}" and last.text.startswith("?{"))
        if text == "(" or text == "[":
            return self._is_operand() or last.text in REFERENCES or self.angle == ">"
        if text == "=":
            return self._is_key()
        return text == ">" if self.angle else text == "<" and self._names_operator()

    def _clings_right(self, text: str) -> bool:
        if text in OPENERS:
            return text != "{" or self.open[-1:] == ["inline"]
        return (text == "=" and self.keyed) or self.prefix or (self.angle == "<" and text == "<")

    def _is_operand(self) -> bool:
        return self.last.sort is Sort.OPERAND or self.last.text in CLOSERS

    def _is_key(self) -> bool:
        named = self.last.sort is Sort.OPERAND and not self.last.text.startswith("%")
        return named and self.before.text in ("(", ",", "{")

    def _names_operator(self) -> bool:
        return self.before.sort is Sort.KEYWORD and self.before.text == "operator"

    # ------------------------------------------------------------------------------------ updates after a token
    def _note(self, index: int, piece: Piece) -> None:
        self.breaks = piece.sort in (Sort.HEADER, Sort.METADATA)
        self.prefix = piece.text == "-" and piece.sort is Sort.SIGN and not self._is_operand()
        self.keyed = piece.text == "=" and self._is_key()
        if self.angle:
            self.angle = ">" if piece.text == ">" else "<" if self.angle == "<" else ""
        if piece.sort is Sort.SIGN:
            self._note_sign(index, piece.text)
        elif piece.sort is Sort.KEYWORD:
            self._note_keyword(piece.text)
        self.before, self.last = self.last, piece

    def _note_sign(self, index: int, text: str) -> None:
        if text in OPENERS or text.startswith("?{"):
            self.open.append(self._frame(index, text))
            self.breaks = self.open[-1] != "inline"
        elif text in CLOSERS and self.open:
            self.open.pop()
        elif text == ";":
            self.breaks = self.open[-1:] != ["inline"]
        elif text == ",":
            self.breaks = self.open[-1:] == ["arms"]
        elif text == "<" and self._names_operator():
            self.angle = "<"

    def _note_keyword(self, text: str) -> None:
        if text in ("match", "match?"):
            self.matches.append(len(self.open))
        elif text in DEFINING:
            self.types = text == "type"

    def _frame(self, index: int, text: str) -> str:
        if text != "{":
            return "inline"
        if self.matches and self.matches[-1] == len(self.open) and self.last.text not in ("match", "match?"):
            self.matches.pop()
            return "arms"
        if self.types and not self.open:
            self.types = False
            return "arms"
        return "inline" if self._begins_attributes(index) else "block"

    def _begins_attributes(self, index: int) -> bool:
        after = [piece.text for piece in self.pieces[index + 1 : index + 6] if piece.sort not in COMMENTS]
        keyed = after[1:2] == ["="] and not after[0].startswith("%")
        return self.last.text.startswith("%") and (keyed or _is_attribute(after[:1]))


def _is_attribute(texts: list[str]) -> bool:
    """Whether the first piece is a whole attribute `key=value`, which the lexer may return as one token."""
    return bool(texts) and "=" in texts[0] and texts[0][0].isalpha()
