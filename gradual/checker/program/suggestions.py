"""Suggestions of known names similar to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from gradual.diagnostic import Help

_LATEST = 300
"""How many of the known names, the last ones, are compared: a long file may have many names and many errors."""

_LONGEST = 200
"""Limit on the length of compared names: a comparison takes time in the product of the lengths."""


def closest(name: str, known: Iterable[str]) -> list[str]:
    """The known names closest to an unknown one, compared with and without their namespaces; empty if none is close."""
    return _closest(name, tuple(known)[-_LATEST:]) if len(name) <= _LONGEST else []


@lru_cache(maxsize=1024)
def _closest(name: str, known: tuple[str, ...]) -> list[str]:
    """As `closest`; cached, since a file that is checked again after an edit has the same unknown names."""
    from difflib import SequenceMatcher, get_close_matches

    spelled = {other: other for other in known if len(other) <= _LONGEST}
    spelled |= {short: other for other in spelled if (short := other.rpartition(".")[2]) not in spelled}
    near = {close: SequenceMatcher(a=close, b=name).ratio() for close in get_close_matches(name, spelled, cutoff=0.7)}
    if not near:
        return sorted(other for other in known if other.lower() == name.lower())
    best = max(near.values())
    return sorted(spelled[close] for close, ratio in near.items() if ratio == best)


def similar(what: str, name: str, known: Iterable[str]) -> tuple[Help, ...]:
    """A help that lists the closest known names; empty if none is close."""
    found = [f"`{other}`" for other in closest(name, known)]
    if not found:
        return ()
    *others, last = found
    shown = f"{', '.join(others)} or {last}" if others else last
    return (Help(f"{what} with a similar name exists: {shown}"),)
