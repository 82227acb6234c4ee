"""Function literals with omitted types (deferred lambdas): inlined at calls, or made closures.  [type.template]"""

from __future__ import annotations

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import is_free
from gradual.types.type import TypeVariable


def is_omitted(annotation: ast.Type | None) -> bool:
    """Whether a type annotation is omitted."""
    return annotation is None or isinstance(annotation, ast.Omitted)


def is_deferred(literal: ast.Fn) -> bool:
    """Whether a literal is deferred until its parameter types are known."""
    names = {param.name.name for param in literal.params}
    return len(names) == len(literal.params) and any(is_omitted(param.annotation) for param in literal.params)


def is_written_out(literal: ast.Fn) -> bool:
    """Whether calls of a known, non-recursive literal are inlined: it has no binders and no preconditions."""
    return not literal.binders and not literal.where


def calls_itself(literal: ast.Fn, name: str) -> bool:
    """Whether the name that the literal is bound to occurs free in it."""
    return is_free(name, literal)


def applying(operator: Operator, span: Span) -> ast.Fn:
    """The literal that a bare operator name abbreviates: it applies the operator to its parameters.  [type.operator]

    The parameters' names do not occur in the source, so their spans are empty.
    """
    nowhere = Span(span.start, span.start)
    names = [ast.Local(f"%{argument}", nowhere) for argument in operator.arguments]
    params = tuple(ast.Param(name, None, (), span) for name in names)
    call = ast.Call(ast.Name(operator.name, span), tuple(names), (), span)
    return ast.Fn((), params, (), None, (), call, span)


def applied_operator(literal: ast.Fn) -> str | None:
    """The operator of a literal that `applying` made; None for a literal of the source text.

    The body of a literal in the source is in braces, so only a literal of `applying` has the span of its body.
    """
    match literal.body:
        case ast.Call(ast.Name(name), span=span) if span == literal.span:
            return name
    return None


@record(eq=False)
class Scope:
    """The names in scope at a source position."""

    names: dict[str, str]
    dims: dict[str, Dim]
    types: dict[str, TypeVariable]


@record(frozen=False, eq=False)
class Template:
    """A deferred lambda with its scope.

    Attributes:
        itself: its name, if it calls itself.
        used: whether it was inlined or became a closure, so that its body was checked.
    """

    literal: ast.Fn
    scope: Scope
    itself: str | None
    used: bool = False
