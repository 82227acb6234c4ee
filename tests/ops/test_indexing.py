"""Indexing by several indices at once against NumPy."""

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
from gradual.types.type import TensorType, TupleType
from tests.ops.oracle import (
    applications,
    array_of,
    assert_exactly,
    compares,
    examples,
    judges,
    kept_in,
    means,
    numpy_type,
    refusal,
    wide,
)

many = examples(100)
I32 = DType.INT32
n, m = variable("n"), variable("m")


def of(*shape: int | str, dtype: DType = DType.FLOAT32, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype, contents)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def shape_of(judgement: Any) -> list[str]:
    return list(map(str, judgement.result.shape))


def ints(*contents: Dim | int) -> TensorType[Dim]:
    held = tuple(constant(part) if isinstance(part, int) else part for part in contents)
    return of(len(held), dtype=I32, contents=held)


# ------------------------------------------------------------------------------------------------------- adv_index
@many
@given(data=st.data())
@compares("adv_index")
def test_adv_index_is_numpys_indexing(data: st.DataObject) -> None:
    application, found = applications("adv_index", data, faults="E0603")
    x, *named = map(array_of, application.arguments[0])
    places = np.broadcast_shapes(*(part.shape for part in named))
    if 0 in places:  # nothing is read, so no index is out of bounds; NumPy asks each index before they broadcast
        assert found.shape == (*places, *x.shape[len(named) :])
        return
    expected = x[tuple(part.astype(np.int64) for part in named)]
    assert_exactly(found, np.asarray(expected, dtype=x.dtype))


def test_the_indices_broadcast_and_stand_before_the_other_axes() -> None:
    judgement = judges("adv_index", TupleType((of("n", 3, "k"), of("a", 1, dtype=I32), of("b", dtype=I32))))
    assert shape_of(judgement) == ["a", "b", "k"]
    assert goals(judgement) == []
    plain = judges("adv_index", TupleType((of("n", 3), of("a", dtype=I32), of("b", dtype=I32))))
    assert shape_of(plain) == ["broadcast(a, b)"]
    assert goals(plain) == [("op.broadcast.agree", "broadcasts(a, b)")]
    assert plain.needs[0].operands == ((0, 1, 0), (0, 2, 0))


def test_known_elements_are_found_at_known_places() -> None:
    rule = CATALOGUE["adv_index"].contents
    assert rule is not None
    assert rule(TupleType((ints(n, 10), ints(-1, 0)))) == (constant(10), n)
    assert rule(TupleType((ints(n, 10), ints(2)))) is None
    assert rule(TupleType((ints(n, 10), ints(n)))) is None
    assert rule(TupleType((ints(n, 10),))) == (n, constant(10))


# --------------------------------------------------------------------------------------- gather_nd and scatter_nd
@many
@given(data=st.data())
@compares("gather_nd")
def test_gather_nd_is_its_definition(data: st.DataObject) -> None:
    application, found = applications("gather_nd", data, faults="E0603")
    x, named = map(array_of, application.arguments)
    batch = application.attributes.get("batch_dims", 0)
    depth, *outer = named.shape
    expected = np.zeros((*outer, *x.shape[batch + depth :]), x.dtype)
    for place in np.ndindex(*outer):
        expected[place] = x[(*place[:batch], *(int(named[(row, *place)]) for row in range(depth)))]
    assert_exactly(found, expected)


def test_the_length_of_a_column_decides_the_rank() -> None:
    assert shape_of(judges("gather_nd", of("n", "m", 3), of(2, "k", dtype=I32))) == ["k", "3"]
    undecided = refusal("gather_nd", of("n", "m", 3), of("k", 5, dtype=I32))
    assert isinstance(undecided, OpenRank) and (undecided.operand, undecided.axis) == (1, 0)
    told = judges("gather_nd", of("n", "m", 3), of("k", 5, dtype=I32), index_rank=2)
    assert shape_of(told) == ["5", "3"]
    assert goals(told) == [("op.gather_nd.depth", "k == 2")]


def test_the_batch_agrees_and_is_known_where_one_side_is() -> None:
    judgement = judges("gather_nd", of(5, "m", 3), of(1, "k", 7, dtype=I32), batch_dims=1)
    assert shape_of(judgement) == ["5", "7", "3"]
    assert goals(judgement) == [("op.gather_nd.batch", "k == 5")]


@many
@given(data=st.data())
@compares("scatter_nd")
def test_scatter_nd_is_its_definition(data: st.DataObject) -> None:
    application, found = applications("scatter_nd", data, faults="E0603")
    original, named, new = application.arguments
    mode = application.attributes.get("mode", "update")
    x, indices, updates = wide(original), array_of(named), wide(new)
    depth, *outer = indices.shape
    for place in np.ndindex(*outer):
        target = tuple(int(indices[(row, *place)]) for row in range(depth))
        value = met(x[target], updates[place], mode)
        x[target] = value if found.dtype is DType.BOOL else kept_in(found.dtype, value)
    assert_exactly(found, x.astype(numpy_type(found.dtype)))


def met(old: Any, new: Any, mode: str) -> Any:
    rule = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}.get(mode)
    return new if rule is None else rule(old, new)


def test_a_scatter_owes_that_its_updates_fit() -> None:
    judgement = judges("scatter_nd", of("n", "m"), of("d", "i", dtype=I32), of("j", "k"))
    assert shape_of(judgement) == ["n", "m"]
    assert goals(judgement) == [
        ("op.scatter_nd.depth", "d == 1"),
        ("op.scatter_nd.agree", "i == j"),
        ("op.scatter_nd.agree", "m == k"),
    ]


def test_one_known_element_is_read_or_replaced_at_a_known_place() -> None:
    read, write = CATALOGUE["gather_nd"].contents, CATALOGUE["scatter_nd"].contents
    assert read is not None and write is not None
    one = of(dtype=I32, contents=(m,))
    assert read(ints(n, 10), ints(-2), batch_dims=0, index_rank=None) == (n,)
    assert read(ints(n, 10), ints(2), batch_dims=0, index_rank=None) is None
    assert write(ints(n, 10), ints(-1), one, mode="update") == (n, m)
    assert write(ints(n, 10), ints(-1), one, mode="add") is None


# -------------------------------------------------------------------------- unravel_index and invert_permutation
@many
@given(data=st.data())
@compares("unravel_index")
def test_unravel_index_is_numpys(data: st.DataObject) -> None:
    application, found = applications("unravel_index", data, faults="E0603")
    places, extents = map(array_of, application.arguments)
    expected = np.array(np.unravel_index(places.astype(np.int64), tuple(map(int, extents)))) if extents.size else None
    wanted = np.zeros((0, *places.shape)) if expected is None else expected
    assert_exactly(found, wanted.astype(places.dtype))


@pytest.mark.parametrize(("index", "extents", "code"), [(6, [2, 3], "E0603"), (-1, [2], "E0603"), (0, [0, 3], "E0603")])
def test_a_place_out_of_bounds_has_no_coordinates(index: int, extents: list[int], code: str) -> None:
    with pytest.raises(TensorFault) as caught:
        means("unravel_index", Tensor(index, I32), Tensor(extents, I32))
    assert caught.value.code == code


def test_a_negative_size_has_no_places() -> None:
    with pytest.raises(TensorFault, match="the size -2 is negative"):
        means("unravel_index", Tensor(0, I32), Tensor([-2, -3], I32))


def test_known_coordinates_are_formulas() -> None:
    rule = CATALOGUE["unravel_index"].contents
    assert rule is not None
    place = of(dtype=I32, contents=(n,))
    assert list(map(str, rule(place, ints(5, 3)) or ())) == ["n // 3", "n % 3"]
    assert rule(of(dtype=I32, contents=(constant(7),)), ints(5, 3)) == (constant(2), constant(1))
    assert rule(of(1, dtype=I32, contents=(n,)), ints(5, 3)) is None


@many
@given(data=st.data())
@compares("invert_permutation")
def test_invert_permutation_is_numpys(data: st.DataObject) -> None:
    application, found = applications("invert_permutation", data)
    (x,) = map(array_of, application.arguments)
    assert_exactly(found, np.argsort(x.astype(np.int64)).astype(x.dtype))


@pytest.mark.parametrize(("elements", "code"), [([0, 2], "E0603"), ([-1, 0], "E0603"), ([1, 1], "E0608")])
def test_what_is_no_permutation_has_no_inverse(elements: list[int], code: str) -> None:
    with pytest.raises(TensorFault) as caught:
        means("invert_permutation", Tensor(elements, I32))
    assert caught.value.code == code
    rule = CATALOGUE["invert_permutation"].contents
    assert rule is not None
    assert rule(ints(*elements)) is None


def test_a_known_permutation_is_inverted() -> None:
    rule = CATALOGUE["invert_permutation"].contents
    assert rule is not None
    assert rule(ints(2, 0, 1)) == (constant(1), constant(2), constant(0))
    assert rule(ints(2, n, 1)) is None
    assert rule(ints()) == ()


@pytest.mark.parametrize("index", [3, -4])
def test_an_index_out_of_bounds_is_a_fault(index: int) -> None:
    x, named = Tensor([1.0, 2.0, 3.0]), Tensor([[index]], I32)
    applied = [("adv_index", ((x, named),)), ("gather_nd", (x, named)), ("scatter_nd", (x, named, Tensor([0.0])))]
    for name, arguments in applied:
        with pytest.raises(TensorFault) as caught:
            means(name, *arguments)
        assert caught.value.code == "E0603"


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("adv_index", (TupleType((of(3), of(1))),), {}, "op.dtype"),
        ("adv_index", (TupleType((of(3), of(1, dtype=I32), of(1, dtype=I32))),), {}, "op.rank"),
        ("adv_index", (of(3),), {}, "op.structure"),
        ("gather_nd", (of(3), of(1)), {}, "op.dtype"),
        ("gather_nd", (of(3), of(dtype=I32)), {}, "op.rank"),
        ("gather_nd", (of(3), of(2, 5, dtype=I32)), {}, "op.rank"),
        ("gather_nd", (of(3), of(1, dtype=I32)), {"batch_dims": 1}, "op.axis"),
        ("gather_nd", (of(3), of("n", dtype=I32)), {"index_rank": -1}, "op.attribute"),
        ("scatter_nd", (of(3), of(1, 1, dtype=I32), of(1)), {"mode": "mean"}, "op.attribute"),
        ("scatter_nd", (of(3), of(1, 1, dtype=I32), of(1, dtype=I32)), {}, "op.dtype"),
        ("scatter_nd", (of(3), of(1, 1, dtype=I32), of(1, 1, 1)), {}, "op.rank"),
        ("scatter_nd", (of(3), of(dtype=I32), of(1)), {}, "op.rank"),
        ("unravel_index", (of(3, 5, dtype=I32), of(1, dtype=I32)), {}, "op.rank"),
        ("unravel_index", (of(3), of(1, dtype=I32)), {}, "op.dtype"),
        ("unravel_index", (of(3, dtype=I32), of(dtype=I32)), {}, "op.rank"),
        ("invert_permutation", (of(3),), {}, "op.dtype"),
        ("invert_permutation", (of(3, 1, dtype=I32),), {}, "op.rank"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
