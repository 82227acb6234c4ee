"""What a tree is without its spans: a flat list, so that comparing never recurses."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any

from gradual.source import Span


def structure(node: Any) -> list[Any]:
    """The constructors, lengths and leaves of a tree in order; equal lists, equal trees (a NaN equals itself)."""
    found: list[Any] = []
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, Span):
            continue
        if isinstance(part, tuple | list):
            found.append(len(part))
            todo.extend(reversed(part))
        elif isinstance(part, dict):
            found.append(sorted(part))
            todo.extend(part[key] for key in sorted(part, reverse=True))
        elif is_dataclass(part):
            found.append(type(part).__name__)
            todo.extend(getattr(part, field.name) for field in reversed(fields(part)))
        else:
            found.append((type(part).__name__, _leaf(part)))
    return found


def _leaf(part: Any) -> Any:
    if isinstance(part, float):
        return "nan" if math.isnan(part) else part.hex()
    return part
