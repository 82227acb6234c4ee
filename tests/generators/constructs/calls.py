"""Calls of the functions of the file."""

from __future__ import annotations

from typing import Any

from gradual.types.type import DataType, TupleType
from tests.generators.constructs.functions import operand
from tests.generators.constructs.view import Construct, Made, View
from tests.generators.program_terms import Text


def _call(view: View) -> Made:
    callees = [name for name in view.functions if name.startswith("@")]
    if not callees:
        return None
    callee = view.random.choice(callees)
    arguments = [_argument(view, param) for param in view.functions[callee].params]
    return None if None in arguments else Text(f"{callee}({', '.join(map(str, arguments))})")


def _argument(view: View, type: Any) -> str | None:
    match type:
        case TupleType(fields):
            parts = [_argument(view, field) for field in fields]
            return None if None in parts else f"({', '.join(map(str, parts))})"
        case DataType(name):
            return view.pick(view.structures(name))
        case _:
            return operand(view, type)


CONSTRUCTS: list[Construct] = [
    (_call, 4, ()),
]
