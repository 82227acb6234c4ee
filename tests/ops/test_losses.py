"""Losses against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import applications, array_of, assert_nearly, compares, examples, judges, means, narrowed, refusal

many = examples(100)
I32 = DType.INT32


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule.rpartition(".")[2], str(need.goal)) for need in judgement.needs]


@pytest.mark.parametrize("name", ["nn.cross_entropy", "nn.cross_entropy_with_logits"])
@many
@given(data=st.data())
@compares("nn.cross_entropy", "nn.cross_entropy_with_logits")
def test_cross_entropy_is_its_definition(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    x, y = (array_of(part).astype(float) for part in application.arguments)
    with np.errstate(all="ignore"):
        logarithms = np.log(x) if name == "nn.cross_entropy" else x
        expected = -np.sum(y * logarithms) / np.float64(x.shape[0])
        assert_nearly(found, narrowed(found.dtype, expected))


@many
@given(data=st.data())
@compares("nn.nll_loss")
def test_nll_loss_is_its_definition(data: st.DataObject) -> None:
    application, found = applications("nn.nll_loss", data)
    p, t, w = map(array_of, application.arguments)
    attributes, axis = application.attributes, min(p.ndim - 1, 1)
    used = t != attributes["ignore_index"]
    if not w.size:
        p, w = np.zeros((*p.shape[:axis], 1, *p.shape[axis + 1 :])), np.zeros(1)
    target = np.where(used, t, 0)
    picked = np.take_along_axis(p.astype(float), np.expand_dims(target, axis), axis).squeeze(axis)
    shares = np.where(used, w.astype(float)[target], 0.0)
    losses = -picked * shares
    with np.errstate(all="ignore"):
        expected = {"none": losses, "sum": losses.sum(), "mean": losses.sum() / shares.sum()}[attributes["reduction"]]
        assert_nearly(found, narrowed(found.dtype, expected))


def test_what_is_ignored_counts_for_nothing() -> None:
    x, w = Tensor([[-1.0, -2.0], [-3.0, -4.0]]), Tensor([1.0, 3.0])
    assert means("nn.nll_loss", x, Tensor([1, -100], "int32"), w) == Tensor(2.0)
    assert means("nn.nll_loss", x, Tensor([1, 0], "int32"), w) == Tensor(2.25)
    assert math.isnan(means("nn.nll_loss", x, Tensor([7, 7], "int32"), w, ignore_index=7).item())
    with pytest.raises(TensorFault, match="class 2 is out of bounds"):
        means("nn.nll_loss", x, Tensor([1, 2], "int32"), w)


def test_predictions_targets_and_weights_agree() -> None:
    assert goals(judges("nn.cross_entropy", of("n", 3), of("m", 5))) == [("agree", "n == m"), ("agree", "False")]
    judgement = judges("nn.nll_loss", of("n", "c", "h"), of("m", 2, dtype=I32), of("w"), reduction="none")
    assert goals(judgement) == [("agree", "n == m"), ("agree", "h == 2"), ("classes", "c == w")]
    assert judgement.result == of("m", 2)
    assert judges("nn.nll_loss", of(3), of(dtype=I32), of(3)).result == of()


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("nn.cross_entropy", (of(3), of(3)), {}, "op.rank"),
        ("nn.cross_entropy", (of(3, 3), of(3, 3, dtype=I32)), {}, "op.dtype"),
        ("nn.cross_entropy", (of(3, 3, dtype=I32), of(3, 3, dtype=I32)), {}, "op.dtype"),
        ("nn.nll_loss", (of(3, 3), of(3, 3, dtype=I32), of(3)), {}, "op.rank"),
        ("nn.nll_loss", (of(3, 3), of(3), of(3)), {}, "op.dtype"),
        ("nn.nll_loss", (of(3, 3), of(3, dtype=I32), of(3)), {"reduction": "max"}, "op.attribute"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
