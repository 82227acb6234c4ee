"""Conversion of annotations and declared types to inference types, and of solved inference types to annotations.

[type.omitted]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from gradual.checker.inference import terms as sk
from gradual.checker.inference.terms import Element, InferenceType, Shape, Unknown, seen
from gradual.dims.term.dim import Kind, variable
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.dtype import DType
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)

Calls = tuple[Span, ...]
"""The stack of inlined calls, outermost first."""


@record(frozen=False, eq=False)
class Solution:
    """The inferred type in place of each omitted one: of a parameter, a `_`, or a recursive function's result.

    Attributes:
        places: syntax node -> stack of inlined calls -> inferred type.
    """

    places: dict[object, dict[Calls, InferenceType]] = field(default_factory=dict)

    def of(self, place: object, calls: Calls) -> InferenceType:
        """The type inferred for a syntax node under a stack of inlined calls, or else under any other stack."""
        ways = self.places.get(place, {})
        return seen(ways.get(calls) or next(iter(ways.values()), Unknown()))


def of_annotation(
    written: ast.Type, types: Mapping[str, sk.Named], omitted: Callable[[ast.Omitted], InferenceType]
) -> InferenceType:
    """The inference type of an annotation, with `types` in scope; `omitted` gives the type of a `_` inside it."""

    def inside(part: ast.Type) -> InferenceType:
        return of_annotation(part, types, omitted)

    match written:
        case ast.TensorType(shape, dtype):
            if dtype not in DType.__members__.values():
                return Unknown()
            at = Shape("*" if shape is None else tuple(map(_size, shape)), fixed=True)
            return sk.Tensor(Element(DType(dtype)), at)
        case ast.TupleType(fields):
            return sk.Product(tuple(map(inside, fields)))
        case ast.FnType(binders, params, result):
            own = {binder.name: sk.Named(binder.name) for binder in binders}
            parts = [of_annotation(part, {**types, **own}, omitted) for part in (*params, result)]
            return sk.Function(tuple(parts[:-1]), parts[-1], tuple(own.values()))
        case ast.NamedType(name, arguments):
            if name in types and not arguments:
                return types[name]
            return sk.Data(name, tuple(map(inside, arguments)))
        case ast.RefType(content):
            return sk.Reference(inside(content))
        case ast.Omitted():
            return omitted(written)


def _size(written: ast.Expr) -> int | None:
    return written.value if isinstance(written, ast.Number) and type(written.value) is int else None


def of_type(type: GradualType, chosen: dict[TypeVariable, InferenceType]) -> InferenceType:
    """The inference type of a declared type; `chosen` substitutes its type variables."""

    def inside(part: GradualType) -> InferenceType:
        return of_type(part, chosen)

    match type:
        case TensorType(shape, dtype):
            sizes = tuple(getattr(extent, "value", None) for extent in shape)
            return sk.Tensor(Element(dtype), Shape(sizes, fixed=True))
        case UnrankedType(dtype):
            return sk.Tensor(Element(dtype), Shape("*", fixed=True))
        case TupleType(fields):
            return sk.Product(tuple(map(inside, fields)))
        case FunctionType(params=params, result=result, types=types):
            own = {variable: sk.Named(variable.name) for variable in types}
            inner = {**chosen, **own}
            return sk.Function(
                tuple(of_type(param, inner) for param in params), of_type(result, inner), tuple(own.values())
            )
        case DataType(name, arguments):
            return sk.Data(name, tuple(map(inside, arguments)))
        case ReferenceType(content):
            return sk.Reference(inside(content))
        case TypeVariable():
            return chosen.get(type) or sk.Named(type.name)
        case _:
            return Unknown()


def annotation(found: InferenceType, span: Span) -> ast.Type | None:
    """The annotation for an inferred type, with `?` for each size; None if it is not determined.  [type.omitted]"""

    def several(skeletons: Sequence[InferenceType]) -> tuple[ast.Type, ...] | None:
        written = [annotation(one, span) for one in skeletons]
        known = tuple(one for one in written if one is not None)
        return known if len(known) == len(written) else None

    match seen(found):
        case sk.Tensor(element, shape):
            dtype = element.known()
            sizes = tuple(ast.Hole(span) for _ in shape.at) if isinstance(shape.at, tuple) else None
            return None if dtype is None else ast.TensorType(sizes, dtype.value, span)
        case sk.Product(fields):
            parts = several(fields)
            return None if parts is None else ast.TupleType(parts, span)
        case sk.Function(params, result, ()):
            parts = several((*params, result))
            return None if parts is None else ast.FnType((), parts[:-1], parts[-1], (), span)
        case sk.Data(name, arguments):
            parts = several(arguments)
            return None if parts is None else ast.NamedType(name, parts, span)
        case sk.Reference(content):
            inside = annotation(content, span)
            return None if inside is None else ast.RefType(inside, span)
        case sk.Named(name):
            return ast.NamedType(name, (), span)
        case _:
            return None


def plain_attribute(written: ast.Expr) -> object:
    """An attribute's value if it is a literal; a fresh existential dim for any other expression."""
    match written:
        case ast.Number(value=value):
            return value
        case ast.Unary("-", ast.Number(value=value)):
            return -value
        case ast.Text(text):
            return text
        case ast.Nothing():
            return None
        case ast.Listing(items) | ast.Tuple(items):
            return tuple(plain_attribute(item) for item in items)
        case _:
            return variable(f"?attribute.{written.span.start}", Kind.EXISTENTIAL)
