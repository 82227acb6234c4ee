"""Line breaks: a line of the canonical layout that is too long becomes several.

A line is a sequence of groups, which are bracketed, and of what stands between them.  As in Wadler's printer, a group
is either flat or broken as a whole: one item on each line, two blanks deeper, and the closing bracket on a line of its
own.  The widest group that makes the line fit is broken, and what is still too long is broken in turn.  Only the
tokens decide, not the line breaks of the text, so that breaking again changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from gradual.limits import LIMITS
from gradual.record import record
from gradual.syntax.printing.pieces import CLOSERS, COMMENTS, DEFINING, OPENERS, Piece, Sort

STEP, UNDER_WHERE = 2, len("where ")

_LEVELS = ({"then", "else", "as"}, {"or"}, {"and"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/"})
"""The operators before which a line may be broken, those that bind least first; `//` would look like a comment."""
_TOKEN = re.compile(r"Tensor\[|[\[\]()]|,|[^\[\](), ]+")
_TYPE_TOKEN = re.compile(r"( ?)(Tensor\[|\?\{\w+\.|[\[\](){}]|,|[^\[\](){}, ]+)")
_NUMBER = re.compile(r"-?[0-9]|-?inf|nan|True|False|\?")


@record
class Atom:
    """A token or comment of a line, with the blank before it."""

    gap: str
    text: str
    sort: Sort

    @property
    def width(self) -> int:
        """How many columns the atom takes with the blank before it."""
        return len(self.gap) + len(self.text)

    @property
    def opens(self) -> bool:
        """Whether it is an opening bracket."""
        return self.sort is Sort.SIGN and (self.text in OPENERS or self.text.startswith("?{"))

    @property
    def closes(self) -> bool:
        """Whether it is a closing bracket."""
        return self.sort is Sort.SIGN and self.text in CLOSERS

    @property
    def is_comma(self) -> bool:
        """Whether it is a comma."""
        return self.sort is Sort.SIGN and self.text == ","


Line = Sequence[Atom]
Broken = list[tuple[int, Line]]
"""Lines with their indentations."""
Group = tuple[int, int]
"""The places of a group's brackets."""


def broken(line: Sequence[tuple[str, Piece]], indent: int, width: int) -> str:
    """A line, given as pieces with the blanks before them, as one or more lines, each at most `width` wide if possible.

    The result begins with the first piece, without the indentation.   [syntax.format]
    """
    room = width - indent
    if sum(len(gap) + len(piece.text) for gap, piece in line) <= room or any("\n" in p.text for _, p in line):
        return "".join(gap + piece.text for gap, piece in line)
    return _lines(tuple(_atoms(line)), indent, width)


def broken_type(text: str, width: int = LIMITS.line) -> str:
    """A name with its printed type, `@f : fn (…) -> …`, as one or more lines."""
    if len(text) <= width:
        return text
    atoms = [
        Atom(gap, token, Sort.SIGN if not token[-1].isalnum() or token == "Tensor[" else _word(token))
        for gap, token in _TYPE_TOKEN.findall(text)
    ]
    return _lines(atoms, 0, width)


def _word(token: str) -> Sort:
    return Sort.KEYWORD if token in ("where", "and", "or", "then", "else") else Sort.OPERAND


def _atoms(line: Sequence[tuple[str, Piece]]) -> Iterator[Atom]:
    """The pieces of a line; an attribute or a tensor type that was read as one token is taken apart."""
    for gap, piece in line:
        text = piece.text
        if piece.sort is not Sort.OPERAND or "[" not in text or '"' in text or text.startswith("meta["):
            yield Atom(gap, text, piece.sort)
            continue
        before = ""
        for token in _TOKEN.findall(text):
            blank = gap if not before else " " if before == "," and token not in CLOSERS else ""
            yield Atom(blank, token, Sort.SIGN if token[-1] in "[]()," else Sort.OPERAND)
            before = token


def _lines(line: Line, indent: int, width: int) -> str:
    """Break lines until each fits or cannot be broken; an explicit stack, since groups nest."""
    done: list[str] = []
    todo: Broken = [(indent, line)]
    while todo:
        depth, each = todo.pop()
        parts = [] if _width(each) <= width - depth else _parts(each, depth, width)
        if parts:
            todo.extend(reversed(parts))
        else:
            start = "" if not done else "\n" + " " * depth
            done.append(start + each[0].text + "".join(atom.gap + atom.text for atom in each[1:]))
    return "".join(done)


def _width(line: Line) -> int:
    """The columns that a line takes without its indentation and without a comment at its end."""
    end = len(line)
    while end > 1 and line[end - 1].sort in COMMENTS:
        end -= 1
    return sum(atom.width for atom in line[:end]) - len(line[0].gap)


# --------------------------------------------------------------------------------------- where to break a line
def _parts(line: Line, indent: int, width: int) -> Broken:
    """The lines that one line is broken into; none if there is no place to break it."""
    groups = _groups(line)
    outer = _outside(line, groups)
    if clauses := [at for at in outer if line[at].sort is Sort.KEYWORD and line[at].text == "where"]:
        is_header = line[0].text in DEFINING or line[-1].text == "{"
        return _cut(line, clauses, indent, 0 if is_header else STEP)
    commas = [at + 1 for at in outer[:-1] if line[at].is_comma and line[at + 1].sort not in COMMENTS]
    if commas and line[0].text in ("where", "assert"):
        return _cut(line, commas, indent, UNDER_WHERE if line[0].text == "where" else STEP)
    by_operators = _cut(line, places, indent, STEP) if (places := _operators(line, outer)) else []
    if by_operators and all(_width(part) <= width - depth for depth, part in by_operators):
        return by_operators
    enough = list(_enough(line, groups, width - indent))
    if places and all(_only_groups(line, group) for group in enough):
        return by_operators
    if not enough and commas:
        return _cut(line, commas, indent, STEP)
    chosen = max(enough or groups, key=lambda group: _width(line[group[0] : group[1] + 1]), default=None)
    return [] if chosen is None else _opened(line, chosen, indent, width)


def _groups(line: Line) -> list[Group]:
    """The outermost groups that begin and end on the line and are not empty."""
    opened: list[int] = []
    pairs: list[Group] = []
    for at, atom in enumerate(line):
        if atom.opens:
            opened.append(at)
        elif atom.closes and opened:
            start = opened.pop()
            while pairs and pairs[-1][0] > start:
                pairs.pop()
            pairs.append((start, at))
    return [(first, last) for first, last in pairs if any(a.sort not in COMMENTS for a in line[first + 1 : last])]


def _outside(line: Line, groups: Sequence[Group]) -> list[int]:
    """The atoms between the groups, but for the first of the line."""
    ends = [0, *(last for _, last in groups)]
    starts = [*(first for first, _ in groups), len(line)]
    return [at for end, start in zip(ends, starts, strict=True) for at in range(end + 1, start)]


def _enough(line: Line, groups: Sequence[Group], room: int) -> Iterator[Group]:
    """The groups such that, if one is broken, the line before it and the line after it fit."""
    ends = [*accumulate(atom.width for atom in line)]
    total = _width(line)
    for first, last in groups:
        after = ends[last] - line[last].width
        if ends[first] - len(line[0].gap) <= room and total - after <= room:
            yield first, last


def _only_groups(line: Line, group: Group) -> bool:
    """Whether brackets enclose a part of an expression, in place of the items of a call, a list or a type."""
    first, last = group
    return bool(line[first].gap) and len(list(_items(line[first + 1 : last]))) == 1


def _operators(line: Line, outer: Sequence[int]) -> list[int]:
    """The operators between groups that bind least."""
    infix = [
        at for at in outer[:-1] if line[at].sort in (Sort.SIGN, Sort.KEYWORD) and line[at].gap and line[at + 1].gap
    ]
    texts = {line[at].text for at in infix}
    for level in _LEVELS:
        if level & texts and ("else" not in level & texts or "then" in texts):
            return [at for at in infix if line[at].text in level]
    return []


def _cut(line: Line, places: Sequence[int], indent: int, deeper: int) -> Broken:
    """The line cut before each of these places."""
    first, *rest = (line[start:end] for start, end in pairwise((0, *places, len(line))))
    return [(indent, first), *((indent + deeper, part) for part in rest)]


def _opened(line: Line, group: Group, indent: int, width: int) -> Broken:
    """The line with a group broken: its items on lines of their own."""
    first, last = group
    items = list(_items(line[first + 1 : last]))
    if all(_is_number(item) for item in items):
        items = list(_filled(items, width - indent - STEP))
    return [(indent, line[: first + 1]), *((indent + STEP, item) for item in items), (indent, line[last:])]


def _items(inside: Line) -> Iterator[Line]:
    """The items of a group, each with its comma, and with the comments that stand beside it."""
    depth, starts = 0, [0]
    last = max(at for at, atom in enumerate(inside) if atom.sort not in COMMENTS)
    for at, atom in enumerate(inside):
        depth += atom.opens - atom.closes
        if atom.is_comma and depth == 0:
            end = at + 1
            while end < len(inside) and inside[end].sort in COMMENTS and inside[end].sort is not Sort.INLINE:
                end += 1
            if end <= last:
                starts.append(end)
    return (inside[start:end] for start, end in pairwise((*starts, len(inside))))


def _is_number(item: Line) -> bool:
    """Whether an item is one number, with or without a comma."""
    return all(atom.is_comma for atom in item[1:]) and bool(_NUMBER.match(item[0].text))


def _filled(items: Sequence[Line], room: int) -> Iterator[Line]:
    """Items that are numbers, as many on each line as fit."""
    row: list[Atom] = []
    for item in items:
        if row and sum(atom.width for atom in (*row, *item)) - len(row[0].gap) > room:
            yield row
            row = []
        row += item
    yield row
