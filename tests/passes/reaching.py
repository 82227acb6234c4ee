"""Whether a function may come to raise a `TensorFault`, read off its code: whatever it names, and whatever that names.

What is found is more than what can happen; what is not found cannot happen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from gradual.tensors import fault

_RAISERS = (fault.TensorFault, fault.out_of_bounds, fault.division_by_zero, fault.invalid_value)


def may_fault(meaning: Any) -> bool:
    """Whether some code that a meaning leads to names a fault."""
    waiting, seen = [meaning], {}
    while waiting:
        one = waiting.pop()
        if any(one is raiser for raiser in _RAISERS):
            return True
        if id(one) not in seen:
            seen[id(one)] = one
            waiting.extend(_named(one))
    return False


def _named(one: Any) -> Iterator[Any]:
    match one:
        case partial():
            yield from (one.func, *one.args, *one.keywords.values())
        case MethodType():
            yield from (one.__func__, one.__self__)
        case FunctionType():
            yield from _of_code(one.__code__, one.__globals__)
            yield from (cell.cell_contents for cell in one.__closure__ or ())
            yield from (*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values())
        case staticmethod() | classmethod():
            yield one.__func__
        case property():
            yield one.fget
        case type() if one.__module__.startswith("gradual"):
            yield from vars(one).values()
        case dict():
            yield from one.values()
        case tuple() | list() | set() | frozenset():
            yield from one
        case _ if hasattr(one, "__wrapped__"):
            yield one.__wrapped__
        case _ if dataclasses.is_dataclass(one) and type(one).__module__.startswith("gradual"):
            yield type(one)
            yield from (getattr(one, part.name) for part in dataclasses.fields(one))


def _of_code(code: CodeType, names: dict[str, Any]) -> Iterator[Any]:
    yield from (names[name] for name in code.co_names if name in names)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _of_code(part, names)
