"""What a program of the level `core` consists of, and what a system has to have in place of each part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.tree import ast
from gradual.types.dtype import DType

Size = Any
"""A size as a target has it: an integer, something with arithmetic, or None for `?`."""

Value = Any
"""A target's tensor, a `Scalar`, or a tuple of values."""


class Beyond(Exception):
    """A program cannot be stated for a system; the argument says why in a few words, the same for all such programs."""


class Rejected(Exception):
    """A system contradicts a program without raising anything itself: the argument says where."""


@dataclass(frozen=True)
class Scalar:
    """A number as it is written; without a suffix it takes the element type of what it is combined with."""

    value: bool | int | float
    dtype: DType
    explicit: bool


@dataclass(frozen=True)
class Measured:
    """A size that is used as a value."""

    size: Size


@dataclass(frozen=True)
class Declared:
    """A tensor type: sizes of the target, and an element type."""

    shape: tuple[Size, ...]
    dtype: DType


class Target(Protocol):
    """What a system has in place of the parts of a program."""

    def apply(self, name: str, operands: Sequence[Value], attributes: Mapping[str, Any]) -> Value:
        """The counterpart of an operator.  Raises Beyond if there is none."""

    def vector(self, elements: Sequence[int], dtype: DType) -> Value:
        """A written vector."""

    def size(self, value: Value, axis: int) -> Size:
        """The size of a tensor along an axis."""

    def arithmetic(self, op: str, left: Size, right: Size) -> Size:
        """One of `+ - * // %` on sizes."""

    def require(self, op: str, left: Size, right: Size) -> None:
        """State a condition on sizes that a call has to meet."""

    def declared(self, value: Value, declared: Declared, fresh: bool) -> Value:
        """A value of which a type is declared; `fresh` if the names in the type belong to a function that is called."""

    def bound(self, name: str, value: Value, axis: int) -> Size:
        """The size that a called function has a name for."""

    def branch(self, condition: Value, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """A choice between two computations by the elements of a tensor."""


# ---------------------------------------------------------------------------------------------------- programs
def functions(name: str, text: str) -> dict[str, ast.Fn]:
    """The functions of a program.  Raises Beyond for a text with an error of syntax, of names or of element types."""
    module, errors = parse(Source(name, text), mend=False)
    if errors:
        raise Beyond("an error of syntax")
    found: dict[str, ast.Fn] = {}
    for definition in module.definitions:
        if not isinstance(definition, ast.Def):
            raise Beyond("a definition that is no function")
        if definition.name.name in found:
            raise Beyond(NAMES)
        _named(definition.function)
        _typed(definition.function)
        found[definition.name.name] = definition.function
    return found


def _named(function: ast.Fn) -> None:
    """Require that names are used as they have to be.  Raises Beyond."""
    params = [param.name.name for param in function.params]
    binders = [binder.name for binder in function.binders]
    used = names_of([param.annotation for param in function.params if param.annotation is not None])
    wrong = {"_", "None"}.intersection(used) or set(binders).difference(used)
    if wrong or len({*params}) < len(params) or len({*binders}) < len(binders):
        raise Beyond(NAMES)


def _typed(function: ast.Fn) -> None:
    """Require that the parameters have element types that exist.  Raises Beyond."""
    for param in function.params:
        if param.annotation is not None and not {leaf.dtype for leaf in leaves(param.annotation)} <= set(DType):
            raise Beyond("an element type that does not exist")


NAMES = "an error of names, which concerns no shapes"
STRUCTURE = "an error of tuples, calls or attributes, which the translation itself would meet"


def names_of(types: Sequence[ast.Type]) -> list[str]:
    """The names of sizes in types, in the order in which they occur."""
    found: dict[str, None] = {}
    for type_ in types:
        for tensor in leaves(type_):
            for size in tensor.shape or ():
                found |= dict.fromkeys(names_in(size))
    return list(found)


def leaves(type_: ast.Type | None) -> list[ast.TensorType]:
    """The tensor types of a type.  Raises Beyond for a type of another form."""
    match type_:
        case ast.TensorType(shape=shape) if shape is not None:
            return [type_]
        case ast.TupleType(fields):
            return [leaf for part in fields for leaf in leaves(part)]
    raise Beyond("a type that is neither a tensor's nor a tuple's")


def names_in(size: object) -> list[str]:
    """The names in the formula of a size."""
    match size:
        case ast.Number(value) if value < 0:
            raise Beyond(NAMES)
        case ast.Name(name):
            return [name]
        case ast.Infix(_, left, right):
            return names_in(left) + names_in(right)
        case ast.Unary(_, operand):
            return names_in(operand)
    return []


# --------------------------------------------------------------------------------------------------- operators
INFIX = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "not_equal",
}
"""Operators that are written between their operands."""


class Code(int):
    """An integer below 1 that is written in a shape; a computed size of this value is none."""


_REDUCING = ("axis", "keepdims", "exclude")
OPERATORS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    **dict.fromkeys(INFIX.values(), (2, ())),
    "maximum": (2, ()),
    "minimum": (2, ()),
    **dict.fromkeys(("copy", "exp", "negative", "nn.relu", "sigmoid", "sqrt", "tanh"), (1, ())),
    "concatenate": (1, ("axis",)),
    "expand_dims": (1, ("axis", "num_newaxis")),
    "mean": (1, _REDUCING),
    "nn.batch_matmul": (2, ("out_dtype", "transpose_a", "transpose_b")),
    "nn.bias_add": (2, ("axis",)),
    "nn.dense": (2, ("units", "out_dtype")),
    "nn.matmul": (2, ("units", "out_dtype", "transpose_a", "transpose_b")),
    "nn.softmax": (1, ("axis",)),
    "ones": (0, ("shape", "dtype")),
    "reshape": (1, ("newshape", "allowzero")),
    "squeeze": (1, ("axis",)),
    "sum": (1, _REDUCING),
    "transpose": (1, ("axes",)),
    "zeros": (0, ("shape", "dtype")),
}
"""The operators of the level: how many operands each has, and its attributes."""
