"""The builders of the grammar's rules, called on each reduction, so the tree is complete after the last token.

`NODES` are called with a span and the kept children in order, None for an absent option; `ROWS` with a span and the
list of all children; `LISTS` with that list alone.  The names are those of the rules in `grammar/gradual.lark`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradual.diagnostic import Diagnostic
from gradual.source import Span
from gradual.syntax.parsing.build_types import (
    Exprs,
    bare_pattern,
    bare_type,
    constrained_type,
    constructor_pattern,
    dims,
    fn_binders,
    fn_type,
    meta_type,
    named_type,
    ref_type,
    tensor_type,
    tuple_pattern,
    tuple_type,
    type_atom,
    unranked_type,
    variable_pattern,
)
from gradual.syntax.parsing.errors import Refused, bad_number
from gradual.syntax.tree import ast
from gradual.syntax.tree.literals import BadNumber, negated

Where = Exprs | None
Header = tuple[str, str, Span]
Parameters = tuple[tuple[ast.Param, ...], tuple[ast.Attribute, ...]]
NO_PARAMETERS: Parameters = ((), ())


# ------------------------------------------------------------------------------------------------ files
def module(
    _: Span, headers: list[Header] | None, definitions: list[ast.Definition] | None, metadata: str | None
) -> ast.Module:
    version = next((value for key, value, _ in headers or () if key == "version"), None)
    settings = tuple(header for header in headers or () if header[0] != "version")
    return ast.Module(version, settings, tuple(definitions or ()), {}, metadata)


def script(span: Span, headers: list[Header] | None, contents: list[Any], metadata: str | None) -> ast.Module:
    """A program that is one expression is the body of `@main`; a lone function literal is `@main` itself."""
    place = (contents[0].span.to(contents[-1].span)) if contents else span
    value = contents[-1]
    if len(contents) > 1 or not isinstance(value, ast.Fn):
        value = ast.Fn((), (), (), None, (), block(place, contents), place)
    return module(span, headers, [ast.Def(ast.Global("@main", place), value, place, implicit=True)], metadata)


def fragment(_: Span, definitions: list[ast.Definition] | None) -> tuple[ast.Definition, ...]:
    return tuple(definitions or ())


# ------------------------------------------------------------------------------------------ definitions
def define(span: Span, name: ast.Global, value: ast.Fn) -> ast.Def:
    return ast.Def(name, value, span)


def function(
    span: Span,
    binders: tuple[ast.Binder, ...] | None,
    params: Parameters | None,
    result: ast.Type | None,
    where: Where,
    body: ast.Block,
) -> ast.Fn:
    return ast.Fn(binders or (), *(params or NO_PARAMETERS), result, where or (), body, span)


def fn(
    span: Span,
    binders: tuple[tuple[ast.Binder, ...], Exprs] | None,
    params: Parameters | None,
    result: ast.Type | None,
    where: Where,
    body: ast.Block,
) -> ast.Fn:
    names, clauses = binders or ((), ())
    if clauses:
        message = "in a function literal, `where` stands behind the parameters and the result"
        raise Refused(Diagnostic("E0101", "syntax.token", message, clauses[0].span))
    return function(span, names, params, result, where, body)


def type_def(
    span: Span,
    name: ast.Name,
    binders: tuple[ast.Binder, ...] | None,
    constructors: tuple[ast.Constructor, ...] | None,
) -> ast.TypeDef:
    return ast.TypeDef(name.name, binders or (), constructors or (), span)


def constructor(span: Span, name: ast.Name, fields: tuple[ast.Type, ...] | None) -> ast.Constructor:
    return ast.Constructor(name.name, fields or (), span)


def extern_type(span: Span, name: ast.Name, binders: tuple[ast.Binder, ...] | None) -> ast.ExternType:
    return ast.ExternType(name.name, binders or (), span)


def operator_def(
    span: Span,
    name: ast.Name,
    binders: tuple[ast.Binder, ...] | None,
    params: tuple[ast.Param, ...] | None,
    result: ast.Type,
    where: Where,
    body: ast.Block | None = None,
) -> ast.OperatorDef:
    return ast.OperatorDef(name, binders or (), params or (), result, where or (), body, span)


def binder(span: Span, name: ast.Name, kind: ast.Name | None) -> ast.Binder:
    if kind is not None and kind.name not in ("Dim", "Type"):
        message = f"expected `Dim` or `Type`, found `{kind.name}`"
        raise Refused(Diagnostic("E0101", "syntax.token", message, kind.span))
    return ast.Binder(name.name, kind.name if kind else None, span)


def params(children: list[Any]) -> Parameters:
    count = sum(isinstance(child, ast.Param) for child in children)
    return tuple(children[:count]), tuple(children[count:])


def param(
    span: Span, name: ast.Local, attributes: tuple[ast.Attribute, ...] | None, annotation: ast.Type | None
) -> ast.Param:
    return ast.Param(name, annotation, attributes or (), span)


# ------------------------------------------------------------------------------------- blocks and items
def block(span: Span, contents: list[Any]) -> ast.Block:
    result = contents.pop()
    return ast.Block(tuple(contents), result, span)


def sequence(span: Span, items: list[Any], result: ast.Expr) -> ast.Block:
    return ast.Block(tuple(items), result, span)


def let(
    span: Span,
    name: ast.Local,
    attributes: tuple[ast.Attribute, ...] | None,
    annotation: ast.Type | None,
    value: ast.Expr,
) -> ast.Let:
    return ast.Let(name, annotation, value, span, attributes or ())


def graph(span: Span, name: ast.Local, value: ast.Expr) -> ast.Let:
    return ast.Let(name, None, value, span)


def statement(span: Span, value: ast.Expr) -> ast.Let:
    return ast.Let(None, None, value, span)


def free_var(span: Span, name: ast.Local, annotation: ast.Type | None) -> ast.FreeVar:
    return ast.FreeVar(name, annotation, span)


def assertion(span: Span, condition: ast.Expr, message: ast.Text | None) -> ast.Assert:
    return ast.Assert(condition, message.value if message else None, span)


# ------------------------------------------------------------------------------------------ expressions
def infix(span: Span, left: ast.Expr, op: str, right: ast.Expr) -> ast.Infix:
    return ast.Infix(op, left, right, span)


def unary(span: Span, op: str, operand: ast.Expr) -> ast.Expr:
    if op == "-" and isinstance(operand, ast.Number) and operand.dtype != "bool":
        try:
            value, dtype, explicit = negated(operand.value, operand.dtype, operand.explicit)
        except BadNumber as problem:
            raise Refused(bad_number("-", span, str(problem))) from problem
        return ast.Number(value, str(dtype), explicit, span)
    return ast.Unary(op, operand, span)


def call(span: Span, callee: ast.Expr, arguments: tuple[Exprs, tuple[ast.Attribute, ...]] | None) -> ast.Call:
    return ast.Call(callee, *(arguments or ((), ())), span)


def arguments(children: list[Any]) -> tuple[Exprs, tuple[ast.Attribute, ...]]:
    """Arguments and attributes; the last argument may be a metadata key that gives the attributes."""
    if children and type(last := children[-1]) is ast.Meta and last.attributes is not None:
        children = [*children[:-1], *last.attributes]
    count = len(children)
    while count and type(children[count - 1]) is ast.Attribute:
        count -= 1
    return tuple(children[:count]), tuple(children[count:])


def attribute(span: Span, key: ast.Name, value: ast.Expr) -> ast.Attribute:
    return ast.Attribute(key.name, _nothing(value), span)


def _nothing(value: ast.Expr) -> ast.Expr:
    """`None` and `nullptr` are values of attributes only: elsewhere they may be constructors."""
    if isinstance(value, ast.Name) and value.name in ("None", "nullptr"):
        return ast.Nothing(value.span)
    if isinstance(value, ast.Listing):
        return ast.Listing(tuple(map(_nothing, value.items)), value.span)
    return value


def project(span: Span, value: ast.Expr, index: int) -> ast.Project:
    return ast.Project(value, index, span)


def instance(span: Span, function: ast.Expr, arguments: tuple[ast.Expr | ast.Type, ...] | None) -> ast.Instance:
    return ast.Instance(function, arguments or (), span)


def cast(span: Span, value: ast.Expr, annotation: ast.Type) -> ast.Cast:
    return ast.Cast(value, annotation, span)


def choose(span: Span, condition: ast.Expr, then: ast.Expr, orelse: ast.Expr) -> ast.Choose:
    return ast.Choose(condition, then, orelse, span)


def group(_: Span, value: ast.Expr) -> ast.Expr:
    return value


def product(span: Span, items: list[ast.Expr]) -> ast.Tuple:
    return ast.Tuple(tuple(items), span)


def listing(span: Span, items: list[ast.Expr]) -> ast.Listing:
    return ast.Listing(tuple(items), span)


def bounded(span: Span, name: str, bound: ast.Expr) -> ast.Hole:
    return ast.Hole(span, name, bound)


def conditional(span: Span, condition: ast.Expr, then: ast.Expr, orelse: ast.Expr) -> ast.If:
    return ast.If(condition, then, orelse, span)


def match(span: Span, keyword: str, scrutinee: ast.Expr, arms: tuple[ast.Arm, ...] | None) -> ast.Match:
    return ast.Match(scrutinee, arms or (), keyword == "match", span)


def arm(span: Span, pattern: ast.Pattern, body: ast.Expr) -> ast.Arm:
    return ast.Arm(pattern, body, span)


def ref(span: Span, kind: str, *operands: ast.Expr) -> ast.Ref:
    return ast.Ref(kind, operands, span)


NODES: dict[str, Callable[..., Any]] = {
    "module": module,
    "script": script,
    "fragment": fragment,
    "def": define,
    "function": function,
    "fn": fn,
    "type_def": type_def,
    "constructor": constructor,
    "extern_type": extern_type,
    "operator_def": operator_def,
    "binder": binder,
    "param": param,
    "block": block,
    "sequence": sequence,
    "let": let,
    "graph": graph,
    "statement": statement,
    "free_var": free_var,
    "assertion": assertion,
    "infix": infix,
    "unary": unary,
    "call": call,
    "attribute": attribute,
    "project": project,
    "instance": instance,
    "type_atom": type_atom,
    "cast": cast,
    "choose": choose,
    "group": group,
    "bounded": bounded,
    "if": conditional,
    "match": match,
    "arm": arm,
    "ref": ref,
    "bare_pattern": bare_pattern,
    "constructor_pattern": constructor_pattern,
    "variable_pattern": variable_pattern,
    "tuple_pattern": tuple_pattern,
    "bare_type": bare_type,
    "named_type": named_type,
    "tuple_type": tuple_type,
    "ref_type": ref_type,
    "meta_type": meta_type,
    "tensor_type": tensor_type,
    "unranked_type": unranked_type,
    "fn_type": fn_type,
    "constrained_type": constrained_type,
}
ROWS: dict[str, Callable[[Span, list[Any]], Any]] = {"tuple": product, "listing": listing}
LISTS: dict[str, Callable[[list[Any]], Any]] = {
    "headers": list,
    "definitions": list,
    "entries": tuple,
    "constructors": tuple,
    "operator_params": tuple,
    "binders": tuple,
    "angle_binders": tuple,
    "params": params,
    "where": tuple,
    "contents": list,
    "arguments": arguments,
    "attributes": tuple,
    "instances": tuple,
    "arms": tuple,
    "patterns": tuple,
    "types": tuple,
    "dims": dims,
    "fn_binders": fn_binders,
}
