"""A function that is being written, made into one that can be parsed, with as few changes as possible.

At a syntax error something missing is inserted, or else the statement is removed.  A missing expression is `%_`, a
variable that nothing defines, so that its type is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from gradual.record import record
from gradual.source import NOWHERE, Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast
from gradual.tools.lsp.recovery.chunks import Chunk, Word, begins_line, follow, words
from gradual.tools.lsp.trees import parts_of

MISSING = "%_"
ERRORS = 12
"""The number of syntax errors of a function at which it is changed."""
MANY = 50
"""The number of broken functions of a text of which drafts are made; of others only the names are read."""
LONG = 10_000
"""From this length on, only statements are removed: each small change is tried by parsing the function."""


@record(eq=False)
class Draft:
    """A text that was made from another one.

    Attributes:
        origins: for each character, its offset in the original text; -1 for what was inserted.
    """

    text: str
    origins: Sequence[int]

    def edited(self, start: int, end: int, inserted: str) -> Draft:
        """The draft with a part replaced."""
        origins = (*self.origins[:start], *(-1 for _ in inserted), *self.origins[end:])
        return Draft(self.text[:start] + inserted + self.text[end:], origins)

    def original(self, span: Span) -> Span | None:
        """The part of the original text that is left in a span; None if there is none."""
        some = [at for at in self.origins[span.start : span.end] if at >= 0]
        return Span(some[0], some[-1] + 1) if some else None


@record(eq=False)
class Drafted:
    """A function that was made from a broken one: its tree, with the spans of the draft."""

    tree: ast.Def
    draft: Draft

    @property
    def original(self) -> ast.Def:
        """The tree with the spans of the original text."""
        found: ast.Def = _original(self.tree, self.draft)
        return found


def _original(node: Any, draft: Draft) -> Any:
    kind = node.__class__
    if kind is Span:
        return draft.original(node) or NOWHERE
    if kind is tuple:
        return tuple(_original(part, draft) for part in node)
    parts = [getattr(node, name) for name in parts_of(kind)]
    return kind(*(_original(part, draft) for part in parts)) if parts else node


@lru_cache(maxsize=MANY)
def drafted(text: str) -> Drafted | None:
    """What is left of a function; None if its header cannot be parsed."""
    draft, body = Draft(text, range(len(text))), _body(text)
    least, _ = _read(draft.edited(body, len(text), f" {{ {MISSING} }}"))
    if least is None or body == len(text):
        return least
    draft = draft.edited(len(text), len(text), _closers(text))
    for _ in range(ERRORS):
        found, error = _read(draft)
        if error is None:
            return found or least
        draft = _changed(draft, error)
    return least


def named_only(text: str, chunk: Chunk) -> ast.Definition | None:
    """A definition without anything but its name; None if its name cannot be read."""
    span = Span(0, len(text))
    at = text.find(chunk.name, len("def"))
    if not chunk.name:
        return None
    if chunk.is_function:
        name = ast.Global(chunk.name, Span(at, at + len(chunk.name)))
        return ast.Def(name, ast.Fn((), (), (), None, (), ast.Nothing(NOWHERE), span), span)
    if text.startswith("operator"):
        operator = ast.Name(chunk.name, Span(at, at + len(chunk.name)))
        return ast.OperatorDef(operator, (), (), ast.Omitted(NOWHERE), (), None, span)
    return ast.TypeDef(chunk.name, (), (), span)


def _read(draft: Draft) -> tuple[Drafted | None, int | None]:
    """The function that a draft is, if it is one; else the offset of its first syntax error, if it has one."""
    module, errors = parse(Source("", draft.text), mend=False)
    if errors:
        return None, errors[0].span.start
    match module.definitions:
        case [ast.Def(implicit=False) as found]:
            return Drafted(found, draft), None
        case _:
            return None, None


def _body(text: str) -> int:
    """Where the body of a function begins: at the first brace outside of all brackets; else the end of the text."""
    open: list[str] = []
    for word in words(text):
        if word.kind == "LBRACE" and not open:
            return word.start
        follow(open, word)
    return len(text)


def _closers(text: str) -> str:
    """What closes the brackets that are open at the end of a text."""
    open: list[str] = []
    for word in words(text):
        follow(open, word)
    return "\n" + " ".join(reversed(open))


# ------------------------------------------------------------------------------------------------------- at an error
def _changed(draft: Draft, error: int) -> Draft:
    """A draft without the error at an offset: a small change if the text can then be parsed further."""
    left = len(draft.text) - error
    for start, end, inserted in _small(draft.text, error) if len(draft.text) < LONG else ():
        after = draft.edited(start, end, inserted)
        _, found = _read(after)
        if found is None or len(after.text) - found < left:
            return after
    return draft.edited(*_statement(draft.text, error), "")


def _small(text: str, error: int) -> Iterator[tuple[int, int, str]]:
    """Small changes at an error: closing a bracket, inserting what may be missing, leaving out what is found there.

    There are none where no bracket is open: then a brace before the error is one too many.
    """
    open: list[str] = []
    lets: list[int] = []  # the first `let` in each open bracket that begins a line
    found = error + 1
    for word in words(text):
        if word.start >= error:
            found = word.end
            break
        follow(open, word)
        lets = [*lets, -1][: len(open)]
        if word.kind == "LET" and lets and lets[-1] < 0 and begins_line(text, word.start):
            lets[-1] = word.start
    if not open:
        return
    if open[-1] != "}":
        yield error, error, open[-1]
        if lets[-1] >= 0:
            yield lets[-1], lets[-1], f"{open[-1]}; "
    for inserted in _INSERTED:
        yield error, error, inserted
    yield error, found, ""


_ELSE = f" else {{ {MISSING} }}"
_INSERTED = (";", " = ", f" {MISSING} ", f"; {MISSING} ", _ELSE, f"{_ELSE}; ", f"{_ELSE}; {MISSING} ")


def _statement(text: str, error: int) -> tuple[int, int]:
    """The statement around an offset, or around the last bracket that was closed before it."""
    some = words(text)
    open: list[str] = []
    starts: list[int] = []  # where the current statement of each open bracket begins
    last, found = 0, list[Word]()
    for word in some:
        if word.start >= error:
            found = [word]
            break
        follow(open, word)
        starts = [*starts, word.end][: len(open)]
        if open and open[-1] == "}" and word.kind in ("SEMICOLON", "GIVES"):
            starts[-1] = word.end
        last = word.start
    while open and open[-1] != "}":
        open.pop()
    if not open:
        return last, last + 1
    start = starts[len(open) - 1]
    return start, next((end for end in _ends(text, chain(found, some)) if end > start), len(text))


def _ends(text: str, some: Iterable[Word]) -> Iterator[int]:
    """Where a statement may end, of which these are the last tokens and what is after it.

    A `;` at the end of a line ends it also in parentheses, which may be open by mistake.
    """
    open: list[str] = []
    for word in some:
        if "}" not in open and (word.kind == "RBRACE" or (word.kind == "LET" and begins_line(text, word.start))):
            yield word.start
        follow(open, word)
        ends_line = not text[word.end : text.find("\n", word.end)].strip()
        if word.kind == "SEMICOLON" and (not open or (ends_line and "}" not in open)):
            yield word.end
