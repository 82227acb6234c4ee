"""Words for generated core names: `%_1` is shown as the source text of the expression it is the value of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Made, Written
from gradual.core.value_words import UNWRITTEN, reworded
from gradual.diagnostic import Diagnostic, Related
from gradual.dims.term.constraint import Constraint
from gradual.source import Span
from gradual.types.unpacking import base_of

_MADE = re.compile(r"%_[0-9]+")
_ROOM = 40
_SHORT = 24
_CALL = re.compile(r"([%@]?[\w.]+)\((.*)\)((?:\.[0-9]+)?)")
_NAME = re.compile(r"[%@]?[\w.]+")


def quoted(state: Elaboration, span: Span, room: int = _ROOM) -> str:
    """The source text of an expression, on one line and cut at a limit."""
    words = " ".join(state.program.source.text[span.start : span.end].split())
    return words if len(words) <= room else words[: room - 1] + "…"


def words_of(state: Elaboration, names: Iterable[str]) -> dict[str, str]:
    """A map core name -> words, for the generated names among those given.   [check.residual]"""
    found = {name: words for name in names if _MADE.fullmatch(name) and (words := _words(state, name))}
    written = {binding.value for binding in state.scope.bindings} if found else ()
    return {name: words for name, words in found.items() if name not in written}


def terms(state: Elaboration, *goals: Constraint) -> tuple[str, ...]:
    """Notes for goals: the text behind shortened words, and what generated names without words are."""
    variables = sorted({one for goal in goals for one in goal.variables()}, key=lambda variable: variable.name)
    words = words_of(state, filter(None, map(base_of, variables)))
    made = ((name, said) for name, said in words.items() if isinstance(state.values.origins.get(name), Made))
    told = [_where(state, name, said) for name, said in made if "…" in said]
    told += [
        f"`{base}` is {state.unknowns.existentials[variable].says}"
        for variable in variables
        if (base := base_of(variable)) is not None
        if UNWRITTEN.fullmatch(base) and base not in words and variable in state.unknowns.existentials
    ]
    return tuple(dict.fromkeys(told))


def worded(state: Elaboration, found: Diagnostic) -> Diagnostic:
    """Replace generated core names in a diagnostic by words of the source, except in its data."""
    texts = [found.message, found.label, *found.notes, *(one.label for one in found.related)]
    names = dict.fromkeys(name for text in texts for name in UNWRITTEN.findall(text))
    words = words_of(state, names) if names else {}
    if not words:
        return found
    return replace(
        found,
        message=reworded(found.message, words),
        label=reworded(found.label, words),
        notes=tuple(reworded(note, words) for note in found.notes),
        related=tuple(Related(one.span, reworded(one.label, words)) for one in found.related),
    )


def _words(state: Elaboration, name: str) -> str:
    match state.values.origins.get(name):
        case Made(span=span):
            return _shortened(quoted(state, span, len(state.program.source.text)))
        case Written(annotation):
            return f"(… as {quoted(state, annotation.span)})"
    return ""


def _shortened(text: str) -> str:
    """An expression as an operand: whole if it is short, else the operator with `…`."""
    call = _CALL.fullmatch(text)
    is_call = call is not None and _is_closed(call[2])
    if len(text) <= _SHORT:
        return text if is_call or _NAME.fullmatch(text) else f"({text})"
    return f"{call[1]}(…){call[3]}" if call is not None and is_call else f"({text[:_SHORT]}…)"


def _is_closed(text: str) -> bool:
    """Whether every closing bracket has an opening one before it."""
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return True


def _where(state: Elaboration, name: str, words: str) -> str:
    span = state.values.span_of(name)
    line = state.program.source.text.count("\n", 0, span.start) + 1
    return f"`{words}` is `{quoted(state, span)}`, line {line}"
