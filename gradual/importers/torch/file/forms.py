"""Readers of JSON values, one for each type in the schema; a value of another type raises Malformed."""

from __future__ import annotations

from typing import Any

from gradual.limits import LIMITS

_SHOWN = 60
"""How many characters of a value are shown in a message."""

_NO_JSON = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}
"""PyTorch's texts for numbers that JSON does not have."""


class Malformed(Exception):
    """Raised if a part of a file violates its schema; the argument describes the violation."""


def entry(form: Any, key: str) -> Any:
    """A required entry of a mapping."""
    found = mapping(form)
    if key not in found:
        raise Malformed(f"`{key}` is missing")
    return found[key]


def only(form: Any) -> tuple[str, Any]:
    """The only entry of a mapping: a variant of a union, whose key names the variant."""
    found = mapping(form)
    if len(found) != 1:
        raise _not("one of several forms", form)
    return next(iter(found.items()))


def mapping(form: Any) -> dict[str, Any]:
    """A mapping."""
    if not isinstance(form, dict):
        raise _not("a mapping", form)
    return form


def items(form: Any) -> list[Any]:
    """A list."""
    if not isinstance(form, list):
        raise _not("a list", form)
    return form


def text(form: Any) -> str:
    """A text; lone surrogates, as in the name of a file that is not UTF-8, are replaced."""
    if not isinstance(form, str):
        raise _not("a text", form)
    return form if form.isascii() else form.encode("utf-8", "replace").decode()


def whole(form: Any) -> int:
    """An integer of 64 bits, as all integers in PyTorch are."""
    if isinstance(form, bool) or not isinstance(form, int) or not -(1 << 63) <= form < 1 << 64:
        raise _not("an integer", form)
    return form


def size(form: Any) -> int:
    """A size, or a stride in memory."""
    found = whole(form)
    if found < 0:
        raise _not("a size", form)
    return found


def truth(form: Any) -> bool:
    """A truth value."""
    if not isinstance(form, bool):
        raise _not("a truth value", form)
    return form


def real(form: Any) -> float:
    """A number; infinities and NaN are texts."""
    if isinstance(form, str) and form in _NO_JSON:
        return _NO_JSON[form]
    return form if isinstance(form, float) else float(whole(form))


def rank(sizes: list[Any]) -> list[Any]:
    """The sizes of a tensor; raises Malformed if there are too many."""
    if len(sizes) > LIMITS.rank:
        raise Malformed(f"a tensor of rank {len(sizes)}: the limit `rank` is {LIMITS.rank}")
    return sizes


def _not(wanted: str, form: Any) -> Malformed:
    shown = repr(form)
    return Malformed(f"{shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '…'} is not {wanted}")
