"""The unknowns in the types of a program, with their spans: each `?`, each `*`, each omitted type."""

from __future__ import annotations

from collections.abc import Iterator

from gradual.checker.program.elided import is_omitted
from gradual.checker.state.unknowns import single
from gradual.dims.term.atom import Variable
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.syntax.tree.subexpressions import within
from gradual.types.unpacking import rank_of, size_of


@record
class OpenSize:
    """A `?` in the type of a parameter, and the existential for its size."""

    variable: Variable
    span: Span


@record
class OpenRank:
    """A `Tensor[*, dtype]` in the type of a parameter, and the existential for its rank."""

    variable: Variable
    dtype: str
    span: Span


def open_sizes(function: ast.Fn) -> list[OpenSize]:
    """The `?`s without a bound in the parameters' tensor types."""
    return [
        OpenSize(single(size_of(path, axis)), size.span)
        for path, type in _tensors(function)
        for axis, size in enumerate(type.shape or ())
        if isinstance(size, ast.Hole) and size.bound is None
    ]


def open_ranks(function: ast.Fn) -> list[OpenRank]:
    """The tensors of unknown rank in the types of the parameters."""
    return [
        OpenRank(single(rank_of(path)), type.dtype, type.span)
        for path, type in _tensors(function)
        if type.shape is None
    ]


def _tensors(function: ast.Fn) -> Iterator[tuple[str, ast.TensorType]]:
    """The tensor types of the parameters, each with its path; none inside data, reference and function types."""
    waiting = [(param.name.name, param.annotation) for param in reversed(function.params)]
    while waiting:
        path, type = waiting.pop()
        match type:
            case ast.TensorType():
                yield path, type
            case ast.TupleType(fields):
                waiting += reversed([(f"{path}#{place}", field) for place, field in enumerate(fields)])


@record
class Left:
    """An unknown that remains in a definition.

    Attributes:
        what: its description.
        is_open: whether it is a written `?` or `*`, and not an omitted type.
    """

    span: Span
    what: str
    is_open: bool = True


def left_in(definition: ast.Def) -> Iterator[Left]:
    """All unknowns of a definition, in the order of the text."""
    function = definition.function
    for param in function.params:
        yield from _left(param.annotation, f"the type of `{param.name.name}`", param.span)
    name = definition.name
    yield from _left(function.result, "the result type", name.span)
    for part in within(function.body):
        match part:
            case ast.Fn(params=params):
                for param in params:
                    yield from _written(param.annotation, f"the type of `{param.name.name}`")
            case ast.Cast(type=type):
                yield from _written(type, "the type of a cast")
            case ast.Block(items=items):
                for item in items:
                    if isinstance(item, ast.Let) and item.name is not None:
                        yield from _written(item.annotation, f"the type of `{item.name.name}`")


def _left(type: ast.Type | None, where: str, span: Span) -> Iterator[Left]:
    if is_omitted(type):
        yield Left(span, f"{where} is not written", False)
    else:
        yield from _written(type, where)


def _written(type: ast.Type | None, where: str) -> Iterator[Left]:
    waiting = [] if type is None else [type]
    while waiting:
        part = waiting.pop()
        match part:
            case ast.TensorType(shape=None, span=span):
                yield Left(span, f"the `*` in {where} stays")
            case ast.TensorType(shape=shape):
                for size in shape or ():
                    if isinstance(size, ast.Hole):
                        yield Left(size.span, f"the `?` in {where} stays")
            case ast.TupleType(fields):
                waiting += reversed(fields)
            case ast.FnType(params=params, result=result):
                waiting += reversed((*params, result))
            case ast.NamedType(arguments=arguments):
                waiting += reversed(arguments)
            case ast.RefType(content=content):
                waiting.append(content)
