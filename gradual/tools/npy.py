"""NumPy's files of arrays, read and written without NumPy.

The format is described in NumPy's documentation under `numpy.lib.format` (version 1.0 to 3.0 of the header).
"""

from __future__ import annotations

import ast
import lzma
import struct
import sys
import zipfile
import zlib
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from gradual.limits import LIMITS
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

MAGIC = b"\x93NUMPY"

_KINDS = {
    "b1": (DType.BOOL, "B"),
    "i1": (DType.INT8, "b"),
    "i2": (DType.INT16, "h"),
    "i4": (DType.INT32, "i"),
    "i8": (DType.INT64, "q"),
    "u1": (DType.UINT8, "B"),
    "u2": (DType.UINT16, "H"),
    "u4": (DType.UINT32, "I"),
    "u8": (DType.UINT64, "Q"),
    "f4": (DType.FLOAT32, "f"),
    "f8": (DType.FLOAT64, "d"),
}
"""Element types by NumPy's names, with the code of `array` for one element."""

_HALF = "f2"
_NAMES = {dtype: name for name, (dtype, _) in _KINDS.items()} | {DType.FLOAT16: _HALF}


def read(data: bytes) -> Tensor:
    """The tensor of a `.npy` file.  Raises ValueError where it holds none."""
    order, name, columns_first, shape, start = _header(data)
    count, body = numel(shape), memoryview(data)[start:]
    if count > LIMITS.elements or max(shape, default=0) >= 1 << 63:
        raise ValueError(f"a tensor of shape {shape} is beyond the limit of {LIMITS.elements} elements")
    width = 2 if name == _HALF else array(_KINDS[name][1]).itemsize
    if len(body) != count * width:
        raise ValueError(f"{len(body)} bytes do not hold {count} elements of {width} bytes")
    if name == _HALF:
        dtype, elements = DType.FLOAT16, list(struct.unpack(f"{order}{count}e", body))
    else:
        dtype, code = _KINDS[name]
        read = array(code, body.tobytes())
        if order != ("<" if sys.byteorder == "little" else ">"):
            read.byteswap()
        elements = [bool(element) for element in read] if dtype is DType.BOOL else read.tolist()
    return Tensor(_by_rows(elements, shape) if columns_first and count else elements, dtype, shape)


def _header(data: bytes) -> tuple[str, str, bool, tuple[int, ...], int]:
    """Byte order, name of the element type, whether the first axis varies fastest, the shape, where elements begin."""
    if not data.startswith(MAGIC) or len(data) < 12 or data[6] not in (1, 2, 3):
        raise ValueError("it does not begin as a NumPy file does")
    wide = data[6] >= 2
    (length,) = struct.unpack_from("<I" if wide else "<H", data, 8)
    start = 8 + (4 if wide else 2) + length
    try:
        header = ast.literal_eval(data[start - length : start].decode("utf-8" if data[6] >= 3 else "latin-1").strip())
        described, columns_first, shape = header["descr"], header["fortran_order"], header["shape"]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("its header cannot be read") from error
    if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"{_short(shape)} is no shape")
    if not isinstance(columns_first, bool):
        raise ValueError(f"{_short(columns_first)} does not say in which order the elements stand")
    if not isinstance(described, str) or described[1:] not in (*_KINDS, _HALF) or described[0] not in "<>|=":
        raise ValueError(f"{_short(described)} is not an element type of the language")
    order = described[0] if described[0] in "<>" else "<" if sys.byteorder == "little" else ">"
    return order, described[1:], columns_first, shape, start


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _by_rows(elements: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """Elements whose first axis varies fastest, so that the last one does."""
    strides = [numel(shape[:axis]) for axis in range(len(shape))]
    places = [0]
    for extent, stride in zip(shape, strides, strict=True):
        places = [place + index * stride for place in places for index in range(extent)]
    return [elements[place] for place in places]


def write(tensor: Tensor) -> bytes:
    """The `.npy` file of a tensor.  Raises ValueError for bfloat16, which NumPy has not."""
    if tensor.dtype not in _NAMES:
        raise ValueError(f"NumPy has no {tensor.dtype}")
    name = _NAMES[tensor.dtype]
    order = "|" if tensor.dtype.bits == 8 else "<"
    header = f"{{'descr': '{order}{name}', 'fortran_order': False, 'shape': {tensor.shape}, }}"
    header += " " * (-(len(MAGIC) + 4 + len(header) + 1) % 64) + "\n"
    code = "e" if name == _HALF else "?" if name == "b1" else _KINDS[name][1]
    body = struct.pack(f"<{tensor.size}{code}", *tensor.flat())
    return MAGIC + b"\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body


def names_in(data: bytes) -> list[str]:
    """The names of the arrays in a `.npz` file.  Raises ValueError where it is no archive."""
    with _opened(data) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]


def read_from(data: bytes, name: str) -> Tensor:
    """The tensor of that name in a `.npz` file.  Raises ValueError where there is none."""
    with _opened(data) as archive:
        return read(archive.read(f"{name}.npy"))


_UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, EOFError, OSError)
"""What is raised of a damaged archive: what `zipfile` and the decompressors say, of a method that is not known
(NotImplementedError), of a member that is encrypted (RuntimeError), of one that ends too early (EOFError, OSError)."""


@contextmanager
def _opened(data: bytes) -> Iterator[zipfile.ZipFile]:
    """An archive; whatever is wrong with it is a ValueError."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            yield archive
    except _UNREADABLE as error:
        raise ValueError(f"it is no archive that can be read: {error}") from error
    except KeyError as error:
        raise ValueError(str(error.args[0])) from error


def write_archive(tensors: Mapping[str, Tensor]) -> bytes:
    """The `.npz` file of some tensors, the same bytes at any time."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, tensor in tensors.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), write(tensor))
    return stream.getvalue()
