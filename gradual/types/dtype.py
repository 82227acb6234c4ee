"""Element types: always static, never gradual."""

from __future__ import annotations

from enum import StrEnum


class DType(StrEnum):
    """An element type; `str()` is its name in programs.   [scalar.type]"""

    BOOL = "bool"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"

    @classmethod
    def _missing_(cls, value: object) -> DType | None:
        """`int`, `uint` and `float` have 32 bits, as in TVM.  [type.dtype]"""
        return cls(f"{value}32") if value in ("int", "uint", "float") else None

    @property
    def bits(self) -> int:
        """Width of one element in bits."""
        return _BITS[self]

    @property
    def is_integer(self) -> bool:
        """Whether the type is a signed or unsigned integer (bool is neither)."""
        return self in _INTEGERS

    @property
    def counts(self) -> bool:
        """Whether sizes and indices are computed in the type, so that its elements are tracked: int32, int64."""
        return self is DType.INT32 or self is DType.INT64

    @property
    def is_float(self) -> bool:
        """Whether the type is a floating-point type."""
        return self in _FLOATS

    @property
    def is_signed(self) -> bool:
        """Whether negative values exist."""
        return self in _SIGNED or self in _FLOATS


_BITS: dict[DType, int] = {
    dtype: 8 if dtype is DType.BOOL else int(dtype.value.lstrip("abcdefghijklmnopqrstuvwxyz")) for dtype in DType
}
_SIGNED = frozenset({DType.INT8, DType.INT16, DType.INT32, DType.INT64})
_INTEGERS = _SIGNED | {DType.UINT8, DType.UINT16, DType.UINT32, DType.UINT64}
_FLOATS = frozenset({DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64})
