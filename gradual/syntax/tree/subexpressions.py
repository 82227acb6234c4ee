"""Subexpressions of an expression, visited with an explicit stack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

from gradual.source import Span
from gradual.syntax.tree import ast


def within(expr: ast.Expr) -> Iterator[ast.Expr]:
    """The expression and every expression inside it, each before its parts and from left to right.

    Dims and attributes are not visited.
    """
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(_parts(node))


def items_within(expr: ast.Expr) -> Iterator[tuple[Span, ast.Expr]]:
    """For each item and last expression of every block inside: its span with each of its expressions.

    Outer blocks come before inner ones.
    """
    for part in within(expr):
        if isinstance(part, ast.Block):
            yield from ((item.span, value) for item in part.items for value in _of_item(item))
            yield part.result.span, part.result


def is_free(name: str, expr: ast.Expr) -> bool:
    """Whether a variable of this name occurs free in an expression, outside dims."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Local(name=spelling):
                if spelling == name:
                    return True
            case ast.Fn(params=params) if any(param.name.name == name for param in params):
                pass
            case ast.Block(items, result):
                waiting += _before(name, items, result)
            case ast.Match(scrutinee, arms):
                waiting += [scrutinee, *(arm.body for arm in arms if name not in mentioned(arm.pattern))]
            case _:
                waiting += _parts(node)
    return False


def _before(name: str, items: Sequence[ast.Item], result: ast.Expr) -> Iterator[ast.Expr]:
    """The expressions of a block up to the item that binds a name; a function literal that is bound is left out."""
    for item in items:
        binds = isinstance(item, ast.Let | ast.FreeVar) and item.name is not None and item.name.name == name
        if not (binds and isinstance(item, ast.Let) and isinstance(item.value, ast.Fn)):
            yield from _of_item(item)
        if binds:
            return
    yield result


def last(expr: ast.Expr) -> ast.Expr:
    """The expression that gives the value of `expr`: of nested blocks, the result of the innermost."""
    while isinstance(expr, ast.Block):
        expr = expr.result
    return expr


def mentioned(node: object) -> frozenset[str]:
    """All names that occur in a part of a program, also in dims, types and attributes."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Local | ast.Name | ast.NamedType):
            found.add(part.name)
        if isinstance(part, tuple):
            waiting += part
        elif is_dataclass(part) and not isinstance(part, Span):
            waiting += [getattr(part, field.name) for field in fields(part)]
    return frozenset(found)


def _parts(node: ast.Expr) -> Sequence[ast.Expr]:
    match node:
        case ast.Local() | ast.Number():
            return ()
        case ast.Call(function, arguments):
            return (function, *arguments)
        case ast.Block(items, result):
            return [*(part for item in items for part in _of_item(item)), result]
        case ast.Infix(_, left, right):
            return [left, right]
        case ast.If(condition, then, orelse) | ast.Choose(condition, then, orelse):
            return [condition, then, orelse]
        case ast.Tuple(items) | ast.Listing(items) | ast.Ref(_, items):
            return items
        case ast.Project(operand, _) | ast.Unary(_, operand) | ast.Cast(operand, _) | ast.Instance(operand, _):
            return [operand]
        case ast.Fn():
            return [node.body]
        case ast.Match(scrutinee, arms):
            return [scrutinee, *(arm.body for arm in arms)]
        case _:
            return ()


def _of_item(item: ast.Item) -> Sequence[ast.Expr]:
    match item:
        case ast.Let(value=value):
            return (value,)
        case ast.Assert(condition):
            return (condition,)
        case ast.FreeVar():
            return ()
