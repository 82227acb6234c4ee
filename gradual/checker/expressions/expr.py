"""Surface expressions to core steps: one rule per construct, in the order of the specification.

`infer` emits the steps of an expression and returns the core variable of its value.  An expression with a reported
error has the type BROKEN; uses of it report nothing more.
"""

from __future__ import annotations

from gradual.checker.coercion.ascription import Ascription, ascribe
from gradual.checker.coercion.instantiation import instance
from gradual.checker.expressions.application import application, application_by_name, infix_application
from gradual.checker.expressions.block import block_value
from gradual.checker.expressions.declared_operator import stopped
from gradual.checker.expressions.if_ import conditional
from gradual.checker.expressions.literals import meta_value, number_value, vector_value
from gradual.checker.expressions.match_ import matched
from gradual.checker.expressions.names import function_name, named, size_value, variable
from gradual.checker.expressions.references import reference
from gradual.checker.expressions.tuples import projection, tuple_value
from gradual.checker.functions.deferred_lambda import function_literal, settled
from gradual.checker.state.context import Elaboration
from gradual.core.check import Site
from gradual.syntax.tree import ast


def infer(state: Elaboration, expr: ast.Expr, hint: str | None = None) -> str:
    """Emit the steps of an expression and return the core variable of its value; `hint` is a name for it."""
    match expr:
        case ast.Call():
            return settled(state, application(state, expr, hint), expr.span)
        case ast.Local(name, span):
            return settled(state, variable(state, name, span), span)
        case ast.Project(operand, index, span):
            return projection(state, operand, index, span, hint)
        case ast.Tuple(items, span):
            return tuple_value(state, items, span, hint)
        case ast.Number():
            return number_value(state, expr, expr.dtype, hint)
        case ast.Infix():
            return infix_application(state, expr, hint)
        case ast.Block():
            return settled(state, block_value(state, expr, hint), expr.span)
        case ast.If():
            return conditional(state, expr, lambda part: infer(state, part), hint)
        case ast.Fn():
            return settled(state, function_literal(state, expr, hint, None), expr.span)
        case ast.Cast(value, annotation, span):
            if isinstance(annotation, ast.Omitted):
                return infer(state, value, hint)
            held = deferred(state, value)
            cast = Ascription(annotation, value.span, span, Site.CAST, "type.cast", "the cast")
            return ascribe(state, held, cast, hint)
        case ast.Global(name, span):
            return function_name(state, name, span)
        case ast.Listing(items, span):
            return vector_value(state, items, span, hint)
        case ast.Meta(kind, index, span):
            return meta_value(state, kind, index, span, hint)
        case ast.Unary("-", operand, span):
            return application_by_name(state, "negative", (operand,), (), span, span, hint)
        case ast.Name(name, span):
            return settled(state, named(state, name, span, hint), span)
        case ast.Match():
            return matched(state, expr, lambda part: infer(state, part), hint)
        case ast.Ref():
            return reference(state, expr, lambda part: infer(state, part), hint)
        case ast.Absent():
            return stopped(state, expr)
        case ast.Instance(ast.Name("dim")):
            return size_value(state, expr, hint)
        case ast.Instance(function):
            return instance(state, expr, infer(state, function), hint)
        case ast.Text():
            message = "a string is not a value; pass an attribute by its name"
            state.output.report("E0307", "type.structure", message, expr.span)
            return state.values.broken()
        case ast.Choose() | ast.Unary() | ast.Hole() | ast.Nothing() | ast.TensorType():
            state.output.report("E0307", "type.structure", "this is not an expression", expr.span)
            return state.values.broken()


def deferred(state: Elaboration, expr: ast.Expr, hint: str | None = None) -> str:
    """Like `infer`, but a function literal without parameter types stays deferred.  [type.template]"""
    match expr:
        case ast.Call():
            return application(state, expr, hint)
        case ast.Local(name, span):
            return variable(state, name, span)
        case ast.Block():
            return block_value(state, expr, hint)
        case ast.Fn():
            return function_literal(state, expr, hint, None)
        case ast.Name(name, span):
            return named(state, name, span, hint)
        case _:
            return infer(state, expr, hint)
