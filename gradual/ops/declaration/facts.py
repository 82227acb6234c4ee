"""What passes and the checker may assume of an operator, in addition to its judgement and its meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, TypedDict

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.element_ranges import RangeRule
from gradual.ops.declaration.lookups import Lookups
from gradual.ops.declaration.padding import Padding
from gradual.record import record
from gradual.types.type import TensorType


class Faults(Enum):
    """When the meaning of a well-formed application faults.   [pass.dead.fault]"""

    NEVER = "never"
    ZERO_DIVISOR = "where the second operand is of integers, and one is 0"
    NEGATIVE_OPERAND = "where the second operand is of integers, and one is negative"
    LARGE_SIZE = "where a size of the operand is beyond the element type of the result"
    LARGE_COUNT = "where the number of elements of the operand is beyond the element type of the result"
    INDEX = "where an index is out of bounds: never if the elements of the result are known or indices are clamped"
    OTHERWISE = "for other reasons"

    @property
    def is_of_sizes(self) -> bool:
        """Whether the operator returns sizes of its operand, and faults only if they are too large."""
        return self in (Faults.LARGE_SIZE, Faults.LARGE_COUNT)


class Connective(Enum):
    """The logical connective that an operator computes on booleans.   [type.if.part]"""

    AND = "and"
    OR = "or"
    NOT = "not"
    SAME = "same"


Identity = Callable[[TensorType[Dim], Mapping[str, Any]], bool]
"""`(type of the first operand, attributes) -> bool`: whether a result that has this type is the first operand."""


def by_type(given: TensorType[Dim], attributes: Mapping[str, Any]) -> bool:
    """Always true: the operator keeps the order of elements, so a result of the operand's type is the operand."""
    return True


def is_number(value: Any, number: int) -> bool:
    """Whether an attribute has the value `number`, as an integer or as a constant dim."""
    return bool(value == number) or (isinstance(value, Dim) and value.value == number)


@record
class StaticForm:
    """How an operator whose arguments are matrices or floats is replaced by its static form.   [pass.static.value]

    Attributes:
        arguments: the arguments that become attributes.
        read: `(their types, their values or None if not known, attributes) -> attributes that have the same effect`, or
            None if there are none.
    """

    arguments: tuple[int, ...]
    read: Callable[[Sequence[Any], Sequence[Any], Mapping[str, Any]], Mapping[str, Any] | None]


class Facts(TypedDict, total=False):
    """Fields of an `Operator` that have a default, as a declaration may give them."""

    faults: Faults
    padding: Padding
    identity: Identity
    connective: Connective
    comparison: bool
    symbol: str
    pairwise: str
    onnx: str
    static_form: StaticForm
    writes_shape: bool
    ranges: RangeRule
    lookups: Lookups
    fast: Callable[..., Any]
