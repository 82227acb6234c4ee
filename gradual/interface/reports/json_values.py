"""Values of any size and depth in the JSON form."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gradual.interface.reports.json_lines import line
from gradual.tensors.json_form import to_json
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed, Value


def value_line(result: Value) -> str:
    """A run that returned a value, as one line; deep values do not recurse."""
    return f'{{"outcome": "value", "value": {value_text(result)}}}'


def value_text(value: Value) -> str:
    """The JSON form of a value as text; deep values do not recurse."""
    parts: list[str] = []
    waiting: list[Value | str] = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                parts.append(text)
            case Tensor() as tensor:
                parts.append(line(to_json(tensor)))
            case Constructed(constructor, fields):
                parts.append(f'{{"constructor": {json.dumps(constructor)}, "fields": [')
                waiting += reversed((*_between(fields), "]}"))
            case tuple() as fields:
                parts.append('{"tuple": [')
                waiting += reversed((*_between(fields), "]}"))
    return "".join(parts)


def _between(fields: tuple[Value, ...]) -> Iterator[Value | str]:
    for index, part in enumerate(fields):
        if index:
            yield ", "
        yield part
