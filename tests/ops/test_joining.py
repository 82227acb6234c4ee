"""Joining and splitting against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, refusal

few = examples(30)


def of(*shape: int | str, dtype: DType = DType.FLOAT32, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype, contents)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def shape_of(kind: Any) -> list[str]:
    return list(map(str, kind.shape))


@pytest.mark.parametrize("name", ["concatenate", "stack"])
@few
@given(data=st.data())
@compares("concatenate", "stack")
def test_joining_is_numpys(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    arrays = [array_of(part) for part in application.arguments[0]]
    assert_exactly(found, getattr(np, name)(arrays, axis=application.attributes.get("axis", 0)))


@few
@given(data=st.data())
@compares("split")
def test_splitting_is_numpys(data: st.DataObject) -> None:
    application, found = applications("split", data)
    attributes = application.attributes
    parts = np.split(array_of(application.arguments[0]), attributes["indices_or_sections"], attributes["axis"])
    for ours, expected in zip(found, parts, strict=True):
        assert_exactly(ours, expected)


@few
@given(data=st.data())
def test_joining_what_was_split_is_the_identity(data: st.DataObject) -> None:
    application, found = applications("split", data)
    assert means("concatenate", found, axis=application.attributes["axis"]) == application.arguments[0]


def test_sizes_add_along_the_axis_and_agree_along_the_others() -> None:
    judgement = judges("concatenate", TupleType((of("n", 3), of("m", "d"))))
    assert shape_of(judgement.result) == ["m + n", "3"]
    assert goals(judgement) == [("op.concatenate.agree", "d == 3")]
    assert judgement.needs[0].operands == ((0, 0, 1), (0, 1, 1))


def test_a_known_size_among_the_operands_is_kept() -> None:
    judgement = judges("concatenate", TupleType((of(1, "d"), of(1, 3), of(2, "e"))))
    assert shape_of(judgement.result) == ["4", "3"]
    assert goals(judgement) == [("op.concatenate.agree", "d == 3"), ("op.concatenate.agree", "d == e")]


def test_every_axis_of_a_stack_agrees_the_one_at_its_place_too() -> None:
    judgement = judges("stack", TupleType((of(2, 3), of(4, 3))))
    assert goals(judgement) == [("op.stack.agree", "False"), ("op.stack.agree", "True")]
    assert shape_of(judges("stack", TupleType((of("n"), of("n"))), axis=-1).result) == ["n", "2"]


def test_equal_parts_are_owed_to_divide() -> None:
    judgement = judges("split", of("n", 4), indices_or_sections=2)
    assert goals(judgement) == [("op.split.divides", "n % 2 == 0")]
    assert [shape_of(part) for part in judgement.result.fields] == [["n // 2", "4"]] * 2  # type: ignore[union-attr]


def test_places_of_a_split_are_owed_to_be_in_order() -> None:
    judgement = judges("split", of("n"), indices_or_sections=[1, variable("k")])
    assert [goal for _, goal in goals(judgement)] == ["True", "k >= 1", "k <= n"]
    assert [shape_of(part) for part in judgement.result.fields] == [["1"], ["k - 1"], ["n - k"]]  # type: ignore[union-attr]


def test_contents_are_joined() -> None:
    n, m = variable("n"), variable("m")
    join, pile = CATALOGUE["concatenate"].contents, CATALOGUE["stack"].contents
    assert join is not None and pile is not None
    pair = TupleType((of(1, dtype=DType.INT64, contents=(n,)), of(1, dtype=DType.INT64, contents=(constant(-1),))))
    assert join(pair, axis=0) == (n, constant(-1))
    assert join(TupleType((pair.fields[0], of(1, dtype=DType.INT64))), axis=0) is None
    scalars = TupleType((of(dtype=DType.INT64, contents=(n,)), of(dtype=DType.INT64, contents=(m,))))
    assert pile(scalars, axis=0) == (n, m)
    assert pile(pair, axis=0) is None


@pytest.mark.parametrize(
    ("name", "argument", "attributes", "rule"),
    [
        ("concatenate", of(2), {}, "op.structure"),
        ("concatenate", TupleType(()), {}, "op.structure"),
        ("concatenate", TupleType((of(), of())), {}, "op.axis"),
        ("concatenate", TupleType((of(2), of(2, 3))), {}, "op.rank"),
        ("concatenate", TupleType((of(2), of(2, dtype=DType.INT32))), {}, "op.dtype"),
        ("stack", TupleType((of(2), of(2))), {"axis": 2}, "op.axis"),
        ("split", of(4), {"indices_or_sections": 0}, "op.attribute"),
        ("split", of(4), {"indices_or_sections": 2, "axis": 1}, "op.axis"),
        ("split", TupleType((of(2),)), {"indices_or_sections": 2}, "op.structure"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, argument: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, argument, **attributes).rule == rule


def test_a_tuple_of_one_is_joined() -> None:
    x = Tensor([[1.0, 2.0]])
    assert means("concatenate", (x,)) == x
