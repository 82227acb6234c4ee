"""Types as text, in the language's own syntax."""

from __future__ import annotations

from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim
from gradual.dims.term.print import conjoined
from gradual.types.positive import stated
from gradual.types.type import (
    Content,
    DataType,
    FunctionType,
    GradualType,
    Hole,
    NeverType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)


def shown(type: GradualType) -> str:
    """A type as a program would write it.  [syntax.print]"""
    match type:
        case TensorType(shape=(), dtype=dtype):
            return str(dtype)
        case TensorType(shape, dtype):
            return f"Tensor[{shown_shape(shape)}, {dtype}]"
        case TupleType(fields):
            inside = ", ".join(map(shown, fields))
            return f"({inside},)" if len(fields) == 1 else f"({inside})"
        case FunctionType():
            return _shown_function(type)
        case UnrankedType(dtype):
            return f"Tensor[*, {dtype}]"
        case DataType(name, arguments):
            return f"{name}[{', '.join(map(shown, arguments))}]" if arguments else name
        case ReferenceType(content):
            return f"ref({shown(content)})"
        case TypeVariable(name):
            return name
        case NeverType():
            return "_"


def _shown_function(type: FunctionType) -> str:
    types = f" [{', '.join(f'{variable.name}: Type' for variable in type.types)}]" if type.types else ""
    params = ", ".join(map(shown, type.params))
    clauses = stated(type)
    where = f" where {conjoined(clauses)}" if clauses else ""
    return f"fn{types} ({params}) -> {shown(type.result)}{where}"


def shown_shape(shape: tuple[Dim | Hole, ...]) -> str:
    """A shape in parentheses, with a comma after a single size: `(n,)`."""
    return f"({', '.join(map(shown_extent, shape))}{',' if len(shape) == 1 else ''})"


def shown_extent(extent: Dim | Hole) -> str:
    """A dim, `?`, or `?{u. low <= u <= high}`."""
    if not isinstance(extent, Hole):
        return str(extent)
    bounds = [f"u >= {extent.low}"] if extent.low is not None else []
    bounds += [f"u <= {extent.high}"] if extent.high is not None else []
    bounds += [str(extent.bound)] if extent.bound is not None else []
    name = extent.binder.name if extent.binder is not None else "u"
    return f"?{{{name}. {' and '.join(bounds)}}}" if bounds else "?"


def shown_contents(contents: tuple[Content, ...], rank: int) -> str:
    """Known elements: one term at rank 0, a list at rank 1."""
    words = [_shown_content(content) for content in contents]
    return words[0] if rank == 0 else f"[{', '.join(words)}]"


def _shown_content(content: Content) -> str:
    return f"({content})" if isinstance(content, Constraint) else str(content)
