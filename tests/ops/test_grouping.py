"""Norms of channels against their formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.types.dtype import DType
from tests.ops.oracle import applications, compares, examples, judges, refusal, wide
from tests.ops.test_normalizing import along, goals, of, roughly

many = examples(100)


@pytest.mark.parametrize("name", ["nn.instance_norm", "nn.group_norm"])
@many
@given(data=st.data())
@compares("nn.instance_norm", "nn.group_norm")
def test_a_norm_of_channels_is_its_formula(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    attributes = application.attributes
    x, gamma, beta = map(wide, application.arguments)
    axis = attributes["axis"] % x.ndim
    groups = attributes.get("num_groups", x.shape[axis])
    split = np.moveaxis(x, axis, 1)
    lanes = split.reshape(x.shape[0], groups, split[0].size // max(groups, 1)) if x.size else np.ones((1, 1, 1))
    mean, var = lanes.mean(axis=-1, keepdims=True), lanes.var(axis=-1, keepdims=True)
    lanes = (lanes - mean) / np.sqrt(var + attributes.get("epsilon", 1e-5))
    expected = np.moveaxis(lanes.reshape(split.shape), 1, axis) if x.size else x
    expected = expected * along(gamma, x.ndim, axis) if attributes["scale"] else expected
    roughly(found, expected + along(beta, x.ndim, axis) if attributes["center"] else expected)


def test_groups_divide_the_channels() -> None:
    judgement = judges("nn.group_norm", of("n", "h", "c"), of("c"), of("k"), num_groups=3, axis=-1)
    assert [str(dim) for dim in judgement.result.shape] == ["n", "h", "c"]  # type: ignore[union-attr]
    assert [each for each in goals(judgement) if each[1] != "True"] == [
        ("op.nn.group_norm.groups", "c % 3 == 0"),
        ("op.nn.group_norm.channels", "c == k"),
    ]
    assert goals(judges("nn.instance_norm", of(2, "c", 5), of(3), of("c")))[0] == (
        "op.nn.instance_norm.channels",
        "c == 3",
    )


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("nn.instance_norm", (of(4), of(4), of(4)), {}, "op.rank"),
        ("nn.instance_norm", (of(2, 4), of(4), of(4)), {"axis": 0}, "op.axis"),
        ("nn.instance_norm", (of(2, 4), of(4, 1), of(4)), {}, "op.rank"),
        ("nn.instance_norm", (of(2, 4, dtype=DType.INT32),) * 3, {}, "op.dtype"),
        ("nn.group_norm", (of(2, 4), of(4), of(4)), {}, "op.attribute"),
        ("nn.group_norm", (of(2, 4), of(4), of(4, dtype=DType.FLOAT64)), {"num_groups": 2}, "op.dtype"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
