"""Operators with NumPy have the bits of their meanings; NaN stands for every NaN."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import Operator
from gradual.tensors.arrays.numpy_library import ieee_arithmetic
from gradual.tensors.fault import TensorFault
from gradual.tensors.scalar import TYPECODES, integer_range, kept
from gradual.tensors.tensor import Tensor, random_tensor, tensor_of
from gradual.types.dtype import DType
from tests.generators.operators import Application, rows
from tests.ops.test_catalogue import as_ints, holds, judged
from tests.thorough import examples

FAST = sorted({one.name for one in CATALOGUE.values() if one.fast is not None})

ODD = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1.5, math.inf, -math.inf, math.nan),
    *(5e-324, -1e-310, 2.0**-149, -(2.0**-133), 2.0**-126, 6e-8, -6.1e-5, 65504.0, 65519.99, 65520.0, 3.4e38, -1.7e308),
    *(1 + 2.0**-8, 1 + 2.0**-11, 1 + 2.0**-24, 1 + 2.0**-24 + 2.0**-52, -(1 + 2.0**-9), 2.0**53 + 2, 0.1, -0.7),
)
"""Zeros, infinities, NaN, subnormals, the ends of the ranges, and ties of each type of float."""


def drawn(random: Random, dtype: DType) -> Any:
    """An element: ordinary, of any magnitude, or odd."""
    kind = random.random()
    if dtype is DType.BOOL:
        return random.getrandbits(1)
    if dtype.is_integer:
        low, high = integer_range(dtype)
        return random.choice((low, high, 0, 1)) if kind < 0.2 else random.randint(max(low, -9), min(high, 9))
    if kind < 0.4:
        return random.choice(ODD)
    return random.uniform(-2, 2) if kind < 0.8 else math.ldexp(random.uniform(-1, 1), random.randint(-160, 130))


def other_elements(value: Any, random: Random) -> Any:
    """A value of the same type with other elements."""
    if isinstance(value, tuple):
        return tuple(other_elements(part, random) for part in value)
    flat = [drawn(random, value.dtype) for _ in value.elements]
    return tensor_of(value.shape, value.dtype, kept(value.dtype, flat))


def bits(value: Any) -> Any:
    """Shape, type and bytes of each tensor, with one NaN in place of all."""
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    assert isinstance(value, Tensor)
    assert isinstance(value.elements, array) and value.elements.typecode == TYPECODES[value.dtype]
    elements = value.elements
    if value.dtype.is_float:
        elements = array(elements.typecode, [part if part == part else math.nan for part in elements])
    return value.shape, value.dtype, elements.tobytes()


def outcome(function: Any, application: Application, attributes: dict[str, Any]) -> Any:
    """The bits of a result, None, or the code of a fault."""
    try:
        found = function(*application.arguments, **attributes)
    except TensorFault as fault:
        return fault.code
    return found if found is None else bits(found)


def agree(one: Operator, application: Application) -> bool:
    """Whether NumPy was used; assert that it gives the outcome of the meaning."""
    attributes = {name: as_ints(value) for name, value in bound(one, application.attributes).items()}
    with ieee_arithmetic(True):
        found = outcome(one.fast, application, attributes)
    if found is None:
        return False
    assert found == outcome(one.meaning, application, attributes)
    return True


def test_the_operators_that_a_model_spends_its_time_on_are_fast() -> None:
    usual = {"nn.dense", "nn.matmul", "nn.batch_matmul", "nn.conv2d", "add", "multiply", "nn.relu", "nn.bias_add"}
    assert usual | {"nn.softmax", "nn.layer_norm", "nn.batch_norm", "sqrt"} <= set(FAST)


def test_functions_that_numpy_may_compute_otherwise_are_not() -> None:
    assert not {"exp", "log", "tanh", "sigmoid", "erf", "sin", "power"} & set(FAST)


@pytest.mark.parametrize("name", FAST)
@examples(40)
@given(data=st.data())
def test_an_operator_has_the_bits_of_its_meaning(name: str, data: st.DataObject) -> None:
    one, application = CATALOGUE[name], data.draw(rows()[name])
    random = Random(data.draw(st.integers(0, 1 << 32)))
    other = replace(application, arguments=tuple(other_elements(value, random) for value in application.arguments))
    for each in (application, other):
        if holds(judged(one, each), {}):
            agree(one, each)


@pytest.mark.parametrize("name", FAST)
def test_numpy_is_used_for_some_operands(name: str) -> None:
    one, used = CATALOGUE[name], list[bool]()

    @settings(max_examples=40, deadline=None, derandomize=True)
    @given(rows()[name])
    def law(application: Application) -> None:
        if holds(judged(one, application), {}):
            used.append(agree(one, application))

    law()
    assert any(used)


LARGE = (
    ("nn.dense", ((70, 96), (45, 96)), {}),
    ("nn.matmul", ((3, 20, 130), (130, 33)), {}),
    ("nn.matmul", ((64, 31), (64, 12)), {"transpose_a": True}),
    ("nn.batch_matmul", ((4, 17, 64), (1, 29, 64)), {"transpose_b": True}),
    ("nn.batch_matmul", ((2, 80, 17), (2, 17, 9)), {}),
    ("nn.conv1d", ((2, 8, 40), (16, 8, 5)), {"strides": [2], "padding": [3]}),
    ("nn.conv2d", ((1, 12, 19, 18), (24, 12, 3, 3)), {"padding": [1, 1]}),
    ("nn.conv2d", ((2, 12, 9, 9), (12, 1, 3, 3)), {"groups": 12, "dilation": [2, 2]}),
    ("nn.conv2d", ((1, 4, 9, 9), (4, 3, 3, 3)), {"groups": 4, "channels": 12}),
    ("nn.conv1d_transpose", ((2, 8, 21), (8, 9, 4)), {"strides": [2], "padding": [1]}),
    ("nn.conv2d_transpose", ((1, 24, 9, 8), (24, 7, 4, 4)), {"strides": [2, 2], "padding": [1, 1], "groups": 2}),
    ("nn.conv3d", ((1, 6, 8, 7, 6), (8, 3, 2, 3, 2)), {"groups": 2}),
)
"""Contractions of sizes at which error intervals are of use: operator, shapes, attributes."""


@pytest.mark.parametrize("dtype", [one for one in DType if one is not DType.BOOL])
@pytest.mark.parametrize(("name", "shapes", "attributes"), LARGE)
def test_large_contractions(
    name: str, shapes: tuple[tuple[int, ...], ...], attributes: dict[str, Any], dtype: DType
) -> None:
    for seed in range(3):
        plain = tuple(random_tensor(shape, dtype, seed + place) for place, shape in enumerate(shapes))
        odd = tuple(other_elements(value, Random(seed)) for value in plain)
        for given_ in (plain, odd, (plain[0], odd[1])):
            assert agree(CATALOGUE[name], Application(given_, attributes))


@pytest.mark.parametrize("source", [DType.INT8, DType.INT64, DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16])
@pytest.mark.parametrize("target", ["int8", "int32", "uint64", "float16", "float32", "float64"])
def test_contractions_to_another_type(source: DType, target: str) -> None:
    if source.is_float and not DType(target).is_float:
        return
    for seed in range(3):
        sides = tuple(other_elements(random_tensor((9, 33), source, 0), Random(seed + place)) for place in range(2))
        agree(CATALOGUE["nn.dense"], Application(sides, {"out_dtype": target}))
