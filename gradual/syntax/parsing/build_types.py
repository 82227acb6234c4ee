"""The builders of the grammar's rules for patterns and types; the names are those of the rules."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from gradual.diagnostic import Diagnostic
from gradual.source import Span
from gradual.syntax.parsing.errors import Refused
from gradual.syntax.tree import ast

Exprs = tuple[ast.Expr, ...]


# --------------------------------------------------------------------------------------------- patterns
def bare_pattern(span: Span, name: ast.Name) -> ast.Pattern:
    return ast.WildcardPattern(span) if name.name == "_" else ast.ConstructorPattern(name.name, (), span)


def constructor_pattern(span: Span, name: ast.Name, fields: tuple[ast.Pattern, ...] | None) -> ast.ConstructorPattern:
    return ast.ConstructorPattern(name.name, fields or (), span)


def variable_pattern(span: Span, name: ast.Local, annotation: ast.Type | None) -> ast.VariablePattern:
    return ast.VariablePattern(name, annotation, span)


def tuple_pattern(span: Span, fields: tuple[ast.Pattern, ...] | None) -> ast.TuplePattern:
    return ast.TuplePattern(fields or (), span)


# ------------------------------------------------------------------------------------------------- types
_DTYPE = re.compile(r"bool|int|uint|float|(bool|(u?int|float|bfloat)[0-9]+)(x[0-9]+)?")


def bare_type(span: Span, name: ast.Name) -> ast.Type:
    if name.name == "_":
        return ast.Omitted(span)
    return ast.TensorType((), name.name, span) if _DTYPE.fullmatch(name.name) else ast.NamedType(name.name, (), span)


def named_type(span: Span, name: ast.Name, arguments: tuple[ast.Type, ...] | None) -> ast.NamedType:
    return ast.NamedType(name.name, arguments or (), span)


def tuple_type(span: Span, fields: tuple[ast.Type, ...] | None) -> ast.TupleType:
    return ast.TupleType(fields or (), span)


def ref_type(span: Span, _: str, content: ast.Type) -> ast.RefType:
    return ast.RefType(content, span)


def meta_type(span: Span, key: ast.Expr) -> ast.Omitted:
    """TVM prints a type that it has not inferred as `meta[IncompleteType][0]`."""
    if isinstance(key, ast.Meta) and key.kind == "IncompleteType":
        return ast.Omitted(span)
    shown = f"meta[{key.kind}][{key.index}]" if isinstance(key, ast.Meta) else "a size"
    raise Refused(Diagnostic("E0106", "syntax.metadata", f"expected a type, found {shown}", span))


def tensor_type(span: Span, _: str, dims: Exprs | None, dtype: ast.Name) -> ast.TensorType:
    return ast.TensorType(dims or (), dtype.name, span)


def unranked_type(span: Span, _: str, __: str, dtype: ast.Name) -> ast.TensorType:
    return ast.TensorType(None, dtype.name, span)


def dims(children: list[ast.Expr]) -> Exprs:
    return tuple(map(_any, children))


def _any(size: ast.Expr) -> ast.Expr:
    return ast.Hole(size.span) if isinstance(size, ast.Name) and size.name == "Any" else size


def fn_binders(children: list[Any]) -> tuple[tuple[ast.Binder, ...], Exprs]:
    where = children.pop() if children and isinstance(children[-1], tuple) else ()
    return tuple(children), where


def fn_type(
    span: Span,
    binders: tuple[tuple[ast.Binder, ...], Exprs] | None,
    params: tuple[ast.Type, ...] | None,
    result: ast.Type,
) -> ast.FnType:
    names, where = binders or ((), ())
    return ast.FnType(names, params or (), result, where, span)


def constrained_type(span: Span, value: ast.FnType, condition: ast.Expr) -> ast.FnType:
    return replace(value, where=(*value.where, condition), span=span)


def type_atom(span: Span, value: ast.TensorType) -> ast.Expr:
    """A tensor type in the brackets of an explicit instantiation, such as `f[n + 1, Tensor[(2,), float32]]`.

    These arguments are parsed as expressions. `Tensor[(), float32]` becomes the name `float32`, the same type.
    """
    bare = value.shape == () and _DTYPE.fullmatch(value.dtype)
    return ast.Name(value.dtype, span) if bare else value
