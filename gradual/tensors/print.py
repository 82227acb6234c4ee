"""Values as text, as a call writes them: `int64 [3, 4]`; large tensors with only the ends of each axis."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from gradual.tensors.scalar import rounded
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.dtype import DType

WHOLE = 200
"""The most elements, or rows without any, that are all shown."""
EDGE = 3
"""How many entries stay at either end of an axis of a larger tensor."""
LONG = 24
"""How many parts of a structure are shown where it is shown short."""
_BREAK = re.compile(r",\n\s*")


def shown_value(value: Value) -> str:
    """A value on as many lines as its rows need."""
    if isinstance(value, Constructed):
        return _structure(value)
    if isinstance(value, tuple):
        fields = [shown_value(field).replace("\n", "\n ") for field in value]
        comma = "," if len(fields) == 1 else ""
        return f"({(',' + chr(10) + ' ').join(fields)}{comma})"
    return _tensor(value)


def shortened(structure: Constructed) -> str:
    """A data structure on one line, of a large one the beginning."""
    return _structure(structure, LONG)


def _structure(structure: Constructed, most: int | None = None) -> str:
    """A data structure on one line, however deep it nests; with `most`, no more parts than that."""
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
                parts.append(_BREAK.sub(", ", _tensor(tensor)))
    return "".join(parts)


def _between(fields: tuple[Value, ...]) -> Iterator[Value | str]:
    for index, part in enumerate(fields):
        if index:
            yield ", "
        yield part


def _tensor(tensor: Tensor) -> str:
    whole = math.prod(extent for extent in tensor.shape if extent) <= WHOLE
    head = f"{tensor.dtype} " if whole else f"{tensor.dtype}[{', '.join(map(str, tensor.shape))}] "
    return head + _rows(tensor, 0, 0, len(head), whole)


def _rows(tensor: Tensor, axis: int, start: int, indent: int, whole: bool) -> str:
    """The entries of one axis from a flat offset on; inner axes of more than one dimension on lines of their own."""
    if axis == tensor.rank:
        return element(tensor.elements[start], tensor.dtype)
    extent, step = tensor.shape[axis], math.prod(tensor.shape[axis + 1 :])
    kept = range(extent) if whole or extent <= 2 * EDGE else [*range(EDGE), -1, *range(extent - EDGE, extent)]
    rows = ["…" if i < 0 else _rows(tensor, axis + 1, start + i * step, indent + 1, whole) for i in kept]
    between = ", " if axis == tensor.rank - 1 else ",\n" + " " * (indent + 1)
    return f"[{between.join(rows)}]"


def element(value: Any, dtype: DType) -> str:
    """One element, floats with the fewest digits that round back to it in its type."""
    if dtype is DType.BOOL:
        return str(bool(value))
    if not dtype.is_float or not math.isfinite(value):
        return str(value)
    for precision in range(1, 17):
        digits = repr(float(f"{value:.{precision}g}"))
        if rounded(dtype, float(digits)) == value:
            return digits
    return repr(value)
