"""Names and sizes as values."""

from __future__ import annotations

from gradual.checker.coercion.datatypes import constructor_named, constructor_value
from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import NotADim, Sizes, discharge_divisions
from gradual.checker.functions.deferred_lambda import template
from gradual.checker.program.elided import applying
from gradual.checker.program.suggestions import similar
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import BROKEN, Made
from gradual.core.terms import Size
from gradual.dims.term.dim import Dim
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.dtype import DType
from gradual.types.type import TensorType


def variable(state: Elaboration, name: str, span: Span) -> str:
    """The value that a variable is bound to; report an unknown variable.  [type.variable] [name.variable]"""
    value = state.scope.names.get(name)
    if value is None:
        help = similar("a variable", name, state.scope.names)
        state.output.report(
            "E0202", "name.variable", f"unknown variable `{name}`", span, label="not in scope", help=help
        )
        return state.values.broken()
    return value


def function_name(state: Elaboration, name: str, span: Span) -> str:
    """The value of a function's name, at the type of its interface; report an unknown function.  [name.function]"""
    if name not in state.program.spans:
        help = similar("a function", name, state.program.spans)
        state.output.report(
            "E0203", "name.function", f"unknown function `{name}`", span, label="not defined", help=help
        )
        return state.values.broken()
    return _interface(state, name)


def _interface(state: Elaboration, name: str) -> str:
    """Define a function of the file as a value of its interface's type."""
    return state.values.define(name, state.strictness.interface(name) or BROKEN)


def named(state: Elaboration, name: str, span: Span, hint: str | None) -> str:
    """The value of a bare name: a dim gives an int64 scalar, a constructor its data value or a function.

    A declared operator gives a function, any other operator a deferred lambda that applies it.
    [name.type] [type.declared] [type.operator]
    """
    dim = state.scope.dims.get(name)
    if dim is None and (constructor := constructor_named(state, name)) is not None:
        return constructor_value(state, constructor, span, hint)
    if dim is None and name in state.program.functions:
        return _interface(state, name)
    if dim is None and (operator := state.program.operators.get(name)) is not None:
        return template(state, applying(operator, span), hint, None)
    if dim is None:
        state.output.report(
            "E0202", "name.variable", f"unknown name `{name}`", span, label="neither a dimension nor a value"
        )
        return state.values.broken()
    return _size(state, dim, f"`{name}`", span, hint)


def size_value(state: Elaboration, expr: ast.Call | ast.Instance, hint: str | None) -> str:
    """Emit a size as an int64 scalar: `dim(%x, 0)`, `dim[n + 1]`.  [type.size]"""
    reading = Sizes(state)
    try:
        dim = reading.dim(expr)
    except NotADim as found:
        found.report(state)
        return state.values.broken()
    except Unreadable:
        return state.values.broken()
    discharge_divisions(state, reading)
    return _size(state, dim, "a size", expr.span, hint)


def _size(state: Elaboration, dim: Dim, made: str, span: Span, hint: str | None) -> str:
    type: TensorType[Dim] = TensorType((), DType.INT64, (dim,))
    value = state.values.fresh(hint)
    state.output.steps.append(Size(value, dim, type, span))
    return state.values.define(value, type, Made(made, (), span))
