"""What a literal leaves out, and what becomes of it: written out at its calls, or a closure.  [type.template]"""

from __future__ import annotations

from dataclasses import dataclass

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Operator
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import is_free
from gradual.types.type import TypeVariable


def is_omitted(annotation: ast.Type | None) -> bool:
    """Whether nothing is written where a type may stand."""
    return annotation is None or isinstance(annotation, ast.Omitted)


def is_deferred(literal: ast.Fn) -> bool:
    """Whether a literal waits for what its parameters are."""
    names = {param.name.name for param in literal.params}
    return len(names) == len(literal.params) and any(is_omitted(param.annotation) for param in literal.params)


def is_written_out(literal: ast.Fn) -> bool:
    """Whether a call of a known literal, which does not call itself, is a block: it has no dims and owes nothing."""
    return not literal.binders and not literal.where


def calls_itself(literal: ast.Fn, name: str) -> bool:
    """Whether the body mentions the name that the literal is bound to, where nothing else has it."""
    return is_free(name, literal)


def applying(operator: Operator, span: Span) -> ast.Fn:
    """The literal that applies an operator to its parameters, where its name stands alone.  [type.operator]

    The parameters' names stand nowhere in the text: their spans are empty.
    """
    nowhere = Span(span.start, span.start)
    names = [ast.Local(f"%{argument}", nowhere) for argument in operator.arguments]
    params = tuple(ast.Param(name, None, (), span) for name in names)
    call = ast.Call(ast.Name(operator.name, span), tuple(names), (), span)
    return ast.Fn((), params, (), None, (), call, span)


def applied_operator(literal: ast.Fn) -> str | None:
    """The operator for whose name the literal stands; a literal that is written has braces around its body."""
    match literal.body:
        case ast.Call(ast.Name(name), span=span) if span == literal.span:
            return name
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The names in scope at a place."""

    names: dict[str, str]
    dims: dict[str, Dim]
    types: dict[str, TypeVariable]


@dataclass(slots=True, eq=False)
class Template:
    """A literal that waits for what its parameters are, where it stands.

    Attributes:
        itself: its name, if it calls itself by it.
        used: whether it was written out or became a closure, so that its body was checked.
    """

    literal: ast.Fn
    scope: Scope
    itself: str | None
    used: bool = False
