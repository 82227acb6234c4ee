"""Values written to files: JSON for any, NumPy's formats for tensors."""

from __future__ import annotations

from pathlib import Path

from gradual.interface.input import npy
from gradual.interface.reports.json_values import value_text
from gradual.interface.terminal import Trouble
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value


def saved(value: Value, path: str) -> bytes:
    """Encode a value in the format of the file name; raises Trouble if that format cannot represent it."""
    try:
        match Path(path).suffix:
            case ".npy":
                return npy.write(_tensor(value))
            case ".npz":
                return npy.write_archive({f"arr_{k}": tensor for k, tensor in enumerate(_tensors(value))})
            case _:
                return f"{value_text(value)}\n".encode()
    except ValueError as error:
        raise Trouble("E0702", f"`{path}` cannot hold the value: {error}") from error


def _tensor(value: Value) -> Tensor:
    if not isinstance(value, Tensor):
        raise ValueError("a `.npy` file holds one tensor")
    return value


def _tensors(value: Value) -> tuple[Tensor, ...]:
    fields = value if isinstance(value, tuple) else (value,)
    tensors = tuple(field for field in fields if isinstance(field, Tensor))
    if len(tensors) < len(fields):
        raise ValueError("a `.npz` file holds tensors")
    return tensors
