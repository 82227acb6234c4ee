"""The list of mutants that no case can tell from the reference, each with the reason."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

LIST = Path(__file__).with_name("equivalent.txt")


def equivalents(text: str) -> dict[str, str]:
    """Mutant -> reason; raises ValueError for a mutant without a reason, and for one that stands twice."""
    lines = [line.rstrip() for line in text.splitlines()[1:] if line.strip()]
    found: dict[str, str] = {}
    for key, reason in zip(lines[::2], lines[1::2], strict=True):
        if not reason.startswith("    # ") or key in found:
            raise ValueError(f"not a mutant and its reason, or not the first time: {key}")
        found[key] = reason.removeprefix("    # ")
    return found


def stale(listed: Iterable[str], keys: Iterable[str]) -> list[str]:
    """The listed mutants that are not mutants of the present sources."""
    return sorted(set(listed) - set(keys))
