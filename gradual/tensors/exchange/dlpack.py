"""Exchange of tensors with other libraries by DLPack (`dlpack.h`, versions 0.8 and 1.0), without importing them.

An exported tensor is a copy, because tensors are shared and never written, while a consumer may write to its data.
The copy is one block with a deleter in C, because a consumer may release it after the interpreter has ended, or while
an exception propagates, when no Python code may run.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, py_object
from threading import Lock
from typing import Any, NamedTuple

from gradual.tensors.exchange.memory import affordable, gathered
from gradual.tensors.index import numel
from gradual.types.dtype import DType

CPU, PINNED = 1, 3
"""Device types whose memory the CPU can read (`kDLCPU`, `kDLCUDAHost`)."""

_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
"""A type code of DLPack (`DLDataTypeCode`) -> kind of number."""
_NUMBERS = {name: code for code, name in _CODES.items()}
_VERSION = (1, 0)
_COPIED = 2
"""The flag that marks a copy, `DLPACK_FLAG_BITMASK_IS_COPIED`."""


class _DLTensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Managed(Structure):
    _fields_ = [("tensor", _DLTensor), ("context", c_void_p), ("deleter", c_void_p)]


class _Versioned(Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("context", c_void_p),
        ("deleter", c_void_p),
        ("flags", c_uint64),
        ("tensor", _DLTensor),
    ]


_NAMES: dict[type[Structure], tuple[bytes, bytes]] = {
    _Managed: (b"dltensor", b"used_dltensor"),
    _Versioned: (b"dltensor_versioned", b"used_dltensor_versioned"),
}
"""The names of a capsule before and after it was consumed."""


def _function(name: str, result: Any, *arguments: Any) -> Any:
    """A function of the C API as a separate object, since other libraries may set types on `ctypes.pythonapi`."""
    found = ctypes.PYFUNCTYPE(result, *arguments)
    return found((name, ctypes.pythonapi))


_new_capsule = _function("PyCapsule_New", py_object, c_void_p, ctypes.c_char_p, c_void_p)
_is_valid = _function("PyCapsule_IsValid", ctypes.c_int, py_object, ctypes.c_char_p)
_pointer = _function("PyCapsule_GetPointer", c_void_p, py_object, ctypes.c_char_p)
_rename = _function("PyCapsule_SetName", ctypes.c_int, py_object, ctypes.c_char_p)
_allocate = _function("PyMem_RawMalloc", c_void_p, ctypes.c_size_t)
_free = _function("PyMem_RawFree", None, c_void_p)
_FREE = ctypes.cast(ctypes.pythonapi.PyMem_RawFree, c_void_p).value


# ---------------------------------------------------------------------------------------------------------- export
def exported(shape: tuple[int, ...], dtype: DType, raw: memoryview, max_version: tuple[int, int] | None) -> object:
    """A capsule with a copy of the elements, in the newest version that the consumer supports.

    One block holds the header, the shape, the strides and the elements.  The header comes first, so the deleter, which
    is called with the header's address, is `PyMem_RawFree` itself.
    """
    versioned = max_version is not None and max_version[0] >= _VERSION[0]
    form: type[Structure] = _Versioned if versioned else _Managed
    head = -(-ctypes.sizeof(form) // 64) * 64
    sizes = len(shape) * 8
    body = -(-(head + 2 * sizes) // 64) * 64  # the elements are aligned relative to the block
    block = _allocate(body + max(len(raw), 1))
    if block is None:
        raise MemoryError
    managed = form.from_address(block)
    extents = (c_int64 * len(shape)).from_address(block + head)
    strides = (c_int64 * len(shape)).from_address(block + head + sizes)
    extents[:] = list(shape)
    strides[:] = [numel(shape[axis + 1 :]) for axis in range(len(shape))]
    ctypes.memmove(block + body, raw.tobytes(), len(raw))
    kind = dtype.rstrip("0123456789")
    device = CPU, 0, len(shape), _NUMBERS[kind], dtype.bits, 1
    int64s = POINTER(c_int64)
    managed.tensor = _DLTensor(block + body, *device, ctypes.cast(extents, int64s), ctypes.cast(strides, int64s), 0)
    managed.context, managed.deleter = None, _FREE
    if versioned:
        managed.major, managed.minor = _VERSION
        managed.flags = _COPIED
    return _offered(_new_capsule(block, _NAMES[form][0], None))


_offers: list[object] = []
"""Capsules that may still be consumed.  They have no destructor: a consumer may drop a capsule while an exception
propagates, when no Python code may run.  A capsule that was dropped without being consumed is freed by the next
export."""
_offering = Lock()


def _offered(capsule: object) -> object:
    with _offering:
        waiting = _offers.copy()
        _offers.clear()
        while waiting:
            alone = _holders(waiting) == _ALONE
            old = waiting.pop()
            name = next((names[0] for names in _NAMES.values() if _is_valid(old, names[0])), None)
            if name is not None and alone:
                _free(_pointer(old, name))
            elif name is not None:
                _offers.append(old)
        _offers.append(capsule)
    return capsule


def _holders(held: list[object]) -> int:
    """The reference count of the last object of a list."""
    return sys.getrefcount(held[-1])


_ALONE = _holders([object()])
"""The reference count of a capsule that only the list refers to."""


# ---------------------------------------------------------------------------------------------------------- import
class Borrowed(NamedTuple):
    """A copy of an imported array: its elements as bytes in row-major order."""

    shape: tuple[int, ...]
    dtype: DType
    raw: bytes


def imported(data: Any) -> Borrowed:
    """A copy of an array; raises ValueError, with the reason, if it cannot be made."""
    _on_processor(data)
    try:
        capsule = _lent(data)
    except (BufferError, RuntimeError) as error:  # how libraries refuse to export an array
        raise ValueError(f"a {type(data).__name__} is not lent: {error}") from error
    for form, (name, used) in _NAMES.items():
        if _is_valid(capsule, name):
            managed = form.from_address(_pointer(capsule, name))
            try:
                return _copied(managed)
            finally:
                _rename(capsule, used)
                if managed.deleter:
                    ctypes.CFUNCTYPE(None, c_void_p)(managed.deleter)(ctypes.addressof(managed))
    raise ValueError(f"what `__dlpack__` of a {type(data).__name__} gives is no capsule of a known version")


def _on_processor(data: Any) -> None:
    device = data.__dlpack_device__()[0] if hasattr(data, "__dlpack_device__") else CPU
    if device not in (CPU, PINNED):
        raise ValueError(f"a {type(data).__name__} lies on another device (number {int(device)} of DLPack)")


def _lent(data: Any) -> object:
    """The capsule of an array; `max_version` is left out if the library does not accept it."""
    try:
        return data.__dlpack__(max_version=_VERSION)
    except TypeError:
        return data.__dlpack__()


def _copied(managed: Any) -> Borrowed:
    if isinstance(managed, _Versioned) and managed.major > _VERSION[0]:
        raise ValueError(f"version {managed.major} of DLPack is not known")
    lent = managed.tensor
    name = _CODES.get(lent.code, f"number {lent.code} of DLPack with ")
    name += "" if lent.code == _NUMBERS["bool"] and lent.bits == 8 else str(lent.bits)
    if lent.lanes != 1 or name not in DType._value2member_map_:
        raise ValueError(f"a tensor holds no elements of type {name}{f' times {lent.lanes}' * (lent.lanes != 1)}")
    shape, width = affordable(tuple(lent.shape[: lent.ndim])), lent.bits // 8
    strides = [stride * width for stride in lent.strides[: lent.ndim]] if lent.strides else None
    if 0 in shape:
        return Borrowed(shape, DType(name), b"")
    return Borrowed(shape, DType(name), gathered(lent.data + lent.byte_offset, shape, width, strides))
