"""Translation of Python and NumPy indices to operators: `take`, `strided_slice`, `expand_dims`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradual.syntax.parsing.errors import CLOSERS

_NAME = re.compile(r"%[\w.]+")


def indexed(base: str, inside: str) -> str | None:
    """`take(%x, 0, axis=1)` for a base `%x` and the index `:, 0`; None if no operators express the index."""
    items = split(inside, ",")
    if not all(items) or items.count("...") > 1:
        return None
    axes = _axes(items)
    if not {"None", "newaxis"}.isdisjoint(items):
        return _expanded(base, items, axes)
    sliced, taken = _sliced(base, items, axes), 0
    for item, axis in zip(items, axes, strict=True):
        if sliced is None or item == "..." or _is_range(item):
            continue
        mode = ', mode="wrap"' if item.startswith("-") else ""  # a negative index counts from the end
        sliced = f"take({sliced}, {item}, axis={axis if axis < 0 else axis - taken}{mode})"
        taken += axis >= 0
    return sliced


def _expanded(base: str, items: Sequence[str], axes: Sequence[int]) -> str | None:
    """`expand_dims(%x, axis=1)` for `:, None`; None if the index has anything else."""
    if not {"None", "newaxis", ":", "..."}.issuperset(items):
        return None
    for item, axis in zip(items, axes, strict=True):
        if item in ("None", "newaxis"):
            base = f"expand_dims({base}, axis={axis})"
    return base


def split(text: str, mark: str) -> list[str]:
    """Split a text at marks outside brackets, and strip the parts; an empty last part is dropped."""
    parts, depth, begin = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in CLOSERS) - (sign in CLOSERS.values())
        if sign == mark and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    rest = text[begin:].strip()
    return [*parts, rest] if rest or mark == ":" else parts


def _axes(items: Sequence[str]) -> list[int]:
    """The axis of each item; those after `...` count from the back."""
    if "..." not in items:
        return list(range(len(items)))
    at = items.index("...")
    return [place if place < at else place - len(items) for place in range(len(items))]


def _is_range(item: str) -> bool:
    return len(split(item, ":")) > 1


def _sliced(base: str, items: Sequence[str], axes: Sequence[int]) -> str | None:
    """The base sliced by its ranges; None if a range has no end and the base is no variable whose size can be named."""
    begins, ends, strides, cut = [], [], [], []
    for item, axis in zip(items, axes, strict=True):
        begin, end, stride, *more = [*split(item, ":"), "", "", ""][:4] if _is_range(item) else ["", "", "", ""]
        if any(more) or (begin, end, stride) == ("", "", ""):
            continue
        if not end and (axis < 0 or not _NAME.fullmatch(base)):
            return None
        if stride.startswith("-"):
            return None
        begins.append(begin or "0")
        ends.append(end or f"dim({base}, {axis})")
        strides.append(stride or "1")
        cut.append(str(axis))
    if not cut:
        return base
    stepped = f", strides=[{', '.join(strides)}]" if any(one != "1" for one in strides) else ""
    first, last, which = (", ".join(some) for some in (begins, ends, cut))
    return f"strided_slice({base}, begin=[{first}], end=[{last}]{stepped}, axes=[{which}])"
