"""Repair of notation from Python and C: `%x @ %w` becomes `nn.matmul(%x, %w)`.  [syntax.token]

Operators, indices and strings of other languages have one meaning each, so they can be rewritten with the program's
own operands.  All foreign notation of a statement is rewritten at once, since each piece would be the next error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradual.diagnostic import Edit
from gradual.record import record
from gradual.source import Span
from gradual.syntax.repair.operands import Part, Rewrite, Word, bare, begins, closes, ends, opens, statement, words_of
from gradual.syntax.repair.python_expressions import comment, conditional, method, quotes, returned, subscript, update

MOST = 16
"""Limit on the foreign operators of one statement that are rewritten."""

_LOOSER = frozenset({",", ";", ":", "=", "->", "=>", "&&", "||", "and", "or", "where", "assert", "let", "?", "else"})


@record
class Anew:
    """A rewrite of foreign notation: its description and the edit."""

    says: str
    edit: Edit


def anew(text: str, error: Span) -> Iterator[Anew]:
    """Rewrite foreign notation at an error, together with the same kind of notation in its statement.

    There is no rewrite where `//` may have been meant as a division: here it begins a comment.
    """
    for kinds in _REWRITES:
        after, shown, at = text, "", error.start
        for _ in range(MOST):
            found = next((one for rewrite in kinds if (one := rewrite(after, at)) is not None), None)
            if found is None:
                break
            after = after[: found.start] + found.text + after[found.end :]
            shown, at = found.says, min(at, found.start)
        edit = _difference(text, after)
        if shown and "//" not in text[edit.span.start : edit.span.end]:
            yield Anew(shown, edit)


def _difference(before: str, after: str) -> Edit:
    """The single edit between two texts, without their common prefix and suffix."""
    shorter, start = min(len(before), len(after)), 0
    while start < shorter and before[start] == after[start]:
        start += 1
    same = 0
    while same < shorter - start and before[len(before) - 1 - same] == after[len(after) - 1 - same]:
        same += 1
    return Edit(Span(start, len(before) - same), after[start : len(after) - same])


# --------------------------------------------------------------------------------------------------- operators
def _product(text: str, at: int) -> Part | None:
    """Rewrite `a @ b`, a matrix product with the precedence of `*`."""
    words = words_of(text)
    place = next((one for one in statement(words, at) if words[one].text == "@"), None)
    if place is None:
        return None
    left, right = begins(words, place - 1), ends(words, place + 1)
    while left is not None and left > 1 and words[left - 1].text in ("*", "/"):
        left = begins(words, left - 2)
    if left is None or right is None:
        return None
    return _called("nn.matmul", "a matrix product is written", text, words[left], words[place], words[right])


def _power(text: str, at: int) -> Part | None:
    """Rewrite `a ** b`; in a chain, the last one first."""
    words = words_of(text)
    for place in statement(words, at):
        right = ends(words, place + 1) if words[place].text == "**" else None
        if right is None or (right + 1 < len(words) and words[right + 1].text == "**"):
            continue
        left = begins(words, place - 1)
        if left is None:
            return None
        return _called("power", "a power is written", text, words[left], words[place], words[right])
    return None


def _logical(text: str, at: int) -> Part | None:
    """Rewrite `a && b` and `a || b`: to words in predicates, to operator calls elsewhere."""
    words = words_of(text)
    for sign, word, operator in (("&&", "and", "logical_and"), ("||", "or", "logical_or")):
        for place in statement(words, at):
            if words[place].text != sign:
                continue
            if words[place].arithmetic:
                return Part(words[place].start, words[place].end, word, f"`{sign}` is written")
            left, right = _loose_begin(words, place), _loose_end(words, place)
            if left < place < right:
                said = f"`{sign}` of booleans is written"
                return _called(operator, said, text, words[left], words[place], words[right])
    return None


def _equality(text: str, at: int) -> Part | None:
    """Rewrite `a = b` to `a == b` in a constraint on sizes."""
    words = words_of(text)
    for place in statement(words, at):
        if words[place].text == "=" and words[place].arithmetic:
            return Part(words[place].start, words[place].end, "==", "a comparison is written")
    return None


def _negation(text: str, at: int) -> Part | None:
    """Rewrite `!a`: to a word in predicates, to an operator call elsewhere."""
    words = words_of(text)
    place = next((one for one in statement(words, at) if words[one].text == "!"), None)
    if place is None:
        return None
    sign, right = words[place], ends(words, place + 1)
    if sign.arithmetic:
        return Part(sign.start, sign.end, "not ", "`!` is written")
    if right is None:
        return None
    operand = bare(text[sign.end : words[right].end].strip())
    return Part(sign.start, words[right].end, f"logical_not({operand})", "the opposite of a boolean is written")


def _loose_begin(words: Sequence[Word], place: int) -> int:
    depth = 0
    for at in range(place - 1, -1, -1):
        depth += closes(words[at]) - opens(words[at])
        if depth < 0 or (depth == 0 and words[at].text in _LOOSER):
            return at + 1
    return 0


def _loose_end(words: Sequence[Word], place: int) -> int:
    depth = 0
    for at in range(place + 1, len(words)):
        if depth == 0 and (words[at].text in _LOOSER or words[at].text == "{"):
            return at - 1
        depth += opens(words[at]) - closes(words[at])
        if depth < 0:
            return at - 1
    return len(words) - 1


def _called(operator: str, said: str, text: str, left: Word, sign: Word, right: Word) -> Part:
    first, second = (bare(text[start:end].strip()) for start, end in ((left.start, sign.start), (sign.end, right.end)))
    return Part(left.start, right.end, f"{operator}({first}, {second})", said)


_REWRITES: tuple[tuple[Rewrite, ...], ...] = (
    (_power, _product, _negation, _logical, _equality, subscript, method),
    (quotes,),
    (comment,),
    (update,),
    (conditional,),
    (returned,),
)
"""Groups of rewrites; those of one group are applied together."""
