"""Slices against Python's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import applications, array_of, assert_exactly, compares, examples, judges, means, refusal

few = examples(40)
many = examples(200)
n = variable("n")
places = st.integers(-9, 9)
steps = st.sampled_from((1, 2, 3, -1, -2, -3))


def of(*shape: int | str, dtype: DType = DType.FLOAT32, contents: Any = None) -> TensorType[Dim]:
    return TensorType(tuple(constant(d) if isinstance(d, int) else variable(d) for d in shape), dtype, contents)


def shape_of(judgement: Any) -> list[str]:
    return list(map(str, judgement.result.shape))


def along(begin: int, end: int, step: int) -> slice:
    """Python's slice of the same meaning: what lies before the front of a descending slice has no number there."""
    return slice(begin, end, step)


@few
@given(data=st.data())
@compares("strided_slice")
def test_a_slice_is_numpys(data: st.DataObject) -> None:
    application, found = applications("strided_slice", data)
    attributes, x = application.attributes, array_of(application.arguments[0])
    assume(attributes.get("slice_mode") != "size")
    axes = [axis % x.ndim for axis in attributes.get("axes") or range(len(attributes["begin"]))]
    cut = [slice(None)] * x.ndim
    strides = [*attributes["strides"], *[1] * len(axes)]
    for axis, begin, end, step in zip(axes, attributes["begin"], attributes["end"], strides, strict=False):
        cut[axis] = along(begin, end, step)
    assert_exactly(found, x[tuple(cut)])


@many
@given(extent=st.integers(0, 9), begin=places, end=places, step=steps, hidden=st.sets(st.sampled_from("nbes")))
def test_the_size_of_a_slice_is_pythons_at_every_size(
    extent: int, begin: int, end: int, step: int, hidden: set[str]
) -> None:
    names = dict(zip("nbes", (extent, begin, end, step), strict=True))
    shown = {name: variable(name) if name in hidden else constant(value) for name, value in names.items()}
    given_type = TensorType((shown["n"],), DType.FLOAT32)
    judgement = judges("strided_slice", given_type, begin=[shown["b"]], end=[shown["e"]], strides=[shown["s"]])
    env = {one: names[name] for name in hidden for one in variable(name).variables()}
    (size,) = judgement.result.shape  # type: ignore[union-attr]
    assert size.evaluate(env) == len(range(extent)[begin:end:step])  # type: ignore[union-attr]


@many
@given(extent=st.integers(0, 9), begin=places, size=places)
def test_a_slice_by_size_takes_as_many_as_there_are(extent: int, begin: int, size: int) -> None:
    x = Tensor(list(range(extent)), "int32", (extent,))
    found = means("strided_slice", x, begin=[begin], end=[size], strides=[1], slice_mode="size").tolist()
    rest = list(range(extent))[begin:]
    assert found == (rest if size < 0 else rest[:size])


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ({"begin": [0], "end": [n], "strides": [2]}, "(n + 1) // 2"),
        ({"begin": [1], "end": [n], "strides": [2]}, "n // 2"),
        ({"begin": [0], "end": [n], "strides": [1]}, "n"),
        ({"begin": [0], "end": [2**31 - 1], "strides": [1]}, "n"),
        ({"begin": [0], "end": [2**63 - 1], "strides": [1]}, "n"),
        ({"begin": [-1], "end": [-(2**31)], "strides": [-1]}, "n"),
        ({"begin": [5], "end": [n]}, "max(n - 5, 0)"),
        ({"begin": [0], "end": [-1]}, "max(n - 1, 0)"),
        ({"begin": [-1], "end": [2**31 - 1]}, "min(n, 1)"),
        ({"begin": [0], "end": [4]}, "min(n, 4)"),
        ({"begin": [3], "end": [1]}, "max(min(n, 1) - 3, 0)"),
    ],
)
def test_the_size_of_a_slice_of_a_symbolic_axis(attributes: dict[str, Any], size: str) -> None:
    assert shape_of(judges("strided_slice", of("n"), **attributes)) == [size]


def test_untouched_axes_keep_their_sizes() -> None:
    sliced = judges("strided_slice", of("n", "m", "k"), begin=[0], end=[2], axes=[-2])
    assert shape_of(sliced) == ["n", "min(m, 2)", "k"]
    begin, end, strides = (of(1, dtype=DType.INT64, contents=(constant(v),)) for v in (0, 2, 1))
    judgement = judges("dyn.strided_slice", of("n", "m"), begin, end, strides)
    assert shape_of(judgement) == ["min(n, 2)", "m"]


def test_a_slice_that_runs_backwards_is_empty() -> None:
    x = Tensor([1.0, 2.0, 3.0, 4.0])
    assert means("strided_slice", x, begin=[3], end=[1], strides=[1]).shape == (0,)
    assert shape_of(judges("strided_slice", of(4), begin=[3], end=[1], strides=[1])) == ["0"]


def test_a_stride_is_not_zero() -> None:
    assert refusal("strided_slice", of(4), begin=[0], end=[1], strides=[0]).rule == "op.attribute"
    (need,) = judges("strided_slice", of(4), begin=[0], end=[1], strides=[n]).needs
    assert (need.rule, str(need.goal)) == ("op.strided_slice.stride", "n != 0")


def test_known_elements_are_sliced() -> None:
    rule = CATALOGUE["strided_slice"].contents
    assert rule is not None
    vector = of(3, dtype=DType.INT64, contents=(n, constant(3), constant(4)))

    def cut(begin: int | Dim, end: int, step: int) -> Any:
        first = begin if isinstance(begin, Dim) else constant(begin)
        attributes = {"begin": (first,), "end": (constant(end),), "strides": (constant(step),)}
        return rule(vector, **attributes, slice_mode="end", axes=None)  # type: ignore[misc]

    assert cut(0, 1, 1) == (n,)
    assert cut(-1, -9, -1) == (constant(4), constant(3), n)
    assert cut(3, 1, 1) == ()
    assert cut(n, 3, 1) is None


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [
        ({"begin": [0, 0, 0], "end": [1, 1, 1]}, "op.attribute"),
        ({"begin": [0], "end": [1], "axes": [0, 1]}, "op.attribute"),
        ({"begin": [0], "end": [1], "axes": [2]}, "op.axis"),
        ({"begin": [0, 0], "end": [1, 1], "axes": [0, -2]}, "op.axis"),
        ({"begin": [0], "end": [1], "slice_mode": "length"}, "op.attribute"),
    ],
)
def test_what_no_size_could_mend_is_refused(attributes: dict[str, Any], rule: str) -> None:
    assert refusal("strided_slice", of(2, 3), **attributes).rule == rule


def test_the_oracle_is_python() -> None:
    assert list(range(5)[-1:-9:-1]) == list(np.arange(5)[-1:-9:-1]) == [4, 3, 2, 1, 0]
