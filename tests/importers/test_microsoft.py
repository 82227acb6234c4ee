"""Operators that ONNX Runtime adds to ONNX, against their definitions written out with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from math import erf
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, helper, numpy_helper

import gradual
from gradual.importers.onnx.file.reading import model_of, read
from gradual.importers.onnx.importers import IMPORTERS
from gradual.importers.onnx.microsoft.blocked import block_of
from gradual.importers.onnx.program import program
from gradual.run.value import Fault
from tests.importers.models import declared, given, model, node, ones, port, refused, same, signature, stops
from tests.importers.node_tests import tensor
from tests.material import ROOT

OPSETS = {"com.microsoft": 1, "com.microsoft.nchwc": 1}


def one(operator: str, words: str, inputs: Any, outputs: str = "y", **settings: Any) -> ModelProto:
    """A model of one node of the runtime's domain, whose inputs have shapes or are constants."""
    taken = {name: value for name, value in inputs.items() if name in words.split()}
    return several([node(operator, words, outputs, domain="com.microsoft", **settings)], taken, outputs)


def several(nodes: Any, inputs: Any, outputs: str = "y") -> ModelProto:
    ports = [port(name, *kind) for name, value in inputs.items() if (kind := declared(value))]
    constants = {name: value for name, value in inputs.items() if declared(value) is None}
    made = model(nodes, ports, [port(name, None) for name in outputs.split() if name != "-"], constants)
    made.opset_import.extend(helper.make_opsetid(*each) for each in OPSETS.items())
    return made


def near(found: Any, wanted: Any) -> bool:
    return found.shape == np.shape(wanted) and np.allclose(found, wanted, rtol=1e-5, atol=1e-5)


def f32(*shape: int) -> Any:
    """Numbers of both signs."""
    return ((np.arange(np.prod(shape)) * 37 % 23 - 11) / 4).astype(np.float32).reshape(shape)


def eight(*shape: int) -> Any:
    """Codes all over the range of uint8."""
    return (np.arange(np.prod(shape)) * 37 % 251).astype(np.uint8).reshape(shape)


def softmax(x: Any) -> Any:
    raised = np.exp(x - x.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def normal(x: Any, epsilon: float = 1e-12) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon)


# -------------------------------------------------------------------------------------------------------- activations
def gelu(x: Any) -> Any:
    return x * (1 + np.vectorize(erf)(x / np.sqrt(2))) / 2


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "Gelu": gelu,
    "FastGelu": lambda x: 0.5 * x * (1 + np.tanh(0.797885 * x + 0.035677 * x**3)),
    "QuickGelu": lambda x: x / (1 + np.exp(-1.702 * x)),
}


@pytest.mark.parametrize("operator", ACTIVATIONS)
def test_activations(operator: str) -> None:
    x = f32(2, 5)
    assert near(given(one(operator, "x", {"x": ["n", 5]}), x), ACTIVATIONS[operator](x))


@pytest.mark.parametrize("operator", ["BiasGelu", "FastGelu"])
def test_a_bias_before_an_activation_fits_the_last_axis(operator: str) -> None:
    x, bias = f32(2, 5), f32(5) + 1
    wanted = ACTIVATIONS["FastGelu" if operator == "FastGelu" else "Gelu"](x + bias)
    assert near(given(one(operator, "x b", {"x": ["n", 5], "b": bias}), x), wanted)
    stops(one(operator, "x b", {"x": ["n", None], "b": bias}), x[:, :1])
    refused(one(operator, "x b", {"x": ["n", 5], "b": bias[None]}), "a tensor of rank 2 where a vector has to be")


def test_half_of_the_last_axis_is_activated() -> None:
    x, bias = f32(1, 2, 6), f32(6)
    wanted = (x + bias)[..., :3] * gelu((x + bias)[..., 3:])
    assert near(given(one("BiasSplitGelu", "x b", {"x": [1, "n", 6], "b": bias}), x), wanted)


# ----------------------------------------------------------------------------------------------------- normalizations
def test_a_sum_is_normalized_and_given_too() -> None:
    x, skip, gamma, beta, bias = f32(2, 3, 4), f32(3, 4) + 1, f32(4), f32(4) * 2, f32(4) - 1
    inputs = {"x": ["n", 3, 4], "k": ([3, 4], "float32"), "g": gamma, "b": beta, "c": bias}
    found = given(one("SkipLayerNormalization", "x k g b c", inputs, "y - - s"), x, skip)
    assert near(found[1], x + skip + bias) and near(found[0], normal(x + skip + bias) * gamma + beta)
    found = given(one("SkipSimplifiedLayerNormalization", "x k g c", inputs, "y - - s", epsilon=0.5), x, skip)
    whole = x + skip + bias
    assert near(found[0], whole / np.sqrt((whole**2).mean(-1, keepdims=True) + 0.5) * gamma)
    stops(one("SkipLayerNormalization", "x k g b", inputs | {"x": [2, 3, None]}), x[..., :1], skip)
    refused(one("SkipLayerNormalization", "k x g b", inputs), "of rank 3 that is broadcast to one of rank 2")


@pytest.mark.parametrize("opset", [15, 21])
def test_normalizations_of_the_runtime_are_in_onnx_domain_too(opset: int) -> None:
    """Its optimizer writes `LayerNormalization` into models of versions that have none."""
    x, scale = f32(2, 4), f32(4)
    nodes = [node("LayerNormalization", "x s", "a"), node("SimplifiedLayerNormalization", "a s", "y")]
    made = model(nodes, [port("x", ["n", 4])], [port("y", None)], {"s": scale}, opset=opset)
    imported = program(read(made))
    first = normal(x, 1e-5) * scale
    wanted = first / np.sqrt((first**2).mean(-1, keepdims=True) + 1e-5) * scale
    found = gradual.check(imported.text).run("@main", tensor(x), *imported.weights.values())
    assert np.allclose(found.flat(), wanted.ravel(), atol=1e-5)


def test_groups_of_channels_are_normalized_wherever_channels_are() -> None:
    x, skip, gamma, beta, bias = f32(1, 4, 2, 3), f32(1, 4), f32(4), f32(4) - 1, f32(4) * 2
    whole = x + (skip + bias)[..., None, None]
    groups = normal(whole.reshape(1, 2, 12), 1e-5).reshape(x.shape)
    plain = groups * gamma[:, None, None] + beta[:, None, None]
    wanted = plain / (1 + np.exp(-plain))
    inputs = {"x": [1, 2, 3, 4], "g": gamma, "b": beta, "k": skip, "c": bias}
    made = one("SkipGroupNorm", "x g b k c", inputs, "y s", groups=2, activation=1)
    found = given(made, np.moveaxis(x, 1, -1))
    assert near(found[0], np.moveaxis(wanted, 1, -1)) and near(found[1], np.moveaxis(whole, 1, -1))
    made = one("GroupNorm", "x g b", inputs | {"x": [1, 4, 2, 3]}, groups=2, activation=0, channels_last=0)
    assert near(given(made, whole), plain)


def test_embeddings_are_summed_and_normalized() -> None:
    words, places, segments, gamma, beta = f32(7, 4), f32(5, 4), f32(2, 4) + 1, f32(4), f32(4) - 1
    ids, kinds, mask = np.int32([[1, 6, 2]]), np.int32([[0, 1, 1]]), np.int32([[1, 1, 0]])
    tables = {"w": words, "p": places, "s": segments, "g": gamma, "b": beta}
    inputs = {"i": (["n", 3], "int32"), "k": (["n", 3], "int32"), "m": (["n", 3], "int32"), **tables}
    found = given(one("EmbedLayerNormalization", "i k w p s g b m", inputs, "y c e"), ids, kinds, mask)
    whole = words[ids] + places[:3] + segments[kinds]
    assert near(found[2], whole) and near(found[0], normal(whole) * gamma + beta) and same(found[1], np.int32([2]))
    inputs = {"i": ([1, "n"], "int32"), **tables}
    made = one("EmbedLayerNormalization", "i - w p - g b", inputs, "y c")
    (error,) = [one for one in gradual.check(program(model_of(made)).text).diagnostics if one.severity == "error"]
    assert error.data["counterexample"] == {"n": 6}


def test_embeddings_may_be_quantized() -> None:
    tables = {
        name: eight(*shape) for name, shape in {"w": (7, 4), "p": (5, 4), "s": (2, 4), "g": (4,), "b": (4,)}.items()
    }
    steps, zeros = (
        {f"{name}{kind}": value for name in tables} for kind, value in (("t", np.float32(0.1)), ("z", np.uint8(9)))
    )
    ids, kinds = np.int32([[1, 6, 2]]), np.int32([[0, 1, 1]])
    inputs = {"i": (["n", 3], "int32"), "k": (["n", 3], "int32"), **tables, **steps, **zeros}
    words = " ".join(["i k w p s g b -", *steps, *zeros])
    found = given(one("QEmbedLayerNormalization", words, inputs, "y c"), ids, kinds)
    w, p, s, gamma, beta = ((table - 9.0) * np.float32(0.1) for table in tables.values())
    assert near(found[0], normal(w[ids] + p[:3] + s[kinds]) * gamma + beta) and same(found[1], np.int32([0]))


# ----------------------------------------------------------------------------------------------------------- products
def test_operands_of_a_product_are_transposed() -> None:
    a, b = f32(2, 3, 4), f32(2, 5, 3)
    made = one("FusedMatMul", "a b", {"a": ["n", 3, 4], "b": ["n", 5, 3]}, transA=1, transB=1, alpha=0.5)
    assert near(given(made, a, b), np.einsum("nki,njk->nij", a, b) / 2)
    made = one("FusedMatMul", "a b", {"a": [3, "n", 4], "b": ["n", 4, 5]}, transBatchA=1)
    assert near(given(made, f32(3, 2, 4), f32(2, 4, 5)), np.einsum("inj,njk->nik", f32(3, 2, 4), f32(2, 4, 5)))


def test_products_and_convolutions_have_activations() -> None:
    a, b, c = f32(2, 3), f32(3, 4), f32(4)
    made = one("FusedGemm", "a b c", {"a": ["n", 3], "b": b, "c": c}, activation="LeakyRelu", activation_alpha=0.25)
    whole = a @ b + c
    assert near(given(made, a), np.where(whole < 0, whole / 4, whole))
    x, w, z = f32(1, 2, 3, 3), f32(2, 2, 1, 1), f32(1, 2, 3, 3) + 1
    inputs = {"x": [1, 2, 3, 3], "w": w, "z": [1, 2, 3, None]}
    made = one("FusedConv", "x w - z", inputs, activation="Clip", activation_params=[-1.0, 2.0])
    whole = np.einsum("oi,nihw->nohw", w[..., 0, 0], x) + z
    assert near(given(made, x, z), np.clip(whole, -1, 2))
    stops(made, x, z[..., :1])
    refused(one("FusedConv", "x w", inputs, activation="Mish"), "activation='Mish'")


def test_a_convolution_with_its_channels_last() -> None:
    x, w, b = f32(1, 3, 3, 2), f32(4, 1, 1, 2), f32(4)
    made = one("NhwcConv", "x w b", {"x": ["n", 3, 3, 2], "w": w, "b": b})
    assert near(given(made, x), np.einsum("nhwi,oi->nhwo", x, w[:, 0, 0]) + b)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("zeros", ["none", "packed", "numbers"])
def test_weights_of_few_bits_are_unpacked(bits: int, zeros: str) -> None:
    """Three outputs, 20 features in 2 blocks of 16."""
    codes = np.arange(96).reshape(3, 2, 16) * 7 % (1 << bits)
    scale = np.float32([[1, 2], [0.5, 4], [0.25, 1]])
    zero = np.full((3, 2), 1 << bits - 1) if zeros == "none" else np.array([[0, 1], [1, 1], [1, 0]])
    weight = ((codes - zero[..., None]) * scale[..., None]).reshape(3, 32)[:, :20]
    inputs = {"x": ["n", 20], "w": packed(codes, bits), "s": scale}
    inputs["z"] = packed(zero, bits) if zeros == "packed" else zero.astype(np.float32)
    words = "x w s" if zeros == "none" else "x w s z"
    made = one("MatMulNBits", words, inputs, K=20, N=3, bits=bits, block_size=16)
    assert near(given(made, f32(2, 20)), f32(2, 20) @ weight.T)
    stops(one("MatMulNBits", words, inputs | {"x": ["n", None]}, K=20, N=3, bits=bits, block_size=16), f32(2, 19))


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_rows_of_few_bits_are_unpacked(bits: int) -> None:
    codes = np.arange(96).reshape(3, 32) * 7 % (1 << bits)
    scale, zero = np.float32([[1, 2], [0.5, 4], [0.25, 1]]), np.array([[0, 1], [1, 1], [1, 0]])
    numbers = ((codes.reshape(3, 2, 16) - zero[..., None]) * scale[..., None]).reshape(3, 32)
    inputs = {"w": packed(codes, bits), "i": (["n"], "int64"), "s": scale, "z": packed(zero, bits)}
    made = one("GatherBlockQuantized", "w i s z", inputs, bits=bits, block_size=16)
    assert near(given(made, np.int64([2, -3])), numbers[[2, 0]])
    stops(made, np.int64([3]))


def packed(codes: Any, bits: int) -> Any:
    """Codes along the last axis as bytes, the first in the lowest bits."""
    each = 8 // bits
    padded = np.pad(codes, [(0, 0)] * (codes.ndim - 1) + [(0, -codes.shape[-1] % each)])
    groups = padded.reshape(*padded.shape[:-1], -1, each)
    return (groups << np.arange(each) * bits).sum(-1).astype(np.uint8)


def test_what_is_laid_out_for_accelerators_is_refused() -> None:
    inputs = {"x": ["n", 16], "w": np.zeros((1, 1, 8), np.uint8), "s": np.ones((1, 1), np.float32)}
    settings = {"K": 16, "N": 1, "block_size": 16}
    refused(one("MatMulNBits", "x w s", inputs, weight_prepacked=1, **settings), "laid out for an accelerator")
    refused(one("MatMulNBits", "x w s", inputs, bits=3, **settings), "codes of 3 bits")
    made = one("MatMulNBits", "x w s", inputs | {"w": inputs["w"][..., :4]}, **settings)
    assert [one.code for one in gradual.check(program(model_of(made)).text).diagnostics] == ["E0301"]


# ---------------------------------------------------------------------------------------------------------- attention
def heads(x: Any, count: int) -> Any:
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def attended(q: Any, k: Any, v: Any, added: Any = 0) -> Any:
    weights = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1]) + added)
    found = (weights @ v).transpose(0, 2, 1, 3)
    return found.reshape(*found.shape[:2], -1)


MASKS = {
    "keys": (np.int32([[1, 1, 0], [0, 1, 1]]), np.array([[1, 1, 0], [0, 1, 1]])[:, None, None]),
    "ends": (np.int32([2, 1]), np.array([[1, 1, 0], [1, 0, 0]])[:, None, None]),
    "ends and starts": (np.int32([2, 3, 0, 1]), np.array([[1, 1, 0], [0, 1, 1]])[:, None, None]),
    "places": (np.int32(np.eye(3))[None].repeat(2, 0), np.eye(3)[None, None]),
}


@pytest.mark.parametrize("form", MASKS)
def test_masks_of_attention(form: str) -> None:
    x, weight, bias = f32(2, 3, 5), f32(5, 12), f32(12)
    mask, kept = MASKS[form]
    shape = {"ends and starts": [4], "ends": [2]}.get(form, [2, 3] if form == "keys" else [2, 3, 3])
    made = one("Attention", "x w b m", {"x": [2, 3, 5], "w": weight, "b": bias, "m": (shape, "int32")}, num_heads=2)
    q, k, v = (heads(part, 2) for part in np.split(x @ weight + bias, 3, 2))
    assert near(given(made, x, mask), attended(q, k, v, np.where(kept, 0, -10000)))


def test_a_mask_fits_the_batch_and_the_keys() -> None:
    inputs = {"x": [2, 3, 5], "w": f32(5, 12), "m": ([None, 3], "int32")}
    stops(one("Attention", "x w - m", inputs, num_heads=2), f32(2, 3, 5), MASKS["keys"][0][:1])
    refused(one("Attention", "x w", inputs, num_heads=3), "a hidden size of 4 in 3 heads")
    refused(one("Attention", "x w", inputs, num_heads=2, do_rotary=1), "rotary embeddings")


def test_attention_sees_what_was_before_and_nothing_later() -> None:
    x, weight, past = f32(1, 2, 5), f32(5, 12), f32(2, 1, 2, 3, 2)
    inputs = {"x": [1, "n", 5], "w": weight, "p": [2, 1, 2, "m", 2]}
    made = one("Attention", "x w - - p", inputs, "y q", num_heads=2, unidirectional=1)
    found = given(made, x, past)
    q, k, v = (heads(part, 2) for part in np.split(x @ weight, 3, 2))
    k, v = (np.concatenate(pair, 2) for pair in ((past[0], k), (past[1], v)))
    assert near(found[0], attended(q, k, v, np.where(np.tri(2, 5, 3), 0, -np.inf)))
    assert near(found[1], np.stack([k, v]))


def test_attention_of_keys_that_are_given() -> None:
    q, k, v, bias = f32(2, 3, 4), f32(2, 5, 4) + 1, f32(2, 5, 6), f32(14)
    inputs = {"q": ["n", 3, 4], "k": ["n", 5, 4], "v": ["n", 5, 6], "b": bias}
    wanted = attended(heads(q + bias[:4], 2), heads(k + bias[4:8], 2), heads(v + bias[8:], 2))
    assert near(given(one("MultiHeadAttention", "q k v b", inputs, num_heads=2), q, k, v), wanted)
    three = f32(2, 3, 2, 3, 4)
    made = one("MultiHeadAttention", "q", {"q": ["n", "s", 2, 3, 4]}, num_heads=2)
    assert near(given(made, three), attended(*(three[:, :, :, at].transpose(0, 2, 1, 3) for at in range(3))))
    made = one("MultiHeadAttention", "q k v", inputs, num_heads=2, unidirectional=1)
    refused(made, "there may be more or fewer keys than places")


@pytest.mark.parametrize("interleaved", [0, 1])
def test_pairs_of_features_are_turned_by_their_place(interleaved: int) -> None:
    x, cosine, sine, places = f32(1, 2, 8), f32(5, 2), f32(5, 2) + 1, np.int64([[4, 0]])
    heads = x.reshape(1, 2, 2, 4)
    c, s = cosine[places][:, :, None], sine[places][:, :, None]
    first, second = (heads[..., ::2], heads[..., 1::2]) if interleaved else (heads[..., :2], heads[..., 2:])
    turned = first * c - second * s, first * s + second * c
    wanted = np.stack(turned, -1).reshape(1, 2, 8) if interleaved else np.concatenate(turned, -1).reshape(1, 2, 8)
    inputs = {"x": ["n", 2, 8], "p": (["n", 2], "int64"), "c": cosine, "s": sine}
    made = one("RotaryEmbedding", "x p c s", inputs, interleaved=interleaved)
    assert near(given(made, x, places), wanted)
    refused(one("RotaryEmbedding", "x p c s", inputs, scale=2.0), "scale=2.0")


# -------------------------------------------------------------------------------------------------------------- codes
def test_sums_of_codes_are_rounded_after_the_zero_point() -> None:
    """-0.5 and an odd zero point is half way to an even number."""
    parts = {"s": np.float32(0.5), "z": np.uint8(4), "t": np.float32(1), "u": np.uint8(3)}
    inputs = {"a": (["n"], "uint8"), "b": (["n"], "uint8"), **parts}
    a, b = np.uint8([4, 5, 255, 0]), np.uint8([3, 4, 255, 0])
    assert same(given(one("QLinearAdd", "a s z b s z t u", inputs), a, b), np.uint8([2, 4, 254, 0]))
    wanted = np.clip(np.round((a - 4.0) * (b - 4.0) / 4 + 3), 0, 255).astype(np.uint8)
    assert same(given(one("QLinearMul", "a s z b s z t u", inputs), a, b), wanted)


def test_codes_of_functions() -> None:
    parts = {"s": np.float32(0.5), "z": np.int8(1), "t": np.float32(1 / 128), "u": np.int8(-5)}
    inputs, x = {"x": (["n", 4], "int8"), **parts}, np.int8([[-128, 0, 1, 127], [3, 4, 5, 6]])
    numbers = (x - np.float32(1)) / 2

    def codes(found: Any, step: float = 1 / 128) -> Any:
        return np.clip(np.round(found / step) - 5, -128, 127).astype(np.int8)

    assert same(given(one("QLinearSigmoid", "x s z t u", inputs), x), codes(1 / (1 + np.exp(-numbers))))
    leaky = one("QLinearLeakyRelu", "x s z t u", inputs, alpha=0.5)
    assert same(given(leaky, x), codes(np.where(numbers < 0, numbers / 2, numbers)))
    assert same(given(one("QLinearSoftmax", "x s z t u", inputs, opset=13), x), codes(softmax(numbers)))
    mean = one("QLinearReduceMean", "x s z t u", inputs, axes=[1], keepdims=0)
    assert same(given(mean, x), codes(numbers.mean(1)))
    inputs = {"c": (["n", 4], "bool")} | inputs
    chosen = one("QLinearWhere", "c x s z x s z t u", inputs)
    assert same(given(chosen, x > 0, x), codes(numbers))
    joined = one("QLinearConcat", "t u x s z x t u", inputs, axis=0)
    assert same(given(joined, x), np.concatenate([codes(numbers), codes((x + 5.0) / 128)]))


@pytest.mark.parametrize("last", [0, 1])
def test_pools_of_codes(last: int) -> None:
    parts = {"s": np.float32(0.5), "z": np.uint8(1), "t": np.float32(0.5), "u": np.uint8(2)}
    x = (np.arange(32) * 37 % 251).astype(np.uint8).reshape(1, 2, 4, 4)
    inputs = {"x": ([1, 4, 4, 2] if last else [1, 2, 4, 4], "uint8"), **parts}
    laid = np.moveaxis(x, 1, -1) if last else x
    windows = x.reshape(1, 2, 2, 2, 2, 2)
    means = np.round(windows.mean((3, 5)) + 1).astype(np.uint8)
    settings = {"kernel_shape": [2, 2], "strides": [2, 2]}
    found = given(one("QLinearAveragePool", "x s z t u", inputs, channels_last=last, **settings), laid)
    assert same(np.moveaxis(found, -1, 1) if last else found, means)
    whole = given(one("QLinearGlobalAveragePool", "x s z t u", inputs, channels_last=last), laid)
    assert same(whole.ravel(), np.round(x.mean((2, 3)) - 1 + 2).astype(np.uint8).ravel())
    if last:
        assert same(np.moveaxis(given(one("NhwcMaxPool", "x", inputs, **settings), laid), -1, 1), windows.max((3, 5)))


def test_products_of_codes() -> None:
    a, b, c = np.uint8([[1, 250], [3, 4]]), np.int8([[-128, 5, 6], [7, 8, 127]]), np.int32([10, -10, 0])
    parts = {"s": np.float32(0.5), "z": np.uint8(3), "t": np.float32([1, 2, 0.25]), "u": np.int8([1, 0, -1])}
    inputs = {"a": (["n", 2], "uint8"), "b": b, "c": c, "p": np.float32(4), "q": np.uint8(9), **parts}
    whole = (a.astype(int) - 3) @ (b - np.array([1, 0, -1]))
    numbers = (whole + c) * 0.5 * parts["t"]
    assert near(given(one("QGemm", "a s z b t u c", inputs), a), numbers)
    codes = np.clip(np.round(numbers / 8) + 9, 0, 255).astype(np.uint8)
    assert same(given(one("QGemm", "a s z b t u c p q", inputs, alpha=0.5), a), codes)
    bias = {"e": np.float32([1, 2, 3])}
    found = given(one("MatMulIntegerToFloat", "a b s t z u e", inputs | bias), a)
    assert near(found, whole * 0.5 * parts["t"] + bias["e"])
    x = np.float32([[0, 2.55], [1, 0.5]])
    made = one("DynamicQuantizeMatMul", "x b t u e", inputs | bias | {"x": ["n", 2]})
    assert np.allclose(given(made, x), x @ ((b.astype(int) - parts["u"]) * parts["t"]) + bias["e"], atol=1e-3)
    wide = one("MatMulInteger16", "a b", {"a": np.int16([[300, 2]]), "b": np.int16([[300], [-5]])})
    assert same(given(wide), np.int32([[89990]]))


# ------------------------------------------------------------------------------------------------- channels in blocks
def laid_out(weight: Any, block: int, rows: bool) -> Any:
    """A weight as the runtime stores it: by blocks of outputs, and of inputs, too, with `rows`."""
    out, each, height, width = weight.shape
    if rows:
        split = weight.reshape(out // block, block, each // block, block, height, width)
        return split.transpose(0, 2, 4, 5, 3, 1).reshape(weight.shape)
    return weight.reshape(out // block, block, each, height, width).transpose(0, 2, 3, 4, 1).reshape(weight.shape)


def images(block: int, channels: int) -> tuple[ModelProto, Any]:
    """Two convolutions and a pool in blocks; and what they are with plain weights."""
    first, second = f32(2 * block, 3, 1, 1), f32(block, 2 * block, 1, 1)
    inputs = {
        "x": ["n", 3, 4, 4],
        "v": laid_out(first, block, False),
        "w": laid_out(second, block, True),
        "b": f32(2 * block),
    }
    nodes = [
        node("Conv", "x v b", "a", domain="com.microsoft.nchwc", activation="Relu"),
        node("MaxPool", "a", "m", domain="com.microsoft.nchwc", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "m w", "c", domain="com.microsoft.nchwc"),
        node("ReorderOutput", "c", "y", domain="com.microsoft.nchwc", channels=channels),
    ]

    def wanted(x: Any) -> Any:
        raised = np.maximum(np.einsum("oi,nihw->nohw", first[..., 0, 0], x) + f32(2 * block)[:, None, None], 0)
        greatest = raised.reshape(*raised.shape[:2], 2, 2, 2, 2).max((3, 5))
        return np.einsum("oi,nihw->nohw", second[..., 0, 0], greatest)[:, :channels]

    return several(nodes, inputs), wanted


@pytest.mark.parametrize(("block", "channels"), [(8, 8), (8, 5), (16, 7), (16, 2)])
def test_channels_in_blocks_whose_size_the_model_tells(block: int, channels: int) -> None:
    made, wanted = images(block, channels)
    assert block_of(model_of(made)) == block
    assert near(given(made, f32(2, 3, 4, 4)), wanted(f32(2, 3, 4, 4)))


def test_the_size_of_a_block_follows_from_what_a_convolution_takes() -> None:
    """8 channels in blocks are blocks of 8, and 8 channels of a plain image are less than a block."""
    first, second = f32(16, 8, 1, 1), f32(16, 3, 1, 1)
    plain = [node("Conv", "x v", "y", domain="com.microsoft.nchwc")]
    assert block_of(model_of(several(plain, {"x": ["n", 8, 4, 4], "v": first}))) == 16
    behind = [node("ReorderInput", "x", "a", domain="com.microsoft.nchwc")]
    behind += [node("Conv", "a v", "y", domain="com.microsoft.nchwc")]
    assert block_of(model_of(several(behind, {"x": ["n", 8, 4, 4], "v": first}))) == 8
    either = [node("Conv", "x v", "y", domain="com.microsoft.nchwc")]
    assert block_of(model_of(several(either, {"x": ["n", 3, 4, 4], "v": second}))) is None
    made = several(either, {"x": ["n", 3, 4, 4], "v": f32(12, 3, 1, 1)})
    refused(made, "blocks neither of 8 nor of 16 channels")


def test_channels_in_blocks_whose_size_nothing_tells_are_checked_and_not_run() -> None:
    made, _ = images(16, 16)
    assert block_of(model_of(made)) is None
    imported = program(model_of(made))
    compilation = gradual.check(imported.text)
    assert compilation.ok and signature(compilation).endswith("-> Tensor[(n, 16, 2, 2), float32]")
    with pytest.raises(Fault, match="unblocked"):
        compilation.run("@main", tensor(f32(1, 3, 4, 4)), *imported.weights.values())


def test_an_image_that_is_reordered_and_back_is_itself() -> None:
    x = f32(1, 4, 2, 3)
    nodes = [
        node("ReorderInput", "x", "a", domain="com.microsoft.nchwc"),
        node("GlobalMaxPool", "a", "m", domain="com.microsoft.nchwc"),
        node("ReorderOutput", "m", "y", domain="com.microsoft.nchwc", channels=4),
    ]
    refused(several(nodes, {"x": ["n", 4, 2, 3]}), "4 channels in blocks of 8 or of 16")
    wide = np.concatenate([x] * 4, 1)
    nodes[2] = node("ReorderOutput", "m", "y", domain="com.microsoft.nchwc", channels=16)
    assert near(given(several(nodes, {"x": ["n", 16, 2, 3]}), wide), wide.max((2, 3), keepdims=True))
    last = [node("ReorderInput", "x", "a", domain="com.microsoft.nchwc", channels_last=1)]
    last += [node("ReorderOutput", "a", "y", domain="com.microsoft.nchwc", channels=16, channels_last=1)]
    image = np.moveaxis(wide, 1, -1)
    assert same(given(several(last, {"x": ["n", 2, 3, 16]}), image), image)


def test_other_operators_of_the_domain_are_refused_by_name() -> None:
    says = "Sampling `y`: an operator of the domain com.microsoft that is not imported"
    refused(one("Sampling", "x", {"x": ["n"]}), says)
    assert numpy_helper.to_array(several([], {"x": ones(2)}).graph.initializer[0]).tolist() == [0, 1]


def test_the_operators_that_are_imported_are_listed_for_users() -> None:
    page = (ROOT / "docs/how-to/import-onnx.md").read_text()
    listed = page.partition("write them: ")[2].partition(".\n")[0]
    assert listed == ", ".join(f"`{name}`" for domain, name in sorted(IMPORTERS) if domain == "com.microsoft")
