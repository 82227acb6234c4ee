"""Reading of other libraries' arrays through the protocols that they implement; the element type is kept exactly.

The protocols are tried in this order: the buffer protocol (PEP 3118), `__array_interface__` of NumPy, `__dlpack__` of
the array API standard, `__array__`, `tolist()`, and `__index__` or `__float__` of a single number.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gradual.tensors.exchange.memory import affordable, gathered
from gradual.tensors.index import numel
from gradual.tensors.scalar import TYPECODES, kept
from gradual.types.dtype import DType


class Read(NamedTuple):
    """An array or a number that was read.

    Attributes:
        dtype: None for plain Python numbers.
        elements: flat, row-major; if there is a `dtype`, an `array` as a tensor stores it.
    """

    shape: tuple[int, ...]
    dtype: DType | None
    elements: Sequence[Any]


def read(data: Any) -> Read:
    """Read an array or a number of another library.  Raises ValueError if the language lacks its element type."""
    _known(data)
    for door in (_buffer, _interface, _capsule, _converted, _list, _number):
        if (found := door(data)) is not None:
            return found
    raise ValueError(f"no tensor can be made of a {type(data).__name__}")


def _known(data: Any) -> None:
    """Refuse an array whose `dtype` attribute names a type that the language lacks."""
    if (dtype := getattr(data, "dtype", None)) is None:
        return
    names = [str(name).rpartition(".")[2] for name in (getattr(dtype, "name", dtype), dtype)]
    if not any(name in DType._value2member_map_ for name in names):
        raise _foreign(names[0])


def _foreign(name: str) -> ValueError:
    return ValueError(f"a tensor holds no elements of type {name}; there are {', '.join(DType)}")


# ------------------------------------------------------------------------------------------------------ protocols
def _buffer(data: Any) -> Read | None:
    try:
        view = memoryview(data)
    except (TypeError, ValueError, BufferError):  # no buffer, or an unsupported element type
        return None
    order, code = (view.format[0], view.format[1:]) if view.format[:1] in tuple("@=<>!") else ("@", view.format)
    if code not in _KINDS:
        raise _foreign(f"`{view.format}`")
    dtype = _dtype(_KINDS[code], 8 * view.itemsize)
    shape = affordable(view.shape or ())
    return Read(shape, dtype, elements_of(dtype, view.tobytes(), order in _SWAPPED))


_KINDS = (
    dict.fromkeys("bhilqn", "int") | dict.fromkeys("BHILQN", "uint") | dict.fromkeys("efd", "float") | {"?": "bool"}
)
"""Code of the module `struct` -> kind of number; the width of a code depends on the machine."""
_SWAPPED = ">!" if sys.byteorder == "little" else "<"
"""The prefixes in `struct` of a byte order other than this machine's."""


def _interface(data: Any) -> Read | None:
    if (interface := getattr(data, "__array_interface__", None)) is None:
        return None
    try:
        shape, form = affordable(tuple(interface["shape"])), str(interface["typestr"])
        place, strides = interface["data"], interface.get("strides")
        order, kind, width = form[0], _INTERFACE_KINDS.get(form[1:2]), int(form[2:])
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ValueError(f"the `__array_interface__` of a {type(data).__name__} cannot be read: {error!r}") from error
    if kind is None:  # NumPy describes an element type of another package as raw bytes
        kind = "bfloat" if str(getattr(data, "dtype", "")) == "bfloat16" else form[1:]
    dtype = _dtype(kind, 8 * width)
    raw = gathered(place[0], shape, width, strides) if isinstance(place, tuple) else memoryview(place).tobytes()
    if len(raw) != numel(shape) * width or not (isinstance(place, tuple) or strides is None):
        raise ValueError("bytes that are given by `__array_interface__` have to fill its shape, row by row")
    return Read(shape, dtype, elements_of(dtype, raw, order in _SWAPPED))


_INTERFACE_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float"}


def _capsule(data: Any) -> Read | None:
    if not hasattr(data, "__dlpack__"):
        return None
    from gradual.tensors.exchange.dlpack import imported

    lent = imported(data)
    return Read(lent.shape, lent.dtype, elements_of(lent.dtype, lent.raw, False))


def _converted(data: Any) -> Read | None:
    if not hasattr(data, "__array__"):
        return None
    array_of_numpy = data.__array__()
    _known(array_of_numpy)
    return _buffer(array_of_numpy) or _interface(array_of_numpy)


def _list(data: Any) -> Read | None:
    return nested(data.tolist()) if hasattr(data, "tolist") else None


def _number(data: Any) -> Read | None:
    return Read((), None, [data]) if hasattr(data, "__index__") or hasattr(data, "__float__") else None


# --------------------------------------------------------------------------------------------------- nested lists
def nested(data: Any) -> Read:
    """Read a number, or nested lists of numbers and arrays; if all parts are arrays of one dtype, so is the result.

    Raises ValueError if the nesting is ragged, or the arrays differ in their element type.
    """
    if type(data) in _PLAIN:
        return Read((), None, [data])
    if not isinstance(data, LISTS):
        return read(data)
    shape: list[int] = []
    level: list[Any] = [data]
    while level and any(isinstance(part, LISTS) for part in level):
        _even(len(part) if isinstance(part, LISTS) else None for part in level)
        shape.append(len(level[0]))
        level = [inner for part in level for inner in part]
    if all(type(part) in _PLAIN for part in level):
        return Read(tuple(shape), None, level)
    return _stacked(tuple(shape), [nested(part) for part in level])


_PLAIN: tuple[type[Any], ...] = (bool, int, float)
LISTS = (list, tuple, range)


def _stacked(shape: tuple[int, ...], parts: Sequence[Read]) -> Read:
    """Join parts of equal shape into one tensor; `shape` is the shape of the lists that contain them."""
    _even(part.shape for part in parts)
    kinds = dict.fromkeys(part.dtype for part in parts)
    if len(kinds) > 1 and None not in kinds:
        raise ValueError(f"the arrays of one tensor have one element type, not {' and '.join(map(str, kinds))}")
    dtype = next(iter(kinds)) if len(kinds) == 1 else None
    elements: Sequence[Any] = [element for part in parts for element in part.elements]
    return Read((*shape, *parts[0].shape), dtype, elements if dtype is None else kept(dtype, elements))


def _even(found: Iterator[object]) -> None:
    if len(set(found)) > 1:
        raise ValueError("the nested lists are ragged: parts at one depth differ in length")


# ------------------------------------------------------------------------------------------------------- elements
def _dtype(kind: str, bits: int) -> DType:
    name = kind if kind == "bool" else f"{kind}{bits}"
    if name not in DType._value2member_map_ or bits < 8:
        raise _foreign(name)
    return DType(name)


def elements_of(dtype: DType, raw: bytes, swapped: bool) -> array[Any]:
    """The elements of a tensor of this type from the bytes of numbers in row-major order."""
    match dtype:
        case DType.BOOL:
            return array("b", raw.translate(_TRUTH))
        case DType.FLOAT16:
            order = "=" if not swapped else ">" if sys.byteorder == "little" else "<"
            return array("f", (number for (number,) in struct.iter_unpack(f"{order}e", raw)))
        case DType.BFLOAT16:
            return array("f", array("I", (bits << 16 for bits in _ordered("H", raw, swapped))).tobytes())
    return _ordered(TYPECODES[dtype], raw, swapped)


_TRUTH = bytes([0]) + bytes([1]) * 255
"""Every byte but 0 is true."""


def _ordered(code: str, raw: bytes, swapped: bool) -> array[Any]:
    found = array(code, raw)
    if swapped:
        found.byteswap()
    return found
