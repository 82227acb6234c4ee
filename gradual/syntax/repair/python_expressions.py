"""Repair of Python's indices, methods, strings and statements.  [syntax.token]"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradual.syntax.parsing.blanks import line_end
from gradual.syntax.repair.operands import (
    Part,
    Word,
    bare,
    begins,
    closes,
    closing_of,
    is_operand,
    opens,
    statement,
    words_of,
)
from gradual.syntax.repair.python_indexing import indexed


def subscript(text: str, at: int) -> Part | None:
    """Rewrite `%x[:, 0]`, `%x[1:]`: an index with ranges becomes the operators that take the same elements."""
    words = words_of(text)
    for place in statement(words, at):
        inside = words[place]
        if inside.text not in (":", "..."):
            continue
        opening = _enclosing(words, place)
        close = None if opening is None else closing_of(words, opening)
        begin = None if opening is None else begins(words, opening - 1)
        if opening is None or close is None or begin is None:
            return None
        base = text[words[begin].start : words[opening].start]
        written = indexed(base, text[words[opening].end : words[close].start])
        if written is None:
            return None
        return Part(words[begin].start, words[close].end, written, "what an index with ranges takes is written")
    return None


def _enclosing(words: Sequence[Word], place: int) -> int | None:
    depth = 0
    for at in range(place - 1, -1, -1):
        depth += closes(words[at]) - opens(words[at])
        if depth < 0:
            return at if words[at].text == "[" and at > 0 and is_operand(words[at - 1]) else None
    return None


_METHOD = re.compile(r"\.([A-Za-z_]\w*)(\()?")
_FIELDS = {"shape": "shape_of", "T": "transpose"}


def method(text: str, at: int) -> Part | None:
    """Rewrite `f(%x).view(n, 2)`: a method becomes an operator with the tensor as its first argument."""
    words = words_of(text)
    for place in statement(words, at):
        found = _METHOD.match(text, words[place].start) if words[place].text == "." else None
        begin = None if found is None else begins(words, place - 1)
        if found is None or begin is None:
            continue
        tensor = text[words[begin].start : words[place].start].rstrip()
        if found[2] is None and found[1] in _FIELDS:
            return Part(words[begin].start, found.end(), f"{_FIELDS[found[1]]}({tensor})", "a field is written")
        close = None if found[2] is None else closing_of(words, place + 2)
        if close is None:
            return None
        inside = text[found.end() : words[close].start].strip()
        written = f"{found[1]}({tensor}{', ' if inside else ''}{inside})"
        return Part(words[begin].start, words[close].end, written, "a method is an operator:")
    return None


_QUOTED = re.compile(r"'([^'\"\\\n]*)'")


def quotes(text: str, at: int) -> Part | None:
    """Rewrite `'int64'` with double quotes."""
    end = next((place for place in range(at, len(text)) if text[place] in ";\n"), len(text))
    found = _QUOTED.search(text, at, end)
    if found is None:
        return None
    return Part(found.start(), found.end(), f'"{found[1]}"', "strings have double quotes:")


def comment(text: str, at: int) -> Part | None:
    """Rewrite `# why`: a comment begins with `//`."""
    if text[at : at + 1] != "#" or text.startswith("#[", at):
        return None
    end = line_end(text, at)
    return Part(at, end, f"//{text[at + 1 : end]}", "comments begin with `//`:")


_UPDATE = re.compile(r"(%\w+)\s*([+*/-])=\s*([^;]+)(?=;)")


def update(text: str, at: int) -> Part | None:
    """Rewrite `%x += 1f;` as a new binding of the same name."""
    start = max(text.rfind(mark, 0, at) for mark in ";{}\n") + 1
    start += len(text[start:at]) - len(text[start:at].lstrip())
    found = _UPDATE.match(text, start)
    if found is None or not found.start(2) <= at <= found.start(3):
        return None
    name, sign, value = found.groups()
    operand = value if sign == "+" or re.fullmatch(r"[%\w.]+(?:\([^()]*\))?", value) else f"({value})"
    return Part(start, found.end(), f"let {name} = {name} {sign} {operand}", "a new value needs a new binding:")


_RETURN = re.compile(r"return\s+([^;{}]+?)(?:\s*;)?(?=\s*\})")
_LAST = re.compile(r"let\s+(%\w+)[^;{}]*$")


def returned(text: str, at: int) -> Part | None:
    """Rewrite `return %y; }` and `let %y = f(%x) }`: a block ends with its value."""
    start = max(text.rfind(mark, 0, at) for mark in ";{}") + 1
    start += len(text[start:]) - len(text[start:].lstrip())
    found = _RETURN.match(text, start)
    if found is not None and found.start() <= at <= found.end():
        return Part(found.start(), found.end(), found[1], "a block ends with its value:")
    bound = _LAST.match(text[start:at].rstrip()) if text[at : at + 1] == "}" else None
    if bound is None:
        return None
    end = start + bound.end()
    return Part(start, end, f"{bound[0]}; {bound[1]}", "a block ends with its value:")


_CONDITIONAL = re.compile(r"([^;{}=,()]+?)\s+if\s+([^;{}]+?)\s+else\s+([^;{},]+?)(?=\s*[;}])")


def conditional(text: str, at: int) -> Part | None:
    """Rewrite `a if c else b` with the condition first."""
    start = max(text.rfind(mark, 0, at) for mark in ";{}=") + 1
    start += len(text[start:]) - len(text[start:].lstrip())
    found = _CONDITIONAL.match(text, start)
    if found is None or not found.start() < at <= found.end(1) + 4:
        return None
    then, condition, orelse = found.groups()
    written = f"if ({bare(condition)}) {{ {then} }} else {{ {orelse} }}"
    return Part(found.start(), found.end(), written, "a conditional is written")
