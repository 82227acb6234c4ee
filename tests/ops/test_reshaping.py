"""Reshapes against NumPy, and the codes of a requested shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradual.dims.term.constraint import TRUE, equal
from gradual.dims.term.dim import ContentOf, Dim, Kind, SizeOf, Undefined, Variable, constant, ite, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import IllFormed, Judgement
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, UnrankedType
from tests.generators.operators import SIZES
from tests.generators.ops.reshape import regrouped
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, refusal

few = examples(40)
many = examples(200)
b, d, h, n, s = (variable(name) for name in "bdhns")


def of(*shape: int | str | Dim, dtype: DType = DType.FLOAT32, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(dim(extent) for extent in shape), dtype, contents)


def dim(extent: int | str | Dim) -> Dim:
    return constant(extent) if isinstance(extent, int) else variable(extent) if isinstance(extent, str) else extent


def vector(*elements: int | Dim) -> TensorType[Dim]:
    return of(len(elements), dtype=DType.INT64, contents=tuple(map(dim, elements)))


def goals(judgement: Judgement) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs if need.goal is not TRUE]


def shape_of(judgement: Judgement) -> list[str]:
    return list(map(str, judgement.result.shape))  # type: ignore[union-attr]


def numbers(judgement: Judgement) -> tuple[int, ...]:
    return tuple(extent.evaluate({}) for extent in judgement.result.shape)  # type: ignore[union-attr]


# ---------------------------------------------------------------------------------------------------- what remains
def test_a_size_equal_at_its_place_cancels_even_where_it_is_zero() -> None:
    for wanted in ([b, -1], [0, -1]):
        judgement = judges("reshape", of("b", 3, 4), newshape=wanted)
        assert shape_of(judgement) == ["b", "12"]
        assert goals(judgement) == []
    assert means("reshape", Tensor([], shape=(0, 3, 4)), newshape=[0, -1]).shape == (0, 12)


def test_a_zero_that_tells_nothing_is_refuted() -> None:
    judgement = judges("reshape", of(2, 0), newshape=[0, -1], allowzero=1)
    assert ("op.reshape.divides", "False") in goals(judgement)
    assert numbers(judges("reshape", of(0), newshape=[0, -1])) == (0, 1)


def test_a_reshape_that_never_fits_asks_for_an_equation_without_solution() -> None:
    assert goals(judges("reshape", of("d", 3), newshape=[2, 2])) == [("op.reshape.elements", "3 * d == 4")]


def test_what_remains_is_owed_to_divide() -> None:
    assert goals(judges("reshape", of("d", 5), newshape=[1, 2, -1])) == [("op.reshape.divides", "d % 2 == 0")]
    assert goals(judges("reshape", of(1, 5), newshape=[1, 2, -1])) == [("op.reshape.divides", "False")]
    assert numbers(judges("reshape", of(2, 5), newshape=[1, 2, -1])) == (1, 2, 5)


def test_a_computed_size_in_an_attribute_is_a_size() -> None:
    judgement = judges("reshape", of("b", "s", "h", "d"), newshape=[b, s, h * d])
    assert shape_of(judgement) == ["b", "s", "d * h"]
    assert goals(judgement) == [("op.reshape.size", "d * h >= 0")]
    split = judges("reshape", of("b", "d"), newshape=[b, 4, d // 4])
    assert ("op.reshape.elements", "b * d == 4 * b * (d // 4)") in goals(split)


def test_a_computed_size_is_a_size_even_where_it_is_known() -> None:
    zero = judges("reshape", of(2, 0), newshape=[constant(0), 0])
    assert numbers(zero) == (0, 0)
    assert zero.attributes == {"newshape": (constant(0), constant(0)), "allowzero": True}
    assert ("op.reshape.size", "False") in goals(judges("reshape", of(2, 3), newshape=[constant(-1), 3]))


def test_a_request_with_computed_sizes_is_settled_without_codes() -> None:
    judgement = judges("reshape", of("b", "s", "d"), newshape=[0, n, -1])
    assert judgement.attributes == {"newshape": (b, n, -1), "allowzero": True}
    joined = judges("reshape", of("b", "s", "d"), newshape=[-3, n, 2])
    assert joined.attributes == {"newshape": (b * s, n, constant(2)), "allowzero": True}
    assert judges("reshape", of("b", "s"), newshape=[0, -1]).attributes is None


@pytest.mark.parametrize(
    ("wanted", "shape", "owed"),
    [
        ([-2], ["b", "s", "d"], []),
        ([-2, 1], ["b", "s", "d", "1"], []),
        ([0, -3], ["b", "d * s"], []),
        ([1, -1, 0], ["1", "b * s", "d"], []),
        ([-1, 1, 0], ["b * s", "1", "d"], []),
        ([-4, -1, 2, -2], ["b // 2", "2", "s", "d"], [("op.reshape.divides", "b % 2 == 0")]),
        ([-4, 1, 2, -1], ["1", "2", "d * s"], [("op.reshape.elements", "b == 2")]),
    ],
)
def test_codes_copy_join_and_split(wanted: list[int], shape: list[str], owed: list[tuple[str, str]]) -> None:
    judgement = judges("reshape", of("b", "s", "d"), newshape=wanted)
    assert shape_of(judgement) == shape
    assert goals(judgement)[: len(owed)] == owed


@pytest.mark.parametrize("wanted", [[-1, -1], [-3], [-4, 2], [-4, -1, -1], [-5]])
def test_codes_that_ask_for_what_cannot_be_are_refused(wanted: list[int]) -> None:
    assert refusal("reshape", of("b"), newshape=wanted).rule == "op.attribute"


@pytest.mark.parametrize(
    ("wanted", "shape"),
    [
        ([-1, 0], ["b * s", "d"]),
        ([2, -1, 0], ["2", "b * s // 2", "d"]),
        ([-2, 0], ["b", "s", "d"]),
        ([0, -3], ["b", "d * s"]),
        ([-2, -1, 2, -4], ["b", "s", "d // 2", "2"]),
    ],
)
def test_codes_may_be_read_from_the_back(wanted: list[int], shape: list[str]) -> None:
    assert shape_of(judges("contrib_reverse_reshape", of("b", "s", "d"), newshape=wanted)) == shape


@pytest.mark.parametrize("name", ["reshape", "contrib_reverse_reshape", "reshape_like", "squeeze", "expand_dims"])
@few
@given(data=st.data())
@compares("reshape", "contrib_reverse_reshape", "reshape_like", "squeeze", "expand_dims")
def test_a_reshape_keeps_the_elements_in_order(name: str, data: st.DataObject) -> None:
    application, found = applications(name, data)
    assert_exactly(found, array_of(application.arguments[0]).reshape(found.shape))


@many
@given(
    shape=st.lists(st.sampled_from(SIZES), max_size=3).map(tuple),
    wanted=st.lists(st.sampled_from((-1, 0, 1, 2, 3, 6)), max_size=3),
)
def test_without_zeros_what_remains_is_what_numpy_says(shape: tuple[int, ...], wanted: list[int]) -> None:
    assume(0 not in shape and (len(wanted) <= len(shape) or 0 not in wanted) and wanted.count(-1) <= 1)
    judgement = judges("reshape", of(*shape), newshape=wanted)
    filled = [shape[place] if size == 0 else size for place, size in enumerate(wanted)]
    try:
        expected = np.zeros(shape).reshape(filled).shape
    except ValueError:
        assert not holds(judgement, {})
    else:
        assert holds(judgement, {}) and numbers(judgement) == expected


def holds(judgement: Judgement, env: dict[Variable, int]) -> bool:
    try:
        return all(need.goal.evaluate(env) for need in judgement.needs)
    except Undefined:
        return False


sizes = st.integers(0, 6)


@many
@given(
    shape=st.lists(sizes, min_size=1, max_size=3),
    wanted=st.lists(st.one_of(sizes, st.just(-1)), min_size=1, max_size=3),
    known=st.lists(st.booleans(), min_size=3, max_size=3),
    allowzero=st.booleans(),
)
def test_a_value_is_read_by_the_same_codes_whether_known_or_not(
    shape: list[int], wanted: list[int], known: list[bool], allowzero: bool
) -> None:
    unknown = [variable(f"%s[{place}]", Kind.EXISTENTIAL, ContentOf("%s", (place,))) for place in range(len(wanted))]
    part = vector(*(size if known[place] else unknown[place] for place, size in enumerate(wanted)))
    env = {one: size for place, size in enumerate(wanted) for one in unknown[place].variables()}
    exact = attempted("dyn.reshape", of(*shape), vector(*wanted), allowzero)
    open_ = attempted("dyn.reshape", of(*shape), part, allowzero)
    if exact is None or open_ is None:
        assert exact is None or not holds(exact, {})
        assert open_ is None or not holds(open_, env)
        return
    assert holds(exact, {}) is holds(open_, env)
    if holds(exact, {}):
        assert numbers(exact) == tuple(extent.evaluate(env) for extent in open_.result.shape)  # type: ignore[union-attr]


def attempted(name: str, data: TensorType[Dim], shape: TensorType[Dim], allowzero: bool) -> Judgement | None:
    try:
        return judges(name, data, shape, allowzero=int(allowzero))
    except IllFormed as refused:
        assert refused.rule == "op.attribute"
        return None


@many
@given(shape=st.lists(sizes, min_size=1, max_size=3), rest=st.integers(-4, 3), data=st.data())
def test_a_settled_request_means_at_run_time_what_was_judged(shape: list[int], rest: int, data: st.DataObject) -> None:
    target = regrouped(data.draw, tuple(shape))
    extents = [variable(f"d{axis}") for axis in range(len(shape))]
    asked = [-1 if place == rest else variable(f"s{place}") for place in range(len(target))]
    assume(any(isinstance(size, Dim) for size in asked))
    judgement = judges("reshape", of(*extents), newshape=asked)
    named = [*zip(extents, shape, strict=True), *zip(asked, target, strict=True)]
    env = {one: size for at, size in named if isinstance(at, Dim) for one in at.variables()}
    assume(holds(judgement, env))
    assert judgement.attributes is not None
    newshape = [size if isinstance(size, int) else size.evaluate(env) for size in judgement.attributes["newshape"]]
    found = means("reshape", random_tensor(tuple(shape), DType.FLOAT32, 1), newshape=newshape, allowzero=1)
    assert found.shape == tuple(extent.evaluate(env) for extent in judgement.result.shape)  # type: ignore[union-attr]


def size_of(name: str) -> Dim:
    """The unknown size of a value, which the world chooses and which is not negative."""
    return variable(f"dim(%{name}, 0)", Kind.EXISTENTIAL, SizeOf(f"%{name}", 0))


_extents = st.sampled_from(("b", "s", "b * s", "s + 1", "copied", 3, 4))


def extent_of(word: str | int) -> Dim:
    """An extent built of two unknown sizes."""
    one, other = size_of("b"), size_of("s")
    built = {"b": one, "s": other, "b * s": one * other, "s + 1": other + 1, "copied": ite(equal(other, 0), 4, other)}
    return constant(word) if isinstance(word, int) else built[word]


@many
@given(
    shape=st.lists(_extents, min_size=1, max_size=3),
    wanted=st.lists(st.one_of(_extents, st.sampled_from((-1, 0))), min_size=1, max_size=3),
    allowzero=st.booleans(),
)
def test_what_is_plain_of_sizes_changes_no_reading(
    shape: list[str | int], wanted: list[str | int], allowzero: bool
) -> None:
    """Only where a size is 0 and would copy another one, it is refused: what is computed is no code."""
    extents, asked = list(map(extent_of, shape)), list(map(extent_of, wanted))
    open_ = attempted("dyn.reshape", of(*extents), vector(*asked), allowzero)
    for one, other in ((0, 0), (0, 2), (1, 0), (1, 1), (2, 3), (3, 3), (3, 4)):
        env = {name: size for at, size in (("b", one), ("s", other)) for name in size_of(at).variables()}
        measured = [extent.evaluate(env) for extent in extents]
        codes = [size.evaluate(env) for size in asked]
        exact = attempted("dyn.reshape", of(*measured), vector(*codes), allowzero)
        known = exact is not None and holds(exact, {})
        if not allowzero and any(
            size.value is None and word != "copied" and code == 0 and measured[place : place + 1] not in ([], [0])
            for place, (word, size, code) in enumerate(zip(wanted, asked, codes, strict=True))
        ):
            assert open_ is None or not holds(open_, env)
            continue
        assert known is (open_ is not None and holds(open_, env)), (env, measured, codes)
        if known and exact is not None and open_ is not None:
            found = tuple(extent.evaluate(env) for extent in open_.result.shape)  # type: ignore[union-attr]
            assert found == numbers(exact)


def test_zero_beyond_the_last_axis_is_a_size() -> None:
    assert numbers(judges("reshape", of(0), newshape=[3, 0])) == (3, 0)
    assert goals(judges("reshape", of("n"), newshape=[0, 0])) == [("op.reshape.elements", "n == 0")]


def test_a_shape_flattened_and_restored_costs_no_check() -> None:
    one, other = size_of("b"), size_of("s")
    flat = judges("reshape", of(one, other, 3), newshape=[-1])
    assert goals(flat) == []
    restored = judges("dyn.reshape", flat.result, vector(one, other, 3))
    assert shape_of(restored) == [str(one), str(other), "3"]
    assert goals(restored) == []


def test_sizes_that_a_computed_shape_repeats_cost_no_check() -> None:
    one, other = size_of("b"), size_of("s")
    judgement = judges("dyn.reshape", of(one * other, 288), vector(one, other, 288))
    assert shape_of(judgement)[0] == str(one)
    elements, code = judgement.needs
    assert elements.rule == "op.reshape.elements"
    assert str(code.goal) == f"{other} >= 1 or {other} == 288"  # else a size of 0 would copy the 288
    assert goals(judges("dyn.reshape", of(one, other + 1), vector(one, other + 1))) == []
    assert goals(judges("dyn.reshape", of(one, 4, other + 1, 24), vector(-1, other + 1, 24))) == []


def test_a_computed_shape_flows_into_the_type() -> None:
    judgement = judges("dyn.reshape", of("b", 3, 4), vector(b, -1))
    assert shape_of(judgement) == ["b", "12"]
    assert goals(judgement) == []


def test_the_contents_of_a_small_vector_survive_a_reshape() -> None:
    one = CATALOGUE["reshape"]
    assert one.contents is not None
    given = vector(n, 10)
    assert one.contents(given, newshape=(constant(-1),), allowzero=False) == (n, constant(10))
    assert one.contents(given, newshape=(constant(1), constant(2)), allowzero=False) is None


# ------------------------------------------------------------------------------------------------ axes of size 1
def test_squeezing_an_unknown_axis_owes_that_it_is_one() -> None:
    judgement = judges("squeeze", of("d", 4), axis=[0])
    assert shape_of(judgement) == ["4"]
    assert goals(judgement) == [("op.squeeze.one", "d == 1")]


def test_squeezing_without_axes_has_a_known_rank_where_sizes_are_known() -> None:
    assert judges("squeeze", of("d", 1)).result == UnrankedType(of(1).dtype)
    assert numbers(judges("squeeze", of(1, 3, 1))) == (3,)


@pytest.mark.parametrize("axis", [[0, 0], [0, -3], [3], [-4]])
def test_squeezing_an_axis_that_is_not_there_is_refused(axis: list[int]) -> None:
    assert refusal("squeeze", of(1, 1, 1), axis=axis).rule == "op.axis"


@few
@given(data=st.data())
@compares("squeeze")
def test_squeeze_is_numpys(data: st.DataObject) -> None:
    application, found = applications("squeeze", data)
    axis = application.attributes.get("axis")
    x = array_of(application.arguments[0])
    assert_exactly(found, np.squeeze(x) if axis is None else np.squeeze(x, axis=tuple(axis)))


@few
@given(shape=st.lists(st.sampled_from((1, 2)), min_size=1, max_size=4), data=st.data())
def test_an_axis_that_is_a_value_is_squeezed_exactly(shape: list[int], data: st.DataObject) -> None:
    rank = len(shape)
    places = st.lists(st.integers(-rank, rank - 1), unique=True, max_size=rank)
    axes = data.draw(places)
    unknown = [variable(f"a{i}") for i in range(len(axes))]
    judgement = judges("dyn.squeeze", of(*shape), vector(*unknown))
    env = {one: axis for at, axis in zip(unknown, axes, strict=True) for one in at.variables()}
    gone = {axis % rank for axis in axes}
    expected = len(gone) == len(axes) and all(shape[axis] == 1 for axis in gone)
    assert holds(judgement, env) is expected
    if expected:
        left = [size for place, size in enumerate(shape) if place not in gone]
        assert [extent.evaluate(env) for extent in judgement.result.shape] == left  # type: ignore[union-attr]


@few
@given(shape=st.lists(st.sampled_from((2, 3, 5)), max_size=3), axis=st.integers(-5, 5), count=st.integers(0, 2))
def test_an_axis_that_is_a_value_is_expanded_exactly(shape: list[int], axis: int, count: int) -> None:
    given_axis = of(dtype=DType.INT64, contents=(variable("a"),))
    judgement = judges("dyn.expand_dims", of(*shape), given_axis, num_newaxis=count)
    (unknown,) = variable("a").variables()
    within = -len(shape) - 1 <= axis <= len(shape)
    assert holds(judgement, {unknown: axis}) is within
    if within:
        known = judges("expand_dims", of(*shape), axis=axis, num_newaxis=count)
        assert [extent.evaluate({unknown: axis}) for extent in judgement.result.shape] == list(numbers(known))  # type: ignore[union-attr]


def test_new_axes_from_the_back_stand_after_the_axis() -> None:
    assert numbers(judges("expand_dims", of(2, 3), axis=-1, num_newaxis=2)) == (2, 3, 1, 1)
    assert numbers(judges("expand_dims", of(2, 3), axis=-3)) == (1, 2, 3)


# ------------------------------------------------------------------------------------------------------ transpose
@few
@given(data=st.data())
@compares("transpose")
def test_transpose_is_numpys(data: st.DataObject) -> None:
    application, found = applications("transpose", data)
    assert_exactly(found, np.transpose(array_of(application.arguments[0]), application.attributes.get("axes")))


@pytest.mark.parametrize(("axes", "rule"), [([0], "op.attribute"), ([0, 0], "op.axis"), ([0, 2], "op.axis")])
def test_a_transpose_names_every_axis_once(axes: list[int], rule: str) -> None:
    assert refusal("transpose", of(2, 3), axes=axes).rule == rule


# ---------------------------------------------------------------------------------------------------- reshape_like
def test_reshape_like_owes_the_number_of_elements() -> None:
    judgement = judges("reshape_like", of(2, "b", 4), of("s", 8, 3))
    assert shape_of(judgement) == ["s", "8", "3"]
    assert goals(judgement) == [("op.reshape_like.elements", "8 * b == 24 * s")]


def test_reshape_like_may_replace_some_axes_by_some() -> None:
    attributes = {"lhs_begin": 1, "lhs_end": 3, "rhs_begin": 0, "rhs_end": -1}
    assert numbers(judges("reshape_like", of(2, 3, 4, 5), of(6, 2, 9), **attributes)) == (2, 6, 2, 5)
    assert refusal("reshape_like", of(2), of(2), lhs_begin=2).rule == "op.axis"


def test_the_number_of_elements_never_changes() -> None:
    x = random_tensor((2, 3, 4), DType.FLOAT32, 1)
    assert math.prod(means("reshape_like", x, random_tensor((4, 6), DType.BOOL, 1)).shape) == 24
