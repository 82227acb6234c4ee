"""Number and string literals: reading them, and writing them so that reading them back gives the same bits."""

from __future__ import annotations

import math
import re

from gradual.tensors.scalar import integer_range, rounded
from gradual.types.dtype import DType

Scalar = bool | int | float

SUFFIXES = {
    "i": DType.INT32,
    "i8": DType.INT8,
    "i16": DType.INT16,
    "i32": DType.INT32,
    "i64": DType.INT64,
    "u8": DType.UINT8,
    "u16": DType.UINT16,
    "u32": DType.UINT32,
    "u64": DType.UINT64,
    "f": DType.FLOAT32,
    "f16": DType.FLOAT16,
    "f32": DType.FLOAT32,
    "f64": DType.FLOAT64,
    "bf16": DType.BFLOAT16,
}
SPECIAL = {kind + suffix for kind in ("inf", "nan") for suffix in ("f", "f16", "f32", "f64", "bf16")}
"""The words for infinities and not-a-number."""

DIGITS = 400
"""The longest number that is read; longer ones fit no element type."""

_PARTS = re.compile(r"(-?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|inf|nan))([a-z]*[0-9]*)")
_WRITTEN_SUFFIXES = {
    DType.INT8: "i8",
    DType.INT16: "i16",
    DType.INT32: "i32",
    DType.INT64: "i64",
    DType.UINT8: "u8",
    DType.UINT16: "u16",
    DType.UINT32: "u32",
    DType.UINT64: "u64",
    DType.FLOAT16: "f16",
    DType.BFLOAT16: "bf16",
    DType.FLOAT32: "f",
    DType.FLOAT64: "f64",
}


class BadNumber(ValueError):
    """A number that its element type cannot represent; the argument says why."""


def number(text: str) -> tuple[Scalar, DType, bool]:
    """The value and element type of a number literal, and whether its suffix gives the type.   [syntax.number]

    Raises:
        BadNumber: the value does not fit, or the suffix does not go with it.
    """
    match = _PARTS.fullmatch(text)
    if match is None or len(text) > DIGITS:
        raise BadNumber("too many digits" if match else "not a number")
    digits, suffix = match.groups()
    whole = digits.lstrip("-").isdecimal()
    if not suffix:
        return _plain_integer(int(digits)) if whole else (_float(digits, DType.FLOAT32), DType.FLOAT32, False)
    if suffix not in SUFFIXES:
        raise BadNumber(f"`{suffix}` is not the suffix of an element type")
    dtype = SUFFIXES[suffix]
    if dtype.is_float:
        return _float(digits, dtype), dtype, True
    if not whole:
        raise BadNumber(f"a number with a fraction or an exponent is not {dtype}")
    return _fitting(int(digits), dtype), dtype, True


def _plain_integer(value: int) -> tuple[int, DType, bool]:
    low, high = integer_range(DType.INT32)
    dtype = DType.INT32 if low <= value <= high else DType.INT64
    return _fitting(value, dtype), dtype, False


def _fitting(value: int, dtype: DType) -> int:
    low, high = integer_range(dtype)
    if not low <= value <= high:
        raise BadNumber(f"it does not fit {dtype}")
    return value


def _float(digits: str, dtype: DType) -> float:
    """The nearest binary64, rounded to the type; raises BadNumber if it becomes infinite.   [scalar.literal]"""
    value = rounded(dtype, float(digits))
    if math.isinf(value) and "inf" not in digits:
        raise BadNumber(f"it does not fit {dtype}")
    return value


def negated(value: int | float, dtype: str, explicit: bool) -> tuple[Scalar, DType, bool]:
    """The literal with the opposite sign; an integer without suffix may change its type.

    Raises:
        BadNumber: the negative value does not fit.
    """
    if isinstance(value, int):
        return (_fitting(-value, DType(dtype)), DType(dtype), True) if explicit else _plain_integer(-value)
    return -value, DType(dtype), explicit


# ------------------------------------------------------------------------------------------------ writing
def written(value: Scalar, dtype: str, explicit: bool) -> str:
    """The shortest text that reads back as this literal.   [syntax.number]"""
    if dtype == DType.BOOL:
        return "True" if value else "False"
    kind = DType(dtype)
    suffix = _WRITTEN_SUFFIXES[kind]
    if isinstance(value, int) and kind.is_integer:
        plain = not explicit and _plain_integer(value)[1] is kind
        return f"{value}" if plain else f"{value}{suffix}"
    return _written_float(float(value), kind, suffix if explicit or kind is not DType.FLOAT32 else "")


def _written_float(value: float, dtype: DType, suffix: str) -> str:
    if not math.isfinite(value):
        sign = "-" if math.copysign(1.0, value) < 0 else ""
        return f"{sign}{'nan' if math.isnan(value) else 'inf'}{suffix or 'f'}"
    digits = _shortest(value, dtype)
    return digits + suffix if suffix or "." in digits or "e" in digits else digits + ".0"


def _shortest(value: float, dtype: DType) -> str:
    """The fewest digits that round back to the value in its own type."""
    for precision in range(1, 10):
        digits = f"{value:.{precision}g}"
        if rounded(dtype, float(digits)) == value:
            return digits
    return repr(value).removesuffix(".0")


# ------------------------------------------------------------------------------------------------ strings
_ESCAPE = re.compile(r"((?:\\[0-7]{1,3})+)|\\x([0-9A-Fa-f]{2})|\\u\{([0-9A-Fa-f]{1,6})\}|\\(.)", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_WRITTEN = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def unquoted(text: str) -> str:
    """The value of a quoted string literal; TVM writes non-ASCII bytes as octal escapes.   [syntax.string]"""
    inside = text[1:-1]
    return _ESCAPE.sub(_unescaped, inside) if "\\" in inside else inside


def _unescaped(match: re.Match[str]) -> str:
    octal, pair, point, letter = match.groups()
    if octal is not None:
        codes = [int(code, 8) for code in octal[1:].split("\\")]
        return bytes(code & 255 for code in codes).decode("utf-8", "surrogateescape")
    if letter is not None:
        return _NAMED.get(letter, letter)
    code = int(pair or point, 16)
    return chr(code) if code <= 0x10FFFF else "\ufffd"


def quoted(value: str) -> str:
    """A string literal that reads back as the value."""
    return '"' + "".join(map(_escaped, value)) + '"'


def _escaped(letter: str) -> str:
    if letter in _WRITTEN:
        return _WRITTEN[letter]
    return letter if letter.isprintable() else f"\\u{{{ord(letter):x}}}"
