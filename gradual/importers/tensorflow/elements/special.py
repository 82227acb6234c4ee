"""Special functions, computed in float64 and then rounded to the type of the elements."""

from __future__ import annotations

import math

from gradual.importers.common.composed.arithmetic import Term, absolute, erf, exp, floor, isinf, log, sin, sqrt, where
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports
from gradual.types.dtype import DType


@imports("Erfc")
def complementary_erf(use: Use) -> Value:
    """1 - erf(x), computed in float64, so that small results of narrower types lose less precision."""
    return (1.0 - erf(Term(use, use.as_type(use[0], DType.FLOAT64)))).to(use[0].dtype).value


_LANCZOS = (
    0.99999999999980993,
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7,
)
"""The coefficients of Lanczos's approximation of the gamma function with g = 7."""


@imports("Lgamma")
def log_gamma(use: Use) -> Value:
    """The logarithm of the absolute value of the gamma function, in float64."""
    x = Term(use, use.as_type(use[0], DType.FLOAT64))
    is_low = x < 0.5
    far = where(is_low, 1.0 - x, x) - 1.0
    series = 0.0 * far + _LANCZOS[0]
    for at, one in enumerate(_LANCZOS[1:], 1):
        series = series + one / (far + float(at))
    way = far + 7.5
    found = (far + 0.5) * log(way) - way + log(series * math.sqrt(2 * math.pi))
    part = x - x.applied("floor")
    mirrored = log(math.pi / (part * math.pi).applied("sin")) - found
    return where(isinf(x), absolute(x), where(is_low, mirrored, found)).to(use[0].dtype).value


@imports("Digamma")
def digamma(use: Use) -> Value:
    """The derivative of the logarithm of the gamma function."""
    x = Term(use, use.as_type(use[0], DType.FLOAT64))
    is_low = x < 0.5
    far = where(is_low, 1.0 - x, x)
    found = 0.0 * far
    for _ in range(8):  # the series is precise for arguments of at least 8
        found, far = found - 1.0 / far, far + 1.0
    square = 1.0 / (far * far)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    found = found + log(far) - 0.5 / far - series
    turn = (x - floor(x)) * math.pi
    return where(is_low, found - math.pi * turn.applied("cos") / sin(turn), found).to(use[0].dtype).value


@imports("Erfinv", "Ndtri")
def inverse_erf(use: Use) -> Value:
    """The number whose error function is x, or whose normal distribution function is x.

    Three steps of Newton's method, from the approximation by Sergei Winitzki.
    """
    given = Term(use, use.as_type(use[0], DType.FLOAT64))
    is_normal = use.node.operator == "Ndtri"
    x = 2.0 * given - 1.0 if is_normal else given
    near = log(1.0 - x * x)
    part = near / 2.0 + 2.0 / (math.pi * 0.147)
    found = x.applied("sign") * sqrt(sqrt(part * part - near / 0.147) - part)
    for _ in range(3):
        found = found - (erf(found) - x) / (2.0 / math.sqrt(math.pi) * exp(-found * found))
    found = where(absolute(x).equals(1.0), x * math.inf, found)
    return (found * math.sqrt(2.0) if is_normal else found).to(use[0].dtype).value
