"""Sums that undo a broadcast, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.declaration.operator import OpenRank
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.operators import rows
from tests.ops.oracle import (
    array_of,
    assert_exactly,
    assert_same,
    compares,
    examples,
    judges,
    kept_in,
    means,
    refusal,
    wide,
)

many = examples(100)
I32 = DType.INT32
n = variable("n")


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def ints(*contents: Dim | int) -> TensorType[Dim]:
    held = tuple(constant(part) if isinstance(part, int) else part for part in contents)
    return TensorType((constant(len(held)),), I32, held)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


@pytest.mark.parametrize("name", ["collapse_sum_like", "collapse_sum_to"])
@many
@given(data=st.data())
@compares("collapse_sum_like", "collapse_sum_to")
def test_it_is_numpys_sum(name: str, data: st.DataObject) -> None:
    application = data.draw(rows()[name])
    x, wanted = application.arguments
    found = means(name, x, wanted, **application.attributes)
    shape = wanted.shape if name == "collapse_sum_like" else tuple(wanted.elements)
    missing = x.rank - len(shape)
    axes = [i for i, extent in enumerate(x.shape) if i < missing or (shape[i - missing] == 1 and extent != 1)]
    if not axes:
        return assert_exactly(found, array_of(x).reshape(shape))
    with np.errstate(all="ignore"):
        assert_same(found, kept_in(x.dtype, np.reshape(np.sum(wide(x), axis=tuple(axes)), shape)))


def test_a_sum_along_no_axis_keeps_the_signs_of_zeros() -> None:
    assert str(means("collapse_sum_like", Tensor([-0.0]), Tensor([1.0])).item()) == "-0.0"


def test_every_size_is_the_one_wanted_or_collapses() -> None:
    like = judges("collapse_sum_like", of("a", "b", 3), of("k", 1))
    assert list(map(str, like.result.shape)) == ["k", "1"]  # type: ignore[union-attr]
    assert goals(like) == [("op.collapse_sum.agree", "b == k or k == 1")]
    assert like.needs[0].operands == ((0, 1), (1, 0))
    to = judges("collapse_sum_to", of("a", "b", 3), ints(n, 3))
    assert list(map(str, to.result.shape)) == ["n", "3"]  # type: ignore[union-attr]
    assert goals(to) == [("op.collapse_sum.agree", "b == n or n == 1"), ("op.collapse_sum.agree", "True")]
    assert to.needs[0].operands == ((0, 1), (1, None))


def test_the_length_of_the_shape_is_asked_for() -> None:
    assert isinstance(refusal("collapse_sum_to", of(3), of("n", dtype=I32)), OpenRank)


@pytest.mark.parametrize(
    ("name", "arguments", "rule"),
    [
        ("collapse_sum_like", (of(3), of(1, 3)), "op.rank"),
        ("collapse_sum_like", (of(3), of(3, dtype=I32)), "op.dtype"),
        ("collapse_sum_like", (of(3, dtype=DType.BOOL), of(3, dtype=DType.BOOL)), "op.dtype"),
        ("collapse_sum_to", (of(3), ints(1, 3)), "op.rank"),
        ("collapse_sum_to", (of(3), of(1)), "op.dtype"),
        ("collapse_sum_to", (of(3), of(1, 1, dtype=I32)), "op.rank"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, rule: str) -> None:
    assert refusal(name, *arguments).rule == rule
