"""Applications of elementwise operators."""

from __future__ import annotations

from hypothesis import strategies as st

from gradual.ops.declaration.operator import IllFormed, Operator
from gradual.ops.elementwise.binary import BINARY
from gradual.ops.elementwise.unary import UNARY
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.operators import Application, Row, compatible, mostly_faultless, shapes, tensors


def admitted(one: Operator) -> tuple[DType, ...]:
    """The element types that the declaration admits."""
    return tuple(dtype for dtype in DType if admits(one, dtype))


def admits(one: Operator, dtype: DType) -> bool:
    """Whether the judgement takes operands of this element type."""
    try:
        one.judge(*[TensorType((), dtype)] * len(one.arguments))
    except IllFormed:
        return False
    return True


@st.composite
def binary(draw: st.DrawFn, one: Operator) -> Application:
    """Two operands that broadcast together; divisors are mostly not 0, exponents and shifts mostly not negative."""
    dtype = draw(st.sampled_from(admitted(one)))
    left, right = (draw(tensors(shape, dtype)) for shape in draw(compatible(2)))
    return Application((left, mostly_faultless(draw, one, right)))


@st.composite
def unary(draw: st.DrawFn, one: Operator) -> Application:
    """One operand."""
    return Application((draw(tensors(draw(shapes()), draw(st.sampled_from(admitted(one))), special=True)),))


ROWS: dict[str, Row] = {one.name: binary(one) for one in BINARY} | {one.name: unary(one) for one in UNARY}
