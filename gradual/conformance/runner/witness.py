"""Counterexamples are checked, not compared: substituted into the program, they must make the same line fail."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(r"[A-Za-z_]\w*")
_BINDERS = re.compile(r"(def\s+@[\w.]+\s*|fn\s*)\[([^\]]*)\]")


def substituted(text: str, line: int, sizes: Mapping[str, int]) -> str | None:
    """The program with each named size replaced by its number in the definition around `line`.

    None if some size has no name in the text (`dim(%x, 0)`, `%i`).
    """
    if not sizes or not all(_NAME.fullmatch(name) for name in sizes):
        return None
    lines = text.split("\n")
    starts = [k for k, content in enumerate(lines) if content.startswith("def ")]
    first = max((k for k in starts if k < line), default=0)
    last = min((k for k in starts if k >= line), default=len(lines))
    body = "\n".join(lines[first:last])
    return "\n".join([*lines[:first], _filled(body, sizes), *lines[last:]])


def _filled(text: str, sizes: Mapping[str, int]) -> str:
    text = _BINDERS.sub(lambda match: _unbound(match, sizes), text)
    for name, value in sizes.items():
        text = re.sub(rf"(?<![%@\w.]){name}(?![\w.(]|\s*=(?!=))", str(value), text)
    return text


def _unbound(match: re.Match[str], sizes: Mapping[str, int]) -> str:
    """The binder list of a definition without the names that became numbers."""
    kept = [part.strip() for part in match[2].split(",") if part.split(":")[0].strip() not in sizes]
    return f"{match[1]}[{', '.join(kept)}]" if kept else match[1]
