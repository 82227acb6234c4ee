"""Run-time faults of operators that depend on element values, so that no check of shapes can prevent them."""

from __future__ import annotations

OUT_OF_BOUNDS = "E0603"
DIVISION_BY_ZERO = "E0604"
INVALID_VALUE = "E0608"


class TensorFault(Exception):
    """An operator has no result for these elements; the machine adds the operator's name and span.

    Attributes:
        code: E0603 index out of bounds, E0604 integer division or modulo by zero, E0608 invalid value.
        message: what was wrong, with the offending element.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def out_of_bounds(index: int, extent: int, what: str = "index") -> TensorFault:
    """The fault of an index outside `0 .. extent - 1`."""
    return TensorFault(OUT_OF_BOUNDS, f"{what} {index} is out of bounds for an axis of size {extent}")


def division_by_zero() -> TensorFault:
    """The fault of an integer division or modulo by zero."""
    return TensorFault(DIVISION_BY_ZERO, "integer division by zero")


def invalid_value(message: str) -> TensorFault:
    """The fault of a value that an operator cannot use."""
    return TensorFault(INVALID_VALUE, message)
