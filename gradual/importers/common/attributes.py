"""Attributes of an application as a program writes them; they may hold scalar values of the program for sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from gradual.importers.common.values import Value
from gradual.syntax.tree.literals import written
from gradual.types.dtype import DType

LISTS = (list, tuple)
"""The types of attributes with several parts."""


def scalars(value: Any) -> Iterator[Value]:
    """The scalar values in an attribute, left to right."""
    if isinstance(value, Value):
        yield value
    elif isinstance(value, LISTS) and not are_integers(value):
        for part in value:
            yield from scalars(part)


def are_integers(parts: Collection[Any]) -> bool:
    """Whether all parts of an attribute are integers and no booleans; most attributes are such lists."""
    return {*map(type, parts)} <= {int}


def words(attributes: Mapping[str, Any], named: Iterator[str]) -> list[str]:
    """`key=value` for each attribute that is given, with the names of the scalars in it."""
    return [f"{key}={_written(value, named)}" for key, value in attributes.items() if value is not None]


def _written(value: Any, named: Iterator[str]) -> str:
    """An attribute as programs write it, with the names of the scalars in it."""
    match value:
        case list() | tuple() if are_integers(value):
            return str([*value])
        case int():
            return str(value)
        case Value():
            return next(named)
        case DType() | str():
            return f'"{value}"'
        case float():
            return written(value, DType.FLOAT32, False)
        case _:
            return f"[{', '.join(_bare(_written(part, named)) for part in value)}]"


def _bare(text: str) -> str:
    """The text of a size without `dim[…]`, as in a list of sizes."""
    return text[4:-1] if text.startswith("dim[") else text
