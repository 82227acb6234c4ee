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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from os import SEEK_END
from typing import IO, Any

from gradual.limits import LIMITS
from gradual.tensors.exchange.array_protocols import elements_of
from gradual.tensors.exchange.export import packed
from gradual.tensors.index import numel, permuted
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType

MAGIC = b"\x93NUMPY"

_KINDS = {
    "b1": DType.BOOL,
    "i1": DType.INT8,
    "i2": DType.INT16,
    "i4": DType.INT32,
    "i8": DType.INT64,
    "u1": DType.UINT8,
    "u2": DType.UINT16,
    "u4": DType.UINT32,
    "u8": DType.UINT64,
    "f2": DType.FLOAT16,
    "f4": DType.FLOAT32,
    "f8": DType.FLOAT64,
}
"""Element types by NumPy's names."""
_NAMES = {dtype: name for name, dtype in _KINDS.items()}

_LITTLE = sys.byteorder == "little"
_HEADER = 10_000
"""The longest header that is read, in bytes, as in NumPy."""


def read(data: bytes) -> Tensor:
    """Read the tensor of a `.npy` file.  Raises ValueError if it holds none."""
    return read_stream(BytesIO(data), len(data))


def read_stream(stream: IO[bytes], length: int) -> Tensor:
    """Read the tensor of a `.npy` file of `length` bytes.  Raises ValueError if it holds none.

    The shape in its header is compared with the length before any element is read.
    """
    order, dtype, columns_first, shape, start = _header(stream)
    count, width = numel(shape), dtype.bits // 8
    if count > LIMITS.elements or max(shape, default=0) >= 1 << 63:
        raise ValueError(f"a tensor of shape {shape} is beyond the limit of {LIMITS.elements} elements")
    if length - start != count * width:
        raise ValueError(f"{length - start} bytes do not hold {count} elements of {width} bytes")
    raw = stream.read(count * width)
    if len(raw) != count * width or stream.read(1):
        raise ValueError(f"it does not hold the {count * width} bytes of elements that it says")
    elements: Any = elements_of(dtype, raw, order != ("<" if _LITTLE else ">"))
    if columns_first and count:
        elements = permuted(elements, shape[::-1], range(len(shape))[::-1])
    return tensor_of(shape, dtype, elements)


def _header(stream: IO[bytes]) -> tuple[str, DType, bool, tuple[int, ...], int]:
    """Byte order, element type, whether the first axis varies fastest, the shape, where elements begin."""
    begin = stream.read(8)
    wide = begin[6:7] >= b"\x02"
    size = stream.read(4 if wide else 2)
    if not begin.startswith(MAGIC) or len(begin) + len(size) < (12 if wide else 10) or begin[6] not in (1, 2, 3):
        raise ValueError("it does not begin as a NumPy file does")
    (length,) = struct.unpack("<I" if wide else "<H", size)
    if length > _HEADER:
        raise ValueError(f"its header has {length} bytes; the limit is {_HEADER}")
    try:
        written = stream.read(length).decode("utf-8" if begin[6] >= 3 else "latin-1").strip()
        header = ast.literal_eval(written)
        described, columns_first, shape = header["descr"], header["fortran_order"], header["shape"]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("its header cannot be read") from error
    if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"{_short(shape)} is no shape")
    if not isinstance(columns_first, bool):
        raise ValueError(f"{_short(columns_first)} does not say in which order the elements stand")
    if not isinstance(described, str) or described[1:] not in _KINDS or described[0] not in "<>|=":
        raise ValueError(f"{_short(described)} is not an element type of the language")
    order = described[0] if described[0] in "<>" else "<" if _LITTLE else ">"
    return order, _KINDS[described[1:]], columns_first, shape, 8 + len(size) + length


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def write(tensor: Tensor) -> bytes:
    """The bytes of a `.npy` file of a tensor.  Raises ValueError for bfloat16, which NumPy lacks."""
    if tensor.dtype not in _NAMES:
        raise ValueError(f"NumPy has no {tensor.dtype}")
    name = _NAMES[tensor.dtype]
    order = "|" if tensor.dtype.bits == 8 else "<"
    header = f"{{'descr': '{order}{name}', 'fortran_order': False, 'shape': {tensor.shape}, }}"
    header += " " * (-(len(MAGIC) + 4 + len(header) + 1) % 64) + "\n"
    body = packed(tensor).tobytes()
    if not _LITTLE:
        width = tensor.dtype.bits // 8
        body = b"".join(body[at : at + width][::-1] for at in range(0, len(body), width))
    return MAGIC + b"\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body


def names_in(stream: IO[bytes]) -> list[str]:
    """The names of the arrays in a `.npz` file.  Raises ValueError if it is no archive."""
    with _archive(stream) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]


def read_from(stream: IO[bytes], name: str) -> Tensor:
    """The tensor of that name in a `.npz` file.  Raises ValueError if there is none."""
    with _archive(stream) as archive:
        return _member(archive, archive.getinfo(f"{name}.npy"))


def read_all(stream: IO[bytes]) -> list[Tensor]:
    """All tensors of a `.npz` file, in order.  Raises ValueError if a tensor is unreadable or the total too large."""
    with _archive(stream) as archive:
        members = [info for info in archive.infolist() if info.filename.endswith(".npy")]
        whole = sum(info.file_size for info in members)
        if whole > LIMITS.file:
            raise ValueError(f"its arrays have {whole} bytes together: the limit `file` is {LIMITS.file} bytes")
        return [_member(archive, info) for info in members]


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Tensor:
    with archive.open(info) as stream:
        return read_stream(stream, info.file_size)


_UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, EOFError, OSError)
"""What `zipfile` and the decompressors raise for a damaged archive, an unknown compression method
(NotImplementedError), an encrypted member (RuntimeError), or a truncated one (EOFError, OSError)."""


@contextmanager
def _archive(stream: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Open an archive; any error in it becomes a ValueError."""
    try:
        _small_directory(stream)
        with zipfile.ZipFile(stream) as archive:
            yield archive
    except _UNREADABLE as error:
        raise ValueError(f"it is no archive that can be read: {error}") from error
    except KeyError as error:
        raise ValueError(str(error.args[0])) from error


_MARK = b"PK\x05\x06"
_END = struct.Struct("<4s4H2LH")
"""The end of an archive: its mark, four numbers, then the size of the table of contents in bytes."""


def _small_directory(stream: IO[bytes]) -> None:
    """Raise ValueError if the table of contents is too long."""
    length = stream.seek(0, SEEK_END)
    stream.seek(max(0, length - _END.size - 0xFFFF))
    tail = stream.read(_END.size + 0xFFFF)
    for at in (len(tail) - _END.size, tail.rfind(_MARK)):  # where `zipfile` looks, in this order
        if at < 0 or not tail.startswith(_MARK, at) or len(tail) - at < _END.size:
            continue
        size = _END.unpack_from(tail, at)[5]
        if size > LIMITS.directory or tail.startswith(b"PK\x06\x07", at - 20):  # or ZIP64, whose sizes have 64 bits
            raise ValueError(f"its table of contents is too long: the limit `directory` is {LIMITS.directory} bytes")


def write_archive(tensors: Mapping[str, Tensor]) -> bytes:
    """The `.npz` file of some tensors; its bytes do not depend on the time."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, tensor in tensors.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), write(tensor))
    return stream.getvalue()
