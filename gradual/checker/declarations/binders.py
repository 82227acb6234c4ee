"""Binders of a declaration in brackets, `[n, A]`: dims and types.

A binder of unwritten kind is a dim if it is used as one, else a type; it cannot be both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gradual.checker.state.context import Elaboration
from gradual.dims.term.dim import Dim, Variable
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.type import TypeVariable


class Unreadable(Exception):
    """Some syntax is not a valid type, dim or predicate here; the diagnostic was already reported."""


def parts(annotation: ast.Type) -> Iterator[ast.Type]:
    """A written type and the types inside it."""
    yield annotation
    match annotation:
        case ast.TupleType(fields) | ast.NamedType(_, fields):
            for field in fields:
                yield from parts(field)
        case ast.FnType(_, params, result):
            for part in (*params, result):
                yield from parts(part)
        case ast.RefType(content):
            yield from parts(content)


NAMELESS = "_"
"""The spelling of an omitted type in brackets; it binds no name."""


def bind_declared(
    state: Elaboration,
    binders: Sequence[ast.Binder],
    annotations: Sequence[ast.Type],
    clauses: Sequence[ast.Expr],
    bound: Callable[[str, Span], Dim],
    order: list[Variable | TypeVariable],
) -> bool:
    """Bind the names in brackets and append them to `order`; for dims, `bound` does both. False after an error.

    Raises Unreadable if a name has two kinds.  [name.dimension] [type.parameter]
    """
    if not binders:
        return True
    dims = {name.name for expr in (*_sizes(annotations), *clauses) for name in _names(expr)}
    types = {part.name for annotation in annotations for part in parts(annotation) if isinstance(part, ast.NamedType)}
    seen: set[str] = set()
    for binder in binders:
        name = binder.name
        if name == NAMELESS:
            state.output.report("E0206", "name.dimension", "`_` names no dimension and no type", binder.span)
        elif name in seen:
            state.output.report("E0204", "name.duplicate", f"`{name}` is declared twice in these brackets", binder.span)
        elif binder.kind == "Dim" or (binder.kind is None and name in dims and name not in types):
            _only_one(name in state.scope.types, state, binder, "a dimension", "a type")
            bound(name, binder.span)
        else:
            _only_one(name in state.scope.dims, state, binder, "a type", "a dimension")
            order.append(state.scope.bind_type(name))
        seen.add(name)
    return len(seen) == len(binders) and NAMELESS not in seen


def _only_one(taken: bool, state: Elaboration, binder: ast.Binder, what: str, other: str) -> None:
    if taken:
        message = f"`{binder.name}` names {other} here, so it cannot name {what} too"
        state.output.report("E0204", "name.duplicate", message, binder.span)
        raise Unreadable


def bind_own(state: Elaboration, annotations: Sequence[ast.Type], bound: Callable[[str, Span], Dim]) -> None:
    """Bind the new dim names in parameter types, which the function reads from its arguments.

    A name is bound at the first place where it is a whole size; if there is none, at its first occurrence in a formula.
    Names inside function types are not bound here.  [type.call.dims]
    """
    measured = [size for size in _measured(annotations) if not isinstance(size, ast.Number)]
    alone = {size.name for size in measured if isinstance(size, ast.Name)}
    for size in measured:
        for used in _names(size):
            new = used.name not in state.scope.dims and used.name not in state.scope.types and used.name != NAMELESS
            if new and (used is size or used.name not in alone):
                bound(used.name, used.span)


def _measured(annotations: Sequence[ast.Type]) -> Iterator[ast.Expr]:
    for annotation in annotations:
        match annotation:
            case ast.TensorType(tuple(shape)):
                yield from shape
            case ast.TupleType(fields) | ast.NamedType(_, fields):
                yield from _measured(fields)


def _sizes(annotations: Sequence[ast.Type]) -> Iterator[ast.Expr]:
    for annotation in annotations:
        for part in parts(annotation):
            match part:
                case ast.TensorType(tuple(shape)):
                    yield from shape
                case ast.FnType(where=where):
                    yield from where


def _names(expr: ast.Expr) -> Iterator[ast.Name]:
    """The bare names in a size or a predicate."""
    match expr:
        case ast.Name():
            yield expr
        case ast.Infix(_, left, right):
            yield from _names(left)
            yield from _names(right)
        case ast.Unary(_, operand):
            yield from _names(operand)
        case ast.Hole(_, binder, bound) if bound is not None:
            yield from (name for name in _names(bound) if name.name != binder)
        case ast.Choose(condition, then, orelse):
            for part in (condition, then, orelse):
                yield from _names(part)
        case ast.Call(_, arguments) | ast.Tuple(arguments):
            for argument in arguments:
                yield from _names(argument)
        case ast.Block((), result):
            yield from _names(result)
