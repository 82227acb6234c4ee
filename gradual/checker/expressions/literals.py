"""Literals and constants: values whose elements are known.  [type.literal]"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Made
from gradual.core.datatypes import literal_type
from gradual.core.terms import Constant
from gradual.diagnostic import Help
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import Operator
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, scalar, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType


def alike(operator: Operator | None, arguments: Sequence[ast.Expr]) -> tuple[int, ...]:
    """The indices of the arguments that share an element type.  [type.literal]"""
    return operator.alike if operator is not None and len(arguments) == len(operator.arguments) else ()


def parts(argument: ast.Expr) -> Sequence[ast.Expr]:
    """The values in an argument that share its element type: the fields of a tuple, or the argument itself."""
    return argument.items if isinstance(argument, ast.Tuple) else (argument,)


def adapts(expr: ast.Expr) -> bool:
    """Whether an expression is an unsuffixed integer or a list of such, which takes a neighbour's element type."""
    match expr:
        case ast.Number(value, _, explicit):
            return type(value) is int and not explicit
        case ast.Listing(items):
            numbers = [_integer(item) for item in items]
            return all(number is not None and not number.explicit for number in numbers)
        case _:
            return False


def values_of(expr: ast.Expr) -> list[int]:
    """The numbers of an unsuffixed literal."""
    items = expr.items if isinstance(expr, ast.Listing) else (expr,)
    return [int(number.value) for number in map(_integer, items) if number is not None]


def own_dtype(expr: ast.Expr) -> DType:
    """The default element type of an unsuffixed literal."""
    return vector_dtype(expr.items if isinstance(expr, ast.Listing) else (expr,))


def dtype_beside(expr: ast.Expr, dtype: DType) -> DType:
    """The element type of an unsuffixed literal whose other operand has `dtype`: `dtype` if all numbers fit it.

    Otherwise it is the type that the literal has without another operand.
    """
    return dtype if all(fits(value, dtype) for value in values_of(expr)) else own_dtype(expr)


def neighbour(operands: Sequence[ast.Expr]) -> int:
    """The index of the operand whose dtype unsuffixed literals take: the first that is not a literal, or index 0."""
    return next((place for place, one in enumerate(operands) if not adapts(one)), 0)


def number_value(state: Elaboration, number: ast.Number, dtype: str, hint: str | None) -> str:
    """Emit a number literal as a constant of rank 0.  [type.literal]"""
    if type(number.value) is int:
        return _emitted(state, *_integer_scalar(number.value, dtype, state.program.limits.contents), number.span, hint)
    return _constant(state, scalar(number.value, DType(dtype)), number.span, hint)


@lru_cache(maxsize=1024)
def _integer_scalar(value: int, dtype: str, limit: int) -> tuple[Tensor, TensorType[Dim]]:
    """An integer as a tensor, and its type; cached, since a program repeats few numbers many times."""
    made = scalar(value, DType(dtype))
    return made, literal_type(made, _is_tracked(made, limit))


def fits(value: bool | int | float, dtype: DType) -> bool:
    """Whether an element type can represent the value of an unsuffixed literal."""
    if type(value) is float:
        return dtype.is_float
    if type(value) is not int or not dtype.is_integer:
        return False
    bits = dtype.bits - dtype.is_signed
    return (-(1 << bits) if dtype.is_signed else 0) <= value < 1 << bits


def _constant(state: Elaboration, value: Tensor, span: Span, hint: str | None) -> str:
    return _emitted(state, value, literal_type(value, _is_tracked(value, state.program.limits.contents)), span, hint)


def _emitted(state: Elaboration, value: Tensor, type: TensorType[Dim], span: Span, hint: str | None) -> str:
    name = state.values.fresh(hint)
    step = Constant(name, value, type, span)
    state.output.steps.append(step)
    state.values.ranges.constant(step)
    return state.values.define(name, type, Made("a constant", (), span))


def _is_tracked(value: Tensor, limit: int) -> bool:
    """Whether the elements of a literal are tracked as contents."""
    return value.rank <= 1 and value.size <= limit and (value.dtype is DType.BOOL or value.dtype.counts)


def adapted(state: Elaboration, expr: ast.Expr, dtype: DType) -> str:
    """Emit an unsuffixed literal that is next to a value of `dtype`.  [type.literal]"""
    taken = dtype_beside(expr, dtype)
    if isinstance(expr, ast.Number):
        return number_value(state, expr, taken, None)
    assert isinstance(expr, ast.Listing), expr
    return vector_value(state, expr.items, expr.span, None, taken)


def vector_value(
    state: Elaboration, items: Sequence[ast.Expr], span: Span, hint: str | None, taken: DType | None = None
) -> str:
    """Emit a list of integers as a constant vector, of element type `taken` if given.  [type.literal]"""
    numbers = [_integer(item) for item in items]
    if None in numbers:
        other = "a tuple and `concatenate` or `stack` for other values"
        if any(isinstance(item, ast.Listing) for item in items):
            other = "lists in a list as `stack(([1, 2], [3, 4]), axis=0)`"
        state.output.report("E0307", "type.literal", f"a list literal holds integers; write {other}", span)
        return state.values.broken()
    found = [number for number in numbers if number is not None]
    dtype = taken or vector_dtype(items)
    for number in found:
        if number.dtype != dtype and (number.explicit or not fits(number.value, dtype)):
            message = f"`{number.value}` is an {number.dtype} in a list of {dtype}"
            state.output.report("E0306", "type.literal", message, number.span)
            return state.values.broken()
    return _constant(
        state, tensor_of((len(found),), dtype, kept(dtype, [number.value for number in found])), span, hint
    )


def vector_dtype(items: Iterable[ast.Expr]) -> DType:
    """The element type of a list: that of the first suffix, or else the widest default of its numbers."""
    numbers = [number for number in map(_integer, items) if number is not None]
    written = (number.dtype for number in numbers if number.explicit)
    return DType(next(written, "int64" if any(number.dtype == "int64" for number in numbers) else "int32"))


def _integer(item: ast.Expr) -> ast.Number | None:
    match item:
        case ast.Number(value=value) if type(value) is int:
            return item
        case ast.Unary("-", ast.Number(value=value) as number) if type(value) is int:
            return replace(number, value=-value)
        case _:
            return None


ABSENT = "is not in this file, which has no metadata section"
PRINTED = (Help("`print(mod)` leaves the section out; `print(mod.astext())` writes it"),)


def meta_value(state: Elaboration, kind: str, index: int, span: Span, hint: str | None) -> str:
    """Emit a constant of the metadata section."""
    entry = state.program.surface.metadata.get((kind, index))
    if not isinstance(entry, ast.MetaTensor):
        here = "is not a constant of the metadata section"
        where, help = (here, ()) if state.program.surface.metadata else (ABSENT, PRINTED)
        state.output.report("E0106", "syntax.metadata", f"`meta[{kind}][{index}]` {where}", span, help=help)
        return state.values.broken()
    dtype = DType(entry.dtype)
    return _constant(state, tensor_of(entry.shape, dtype, kept(dtype, entry.elements)), span, hint)
