"""What stands inside an expression, found with an explicit stack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradual.syntax import ast


def within(expr: ast.Expr) -> Iterator[ast.Expr]:
    """The expression and every expression inside it, each before its parts and from left to right.

    Dims and attributes are not looked into.
    """
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(_parts(node))


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
