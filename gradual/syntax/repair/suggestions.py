"""Repair of a syntax error by one change near it, which is proposed only after the changed text was parsed.

The fix is mostly one word, one sign or the brackets of a shape, so these are tried, the most likely first.  A change
is accepted if the whole definition parses with it.  If the definition has more errors, the likely change that lets the
parser get farthest is proposed, provided it gets several words farther.  [syntax.token]
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, takewhile

from gradual.diagnostic import Edit, Help
from gradual.record import record
from gradual.source import Span
from gradual.syntax.parsing.errors import CLOSERS
from gradual.syntax.parsing.lexer import Lexer
from gradual.syntax.parsing.metadata import NO_METADATA
from gradual.syntax.repair.python_definitions import definitions_anew
from gradual.syntax.repair.python_notation import anew

FARTHEST = 5_000
"""Limit on the distance, in characters, from the start of a definition to an error that is repaired."""

AROUND = 400
"""How many characters after an error are parsed again."""

REACH = 12
"""How many characters farther the parser must get at least."""

MORE = " (other errors stay)"
"""Added to the description of a change after which the definition still has errors."""

BACK = 12
"""How many words before an error may be changed."""

FOREIGN = {
    **dict.fromkeys(("function", "fun", "func"), ("def", "fn")),
    **dict.fromkeys(("fn", "let", "define"), ("def",)),
    **dict.fromkeys(("var", "val", "const", "auto"), ("let",)),
    **dict.fromkeys(("struct", "enum", "data", "class"), ("type",)),
    **dict.fromkeys(("switch", "case"), ("match",)),
    **dict.fromkeys(("requires", "when"), ("where",)),
    "lambda": ("fn",),
    "tensor": ("Tensor",),
    "otherwise": ("else",),
    "return": ("",),
}
"""Keyword of another language -> keywords of this one."""

KEYWORDS = ("def", "let", "fn", "if", "else", "match", "type", "where", "extern", "operator", "assert", "Tensor")
MISSING = (",", ";", ")", "]", "}", ":", "=", "->", "=>")
SURPLUS = (",", ";", ")", "]", "}", ":")
MISTAKEN = {
    ":": ("->", "="),
    "=": ("==", ":", "=>"),
    "=>": (">=", "->"),
    "->": ("=>", ":"),
    "==": ("=",),
    ";": (",",),
    ",": (";",),
    ")": ("]", "}"),
    "]": (")", "}"),
    "}": (")", "]"),
}
"""Sign -> signs that may have been meant."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_OPERAND = re.compile(r".*[\w)\]}]$", re.DOTALL)


@record
class _Change:
    """A change of a text, with its description.

    Attributes:
        likely: whether it may be proposed although other errors remain.
        safe: whether it only translates what was written to this language.
    """

    says: str
    edits: tuple[Edit, ...]
    likely: bool = True
    safe: bool = False

    def help(self, more: str, by: int) -> Help:
        """The change as a help, shifted by `by` code points."""
        return Help(self.says + more, self.shift(by), self.safe)

    def of(self, text: str) -> str:
        for edit in reversed(self.edits):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        return text

    def shift(self, by: int) -> tuple[Edit, ...]:
        return tuple(Edit(Span(e.span.start + by, e.span.end + by), e.text) for e in self.edits)


def mending(text: str, begin: int, found: Span, reach: Callable[[str, bool], int | None]) -> Help | None:
    """The best change for a definition that begins at `begin` and has a syntax error at `found`.

    `reach(text, cut)` is the offset of the first error of a text, None if there is none; a cut text may end anywhere.
    """
    if found.end - begin > FARTHEST:
        return None
    end = _cut(text, found.end)
    part = text[begin:end]
    error = Span(found.start - begin, found.end - begin)
    best, farthest = None, error.end + REACH
    for change in _changes(part, error):
        at = reach(change.of(part), end < len(text))
        if at is None:
            return change.help("", begin)
        left = at - sum(len(edit.text) - (edit.span.end - edit.span.start) for edit in change.edits)
        if change.likely and left > farthest:
            best, farthest = change, left
    return None if best is None else best.help(MORE, begin)


def _cut(text: str, end: int) -> int:
    """An offset some way after the error at which to cut the text: the end of a line, or else of a word."""
    limit = end + AROUND
    if len(text) <= limit:
        return len(text)
    return next((at for at in (text.rfind("\n", end, limit), text.rfind(" ", end, limit)) if at >= 0), limit)


# ------------------------------------------------------------------------------------------------ what to try
def _changes(text: str, error: Span) -> Iterator[_Change]:
    """The changes to try near an error, the most likely first."""
    for one in chain(anew(text, error), definitions_anew(text, error)):
        yield _Change(one.says, (one.edit,), safe=True)
    before = _before(text, error)
    near = [error, *reversed(before)]
    for place in near:
        spelled = text[place.start : place.end]
        for word in _meant(spelled):
            change = _instead(text, place, word) if word else _without(text, place)
            yield replace(change, safe=word in FOREIGN.get(spelled, ()))
    if before:
        yield from _tensor(text, before[-1], error)
        yield from _named(text, before[-1], error)
        yield from _bracketed(text, before, error)
        yield from _closed(text, error)
    for place in near[:2]:
        if _WORD.fullmatch(text[place.start : place.end]):
            after_operand = place is error and before and _OPERAND.match(text[before[-1].start : before[-1].end])
            for sigil in "@" if after_operand else "%@":  # `n %m` is a remainder
                yield replace(_instead(text, place, sigil + text[place.start : place.end]), safe=True)
    sign = text[error.start : error.end]
    yield from (replace(_instead(text, error, other), likely=False) for other in MISTAKEN.get(sign, ()))
    if before:
        yield from (_inserted(text, before[-1], other) for other in MISSING)
    surplus = (place for place in near[:2] if text[place.start : place.end] in SURPLUS)
    yield from (replace(_without(text, place), likely=False) for place in surplus)


def _before(text: str, error: Span) -> list[Span]:
    """The last words and signs before an error."""
    tokens = takewhile(lambda token: token[2] < error.start, Lexer(text, NO_METADATA).tokens())
    return [Span(start, end) for _, _, start, end in deque(tokens, BACK)]


def _meant(word: str) -> list[str]:
    """The keywords that may have been meant by a word."""
    from difflib import get_close_matches

    if not _WORD.fullmatch(word):
        return []
    close = get_close_matches(word, KEYWORDS, n=2, cutoff=0.6) if word not in KEYWORDS else []
    return [*FOREIGN.get(word, ()), *close]


def _named(text: str, last: Span, error: Span) -> Iterator[_Change]:
    """Add the `let` that is missing in `%y = …;` and `y = …;`."""
    name = text[last.start : last.end]
    if text[error.start : error.end] == "=" and name[0] == "%":
        yield _Change(f"write `let` before `{name}`", (Edit(Span(last.start, last.start), "let "),), safe=True)
    elif text[error.start : error.end] == "=" and _WORD.fullmatch(name):
        yield _Change(
            f"write `let %{name}` instead of `{name}`", (Edit(Span(last.start, last.start), "let %"),), safe=True
        )


def _tensor(text: str, last: Span, error: Span) -> Iterator[_Change]:
    """Rewrite `Tensor[3, float32]` and `Tensor(3, float32)`: a shape needs its own parentheses, in square brackets."""
    word = text[last.start : last.end]
    opening = error.start if word == "Tensor" else last.end - 1
    if not word.startswith("Tensor") or text[opening] not in "[(":
        return
    close = _closing(text, opening)
    if close is None:
        return
    shape, _, dtype = text[opening + 1 : close].rstrip(", \t\r\n").rpartition(",")
    shape = shape.strip()
    if shape[:1] in ("(", "[") and _closing(shape, 0) == len(shape) - 1:
        shape = shape[1:-1].strip()
    rest = shape if not shape or "," in shape else f"{shape},"
    written = f"[({rest}), {dtype.strip()}]"
    yield _Change(f"write `Tensor{_short(written)}`", (Edit(Span(opening, close + 1), written),), safe=True)


def _bracketed(text: str, before: Sequence[Span], error: Span) -> Iterator[_Change]:
    """Add the parentheses that are missing around the operand of `if %c { … }` or `match`."""
    word = next((one for one in reversed(before) if text[one.start : one.end] in ("if", "match")), None)
    if word is not None and text[error.start : error.end] == "{":
        start, end = before[before.index(word) + 1 :][:1], before[-1].end
        if start and start[0].start < end:
            at = start[0].start
            said = f"write `({_short(text[at:end])})` in parentheses"
            yield _Change(said, (Edit(Span(at, at), "("), Edit(Span(end, end), ")")), safe=True)


def _closed(text: str, error: Span) -> Iterator[_Change]:
    """Close a bracket that is open at the error, at the end of a statement or argument: `let %y = f(%x;`."""
    open: list[tuple[Span, list[Span]]] = []
    last = Span(0, 0)
    for _, _, start, end in Lexer(text, NO_METADATA).tokens():
        if start >= error.end:
            break
        word = text[start:end]
        if word in CLOSERS.values():
            if open and CLOSERS[text[open[-1][0].end - 1]] == word:
                open.pop()
        elif word[-1:] in CLOSERS:
            open.append((Span(start, end), []))
        elif word in (";", ",", "=>") and open:
            open[-1][1].append(last)
        last = Span(start, end)
    for bracket, ends in reversed(open):
        closer = CLOSERS[text[bracket.end - 1]]
        if closer != "}":
            yield from (_inserted(text, place, closer) for place in ends[:BACK])


def _closing(text: str, start: int) -> int | None:
    """The offset at which the bracket that starts here is closed."""
    open: list[str] = []
    for at in range(start, len(text)):
        if text[at] in CLOSERS:
            open.append(CLOSERS[text[at]])
        elif text[at] in CLOSERS.values():
            if open.pop() != text[at]:
                return None
            if not open:
                return at
    return None


def _instead(text: str, place: Span, word: str) -> _Change:
    return _Change(f"write `{word}` instead of `{_short(text[place.start : place.end])}`", (Edit(place, word),))


def _inserted(text: str, after: Span, sign: str) -> _Change:
    spaced = f" {sign} " if sign in ("=", "->", "=>") else sign
    said = f"write `{sign}` after `{_short(text[after.start : after.end])}`"
    return _Change(said, (Edit(Span(after.end, after.end), spaced),), sign in (",", ";"))


def _without(text: str, place: Span) -> _Change:
    end = place.end + (text[max(0, place.start - 1) : place.start].isspace() and text[place.end : place.end + 1] == " ")
    return _Change(f"remove `{_short(text[place.start : place.end])}`", (Edit(Span(place.start, end), ""),))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"
