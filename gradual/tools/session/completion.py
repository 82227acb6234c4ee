"""Completion in a session: commands, functions, variables, operators, attributes, element types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from gradual.ops.catalogue import CATALOGUE
from gradual.tools.session.repl import COMMANDS, Session
from gradual.tools.session.session import UNNAMED
from gradual.types.dtype import DType

_WORD = re.compile(r"[@%]?[\w.]*$|^:\w*$")
_CALL = re.compile(r"([a-z][\w.]*)\((?:[^()]|\([^()]*\))*$")


class Names(Completer):
    """The completer of a session's prompt."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The names that begin with the word before the cursor."""
        text = document.text_before_cursor
        word = begun(text)
        for name in candidates(self.session, text):
            if name.startswith(word) and name != word:
                yield Completion(name, start_position=-len(word))


def begun(text: str) -> str:
    """The word at the end of a text."""
    match = _WORD.search(text)
    return match[0] if match else ""


def candidates(session: Session, text: str) -> Iterator[str]:
    """All names that could be meant at the end of a text, by kind."""
    word = begun(text)
    if text.startswith(":") and " " not in text:
        yield from (f":{name}" for name in COMMANDS)
    elif word.startswith("@"):
        names = {piece.name for piece in session.state.pieces} | session.state.refuted.keys()
        yield from sorted(name for name in names if name.startswith("@"))
    elif word.startswith("%"):
        yield from sorted({bound.name for bound in session.state.bound if UNNAMED not in bound.name})
    elif word:
        yield from _attributes(text)
        yield from sorted(CATALOGUE)
        yield from DType


def _attributes(text: str) -> Iterator[str]:
    """The attributes of the operator whose arguments are being typed."""
    match = _CALL.search(text)
    if match and match[1] in CATALOGUE:
        yield from (f"{spec.name}=" for spec in CATALOGUE[match[1]].attributes)
