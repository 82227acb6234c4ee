"""What a refuted requirement says of sizes: the two that must agree, as they are compared, the first axis first."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradual
from gradual.dims.term.constraint import FALSE
from gradual.dims.term.dim import constant
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed
from gradual.tensors.tensor import Tensor
from gradual.types.type import OpenedType, TensorType, TupleType
from tests.generators.operators import rows

OPERATORS = sorted({one.name for one in CATALOGUE.values() if one.name in rows()})


def type_of(value: Any) -> OpenedType:
    if isinstance(value, tuple):
        return TupleType(tuple(map(type_of, value)))
    assert isinstance(value, Tensor), value
    known = value.rank <= 1 and value.dtype.counts
    return TensorType(
        tuple(map(constant, value.shape)), value.dtype, tuple(map(constant, value.flat())) if known else None
    )


@pytest.mark.parametrize("name", OPERATORS)
@settings(max_examples=20)
@given(data=st.data())
def test_two_sides_that_do_not_agree_are_two_numbers(name: str, data: st.DataObject) -> None:
    """An application with a size changed: a need of numbers that fails has sides that differ."""
    drawn = data.draw(rows()[name])
    types = [type_of(value) for value in drawn.arguments]
    places = [(k, axis) for k, one in enumerate(types) if isinstance(one, TensorType) for axis in range(one.rank)]
    if places:
        k, axis = data.draw(st.sampled_from(places))
        whole = types[k]
        assert isinstance(whole, TensorType)
        shape = list(whole.shape)
        shape[axis] += data.draw(st.integers(1, 3))
        types[k] = replace(whole, shape=tuple(shape), contents=None)
    operator = CATALOGUE[name].form([""] * len(types))
    try:
        judgement = operator.judge(*types, **bound(operator, drawn.attributes))
    except IllFormed:
        return
    for need in judgement.needs:
        if need.goal is FALSE and need.sides is not None:
            assert need.sides[0].value != need.sides[1].value, need


def messages(body: str, *params: str) -> list[str]:
    return [one.message for one in gradual.check(f"def @f({', '.join(params)}) {{ {body} }}").diagnostics]


@pytest.mark.parametrize(
    ("data", "weight", "call", "says"),
    [
        ((1, 64, 8, 8), (63, 16, 3, 3), "nn.conv2d(%x, %w, groups=3)", "times `groups`: 64 is not 48"),
        ((1, 48, 8, 8), (63, 48, 3, 3), "nn.conv2d(%x, %w, groups=3)", "times `groups`: 48 is not 144"),
        ((1, 48, 8, 8), (63, 16, 3, 3), "nn.conv2d(%x, %w, groups=3, channels=64)", "output channels: 64 is not 63"),
        ((1, 48, 8, 8), (64, 16, 3, 3), "nn.conv2d(%x, %w, groups=3)", "not divisible by groups=3"),
        ((1, 48, 8, 8), (64, 16, 3, 3), "nn.conv2d(%x, %w)", "do not agree: 48 is not 16"),
        ((1, 8, 2, 8), (8, 8, 3, 3), "nn.conv2d(%x, %w)", "a window of 3, an input of 2"),
    ],
)
def test_a_convolution_says_which_channels_must_agree(data: Any, weight: Any, call: str, says: str) -> None:
    found = messages(call, f"%x: Tensor[{data}, float32]", f"%w: Tensor[{weight}, float32]")
    assert any(says in message for message in found), found


def test_what_is_told_is_no_equation_that_holds() -> None:
    texts = messages(
        "nn.conv2d(%x, %w, groups=3)", "%x: Tensor[(1, 48, 8, 8), float32]", "%w: Tensor[(63, 48, 3, 3), float32]"
    )
    for one, other in re.findall(r"(\d+) is not (\d+)", " ".join(texts)):
        assert one != other


@pytest.mark.parametrize(
    ("call", "axes"),
    [
        ("nn.conv2d(%x, %w)", [2, 3]),
        ("add(%x, %w)", [0, 1, 2, 3]),
        ("nn.max_pool2d(%x, pool_size=[3, 4])", [2, 3]),
    ],
)
def test_what_fails_at_one_place_is_told_from_the_first_axis_to_the_last(call: str, axes: list[int]) -> None:
    text = f"def @f(%x: Tensor[(a, 3, h, w), float32], %w: Tensor[(5, 3, 4, 4), float32]) {{ {call} }}"
    (error,) = gradual.check(text).diagnostics
    told = [int(axis) for axis in re.findall(r"dimension (\d)", error.label)]
    assert told == sorted(told) and set(told) <= set(axes) and len(told) > 1
