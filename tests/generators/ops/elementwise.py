"""Applications of elementwise operators."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.ops.declaration.operator import Operator
from gradual.ops.elementwise.elementwise import BINARY, UNARY
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from tests.generators.operators import EVERY, FLOATS, INTEGERS, NUMBERS, Application, Row, compatible, shapes, tensors

_LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}
_BITS = {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"}
_WHOLE = {"left_shift", "right_shift"}
_NUMBERS = {"subtract", "divide", "floor_divide", "trunc_divide", "mod", "trunc_mod", "floor_mod"}
_NUMBERS |= {"power", "negative", "abs", "sign", "floor", "ceil", "trunc", "round", "isnan", "isinf", "isfinite"}
_NUMBERS |= {"nn.relu"}
_EVERY = {
    "add",
    "multiply",
    "maximum",
    "minimum",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "copy",
}


def admitted(name: str) -> tuple[DType, ...]:
    """The element types on which an operator is meant to be declared."""
    if name in _LOGICAL:
        return (DType.BOOL,)
    if name in _BITS:
        return (*INTEGERS, DType.BOOL)
    if name in _WHOLE:
        return INTEGERS
    return NUMBERS if name in _NUMBERS else EVERY if name in _EVERY else FLOATS


@st.composite
def binary(draw: st.DrawFn, one: Operator) -> Application:
    """Two operands that broadcast together; divisors are mostly not 0."""
    dtype = draw(st.sampled_from(admitted(one.name)))
    left, right = (draw(tensors(shape, dtype)) for shape in draw(compatible(2)))
    if dtype.is_integer and draw(st.integers(0, 9)) > 0:
        right = Tensor([part or 1 for part in right.flat()], dtype, right.shape)
    return Application((left, right))


@st.composite
def unary(draw: st.DrawFn, one: Operator) -> Application:
    """One operand."""
    return Application((draw(tensors(draw(shapes()), draw(st.sampled_from(admitted(one.name))), special=True)),))


ROWS: dict[str, Row] = {one.name: binary(one) for one in BINARY} | {one.name: unary(one) for one in UNARY}
