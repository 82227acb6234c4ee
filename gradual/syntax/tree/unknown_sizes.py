"""The unknown sizes of a declaration: each `?`, each name, each unknown rank, keyed by the checker's name for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gradual.source import Span
from gradual.syntax.tree import ast


def open_places(module: ast.Module, function: str) -> Mapping[str, Span]:
    """Unknown (`n`, `dim(%x, 0)`, `ndim(%x)`) -> its first occurrence in the types of a function's parameters."""
    found: dict[str, Span] = {}
    for definition in module.definitions:
        if isinstance(definition, ast.Def) and definition.name.name == function:
            for param in definition.function.params:
                for name, span in _of_type(param.annotation, param.name.name):
                    found.setdefault(name, span)
    return found


def _of_type(type: ast.Type | None, value: str) -> Iterator[tuple[str, Span]]:
    match type:
        case ast.TensorType(shape=None, span=span):
            yield f"ndim({value})", span
        case ast.TensorType(shape=tuple(shape)):
            for axis, extent in enumerate(shape):
                yield from _of_extent(extent, f"dim({value}, {axis})")
        case ast.TupleType(fields=fields):
            for index, field in enumerate(fields):
                yield from _of_type(field, f"{value}.{index}")


def _of_extent(extent: ast.Expr, size: str) -> Iterator[tuple[str, Span]]:
    waiting = [extent]
    while waiting:
        match waiting.pop():
            case ast.Hole(span=span):
                yield size, span
            case ast.Name(name, span):
                yield name, span
            case ast.Infix(left=left, right=right):
                waiting += [right, left]
            case ast.Unary(operand=operand):
                waiting.append(operand)
            case ast.Call(arguments=arguments):
                waiting += reversed(arguments)
