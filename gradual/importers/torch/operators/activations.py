"""Activations and other elementwise functions that the language lacks, as compositions of its operators.

They follow `aten/src/ATen/native/Activation.cpp` and `torch/_decomp/decompositions.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradual.importers.common.composed.arithmetic import (
    Term,
    absolute,
    atan2,
    between,
    erf,
    exp,
    expm1,
    greater,
    is_below_zero,
    isinf,
    isnan,
    lesser,
    log,
    log1p,
    log2,
    logaddexp,
    rounded,
    sigmoid,
    sin,
    sqrt,
    tanh,
    trunc,
    where,
)
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.arithmetic import composed
from gradual.importers.torch.importers import Use, imports
from gradual.types.dtype import DType

composed("aten.expm1.default", "aten.special_expm1.default")(lambda self: expm1(self))
composed("aten.log1p.default", "aten.special_log1p.default")(lambda self: log1p(self))


# ------------------------------------------------------------------------------------------------------ activations
@composed("aten.silu.default")
def silu(self: Term) -> Term:
    """x * sigmoid(x)."""
    return self * sigmoid(self)


@composed("aten.mish.default")
def mish(self: Term) -> Term:
    """x * tanh(softplus(x))."""
    return self * tanh(softplus(self))


@composed("aten.softplus.default")
def softplus(self: Term, beta: Term | None = None, threshold: Term | None = None) -> Term:
    """log(1 + exp(beta * x)) / beta, or x where beta * x is above a threshold."""
    scaled = self if beta is None else self * beta
    soft = log1p(exp(lesser(scaled, 80.0)))
    return where(scaled > (20.0 if threshold is None else threshold), self, soft if beta is None else soft / beta)


@composed("aten.log_sigmoid.default", "aten.log_sigmoid_forward.default")
def log_sigmoid(self: Term) -> Term:
    """log(sigmoid(x))."""
    return lesser(self, 0.0) - log1p(exp(-absolute(self)))


@composed("aten.leaky_relu.default")
def leaky_relu(self: Term, negative_slope: Term | float = 0.01) -> Term:
    """x where it is positive, x times a slope elsewhere."""
    return where(self > 0.0, self, self * negative_slope)


@composed("aten.rrelu.default")
def randomized_relu(self: Term, lower: Term | float = 0.125, upper: Term | float = 1 / 3) -> Term:
    """A leaky ReLU; at inference its slope is the mean of the range of the random slopes in training."""
    return where(self >= 0.0, self, (self * lower + self * upper) / 2.0)


@imports("aten.rrelu_with_noise_functional.default")
def randomized_relu_with_noise(use: Use) -> Sequence[Value | None]:
    """`randomized_relu` at inference; the second result, the random slopes, is not imported."""
    if use.flag("training"):
        raise Unsupported("training: export the model after `.eval()`")
    x = use["self"]
    slope = (float(use.given("lower", 0.125)) + float(use.given("upper", 1 / 3))) / 2
    return [leaky_relu(Term(use, x), slope).value]


@composed("aten.elu.default")
def elu(self: Term, alpha: Term | float = 1.0, scale: Term | float = 1.0, input_scale: Term | float = 1.0) -> Term:
    """scale * x where x is positive, scale * alpha * (exp(input_scale * x) - 1) elsewhere."""
    return where(self > 0.0, self * scale, expm1(self * input_scale) * alpha * scale)


@composed("aten.celu.default")
def celu(self: Term, alpha: Term | float = 1.0) -> Term:
    """x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere."""
    return where(self > 0.0, self, expm1(self / alpha) * alpha)


@composed("aten.selu.default")
def selu(self: Term) -> Term:
    """The self-normalizing exponential unit."""
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    return where(self > 0.0, self * scale, expm1(self) * (alpha * scale))


@composed("aten.relu6.default")
def relu6(self: Term) -> Term:
    """x clamped to [0, 6]."""
    return between(self, 0.0, 6.0)


@composed("aten.hardtanh.default")
def hardtanh(self: Term, min_val: Term | float = -1.0, max_val: Term | float = 1.0) -> Term:
    """x clamped to a range."""
    return between(self, min_val, max_val)


@composed("aten.hardsigmoid.default")
def hardsigmoid(self: Term) -> Term:
    """(x + 3) / 6, clamped to [0, 1]."""
    return between(self + 3.0, 0.0, 6.0) / 6.0


@composed("aten.hardswish.default")
def hardswish(self: Term) -> Term:
    """x times its hard sigmoid."""
    return self * between(self + 3.0, 0.0, 6.0) / 6.0


@composed("aten.hardshrink.default")
def hardshrink(self: Term, lambd: Term | float = 0.5) -> Term:
    """x, but 0 where its absolute value is at most `lambd`."""
    return where(absolute(self) <= lambd, 0.0, self)


@composed("aten.softshrink.default")
def softshrink(self: Term, lambd: Term | float = 0.5) -> Term:
    """x moved towards 0 by `lambd`, but not beyond 0."""
    return where(self > lambd, self - lambd, where(self < -lambd, self + lambd, 0.0))


@composed("aten.threshold.default")
def threshold(self: Term, threshold: Term, value: Term) -> Term:
    """x where it is above a threshold, a given number elsewhere."""
    return where(self <= threshold, value, self)


@composed("aten._prelu_kernel.default")
def broadcast_prelu(self: Term, weight: Term) -> Term:
    """x where it is positive, x times a slope that is broadcast to x elsewhere."""
    return where(self > 0.0, self, self * weight)


@imports("aten.prelu.default")
def prelu(use: Use) -> Value:
    """x where it is positive, x times the slope of its channel, or times a common slope, elsewhere."""
    x, slope = use["self"], use["weight"]
    if x.rank > 1 and slope.rank == 1 and slope.extent(0) != 1:
        slope = use.call("expand_dims", slope, axis=1, num_newaxis=x.rank - 2) if x.rank > 2 else slope
    return broadcast_prelu(Term(use, x), Term(use, slope)).value


@composed("aten.gelu.default")
def exact_gelu(self: Term) -> Term:
    """`x * Φ(x)`, where Φ is the normal distribution function."""
    return self * 0.5 * (erf(self * math.sqrt(0.5)) + 1.0)


@imports("aten.gelu.default")
def gelu(use: Use) -> Value:
    """GELU, exact or approximated by tanh."""
    x = Term(use, use["self"])
    if use.only("approximate", "none", "tanh") == "none":
        return exact_gelu(x).value
    inner = (x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)
    return (x * 0.5 * (tanh(inner) + 1.0)).value


@imports("aten.glu.default")
def gated(use: Use) -> Value:
    """The gated linear unit: one half along an axis times the sigmoid of the other."""
    x = use["self"]
    halves = use.call("split", x, indices_or_sections=2, axis=use.axis("dim", x.rank, -1))
    one, other = use.counted(use.builder.named(halves, "halves"), 2)
    return use.call("multiply", one, use.call("sigmoid", other))


# -------------------------------------------------------------------------------------------------- other functions
@imports("aten.erfc.default", "aten.special_erfc.default")
def complementary_erf(use: Use) -> Value:
    """1 - erf(x), in float64, so that small results are precise."""
    return (1.0 - erf(Term(use, use.as_type(use["self"], DType.FLOAT64)))).to(use.dtype()).value


@composed("aten.exp2.default", "aten.special_exp2.default")
def exp2(self: Term) -> Term:
    """2 to the power of x."""
    return Term(self.use, self.use.like(2.0, self.value)).applied("power", self)


@composed("aten.frac.default")
def fraction(self: Term) -> Term:
    """The fractional part."""
    return self - trunc(self)


@composed("aten.sinc.default", "aten.special_sinc.default")
def sinc(self: Term) -> Term:
    """sin(pi x) / (pi x), or 1 where x is 0."""
    angle = self * math.pi
    return where(self.equals(0.0), 1.0, sin(angle) / angle)


@composed("aten.deg2rad.default")
def radians(self: Term) -> Term:
    """Degrees as radians."""
    return self * (math.pi / 180)


@composed("aten.rad2deg.default")
def degrees(self: Term) -> Term:
    """Radians as degrees."""
    return self * (180 / math.pi)


@imports("aten.round.decimals")
def rounded_decimals(use: Use) -> Value:
    """x rounded to a number of decimals."""
    x, decimals = Term(use, use["self"]), use.integer("decimals")
    factor = 10.0 ** abs(decimals)
    return (rounded(x * factor) / factor if decimals >= 0 else rounded(x / factor) * factor).value


@composed("aten.logit.default", "aten.special_logit.default")
def logit(self: Term, eps: Term | None = None) -> Term:
    """log(x / (1 - x)); if `eps` is given, x is clamped to [eps, 1 - eps] first."""
    x = self if eps is None else between(self, eps, 1.0 - eps)
    return log(x / (1.0 - x))


@composed("aten.special_entr.default")
def entropy(self: Term) -> Term:
    """-x * log(x), or 0 where x is 0, and minus infinity where it is negative."""
    below = where(self.equals(0.0), 0.0, where(self < 0.0, -math.inf, self))
    return where(isnan(self), self, where(self > 0.0, -self * log(self), below))


@composed("aten.xlogy.Tensor", "aten.xlogy.Scalar_Self", "aten.xlogy.Scalar_Other", "aten.special_xlogy.default")
def xlogy(self: Term, other: Term) -> Term:
    """x * log(y), or 0 where x is 0, unless y is NaN there."""
    return where(self.equals(0.0) & ~isnan(other), 0.0, self * log(other))


composed("aten.atan2.default", "aten.arctan2.default")(lambda self, other: atan2(self, other))


@composed("aten.hypot.default")
def hypotenuse(self: Term, other: Term) -> Term:
    """sqrt(x * x + y * y)."""
    return sqrt(self * self + other * other)


@composed("aten.copysign.Tensor", "aten.copysign.Scalar")
def copysign(self: Term, other: Term) -> Term:
    """The magnitude of one number with the sign of another."""
    return where(is_below_zero(other), -absolute(self), absolute(self))


@composed("aten.heaviside.default")
def heaviside(self: Term, values: Term) -> Term:
    """0 where x is negative, 1 where it is positive, and a given value where it is 0."""
    return where(self.equals(0.0), values, where(self < 0.0, 0.0, 1.0, self))


composed("aten.logaddexp.default")(lambda self, other: logaddexp(self, other))


@composed("aten.logaddexp2.default")
def logaddexp2(self: Term, other: Term) -> Term:
    """log2(2 ** x + 2 ** y)."""
    apart = where(self.equals(other), 0.0, self - other)
    return greater(self, other) + log2(1.0 + exp2(-absolute(apart)))


@composed("aten.fmax.default")
def greater_number(self: Term, other: Term) -> Term:
    """The greater of two elements; if one is NaN, the other."""
    return where(isnan(self), other, where(isnan(other), self, greater(self, other)))


@composed("aten.fmin.default")
def lesser_number(self: Term, other: Term) -> Term:
    """The lesser of two elements; if one is NaN, the other."""
    return where(isnan(self), other, where(isnan(other), self, lesser(self, other)))


@composed("aten.lerp.Scalar", "aten.lerp.Tensor")
def interpolated(self: Term, end: Term, weight: Term) -> Term:
    """Linear interpolation between two numbers, computed from the closer one."""
    way = end - self
    return where(absolute(weight) < 0.5, self + weight * way, end - way * (1.0 - weight))


@composed("aten.addcmul.default")
def plus_product(self: Term, tensor1: Term, tensor2: Term, value: Term | None = None) -> Term:
    """x + value * y * z."""
    product = tensor1 * tensor2
    return self + (product if value is None else product * value)


@composed("aten.addcdiv.default")
def plus_quotient(self: Term, tensor1: Term, tensor2: Term, value: Term | None = None) -> Term:
    """x + value * y / z."""
    quotient = tensor1 / tensor2
    return self + (quotient if value is None else quotient * value)


@imports("aten.nan_to_num.default")
def finite(use: Use) -> Value:
    """x with NaN and infinities replaced by numbers."""
    x = use["self"]
    if not x.dtype.is_float:
        return x
    term = Term(use, x)
    greatest = {DType.FLOAT16: 65504.0, DType.BFLOAT16: 3.3895313892515355e38, DType.FLOAT32: 3.4028234663852886e38}
    most = greatest.get(x.dtype, 1.7976931348623157e308)
    given = [use.given(name) for name in ("nan", "posinf", "neginf")]
    nan, high, low = (usual if one is None else one for one, usual in zip(given, (0.0, most, -most), strict=True))
    found = where(isnan(term), float(nan), term)
    return where(term.equals(math.inf), float(high), where(term.equals(-math.inf), float(low), found)).value


@imports("aten.float_power.Tensor_Tensor", "aten.float_power.Tensor_Scalar", "aten.float_power.Scalar")
def double_power(use: Use) -> Value:
    """The power, computed in float64."""
    return use.call("power", use.scalar("self", DType.FLOAT64), use.scalar("exponent", DType.FLOAT64))


# ------------------------------------------------------------------------------------------------------------ tests
@imports("aten.signbit.default")
def signbit(use: Use) -> Value:
    """Whether the sign is negative."""
    x = Term(use, use["self"])
    return (is_below_zero(x) if x.value.dtype.is_float else x < 0).value


@imports("aten.isposinf.default", "aten.isneginf.default")
def is_infinity(use: Use) -> Value:
    """Whether the element is positive (or negative) infinity."""
    x = use["self"]
    x = x if x.dtype.is_float else use.as_type(x, DType.FLOAT32)
    return Term(use, x).equals(-math.inf if "neg" in use.node.operator else math.inf).value


@imports("aten.isreal.default")
def is_real(use: Use) -> Value:
    """Whether the element is real: always true, as the language has no complex numbers."""
    return use.call("ones_like", use.as_type(use["self"], DType.BOOL))


@imports("aten.isclose.default")
def is_close(use: Use) -> Value:
    """Whether the elements are nearly equal."""
    one, other = (Term(use, use[name]) for name in ("self", "other"))
    if not one.value.dtype.is_float:
        one, other = one.to(DType.FLOAT64), other.to(DType.FLOAT64)
    room = absolute(other) * float(use.given("rtol", 1e-5)) + float(use.given("atol", 1e-8))
    found = one.equals(other) | ((absolute(one - other) <= room) & ~isinf(other))
    return (found | (isnan(one) & isnan(other)) if use.flag("equal_nan") else found).value
