"""Operators of each element."""

from __future__ import annotations

from inspect import signature

import numpy

from tests.importers.tensorflow.operators.case import Case, each, floats, integers, raw, table, tf

_ODD = table(0.0, -0.0, 1.0, -1.0, numpy.inf, -numpy.inf, numpy.nan, 1e-8, -30.0, 60.0, dtype="float32")
_TWO = [floats(2, 3), floats(3, seed=2)], [floats(0, 3), floats(3, seed=3)]


def _unary(name: str, *arrays: object) -> Case:
    """An operator of one tensor, whose first parameter has one of three names."""
    function = getattr(raw, name)
    word = next(word for word in ("x", "features", "input", "value") if word in signature(function).parameters)
    given = arrays or (floats(2, 3), _ODD)
    return Case(lambda *all: [function(**{word: one}) for one in all], [given])


def _binary(name: str, runs: object = _TWO, **settings: object) -> Case:
    function = getattr(raw, name)
    return Case(lambda x, y: function(x=x, y=y, **settings), runs)


_POSITIVE = floats(2, 3, low=0.1, high=4.0)
_WHOLE = integers(7, low=-9, high=9), integers(7, low=1, high=4, seed=2)
_SIGNED = [_WHOLE[0], numpy.where(_WHOLE[1] == 2, -2, _WHOLE[1]).astype("int32")]

CASES = {
    **{
        name.lower(): _unary(name)
        for name in ("Abs", "Neg", "Sign", "Exp", "Expm1", "Tanh", "Sigmoid", "Sin", "Cos", "Atan", "Asinh", "Sinh")
    },
    **{
        name.lower(): _unary(name)
        for name in ("Cosh", "Erf", "Erfc", "Floor", "Ceil", "Rint", "Round", "Square", "IsNan", "IsInf", "IsFinite")
    },
    **{
        name.lower(): _unary(name)
        for name in ("Elu", "Selu", "Softplus", "Softsign", "Relu", "Relu6", "Reciprocal", "Inv", "Tan")
    },
    **{name.lower(): _unary(name, _POSITIVE) for name in ("Log", "Log1p", "Sqrt", "Rsqrt", "Lgamma")},
    **{name.lower(): _unary(name, floats(2, 3, low=-0.9, high=0.9)) for name in ("Acos", "Asin", "Atanh")},
    "acosh": _unary("Acosh", floats(4, low=1.0, high=5.0)),
    "lgamma_below": _unary("Lgamma", table(-0.5, -1.5, -2.3, 0.25, 30.0, 100.5, dtype="float32")),
    "halves": _unary("Round", table(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, dtype="float32")),
    "narrow_elu": each(lambda x: raw.Elu(features=x), floats(5).astype("float16")),
    "narrow_softplus": each(lambda x: raw.Softplus(features=tf.cast(x, tf.bfloat16)), floats(5)),
    "leaky": each(lambda x: raw.LeakyRelu(features=x, alpha=0.3), _ODD),
    "whole_abs": _unary("Abs", integers(2, 3, low=-4)),
    "invert": _unary("Invert", integers(5, low=-4, dtype="int8")),
    "population": each(lambda x: raw.PopulationCount(x=x), table(0, 1, -1, 100, -128, dtype="int8")),
    "population_wide": each(lambda x: raw.PopulationCount(x=x), table(0, 1, -1, 1 << 40, dtype="int64")),
    **{
        name.lower(): _binary(name)
        for name in ("Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "RealDiv", "Less")
    },
    **{name.lower(): _binary(name) for name in ("Greater", "LessEqual", "GreaterEqual", "Equal", "NotEqual", "Atan2")},
    "atan2_odd": each(lambda x, y: raw.Atan2(y=x[:, None], x=y), _ODD, _ODD),
    "pow": each(lambda x, y: raw.Pow(x=x, y=y), _POSITIVE, floats(3)),
    "whole_pow": each(lambda x, y: raw.Pow(x=x, y=y), *_WHOLE),
    "floordiv": each(lambda x, y: [raw.FloorDiv(x=x, y=y), raw.FloorMod(x=x, y=y)], *_SIGNED),
    "truncatediv": each(lambda x, y: [raw.TruncateDiv(x=x, y=y), raw.TruncateMod(x=x, y=y)], *_SIGNED),
    "div": each(lambda x, y: raw.Div(x=x, y=y), *_SIGNED),
    "float_floor": each(
        lambda x, y: [raw.FloorDiv(x=x, y=y), raw.FloorMod(x=x, y=y), raw.Mod(x=x, y=y)],
        *(floats(6, seed=3), floats(6, seed=4)),
    ),
    "bits": each(
        lambda x, y: [raw.BitwiseAnd(x=x, y=y), raw.BitwiseOr(x=x, y=y), raw.BitwiseXor(x=x, y=y)],
        *(integers(5, high=99), integers(5, high=99, seed=2)),
    ),
    "shifts": each(
        lambda x, y: [raw.LeftShift(x=x, y=y), raw.RightShift(x=x, y=y)],
        *(table(1, -7, 100, 3, -128, dtype="int8"), table(0, 1, 3, 9, -1, dtype="int8")),
    ),
    "bitcast": each(lambda x: raw.Bitcast(input=x, type=tf.int32), floats(2, 3)),
    "bitcast_width": each(lambda x: raw.Bitcast(input=x, type=tf.uint8), floats(2), refused="of another width"),
    "logical": each(
        lambda x, y: [raw.LogicalAnd(x=x, y=y), raw.LogicalOr(x=x, y=y), raw.LogicalNot(x=x)],
        *(table(True, False, dtype="bool"), table([True], [False], dtype="bool")),
    ),
    "divnonan": each(
        lambda x, y: [raw.DivNoNan(x=x, y=y), raw.MulNoNan(x=x, y=y)],
        *(_ODD, table(0, 1, 2, 0, 0, 1, 0, 4, 5, 0, dtype="float32")),
    ),
    "zero_first": each(
        lambda x, y: [raw.Xlogy(x=x, y=y), raw.Xlog1py(x=x, y=y), raw.Xdivy(x=x, y=y)],
        *(table(0, 0, 1, 2, dtype="float32"), table(0, 3, 0.5, 1, dtype="float32")),
    ),
    "nearly": each(
        lambda x, y: raw.ApproximateEqual(x=x, y=y, tolerance=0.5),
        *(floats(6), floats(6, seed=2)),
    ),
    "addn": each(lambda x, y, z: raw.AddN(inputs=[x, y, z]), floats(2, 2), floats(2, 2, seed=2), floats(2, 2, seed=3)),
    "clip": each(lambda x, low: raw.ClipByValue(t=x, clip_value_min=low, clip_value_max=1.0), floats(3), floats(3)),
    "select": each(
        lambda c, x, y: [raw.SelectV2(condition=c[:, None], t=x, e=y), raw.Select(condition=c, x=x, y=y)],
        *(table(True, False, dtype="bool"), floats(2, 3), floats(2, 3, seed=2)),
    ),
    "cast": each(
        lambda x: [raw.Cast(x=x, DstT=kind) for kind in (tf.int32, tf.bool, tf.float64, tf.float16)],
        table(-1.7, 0.0, 2.5, dtype="float32"),
    ),
    "cast_cut": each(lambda x: raw.Cast(x=x, DstT=tf.bfloat16, Truncate=True), floats(3), refused="Truncate"),
    "bias": each(lambda x, b: raw.BiasAdd(value=x, bias=b), floats(1, 2, 2, 3), floats(3)),
    "bias_first": each(
        lambda x, b: raw.BiasAdd(value=x, bias=b, data_format="NCHW"),
        *(floats(1, 3, 2, 2), floats(3)),
        truth=lambda x, b: x + b[:, None, None],
    ),
    "half_square": each(lambda x: raw.L2Loss(t=x), floats(2, 3)),
    "cross_entropy": each(
        lambda x, y: raw.SoftmaxCrossEntropyWithLogits(features=x, labels=y),
        *(floats(2, 4), table([[0, 0, 1, 0], [0.5, 0.5, 0, 0]], dtype="float32")),
    ),
    "sparse_cross_entropy": Case(
        lambda x, y: raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=y),
        [[floats(2, 4), table(3, 0)], [floats(1, 4), table([2])]],
    ),
    "softmaxes": Case(lambda x: [raw.Softmax(logits=x), raw.LogSoftmax(logits=x)], [[floats(2, 4)], [floats(3, 1)]]),
    "fake_args": each(lambda x: raw.FakeQuantWithMinMaxArgs(inputs=x, min=-1.0, max=1.5), floats(2, 5)),
    "fake_vars": each(
        lambda x, a, b: raw.FakeQuantWithMinMaxVars(inputs=x, min=a, max=b, num_bits=4, narrow_range=True),
        *(floats(2, 5), table(-0.7, dtype="float32"), table(1.3, dtype="float32")),
    ),
    "fake_channels": each(
        lambda x, a, b: raw.FakeQuantWithMinMaxVarsPerChannel(inputs=x, min=a, max=b),
        *(floats(4, 3), table(-0.7, 0.0, -1.0, dtype="float32"), table(1.3, 0.0, 2.0, dtype="float32")),
    ),
    "codes": each(
        lambda x: raw.QuantizeAndDequantizeV2(
            input=x, input_min=-1.0, input_max=1.5, range_given=True, num_bits=4, round_mode="HALF_UP"
        ),
        floats(2, 5),
    ),
    "codes_of_all": each(
        lambda x: raw.QuantizeAndDequantizeV4(input=x, input_min=0.0, input_max=0.0, narrow_range=True),
        floats(2, 5),
    ),
    "codes_of_channels": each(
        lambda x: raw.QuantizeAndDequantizeV3(
            input=x,
            input_min=[-1.0, -0.5, -2.0],
            input_max=[1.0, 0.7, 0.1],
            num_bits=5,
            axis=1,
        ),
        floats(2, 3, 2),
    ),
    "codes_above": each(
        lambda x: raw.QuantizeAndDequantizeV2(input=x, input_min=0.0, input_max=0.0, signed_input=False),
        floats(4, low=0.0),
    ),
    "random": each(lambda x: x + raw.RandomUniform(shape=[3], dtype=tf.float32), floats(3), refused="random numbers"),
    "spectrum": each(lambda x: tf.abs(tf.signal.rfft(x)), floats(8), refused="complex numbers"),
    "text": each(lambda x: raw.AsString(input=x), floats(2), refused="texts"),
    "decomposed": each(lambda x: raw.Cholesky(input=x), numpy.eye(3, dtype="float32"), refused="decomposition"),
    "digamma": _unary("Digamma", table(0.1, 0.5, 1.0, 7.5, 30.0, -0.3, -2.6, dtype="float32")),
    "erfinv": _unary("Erfinv", table(-1.0, -0.999, -0.5, 0.0, 0.3, 0.9999, 1.0, dtype="float32")),
    "ndtri": _unary("Ndtri", table(0.0, 1e-4, 0.3, 0.5, 0.99, 1.0, dtype="float32")),
    "hues": each(lambda x: raw.RGBToHSV(images=x), floats(2, 4, 3, low=0.0, high=1.0)),
    "hues_grey": each(
        lambda x: raw.RGBToHSV(images=x), table([[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 0.5, 0.5]], dtype="float32")
    ),
    "colours": each(lambda x: raw.HSVToRGB(images=x), floats(2, 4, 3, low=0.0, high=1.0)),
    "colours_adjusted": each(
        lambda x: [
            raw.AdjustHue(images=x, delta=0.3),
            raw.AdjustSaturation(images=x, scale=1.5),
            raw.AdjustContrastv2(images=x, contrast_factor=0.7),
        ],
        floats(1, 3, 4, 3, low=0.0, high=1.0),
    ),
    "quantized": each(
        lambda x: raw.QuantizeV2(input=x, min_range=-1.0, max_range=1.0, T=tf.quint8).output_min,
        floats(3),
        refused="quantized types",
    ),
    "equal_apart": each(
        lambda x, y, z: [
            getattr(raw, name)(x=x, y=other, incompatible_shape_error=False)
            for name in ("Equal", "NotEqual")
            for other in (y, z)
        ],
        *(table([[1, 2], [3, 4]]), table(1, 2, 3), table(3, 2)),
    ),
    "extremes_of_nothing": each(
        lambda x, y, z: [
            getattr(raw, name)(input=one, axis=1, keep_dims=keeps)
            for name, keeps in (("Max", False), ("Min", True))
            for one in (x, y, z)
        ],
        *(floats(2, 0), integers(2, 0, 3), integers(3, 0, dtype="int64")),
    ),
    "no_elements": Case(
        lambda x: [
            raw.Softmax(logits=x),
            raw.LogSoftmax(logits=x),
            raw.Elu(features=x),
            raw.L2Loss(t=x),
            raw.AddN(inputs=[x, x]),
            raw.Cast(x=x, DstT=tf.int32),
        ],
        [[floats(0, 3)], [floats(2, 3)]],
    ),
}
