"""Operators that treat each element alone."""

from __future__ import annotations

import torch

from tests.importers.torch.modules.case import Case, booleans, calling, floats, integers, n, positive

CASES: dict[str, Case] = {
    "unary": calling(
        lambda x: (
            *(x.abs(), x.atan(), x.asinh(), x.ceil(), x.cos(), x.cosh(), x.erf(), x.exp(), x.floor(), x.neg()),
            *(x.relu(), x.round(), x.sigmoid(), x.sign(), x.sgn(), x.sin(), x.sinh(), x.tan(), x.tanh(), x.trunc()),
            *(x.expm1(), x.erfc(), x.frac(), x.square(), torch.special.erf(x), x.exp2(), x.sinc(), x.deg2rad()),
            *(x.rad2deg(), torch.positive(x), x.signbit(), x.round(decimals=2), torch.heaviside(x, x.exp())),
        ),
        floats(n, 4),
    ),
    "unary_positive": calling(
        lambda x: (
            *(x.acos(), x.asin(), x.atanh(), (x + 1).acosh(), x.log(), x.log10(), x.log2(), x.log1p(), x.rsqrt()),
            *(x.sqrt(), x.reciprocal(), x.logit(), torch.special.logit(x, 0.2), (x * 1e-6).log1p(), (-x).log1p()),
            *(
                (x * 1e-6).expm1(),
                torch.special.entr(x),
                torch.special.xlogy(x, x),
                (-x * 1e-7).log1p(),
                (x * 9).log1p(),
            ),
        ),
        positive(n, 4),
    ),
    "unary_of_integers": calling(
        lambda x: (
            *(x.abs(), x.neg(), x.sign(), x.exp(), x.sin(), x.sqrt(), x.sigmoid(), x.tanh(), x.bitwise_not(), ~x),
            *(x.square(), x.relu(), x.log1p(), x.erf(), x.reciprocal(), x.floor(), x.ceil(), x.round(), x.trunc()),
            *(torch.isnan(x), torch.isinf(x), torch.isfinite(x), x.logical_not(), x.expm1(), x.rsqrt(), x.exp2()),
        ),
        integers(1, 6, n, 3),
    ),
    "tests": calling(
        lambda x, y: (
            *(torch.isnan(x / y), torch.isinf(x / y), torch.isfinite(x / y), torch.nan_to_num(x / y)),
            *(torch.nan_to_num(x / y, 1.0, 2.0, 3.0), torch.isposinf(x / y), torch.isneginf(x / y)),
            *(torch.isclose(x, y), (x / y).nansum(), torch.nanmean(x * y / y, 1), torch.isreal(x)),
            *(torch.isclose(x, y, 0.1, 0.2), torch.nan_to_num(x.long())),
        ),
        lambda size: torch.randint(-1, 2, (size, 4)).float(),
        lambda size: torch.randint(-1, 2, (size, 4)).float(),
    ),
    "binary": calling(
        lambda x, y: (
            *(x + y, x - y, x * y, x / y, torch.maximum(x, y), torch.minimum(x, y), x.abs() ** y, x % y),
            *(torch.fmod(x, y), torch.floor_divide(x, y), torch.div(x, y, rounding_mode="trunc")),
            *(torch.div(x, y, rounding_mode="floor"), torch.add(x, y, alpha=2), torch.sub(x, y, alpha=0.5)),
            *(torch.rsub(x, y, alpha=3), torch.atan2(x, y), torch.hypot(x, y), torch.copysign(x, y)),
            *(torch.logaddexp(x, y), torch.xlogy(x, y.abs()), torch.fmax(x, y), torch.fmin(x, y)),
            *(torch.true_divide(x, y), torch.multiply(x, y), torch.subtract(x, y), torch.divide(x, y)),
            *(torch.lerp(x, y, 0.3), torch.lerp(x, y, y), torch.addcmul(x, x, y, value=2), torch.addcdiv(x, x, y)),
            *(
                torch.logaddexp2(x, y),
                torch.dist(x, x + y),
                torch.float_power(x.abs(), y),
                torch.max(x, y),
                torch.min(x, y),
            ),
        ),
        floats(n, 4),
        floats(n, 4),
    ),
    "broadcast": calling(
        lambda x, y, z: (x + y, x * z, y - z, torch.maximum(x, y), x < y, torch.where(x > y, x, z), x.expand_as(x + y)),
        floats(n, 1, 4),
        floats(3, 1),
        floats(4),
    ),
    "scalars": calling(
        lambda x: (
            *(x + 1, x - 2.5, x * 3, x / 4, x**2, x**3, x.abs() ** 0.5, 2**x, 2.5**x, 1 - x, 1 / x, x % 0.7),
            *(torch.fmod(x, 0.6), x // 0.5, torch.div(x, 2, rounding_mode="floor"), x.pow(-1), x.pow(0), x**4),
            *(torch.sub(x, 1, alpha=2), torch.add(x, 2, alpha=3), torch.rsub(x, 2), x.remainder(-0.4)),
            *(x.clamp(-1, 1), x.clamp(min=0), x.clamp(max=0.5), x.clamp_min(-0.5), x.clamp_max(0.1)),
            *(x.clip(-0.2, 0.2), torch.true_divide(x, 3), torch.threshold(x, 0.1, 20.0)),
        ),
        floats(n, 3),
    ),
    "scalars_of_integers": calling(
        lambda x: (
            *(
                x + 1,
                x - 2,
                x * 3,
                x / 4,
                x**2,
                x + 0.5,
                x // 2,
                x % 3,
                7 - x,
                torch.fmod(x, -3),
                x % -3,
                x.clamp(0, 3),
            ),
            *(x > 1, x == 2, x < 2.5, x != 0, x >= 1.5, x & 3, x | 4, x ^ 1, x << 1, x >> 1, x.clamp(min=1.5)),
            *(torch.div(x, 2, rounding_mode="trunc"), torch.div(x, -2, rounding_mode="floor"), 2 ** x.abs(), x * True),
            *(x.bitwise_and(6), torch.bitwise_left_shift(x, 2), x.pow(2.0), 2.0 * x, x - 0.5, torch.remainder(x, 4)),
        ),
        integers(-5, 6, n, 3),
    ),
    "integers": calling(
        lambda x, y: (
            *(x + y, x - y, x * y, x / y, x // y, x % y, torch.fmod(x, y), torch.maximum(x, y), x & y, x | y, x ^ y),
            *(x << y, x >> y, torch.bitwise_and(x, y), torch.bitwise_or(x, y), torch.bitwise_xor(x, y), x.abs() ** y),
            *(torch.div(x, y, rounding_mode="trunc"), torch.div(x, y, rounding_mode="floor")),
            *(x == y, x < y, x.logical_and(y), x.logical_or(y), x.logical_xor(y), torch.clamp(x, min=y)),
        ),
        integers(-6, 7, n, 3),
        integers(1, 4, n, 3),
    ),
    "booleans": calling(
        lambda x, y: (
            *(
                x & y,
                x | y,
                x ^ y,
                ~x,
                x + y,
                x * y,
                x == y,
                x != y,
                x.logical_and(y),
                x.logical_or(y),
                x.logical_not(),
            ),
            *(x.logical_xor(y), x.to(torch.float32), x.long() + y, x + 1, x * 2.5, x.sum(), x.any(), x.all(), x > y),
            *(x.float().mean(), x.cumsum(0), torch.where(x, 1, 2), torch.where(x, 1.5, 0), x.int() - y.int(), x.sum(1)),
            *(torch.maximum(x, y), x.bitwise_not(), x & True, x / 2, torch.eq(x, True), x < y, x.max(), x.sigmoid()),
        ),
        booleans(n, 3),
        booleans(n, 3),
    ),
    "comparisons": calling(
        lambda x, y: (
            *(x == y, x != y, x < y, x <= y, x > y, x >= y, x > 0, x <= 0.5, x.eq(1), x.ne(0), x.gt(0), x.greater(y)),
            *(x.less(y), x.not_equal(y), x.greater_equal(y), x.less_equal(y), x.ge(y)),
        ),
        floats(n, 3),
        floats(n, 3),
    ),
    "promotion": calling(
        lambda f, d, h, i, j, u, b: (
            *(f + d, f + h, f + i, i + j, i * u, u + j, h + i, h * 2.5, i + 2.5, f * i.sum(), h + f.sum(), d.sum() * f),
            *(b + i, b * f, u / 2, i / j, f == d, i < u, h > i, torch.where(f > 0, i, f), torch.cat([f, d]), u + b),
            *(
                torch.cat([i, j]),
                torch.stack([h, f]),
                h + d.sum(),
                i + f.sum(),
                u * 2,
                u - j,
                j**2.0,
                torch.where(b, h, 1),
            ),
            *(
                torch.where(b, i, 1.5),
                torch.atan2(i, f),
                torch.maximum(i, u),
                h.exp(),
                h + 1,
                h.sum(),
                h.mean(),
                u.sum(),
            ),
        ),
        floats(n),
        lambda size: torch.randn(size, dtype=torch.float64),
        lambda size: torch.randn(size).half(),
        integers(0, 9, n),
        integers(1, 9, n, dtype=torch.int32),
        integers(0, 9, n, dtype=torch.uint8),
        booleans(n),
    ),
    "bfloat16": calling(
        lambda x: (x * 2, x + x.float(), x.sum(), x.to(torch.float32), torch.softmax(x, 0), x.abs().sqrt(), x.mean()),
        lambda size: torch.randn(size).bfloat16(),
    ),
    "conversions": calling(
        lambda x, y: (
            *(
                x.to(torch.int32),
                x.long(),
                x.half(),
                x.double(),
                x.bool(),
                x.to(torch.uint8) if False else x.int(),
                y.float(),
            ),
            *(y.to(torch.int8), x.type_as(y), x.to(y), y.to(x), x.to(torch.float32, copy=True), y.bool(), x.clone()),
            *(
                x.contiguous(),
                x.detach(),
                y.char(),
                y.short(),
                y.byte(),
                x.cpu(),
                y.double(),
                x.to("cpu", torch.float64),
            ),
        ),
        floats(n, 3),
        integers(0, 9, n, 3),
    ),
    "where": calling(
        lambda c, x, y: (
            *(torch.where(c, x, y), torch.where(c, x, 0.0), torch.where(c, 1.0, y), x.masked_fill(c, -1.0)),
            *(x.masked_fill(c, float("-inf")), x.masked_fill(c, y.sum()), torch.where(x > y, x, 0), c.where(c, ~c)),
        ),
        booleans(n, 3),
        floats(n, 3),
        floats(n, 3),
    ),
    "clamp_tensors": calling(
        lambda x, y: (torch.clamp(x, y - 1, y + 1), torch.clamp(x, min=y), torch.clamp(x, max=y), x.clamp_min(y)),
        floats(n, 3),
        floats(3),
    ),
}
