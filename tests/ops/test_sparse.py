"""Lists of entries against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import OpenRank
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from tests.generators.operators import rows
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, kept_in, means, refusal

many = examples(100)
I64 = DType.INT64
n, m = variable("n"), variable("m")


def of(*shape: int | str, dtype: DType = I64, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype, contents)


def ints(*contents: Dim | int) -> TensorType[Dim]:
    held = tuple(constant(part) if isinstance(part, int) else part for part in contents)
    return of(len(held), contents=held)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule.rpartition(".")[2], str(need.goal)) for need in judgement.needs]


# -------------------------------------------------------------------------------------------------- sparse_to_dense
@many
@given(data=st.data())
@compares("sparse_to_dense")
def test_sparse_to_dense_is_assignment_one_after_another(data: st.DataObject) -> None:
    application, found = applications("sparse_to_dense", data)
    named, values, default = map(array_of, application.arguments)
    shape = application.attributes["output_shape"]
    expected = np.full(shape, default.astype(values.dtype), values.dtype)
    for row, value in zip(named.reshape(-1, max(len(shape), 1)), np.resize(values, max(named.size, 1)), strict=False):
        if len(shape):
            expected[tuple(row.tolist())] = value
    if not shape and named.shape[0]:
        expected[()] = values.ravel()[-1]
    assert_exactly(found, expected)


def test_a_value_for_each_row_and_an_index_for_each_axis() -> None:
    judgement = judges("sparse_to_dense", of("k", "r"), of("v"), of(), output_shape=[n, 3])
    assert goals(judgement) == [("size", "n >= 0"), ("size", "True"), ("depth", "r == 2"), ("count", "k == v")]
    assert goals(judges("sparse_to_dense", of(), of("v"), of(), output_shape=[3]))[1:] == [("count", "v == 1")]
    assert goals(judges("sparse_to_dense", of("k"), of(), of(), output_shape=[3])) == [("size", "True")]


def test_known_values_stand_at_known_places() -> None:
    rule = CATALOGUE["sparse_to_dense"].contents
    zero = of(contents=(constant(0),))
    assert rule is not None
    assert rule(ints(2, 0), ints(n, m), zero, output_shape=(constant(3),)) == (m, constant(0), n)
    assert rule(ints(2, 0), of(contents=(n,)), zero, output_shape=(constant(3),)) == (n, constant(0), n)
    assert rule(ints(3), ints(n), zero, output_shape=(constant(3),)) is None
    assert rule(ints(n), ints(n), zero, output_shape=(constant(3),)) is None
    assert rule(ints(1), ints(n), zero, output_shape=(n,)) is None


def test_the_default_is_converted() -> None:
    found = means("sparse_to_dense", Tensor(1, "int64"), Tensor(3, "int8"), Tensor(2.7), output_shape=[3])
    assert found == Tensor([2, 3, 2], "int8")


@pytest.mark.parametrize("place", [-1, 3])
def test_an_index_out_of_bounds_is_a_fault(place: int) -> None:
    with pytest.raises(TensorFault) as stop:
        means("sparse_to_dense", Tensor([place], "int64"), Tensor([1.0]), Tensor(0.0), output_shape=[3])
    assert stop.value.code == "E0603"


# ------------------------------------------------------------------------------------------- sparse_fill_empty_rows
@many
@given(data=st.data())
@compares("sparse_fill_empty_rows")
def test_every_row_has_an_entry_and_those_given_keep_their_order(data: st.DataObject) -> None:
    application = data.draw(rows()["sparse_fill_empty_rows"])
    named, values, shape, default = (part.tolist() for part in application.arguments)  # type: ignore[union-attr]
    indices, found, empty = means("sparse_fill_empty_rows", *application.arguments)
    given_ = list(zip(named, values, strict=True))
    absent = [row for row in range(shape[0]) if row not in {index[0] for index in named}]
    filler = default[0] if isinstance(default, list) else default
    new = [([row] + [0] * (len(shape) - 1), filler) for row in absent]
    expected = sorted(given_ + new, key=lambda entry: entry[0][0])
    assert list(zip(indices.tolist(), found.tolist(), strict=True)) == expected
    assert empty.tolist() == [row in absent for row in range(shape[0])]


def test_how_many_entries_there_are_lies_between_bounds() -> None:
    judgement = judges("sparse_fill_empty_rows", of("k", 2), of("v"), ints(n, 7), of())
    result: Any = judgement.result
    filled = result.fields[0].shape[0]
    assert isinstance(filled, Hole) and (str(filled.low), str(filled.high)) == ("max(k, n)", "k + n")
    assert result.fields[2] == of("n", dtype=DType.BOOL)
    assert goals(judgement) == [("depth", "True"), ("count", "k == v"), ("rows", "n >= 0")]
    one = judges("sparse_fill_empty_rows", of("k", "r"), of("v"), ints(3, 2), of("d"))
    assert goals(one) == [("depth", "r == 2"), ("count", "k == v"), ("rows", "True"), ("default", "d == 1")]


def test_shapes_of_unknown_length_are_asked_for() -> None:
    undecided = refusal("sparse_fill_empty_rows", of("k", "r"), of("v"), of("q"), of())
    assert isinstance(undecided, OpenRank) and (undecided.operand, undecided.axis) == (2, 0)
    undecided = refusal("sparse_reshape", of("k", 2), ints(2, 3), of("q"))
    assert isinstance(undecided, OpenRank) and (undecided.operand, undecided.axis) == (2, 0)


# --------------------------------------------------------------------------------------------------- sparse_reshape
@many
@given(data=st.data())
@compares("sparse_reshape")
def test_sparse_reshape_keeps_the_place_of_each_entry(data: st.DataObject) -> None:
    application = data.draw(rows()["sparse_reshape"])
    indices, shape = means("sparse_reshape", *application.arguments)
    named, old, new = (array_of(part) for part in application.arguments)  # type: ignore[arg-type]
    size = int(np.prod(old, dtype=np.int64))
    rest = int(np.prod(new[new != -1], dtype=np.int64))
    expected = [size // rest if extent == -1 else int(extent) for extent in new]
    assert shape.tolist() == expected
    flat = [int(np.ravel_multi_index(tuple(row), tuple(old))) if len(old) else 0 for row in named]
    moved = [np.unravel_index(place, tuple(expected)) if expected else () for place in flat]
    places = np.array(moved, dtype=np.int64).reshape(len(flat), len(expected))
    assert_exactly(indices, kept_in(application.arguments[0].dtype, places))


def test_the_shapes_have_the_same_number_of_elements() -> None:
    plain = judges("sparse_reshape", of("k", 2), ints(6, n), ints(3, 2 * n))
    (size,) = n.variables()
    assert [plain.needs[1].goal.evaluate({size: value}) for value in (-1, 0, 3)] == [False, True, True]
    for new, fits in (((3, -1), True), ((4, -1), False), ((-1, -1), False), ((0, -1), False), ((5, 1), False)):
        goal = judges("sparse_reshape", of("k", 2), ints(2, 3), ints(*new)).needs[1].goal
        assert goal.value is fits


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("sparse_to_dense", (of(2), of(2), of()), {"output_shape": [3, 3]}, "op.rank"),
        ("sparse_to_dense", (of(2, 2, 2), of(2), of()), {"output_shape": [3, 3]}, "op.rank"),
        ("sparse_to_dense", (of(2, 1), of(2, 1), of()), {"output_shape": [3]}, "op.rank"),
        ("sparse_to_dense", (of(2), of(2), of(1)), {"output_shape": [3]}, "op.rank"),
        ("sparse_to_dense", (of(2, dtype=DType.FLOAT32), of(2), of()), {"output_shape": [3]}, "op.dtype"),
        ("sparse_fill_empty_rows", (of(2), of(2), ints(3), of()), {}, "op.rank"),
        ("sparse_fill_empty_rows", (of(2, 1), of(2), ints(3), of(1, 1)), {}, "op.rank"),
        ("sparse_fill_empty_rows", (of(2, 1), of(2), ints(3), of(dtype=DType.BOOL)), {}, "op.dtype"),
        ("sparse_fill_empty_rows", (of(2, 1), of(2), ints(), of()), {}, "op.rank"),
        ("sparse_reshape", (of(2), ints(3), ints(3)), {}, "op.rank"),
        ("sparse_reshape", (of(2, 1), of(1, dtype=DType.BOOL), ints(3)), {}, "op.dtype"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
