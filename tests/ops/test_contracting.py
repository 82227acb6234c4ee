"""Sums of products against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.linear.einsum import read
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.ops.oracle import applications, array_of, assert_same, compares, examples, judges, kept_in, means, refusal

many = examples(100)


def of(*shape: int | str, dtype: DType = DType.FLOAT32) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype)


def judged(equation: str, *operands: TensorType[Dim]) -> tuple[list[str], list[tuple[str, str]]]:
    judgement = judges("einsum", TupleType(operands), equation=equation)
    result: Any = judgement.result
    return list(map(str, result.shape)), [(need.rule, str(need.goal)) for need in judgement.needs]


@many
@given(data=st.data())
@compares("einsum")
def test_einsum_is_numpys(data: st.DataObject) -> None:
    application, found = applications("einsum", data)
    wide = [array_of(part).astype(float if part.dtype.is_float else np.int64) for part in application.arguments[0]]
    expected = np.einsum(application.attributes["equation"], *wide)
    assert_same(found, kept_in(found.dtype, expected))


def test_axes_of_one_label_meet() -> None:
    assert judged("ij,jk->ik", of("n", "k"), of("l", "m")) == (
        ["n", "m"],
        [("op.broadcast.agree", "broadcasts(k, l)")],
    )
    assert judged("ij,jk", of("n", "k"), of("k", "m")) == (["n", "m"], [("op.broadcast.agree", "True")])
    assert judged("bi,bj->bij", of("n", 3), of(1, 5)) == (["n", "3", "5"], [])
    assert judged("bi,bj->bij", of(1, 3), of("n", 5)) == (["n", "3", "5"], [])
    assert judged("i,i->i", of("n"), of("m"))[0] == ["broadcast(n, m)"]


def test_places_are_those_of_the_fields() -> None:
    needs = judges("einsum", TupleType((of(2, "k"), of("l", 3))), equation="ij,jk").needs
    assert needs[0].operands == ((0, 0, 1), (0, 1, 0))
    assert needs[0].says == "the axes of j do not broadcast together"


def test_a_label_that_stands_twice_takes_the_diagonal() -> None:
    assert judged("ii->i", of("n", "m")) == (["n"], [("op.einsum.diagonal", "n == m")])
    assert judged("ii->i", of("n", 3)) == (["3"], [("op.einsum.diagonal", "n == 3")])
    assert judged("ii->", of(1, 3))[1] == [("op.einsum.diagonal", "False")]
    assert means("einsum", (Tensor([[1.0, 2.0], [3.0, 4.0]]),), equation="ii") == Tensor(5.0)


def test_axes_without_labels_are_aligned_at_the_right() -> None:
    assert judged("...ij,...jk->...ik", of("a", "b", 2, 3), of("b", 3, 5)) == (
        ["a", "b", "2", "5"],
        [("op.broadcast.agree", "True")] * 2,
    )
    assert judged("i...,...", of(3, "a"), of(2, 1))[0] == ["2", "a", "3"]
    assert read("...a->a...", [3]).result == ("a", "...2", "...1")


def test_without_an_arrow_letters_that_stand_once_remain_capitals_first() -> None:
    assert read("bA", [2]).result == ("A", "b")
    assert read("ij, kj", [2, 2]).result == ("i", "k")


def test_integers_are_exact_and_wrap_at_the_end() -> None:
    x = Tensor([100, 100, 56], "int8")
    assert means("einsum", (x, Tensor([1, 1, 1], "int8")), equation="i,i") == Tensor(0, "int8")
    assert means("einsum", (Tensor([], "float32"),), equation="i->") == Tensor(0.0)


@pytest.mark.parametrize(
    ("equation", "operands", "rule"),
    [
        ("ij", (of(2),), "op.rank"),
        ("i...", (of(),), "op.rank"),
        ("i...->i", (of(2, 3),), "op.rank"),
        ("ij", (of(2, 3), of(2)), "op.attribute"),
        ("i->j", (of(2),), "op.attribute"),
        ("ij->ii", (of(2, 3),), "op.attribute"),
        ("i.j", (of(2, 3),), "op.attribute"),
        ("i->i->i", (of(2),), "op.attribute"),
        ("......", (of(2),), "op.attribute"),
        ("i,i", (of(2), of(2, dtype=DType.INT8)), "op.dtype"),
        ("i", (of(2, dtype=DType.BOOL),), "op.dtype"),
    ],
)
def test_what_no_size_could_mend_is_refused(equation: str, operands: Any, rule: str) -> None:
    assert refusal("einsum", TupleType(operands), equation=equation).rule == rule
