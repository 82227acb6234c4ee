"""Slices that another tensor or value tells, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import OpenRank
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.generators.operators import rows
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, refusal

many = examples(100)
I32 = DType.INT32
n, m = variable("n"), variable("m")


def of(*shape: int | str, dtype: DType = DType.FLOAT32, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype, contents)


def ints(*contents: Dim | int) -> TensorType[Dim]:
    held = tuple(constant(part) if isinstance(part, int) else part for part in contents)
    return of(len(held), dtype=I32, contents=held)


def goals(judgement: Any) -> list[tuple[str, str]]:
    return [(need.rule, str(need.goal)) for need in judgement.needs]


def shape_of(judgement: Any) -> list[str]:
    return list(map(str, judgement.result.shape))


# ------------------------------------------------------------------------------------------------------ slice_like
@many
@given(data=st.data())
@compares("slice_like")
def test_slice_like_is_numpys_slice(data: st.DataObject) -> None:
    application, found = applications("slice_like", data)
    x, like = map(array_of, application.arguments)
    axes = application.attributes.get("axes") or range(min(x.ndim, like.ndim))
    cut = [slice(None)] * x.ndim
    for axis in axes:
        cut[axis] = slice(like.shape[axis % x.ndim])
    assert_exactly(found, np.asarray(x[tuple(cut)]))


def test_axes_are_those_given_or_those_both_have() -> None:
    both = judges("slice_like", of("n", 3, "k"), of("m", 2))
    assert shape_of(both) == ["m", "2", "k"]
    assert goals(both) == [("op.slice_like.fits", "m <= n"), ("op.slice_like.fits", "True")]
    assert shape_of(judges("slice_like", of("n", 3), of("m", 2), axes=[-1])) == ["n", "2"]


def test_the_first_known_elements_are_kept() -> None:
    rule = CATALOGUE["slice_like"].contents
    assert rule is not None
    assert rule(ints(n, 10, m), of(2, 7), axes=None) == (n, constant(10))
    assert rule(ints(n, 10, m), of("k"), axes=None) is None


# ----------------------------------------------------------------------------------------------------- strided_set
@many
@given(data=st.data())
@compares("strided_set")
def test_strided_set_is_numpys_assignment(data: st.DataObject) -> None:
    application = data.draw(rows()["strided_set"])
    found = means("strided_set", *application.arguments)
    x, new, begin, end, strides = map(array_of, application.arguments)
    steps = [*strides.tolist(), *[1] * x.ndim]
    cut = tuple(slice(*ends) for ends in zip(begin.tolist(), end.tolist(), steps, strict=False))
    expected = x.copy()
    expected[cut] = new
    assert_exactly(found, expected)


def test_what_is_put_there_has_the_sizes_of_the_slice() -> None:
    judgement = judges("strided_set", of("n", "m"), of("k", 3), ints(2), ints(7), ints())
    assert shape_of(judgement) == ["n", "m"]
    assert goals(judgement) == [
        ("op.strided_set.agree", "k == max(min(n, 7) - 2, 0)"),
        ("op.strided_set.agree", "m == 3"),
    ]


def test_a_stride_is_owed_not_to_be_0() -> None:
    judgement = judges("strided_set", of(5), of("k"), ints(0), ints(5), ints(n))
    assert goals(judgement)[0] == ("op.strided_set.stride", "n != 0")
    assert goals(judges("strided_set", of(5), of(5), ints(0), ints(5), ints(0)))[0] == (
        "op.strided_set.stride",
        "False",
    )


def test_places_of_unknown_number_are_asked_for() -> None:
    undecided = refusal("strided_set", of(5), of("k"), of("n", dtype=I32), ints(5), ints(1))
    assert isinstance(undecided, OpenRank) and (undecided.operand, undecided.axis) == (2, 0)


def test_known_elements_are_replaced_at_known_places() -> None:
    rule = CATALOGUE["strided_set"].contents
    assert rule is not None
    assert rule(ints(1, 2, 3, 5), ints(n, m), ints(-1), ints(0), ints(-2)) == (constant(1), m, constant(3), n)
    assert rule(ints(1, 2, 3, 5), ints(n, m), ints(), ints(), ints()) is None
    assert rule(ints(1, 2), ints(n, m), ints(), ints(), ints()) == (n, m)
    assert rule(ints(1, 2), ints(n), ints(m), ints(2), ints()) is None


# -------------------------------------------------------------------------------------------------- sliding_window
@many
@given(data=st.data())
@compares("sliding_window")
def test_sliding_window_is_numpys(data: st.DataObject) -> None:
    application, found = applications("sliding_window", data)
    (x,) = map(array_of, application.arguments)
    attributes = application.attributes
    axes = tuple(range(attributes["axis"] % x.ndim, x.ndim))
    windows = np.lib.stride_tricks.sliding_window_view(x, tuple(attributes["window_shape"]), axes)
    cut = [slice(None)] * axes[0] + [slice(None, None, step) for step in attributes["strides"]]
    assert_exactly(found, np.asarray(windows[tuple(cut)], dtype=x.dtype))


def test_relays_own_example() -> None:
    judgement = judges("sliding_window", of("n", 3, 32, 32), axis=1, window_shape=[3, 4, 5], strides=[1, 2, 3])
    assert shape_of(judgement) == ["n", "1", "15", "10", "3", "4", "5"]


def test_a_window_fits_and_moves() -> None:
    judgement = judges("sliding_window", of("n"), axis=0, window_shape=[m], strides=[2])
    assert goals(judgement) == [("op.window.positive", "m >= 1"), ("op.window.fits", "m <= n")]
    assert shape_of(judgement) == ["(n - m) // 2 + 1", "m"]


@pytest.mark.parametrize(
    ("name", "arguments", "attributes", "rule"),
    [
        ("slice_like", (of(3), of()), {"axes": [0]}, "op.axis"),
        ("slice_like", (of(3), of(3)), {"axes": [0, -1]}, "op.axis"),
        ("slice_like", (of(3), of(3)), {"axes": [1]}, "op.axis"),
        ("strided_set", (of(3), of(3, dtype=I32), ints(0), ints(3), ints(1)), {}, "op.dtype"),
        ("strided_set", (of(3), of(3), of(1), ints(3), ints(1)), {}, "op.dtype"),
        ("strided_set", (of(3), of(3), ints(0, 0), ints(3), ints(1)), {}, "op.rank"),
        ("strided_set", (of(3), of(3), ints(0), ints(3), ints(1, 1)), {}, "op.rank"),
        ("strided_set", (of(3), of(), ints(0), ints(3), ints(1)), {}, "op.rank"),
        ("sliding_window", (of(3, 5),), {"axis": 0, "window_shape": [1], "strides": [1]}, "op.attribute"),
        ("sliding_window", (of(3, 5),), {"axis": 1, "window_shape": [0], "strides": [1]}, "op.attribute"),
        ("sliding_window", (of(3, 5),), {"axis": 1, "window_shape": [1], "strides": [0]}, "op.attribute"),
        ("sliding_window", (of(3, 5),), {"axis": 2, "window_shape": [1], "strides": [1]}, "op.axis"),
    ],
)
def test_what_no_size_could_mend_is_refused(name: str, arguments: Any, attributes: Any, rule: str) -> None:
    assert refusal(name, *arguments, **attributes).rule == rule
