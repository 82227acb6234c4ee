"""Integers of fewer than 8 bits: the file packs several into a byte; here each element has a byte of its own."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.refusals import Unsupported
from gradual.record import record
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType


@record
class Kind:
    """An element type of fewer than 8 bits.

    Attributes:
        dtype: the integer type of 8 bits in which each element is stored.
    """

    dtype: DType
    bits: int

    def __str__(self) -> str:
        return f"{self.dtype.value.removesuffix('8')}{self.bits}"

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest element."""
        least = -(1 << self.bits - 1) if self.dtype.is_signed else 0
        return least, least + (1 << self.bits) - 1


KINDS = {21: Kind(DType.UINT8, 4), 22: Kind(DType.INT8, 4), 25: Kind(DType.UINT8, 2), 26: Kind(DType.INT8, 2)}
"""`TensorProto.DataType`, by number."""

BITS = {str(kind): kind.bits for kind in KINDS.values()}
"""Name of an element type of fewer than 8 bits -> its width."""


@record
class Narrow:
    """A constant of an element type of fewer than 8 bits."""

    tensor: Tensor
    bits: int


def unpacked(kind: Kind, held: Sequence[int], shape: tuple[int, ...], name: str) -> Narrow:
    """The elements packed in some bytes, the first in the lowest bits; unused bits of the last byte are ignored."""
    each, count, least = 8 // kind.bits, numel(shape), kind.bounds[0]
    if min(shape, default=0) < 0 or len(held) != -(-count // each):
        raise Unsupported(f"`{name}`: {len(held)} bytes do not hold {kind} elements of the shape {shape}")
    mask = (1 << kind.bits) - 1
    parts = [byte >> at * kind.bits & mask for byte in held for at in range(each)]
    elements = [(part - least & mask) + least for part in parts[:count]]
    return Narrow(tensor_of(shape, kind.dtype, elements), kind.bits)
