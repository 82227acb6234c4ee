"""Programs for JAX: `jax.eval_shape` on arrays with symbolic dimensions of `jax.export`.

Every name of a size is a symbolic dimension, and a `where` clause of the function a constraint of their scope.  JAX has
no unknown sizes: `?` is a symbolic dimension with a name of its own.  A declared type is compared with `==`, which JAX
answers with True only where it proves the sizes equal.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from bench.field.eager import Eager, listed, target_shape, unit_axes
from bench.field.program import Beyond, Measured, Rejected, Scalar, Size, Value, names_of
from bench.field.walk import Scope, Walk
from gradual.syntax.tree import ast
from gradual.types.dtype import DType

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")


class Jax(Eager):
    """JAX as a target."""

    def __init__(self) -> None:
        self.jax = import_module("jax")
        self.numpy = import_module("jax.numpy")
        self.operators = _operators(self.jax, self.numpy, self.dtype)

    def array(self, value: Value) -> Any:
        """An array; a size is converted by JAX."""
        match value:
            case Measured(size):
                return self.numpy.asarray(size)
            case Scalar(number, dtype):
                return self.numpy.asarray(number, self.dtype(dtype))
        return value

    def vector(self, elements: Sequence[int], dtype: DType) -> Value:
        """A written vector."""
        return self.numpy.asarray(elements, self.dtype(dtype))

    def dtype(self, dtype: DType) -> Any:
        """The element type of this name."""
        return self.numpy.dtype(str(dtype))

    def check(self, condition: Any, says: str) -> None:
        """An assertion of Python on sizes, which is how a program of JAX states one."""
        if not condition:
            raise Rejected(says)

    def branch(self, condition: Value, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """`jax.lax.cond`."""
        return self.jax.lax.cond(self.array(condition), lambda: self.result(then()), lambda: self.result(orelse()))


def answer(function: ast.Fn, functions: Mapping[str, ast.Fn]) -> Any:
    """The shapes of a function's results.  Raises Beyond, Rejected, and whatever JAX raises."""
    target = Jax()
    walk = Walk(target, functions)
    scope = Scope()
    types = [param.annotation for param in function.params if param.annotation is not None]
    if len(types) < len(function.params):
        raise Beyond("a parameter without a type")
    names = names_of(types)
    export = import_module("jax.export")
    limits = export.SymbolicScope([text for clause in function.where for text in _constraint(clause)])
    fresh = (f"unknown{number}" for number in itertools.count(1))
    if names:
        scope.sizes = dict(zip(names, export.symbolic_shape(", ".join(names), scope=limits), strict=True))

    def unknown() -> Size:
        return export.symbolic_shape(next(fresh), scope=limits)[0]

    def given(type_: ast.Type) -> Any:
        if isinstance(type_, ast.TupleType):
            return tuple(map(given, type_.fields))
        assert isinstance(type_, ast.TensorType) and type_.shape is not None
        sizes = [walk.size(size, scope) for size in type_.shape]
        shape = tuple(unknown() if size is None else size for size in sizes)
        return target.jax.ShapeDtypeStruct(shape, target.dtype(DType(type_.dtype)))

    def program(*arguments: Any) -> Any:
        inner = scope.inner()
        inner.values = dict(zip((param.name.name for param in function.params), arguments, strict=True))
        return target.result(walk.body(function, inner))

    target.jax.eval_shape(program, *map(given, types))
    return ()


def _constraint(clause: object) -> Iterator[str]:
    """A `where` clause as JAX writes constraints, which know `==`, `>=` and `<=`."""
    match clause:
        case ast.Infix("<", left, right):
            yield f"{_formula(right)} >= {_formula(left)} + 1"
        case ast.Infix(">", left, right):
            yield f"{_formula(left)} >= {_formula(right)} + 1"
        case ast.Infix("==" | ">=" | "<=" as op, left, right):
            yield f"{_formula(left)} {op} {_formula(right)}"
        case _:
            raise Beyond("a condition of another form")


def _formula(size: object) -> str:
    match size:
        case ast.Number(value) if type(value) is int:
            return str(value)
        case ast.Name(name):
            return name
        case ast.Infix("+" | "-" | "*" as op, left, right):
            if op != "+" and any(isinstance(side, ast.Infix) for side in (left, right)):
                raise Beyond("a condition of another form")  # JAX reads no parentheses
            return f"{_formula(left)} {op} {_formula(right)}"
        case ast.Infix("//", left, right):
            return f"floordiv({_formula(left)}, {_formula(right)})"
        case ast.Infix("%", left, right):
            return f"mod({_formula(left)}, {_formula(right)})"
    raise Beyond("a condition of another form")


def _operators(jax: Any, numpy: Any, dtype: Callable[[DType], Any]) -> Mapping[str, Callable[..., Any]]:
    """The counterparts in `jax.numpy` and `jax.nn`."""

    def divided(left: Any, right: Any) -> Any:
        kind = numpy.result_type(left, right)
        if not numpy.issubdtype(kind, numpy.integer):
            return numpy.divide(left, right)
        return numpy.trunc(numpy.divide(left, right)).astype(kind)

    def product(left: Any, right: Any, out_dtype: str | None) -> Any:
        wanted = None if out_dtype is None else dtype(DType(out_dtype))
        return numpy.matmul(left, right, preferred_element_type=wanted)

    def dense(data: Any, weight: Any, units: Size = None, out_dtype: str | None = None) -> Any:
        return restated(product(data, numpy.transpose(weight, (1, 0)), out_dtype), units)

    def matmul(
        left: Any,
        right: Any,
        units: Size = None,
        out_dtype: str | None = None,
        transpose_a: bool = False,
        transpose_b: bool = False,
    ) -> Any:
        left = numpy.swapaxes(left, -1, -2) if transpose_a else left
        right = numpy.transpose(right, (1, 0)) if transpose_b else right
        return restated(product(left, right, out_dtype), units)

    def batched(
        left: Any, right: Any, out_dtype: str | None = None, transpose_a: bool = False, transpose_b: bool = False
    ) -> Any:
        left = numpy.transpose(left, (0, 2, 1)) if transpose_a else left
        right = numpy.transpose(right, (0, 2, 1)) if transpose_b else right
        return product(left, right, out_dtype)

    def restated(result: Any, units: Size) -> Any:
        if units is not None and not result.shape[-1] == units:
            raise Rejected(f"{result.shape[-1]} units, and declared as {units}")
        return result

    def biased(data: Any, bias: Any, axis: int = 1) -> Any:
        behind = data.ndim - 1 - (axis if axis >= 0 else data.ndim + axis)
        return numpy.add(data, numpy.expand_dims(bias, tuple(range(1, behind + 1))))

    def reshaped(data: Any, newshape: Sequence[Size], allowzero: bool = False) -> Any:
        return numpy.reshape(data, target_shape(newshape, data.shape, allowzero))

    def expanded(data: Any, axis: int, num_newaxis: int = 1) -> Any:
        return numpy.expand_dims(data, tuple(unit_axes(data.ndim, axis, num_newaxis)))

    def reducing(reduce: Callable[..., Any]) -> Callable[..., Any]:
        def reduced(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Any:
            if exclude:
                raise Beyond("the attribute exclude")
            result = reduce(data, axis=listed(axis), keepdims=keepdims)
            return result.astype(data.dtype)

        return reduced

    return {
        **{name: getattr(numpy, name) for name in _SAME},
        "divide": divided,
        "copy": numpy.copy,
        "nn.relu": jax.nn.relu,
        "sigmoid": jax.nn.sigmoid,
        "nn.softmax": lambda data, axis=-1: jax.nn.softmax(data, axis),
        "concatenate": lambda parts, axis=0: numpy.concatenate(parts, axis),
        "expand_dims": expanded,
        "mean": reducing(numpy.mean),
        "sum": reducing(numpy.sum),
        "nn.batch_matmul": batched,
        "nn.bias_add": biased,
        "nn.dense": dense,
        "nn.matmul": matmul,
        "ones": lambda shape, dtype="float32": numpy.ones(tuple(map(_plain, shape)), dtype),
        "zeros": lambda shape, dtype="float32": numpy.zeros(tuple(map(_plain, shape)), dtype),
        "reshape": reshaped,
        "squeeze": lambda data, axis=None: numpy.squeeze(data, listed(axis)),
        "transpose": lambda data, axes=None: numpy.transpose(data, listed(axes)),
    }


def _plain(size: Size) -> Size:
    return int(size) if isinstance(size, int) else size


_SAME = (
    *("add", "subtract", "multiply", "maximum", "minimum", "negative", "exp", "sqrt", "tanh"),
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
)
"""Operators with the same name in `jax.numpy`."""
