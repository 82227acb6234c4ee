"""Convert Python arguments to values: foreign arrays, lists and numbers become tensors.  [run.entry]

A list or a number gets the dtype of its parameter, as a bare literal in a call does; an array keeps its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradual.core.terms import Function
from gradual.tensors.exchange.array_protocols import LISTS, nested
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.type import GradualType, TensorType, TupleType, UnrankedType


def received(function: Function, given: Sequence[Any]) -> list[Value]:
    """Convert the arguments; ValueError names the one that cannot be converted, and why."""
    params = [param.written for param in function.params]
    wanted = [*params, *(None for _ in given)]
    values: list[Value] = []
    for index, (argument, type) in enumerate(zip(given, wanted, strict=False)):
        try:
            values.append(_received(argument, type))
        except ValueError as error:
            raise ValueError(f"argument {index + 1} of `{function.name}`: {error}") from error
    return values


def _received(given: Any, type: GradualType | None) -> Value:
    match given:
        case Tensor():
            return given
        case tuple():
            fields = type.fields if isinstance(type, TupleType) else ()
            wanted = [*fields, *(None for _ in given)]
            return tuple(_received(part, wanted[k]) for k, part in enumerate(given))
        case Constructed():
            return given if _finished(given) else _rebuilt(given)
    return _tensor(given, type)


def _tensor(given: Any, type: GradualType | None) -> Tensor:
    wanted = type.dtype if isinstance(type, TensorType | UnrankedType) else None
    plain = isinstance(given, (*LISTS, int, float)) and nested(given).dtype is None
    return Tensor(given, wanted if plain else None)


# ------------------------------------------------------------------------------------------------------------- data
def _parts(value: Any) -> Sequence[Any]:
    """The parts of a structure or a tuple; empty for anything else."""
    return value.fields if isinstance(value, Constructed) else value if isinstance(value, tuple) else ()


def _finished(value: Constructed) -> bool:
    """Whether no part needs conversion; structures may be deep, and share parts."""
    seen = {id(value)}
    waiting: list[Constructed | tuple[Any, ...]] = [value]
    while waiting:
        for part in _parts(waiting.pop()):
            if not isinstance(part, Tensor | tuple | Constructed):
                return False
            if not isinstance(part, Tensor) and id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)
    return True


def _rebuilt(value: Any) -> Value:
    """Convert the parts of a structure; shared parts stay shared."""
    done: dict[int, Value] = {}
    waiting = [value]
    while waiting:
        node = waiting[-1]
        open = [part for part in _parts(node) if id(part) not in done]
        if open:
            waiting += open
            continue
        waiting.pop()
        parts = tuple(done[id(part)] for part in _parts(node))
        match node:
            case Constructed(constructor):
                done[id(node)] = Constructed(constructor, parts)
            case tuple():
                done[id(node)] = parts
            case _:
                done[id(node)] = _received(node, None)
    return done[id(value)]
