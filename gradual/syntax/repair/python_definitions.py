"""Repair of definitions in Python's syntax: `def f(x):` becomes `def @f(%x) { … }`.  [syntax.token]"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradual.diagnostic import Edit
from gradual.source import Span
from gradual.syntax.parsing.errors import CLOSERS
from gradual.syntax.repair.python_indexing import split
from gradual.syntax.repair.python_notation import Anew

_HEADER = re.compile(r"def[ \t]+@?(\w+)[ \t]*\(")
_RESULT = re.compile(r"[ \t]*(->[^\n{]*?)?[ \t]*:[ \t]*(?=\n|return\b)")
_TYPED = re.compile(r"(%?\w+)\s*(?::\s*(.*))?", re.DOTALL)
_BINDING = re.compile(r"%?(\w+)\s*(?::\s*([^=]+?))?\s*=(?!=)\s*(.*)", re.DOTALL)
_NAME = re.compile(r"(?<![\w.%@\"])([A-Za-z_]\w*)(?![\w(]|\s*=(?!=))")
_RANK_KNOWN = re.compile(r"Tensor\s*\[|float\d+|u?int\d+|bool\b")


def definitions_anew(text: str, error: Span) -> Iterator[Anew]:
    """Rewrite a Python definition that begins the text and contains the error, with brackets and sigils."""
    header = _HEADER.match(text)
    close = None if header is None else _closing(text, header.end() - 1)
    result = None if close is None else _RESULT.match(text, close + 1)
    if header is None or close is None or result is None or error.start > result.end():
        return
    end = _end(text, result.end())
    params = split(text[header.end() : close], ",")
    names = [found[1].lstrip("%") for param in params if (found := _TYPED.fullmatch(param))]
    body = _body(text[result.end() : end], set(names))
    if len(names) != len(params) or body is None:
        return
    declared = ", ".join(map(_param, params))
    promised = result[1] if result[1] and _RANK_KNOWN.search(result[1]) else ""
    head = f"def @{header[1]}({declared}){' ' if promised else ''}{promised} {{"
    yield Anew(f"a definition is written `{head} … }}`", Edit(Span(0, end), f"{head}\n{body}}}\n"))


def _param(written: str) -> str:
    found = _TYPED.fullmatch(written)
    assert found is not None, "names were taken from it"
    name, type = found[1].lstrip("%"), (found[2] or "").strip()
    return f"%{name}: {type}" if _RANK_KNOWN.match(type) else f"%{name}"


def _end(text: str, start: int) -> int:
    """The end of the indented lines, or else of the line."""
    at = text.find("\n", start)
    while at >= 0 and text[at + 1 : at + 2] in (" ", "\t", "\n"):
        at = text.find("\n", at + 1)
    return len(text) if at < 0 else at + 1


def _body(text: str, known: set[str]) -> str | None:
    """Translate a body of bindings and a last `return`; None if it has any other statement."""
    *statements, last = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    if not last.startswith("return ") or not all(_balanced(one) for one in (*statements, last)):
        return None
    lines = []
    for statement in statements:
        found = _BINDING.fullmatch(statement.rstrip(";"))
        if found is None:
            return None
        name, type, value = found.groups()
        typed = f": {type}" if type and _RANK_KNOWN.match(type) else ""
        lines.append(f"  let %{name}{typed} = {_named(value, known)};\n")
        known.add(name)
    value = last.removeprefix("return ").rstrip(";").strip()
    fields = split(value, ",")
    lines.append(f"  {_named(f'({value})' if len(fields) > 1 else value, known)}\n")
    return "".join(lines)


def _named(value: str, known: set[str]) -> str:
    """An expression with `%` added to the known variables."""
    return _NAME.sub(lambda found: f"%{found[1]}" if found[1] in known else found[1], value)


def _balanced(text: str) -> bool:
    return all(text.count(one) == text.count(other) for one, other in CLOSERS.items())


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in CLOSERS) - (text[at] in CLOSERS.values())
        if depth == 0:
            return at
    return None
