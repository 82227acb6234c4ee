"""Shifts, counts and readings of the bits of integers."""

from __future__ import annotations

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType


@imports("LeftShift", "RightShift")
def shift(use: Use) -> Value:
    """Bits moved by a count, which TensorFlow clamps to the width minus 1."""
    operator = "left_shift" if use.node.operator == "LeftShift" else "right_shift"
    least, most = use.like(0, use[1]), use.like(use[1].dtype.bits - 1, use[1])
    return use.call(operator, use[0], use.call("minimum", use.call("maximum", use[1], least), most))


@imports("PopulationCount")
def population_count(use: Use) -> Value:
    """The number of bits that are 1."""
    x, total = use[0], None
    for at in range(x.dtype.bits):
        moved = use.call("right_shift", x, use.like(at, x)) if at else x
        bit = use.as_type(use.call("bitwise_and", moved, use.like(1, x)), DType.UINT8)
        total = bit if total is None else use.call("add", total, bit)
    assert total is not None, "an integer has bits"
    return total


@imports("Bitcast")
def bitcast(use: Use) -> Value:
    """The bits of each element read in another type of the same width."""
    x, wanted = use[0], use.dtype("type")
    if wanted is x.dtype:
        return x
    if wanted.bits != x.dtype.bits or DType.BOOL in (wanted, x.dtype):
        raise Unsupported(f"the bits of {x.dtype} as {wanted}, of another width")
    return use.call("reinterpret", x, dtype=wanted)
