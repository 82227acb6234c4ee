"""Fake quantization: floats rounded to the numbers that codes (quantized integers) of a few bits represent.

They follow `tensorflow/core/kernels/fake_quant_ops_functor.h` and `quantize_and_dequantize_op.h`.
"""

from __future__ import annotations

from gradual.importers.common.composed.arithmetic import Term, between, floor, lesser, rounded, where
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports


@imports("FakeQuantWithMinMaxArgs")
def fake_codes(use: Use) -> Value:
    """Each number, rounded to the nearest one that a code represents; the range is an attribute."""
    ends = [use.like(use.real(name, default), use[0]) for name, default in (("min", -6.0), ("max", 6.0))]
    return _nudged(use, Term(use, use[0]), *(Term(use, one) for one in ends))


@imports("FakeQuantWithMinMaxVars")
def fake_codes_of_range(use: Use) -> Value:
    """As `fake_codes`, with a range that is computed by the program."""
    return _nudged(use, *(Term(use, one) for one in (use[0], use.ranked(1, 0), use.ranked(2, 0))))


@imports("FakeQuantWithMinMaxVarsPerChannel")
def fake_codes_of_ranges(use: Use) -> Value:
    """As `fake_codes_of_range`, with a range for each index of the last axis."""
    x, *ends = use[0], use.ranked(1, 1), use.ranked(2, 1)
    for at, end in enumerate(ends):
        x, ends[at] = use.agreeing(x, x.rank - 1, end, 0)
    return _nudged(use, *(Term(use, one) for one in (x, *ends)))


def _nudged(use: Use, x: Term, least: Term, most: Term) -> Value:
    """Each number, rounded to the nearest code of a range; the range is first moved so that 0 has a code."""
    low, high = float(use.flag("narrow_range")), float(2 ** use.number("num_bits", 8) - 1)
    scale = (most - least) / (high - low)
    zero = between(floor(low - least / scale + 0.5), low, high)
    start, end = (low - zero) * scale, (high - zero) * scale
    origin = floor(-start / scale + 0.5)
    found = floor((between(x, start, end) - start) / scale - origin + 0.5) * scale
    return where(least.equals(0.0) & most.equals(0.0), 0.0, found).value


# -------------------------------------------------------------------------------------------------- and back to floats
@imports("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4")
def codes_and_back(use: Use) -> Value:
    """Each number, rounded to a multiple of the step with which the codes cover the range of all or of a slice."""
    x, (low, high) = Term(use, use[0]), _codes(use)
    least, most = _range(use, x)
    scale = lesser(_room(low, least), _room(high, most))
    codes = between(x, low / scale, high / scale) * scale
    is_even = use.only("round_mode", "HALF_TO_EVEN", "HALF_UP") == "HALF_TO_EVEN"
    return ((rounded(codes) if is_even else floor(codes + 0.5)) / scale).value


def _codes(use: Use) -> tuple[float, float]:
    """The least and the greatest code."""
    is_third = use.node.operator == "QuantizeAndDequantizeV3"
    bits = use.integer(3, "a number of bits") if is_third else use.number("num_bits", 8)
    if not 0 < bits < 31:
        raise Unsupported(f"num_bits={bits}")
    if not use.flag("signed_input", True):
        return 0.0, float(2**bits - 1)
    most = 2 ** (bits - 1) - 1
    return float(-most if use.flag("narrow_range") else -most - 1), float(most)


def _range(use: Use, x: Term) -> list[Term]:
    """The least and the greatest number: inputs if they are given, else those of all elements or of each slice."""
    rank, axis = x.value.rank, use.number("axis", -1)
    if not use.flag("range_given", use.node.operator == "QuantizeAndDequantizeV3"):
        others = [at for at in range(rank) if at != axis]
        return [Term(use, use.call(one, x.value, axis=others, keepdims=True)) for one in ("min", "max")]
    ends = [use.ranked(at, 0 if axis < 0 else 1) for at in (1, 2)]
    if any(end.rank != (axis >= 0) for end in ends):
        raise Unsupported("a range that is no number, or not one for each place of an axis")
    if axis >= 0:
        ends = [use.exactly(end, 0, use.written_size(use.extent(x.value, axis))) for end in ends]
    if 0 <= axis < rank - 1:
        ends = [use.call("expand_dims", one, axis=1, num_newaxis=rank - 1 - axis) for one in ends]
    return [Term(use, one) for one in ends]


def _room(code: float, end: Term) -> Term:
    """The number of codes per unit if `code` represents `end`; the greatest float if that is not positive."""
    return where(end * code > 0.0, code / end, _MOST)


_MOST = 3.4028234663852886e38
