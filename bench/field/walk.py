"""The walk over a program of the level `core`, as its author would write it for another system, operator by operator.

The walk is the same for all systems; what they have in place of an operator, a branch or a declared shape is their
`Target`.  Calls of functions are inlined, with the declared types of the parameters and the result kept.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.field.program import (
    INFIX,
    NAMES,
    OPERATORS,
    STRUCTURE,
    Beyond,
    Code,
    Declared,
    Measured,
    Rejected,
    Scalar,
    Size,
    Target,
    Value,
    names_in,
)
from gradual.syntax.tree import ast
from gradual.tensors.scalar import wrapped
from gradual.types.dtype import DType


@dataclass
class Scope:
    """The values and the sizes that are known by name at a place."""

    values: dict[str, Value] = field(default_factory=dict)
    sizes: dict[str, Size] = field(default_factory=dict)

    def inner(self) -> Scope:
        """A scope inside of this one."""
        return Scope(dict(self.values), self.sizes)


_EXACT: Mapping[str, Callable[[int, int], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Walk:
    """The walk over the functions of a program for one target."""

    def __init__(self, target: Target, functions: Mapping[str, ast.Fn]) -> None:
        self.target = target
        self.functions = functions
        self._open: list[str] = []

    def body(self, function: ast.Fn, scope: Scope) -> Value:
        """The result of a function that is entered, with its declared type."""
        result = self.value(function.body, scope)
        if function.result is None:
            return result
        return self.annotated(result, function.result, scope, fresh=False)

    # ----------------------------------------------------------------------------------------------- sizes
    def size(self, size: object, scope: Scope) -> Size:
        """A formula of a size; None for `?`."""
        match size:
            case ast.Number(value) if type(value) is int:
                return value
            case ast.Hole(bound=None):
                return None
            case ast.Name(name):
                if name not in scope.sizes:
                    raise Beyond(NAMES)
                return scope.sizes[name]
            case ast.Unary("-", operand):
                return self.arithmetic("-", 0, self.size(operand, scope))
            case ast.Infix(op, left, right) if op in ("+", "-", "*", "//", "%"):
                return self.arithmetic(op, self.size(left, scope), self.size(right, scope))
            case ast.Call(ast.Name("dim"), (value, ast.Number(axis)), ()) if type(axis) is int:
                return self.target.size(self.value(value, scope), axis)
        raise Beyond("a size of another form")

    def arithmetic(self, op: str, left: Size, right: Size) -> Size:
        """Arithmetic on sizes, of which integers are computed."""
        if left is None or right is None:
            raise Beyond("arithmetic on an unknown size")
        if op in ("//", "%") and right == 0:
            raise Beyond("a division by zero")
        if type(left) is int and type(right) is int:
            return _EXACT[op](left, right)
        return self.target.arithmetic(op, left, right)

    def required(self, condition: object, scope: Scope) -> None:
        """State a `where` clause of a function that is called."""
        match condition:
            case ast.Infix(op, left, right) if op in ("==", "<", "<=", ">", ">="):
                sides = self.size(left, scope), self.size(right, scope)
                if all(type(side) is int for side in sides):
                    if not _EXACT[op](*sides):
                        raise Rejected(f"a call requires {sides[0]} {op} {sides[1]}")
                else:
                    self.target.require(op, *sides)
            case _:
                raise Beyond("a condition of another form")

    def annotated(self, value: Value, type_: ast.Type, scope: Scope, fresh: bool) -> Value:
        """A value with a declared type."""
        match type_:
            case ast.TensorType(shape=shape, dtype=dtype) if shape is not None:
                if isinstance(value, tuple):
                    raise Beyond(STRUCTURE)
                for size in shape:
                    names_in(size)  # a negative number is no size
                try:
                    declared = Declared(tuple(self.size(size, scope) for size in shape), DType(dtype))
                except ValueError:
                    raise Beyond(NAMES) from None
                return self.target.declared(value, declared, fresh)
            case ast.TupleType(fields):
                if not isinstance(value, tuple) or len(value) != len(fields):
                    raise Beyond(STRUCTURE)
                return tuple(
                    self.annotated(part, field, scope, fresh) for part, field in zip(value, fields, strict=True)
                )
        raise Beyond("a type that is neither a tensor's nor a tuple's")

    # ---------------------------------------------------------------------------------------------- values
    def value(self, expression: object, scope: Scope) -> Value:
        """The value of an expression."""
        match expression:
            case ast.Local(name):
                if name not in scope.values:
                    raise Beyond(NAMES)
                return scope.values[name]
            case ast.Name(name):
                if name not in scope.sizes:
                    raise Beyond(NAMES)
                return Measured(scope.sizes[name])
            case ast.Number():
                return Scalar(expression.value, _dtype(expression), expression.explicit)
            case ast.Unary("-", ast.Number(value, dtype, explicit)):
                return Scalar(-value, DType(dtype), explicit)
            case ast.Listing(items):
                return self._vector(items)
            case ast.Tuple(items):
                return tuple(self.value(item, scope) for item in items)
            case ast.Project(whole, index):
                parts = self.value(whole, scope)
                if not isinstance(parts, tuple) or index >= len(parts):
                    raise Beyond(STRUCTURE)
                return parts[index]
            case ast.Cast(value, type_):
                return self.annotated(self.value(value, scope), type_, scope, fresh=False)
            case ast.Unary("-", operand):
                return self.target.apply("negative", [self.value(operand, scope)], {})
            case ast.Infix(op, left, right) if op in INFIX:
                return self._applied(INFIX[op], [self.value(left, scope), self.value(right, scope)], {})
            case ast.If(condition, then, orelse):
                return self.target.branch(
                    self.value(condition, scope),
                    lambda: self.value(then, scope.inner()),
                    lambda: self.value(orelse, scope.inner()),
                )
            case ast.Block():
                return self._block(expression, scope.inner())
            case ast.Call():
                return self._call(expression, scope)
        raise Beyond("an expression of another form")

    def _block(self, block: ast.Block, scope: Scope) -> Value:
        for item in block.items:
            if not isinstance(item, ast.Let):
                raise Beyond("an item of another form")
            value = self.value(item.value, scope)
            if item.annotation is not None:
                value = self.annotated(value, item.annotation, scope, fresh=False)
            if item.name is not None:
                scope.values[item.name.name] = value
        return self.value(block.result, scope)

    def _vector(self, items: Sequence[object]) -> Value:
        if not all(isinstance(item, ast.Number) for item in items):
            raise Beyond("a list of other things than numbers")
        numbers = [item for item in items if isinstance(item, ast.Number)]
        written = {_dtype(number) for number in numbers if number.explicit}
        if len(written) > 1:
            raise Beyond(STRUCTURE)
        every = {_dtype(number) for number in numbers}
        dtype = written.pop() if written else max(every, key=lambda one: one.bits, default=DType.INT32)
        elements = [int(number.value) for number in numbers]
        if dtype.is_integer and any(wrapped(dtype, element) != element for element in elements):
            raise Beyond("a number that its element type does not hold")
        return self.target.vector(elements, dtype)

    def _call(self, call: ast.Call, scope: Scope) -> Value:
        match call.function:
            case ast.Global(name):
                return self._inlined(name, [self.value(each, scope) for each in call.arguments])
            case ast.Name("dim"):
                return Measured(self.size(call, scope))
            case ast.Name(name):
                return self._operator(name, call, scope)
        raise Beyond("a call of another form")

    def _inlined(self, name: str, arguments: Sequence[Value]) -> Value:
        """A call of a function: its body, with its names for the sizes of the arguments."""
        function = self.functions.get(name)
        if function is None:
            raise Beyond(NAMES)
        if len(arguments) != len(function.params):
            raise Beyond(STRUCTURE)
        if name in self._open:
            raise Beyond("recursion")
        scope = Scope()
        for param, argument in zip(function.params, arguments, strict=True):
            self._bind(param.annotation, argument, scope)
        for param, argument in zip(function.params, arguments, strict=True):
            if param.annotation is None:
                raise Beyond("a parameter without a type")
            scope.values[param.name.name] = self.annotated(argument, param.annotation, scope, fresh=True)
        for condition in function.where:
            self.required(condition, scope)
        self._open.append(name)
        try:
            result = self.value(function.body, scope)
        finally:
            self._open.pop()
        return result if function.result is None else self.annotated(result, function.result, scope, fresh=True)

    def _bind(self, type_: ast.Type | None, argument: Value, scope: Scope) -> None:
        """Bind each name that stands alone in the type of a parameter to the size that it has there."""
        match type_:
            case ast.TensorType(shape=shape) if shape is not None:
                for axis, size in enumerate(shape):
                    if isinstance(size, ast.Name) and size.name not in scope.sizes:
                        scope.sizes[size.name] = self.target.bound(size.name, argument, axis)
            case ast.TupleType(fields):
                if not isinstance(argument, tuple) or len(argument) != len(fields):
                    raise Beyond(STRUCTURE)
                for part, field_ in zip(argument, fields, strict=True):
                    self._bind(field_, part, scope)

    # ------------------------------------------------------------------------------------------- operators
    def _operator(self, name: str, call: ast.Call, scope: Scope) -> Value:
        arity, allowed = OPERATORS.get(name, (0, ()))
        if name not in OPERATORS:
            raise Beyond(f"the operator {name}")
        attributes: dict[str, Any] = {}
        arguments = list(call.arguments)
        if name == "reshape" and len(arguments) == 2 and isinstance(arguments[1], ast.Listing):
            attributes["newshape"] = self.attribute(arguments.pop(), scope)
        for each in call.attributes:
            if each.key not in allowed or each.key in attributes:
                raise Beyond(STRUCTURE)
            attributes[each.key] = self.attribute(each.value, scope)
        if len(arguments) != arity:
            raise Beyond(STRUCTURE)
        return self._applied(name, [self.value(each, scope) for each in arguments], attributes)

    def _applied(self, name: str, operands: Sequence[Value], attributes: Mapping[str, Any]) -> Value:
        if any(isinstance(each, tuple) != (name == "concatenate") for each in operands):
            raise Beyond(STRUCTURE)
        return self.target.apply(name, operands, attributes)

    def attribute(self, value: object, scope: Scope) -> Any:
        """The value of an attribute: a size, a list of sizes, a text, a truth value or None."""
        match value:
            case ast.Nothing():
                return None
            case ast.Text(text):
                return text
            case ast.Number(number) if isinstance(number, bool):
                return number
            case ast.Listing(items) | ast.Tuple(items):
                return [self._element(item, scope) for item in items]
        return self.size(value, scope)

    def _element(self, item: object, scope: Scope) -> Size:
        """An element of a list; a written integer below 1 may be a code."""
        if isinstance(item, ast.Number) and type(item.value) is int and item.value < 1:
            return Code(item.value)
        return self.size(item, scope)


def _dtype(number: ast.Number) -> DType:
    """The element type of a number; without a suffix an integer that needs 64 bits has them."""
    large = type(number.value) is int and not number.explicit and not -(2**31) <= number.value < 2**31
    return DType.INT64 if large else DType(number.dtype)
