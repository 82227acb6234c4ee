"""Values: tensors, tuples of values, and data structures; their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from gradual.record import record
from gradual.tensors.tensor import Tensor

LONG = 24
"""How many parts of an abbreviated structure are shown."""
_BREAK = re.compile(r",\n\s*")


@record(eq=False, repr=False)
class Constructed:
    """A value of a declared type: `Cons(1, Nil)`.

    Structures may be deep, so nothing here recurses: equality is identity.
    """

    constructor: str
    fields: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return shown_value(self)

    def __repr__(self) -> str:
        return shortened(self)


Value: TypeAlias = Tensor | tuple["Value", ...] | Constructed


def shown_value(value: Value) -> str:
    """A value on as many lines as its rows need."""
    if isinstance(value, Constructed):
        return _structure(value)
    if isinstance(value, tuple):
        fields = [shown_value(field).replace("\n", "\n ") for field in value]
        comma = "," if len(fields) == 1 else ""
        return f"({(',' + chr(10) + ' ').join(fields)}{comma})"
    return str(value)


def shortened(structure: Constructed) -> str:
    """A data structure on one line; only the beginning of a large one."""
    return _structure(structure, LONG)


def _structure(structure: Constructed, most: int | None = None) -> str:
    """A data structure on one line, however deep it nests; with `most`, at most that many parts."""
    parts: list[str] = []
    waiting: list[Value | str] = [structure]
    while waiting:
        if most is not None and len(parts) >= most and not isinstance(waiting[-1], str):
            waiting[-1] = "…"
        match waiting.pop():
            case str() as text:
                parts.append(text)
            case Constructed(constructor, ()):
                parts.append(constructor)
            case Constructed(constructor, fields):
                parts.append(f"{constructor}(")
                waiting += reversed((*_between(fields), ")"))
            case tuple() as fields:
                parts.append("(")
                waiting += reversed((*_between(fields), ",)" if len(fields) == 1 else ")"))
            case Tensor() as tensor:
                parts.append(_BREAK.sub(", ", str(tensor)))
    return "".join(parts)


def _between(fields: tuple[Value, ...]) -> Iterator[Value | str]:
    for index, part in enumerate(fields):
        if index:
            yield ", "
        yield part
