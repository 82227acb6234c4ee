"""Dynamic twins: the static operator, read off a value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradual.dims.constraint import at_most
from gradual.dims.dim import Dim, Kind, constant, variable
from gradual.ops.attributes import bound
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.dynamic import dynamic_twin
from gradual.ops.operator import Judgement, Need, OpenRank, operator
from gradual.ops.shapes import judged, tensor
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from tests.generators.operators import shapes
from tests.ops.oracle import judges, means, refusal

n = variable("n", kind=Kind.RIGID)


def vector(*contents: Dim | int) -> TensorType[Dim]:
    held = tuple(constant(part) if isinstance(part, int) else part for part in contents)
    return TensorType((constant(len(held)),), DType.INT64, held)


@pytest.mark.parametrize("name", ["zeros", "ones"])
@settings(max_examples=25)
@given(shape=shapes(), dtype=st.sampled_from(list(DType)))
def test_a_twin_means_what_its_static_form_means(name: str, shape: tuple[int, ...], dtype: DType) -> None:
    wanted = Tensor(list(shape), "int64", (len(shape),))
    static = means(name, shape=list(shape), dtype=str(dtype))
    assert means(f"dyn.{name}", wanted, dtype=str(dtype)) == static
    assert judges(f"dyn.{name}", vector(*shape), dtype=str(dtype)) == judges(name, shape=shape, dtype=str(dtype))


def test_known_and_unknown_elements_become_sizes() -> None:
    judgement = judges("dyn.zeros", vector(n, 3))
    assert judgement == judges("zeros", shape=[n, 3])
    assert [str(dim) for dim in judgement.result.shape] == ["n", "3"]  # type: ignore[union-attr]


def test_what_relay_leaves_of_a_promoted_attribute_is_of_no_effect() -> None:
    for left in ([], None, [7]):
        assert judges("dyn.zeros", vector(2), shape=left) == judges("zeros", shape=[2])
        assert means("dyn.zeros", Tensor([2], "int64"), shape=left) == means("zeros", shape=[2])


def test_a_twin_asks_for_integers_of_known_number() -> None:
    undecided = refusal("dyn.zeros", TensorType((n,), DType.INT64))
    assert isinstance(undecided, OpenRank) and (undecided.operand, undecided.axis) == (0, 0)
    assert refusal("dyn.zeros", TensorType((constant(1), constant(1)), DType.INT64)).rule == "op.rank"
    assert refusal("dyn.zeros", TensorType((constant(1),), DType.FLOAT32)).rule == "op.dtype"
    assert refusal("dyn.zeros", TensorType((constant(1000),), DType.INT64)).rule == "op.rank"


def test_contents_pass_through_a_twin() -> None:
    rule = CATALOGUE["dyn.full"].contents
    assert rule is not None
    fill = TensorType((), DType.INT64, (n,))
    assert rule(fill, vector(2), shape=None, dtype=None) == (n, n)
    assert rule(fill, vector(n), shape=None, dtype=None) is None
    assert rule(fill, TensorType((n,), DType.INT64), shape=None, dtype=None) is None


def _stretch(x: Tensor, *, by: int, axis: int) -> Tensor:
    return x


@operator("stretch", meaning=_stretch, family="test")
def stretch(x: TensorType[Dim], *, by: Dim, axis: int) -> Judgement:
    """A sample.   t[n] -> t[n * by]   [op.stretch.size]"""
    given = tensor(x, 0, rank=1)
    need = Need(at_most(constant(0), by), "op.stretch.size", "negative", ((0, axis),))
    return judged((given.shape[0] * by,), given.dtype, (need,))


def scalar(content: Dim | int) -> TensorType[Dim]:
    return TensorType((), DType.INT64, (constant(content) if isinstance(content, int) else content,))


def test_a_promoted_argument_may_stand_first_and_needs_point_at_the_others() -> None:
    twin = dynamic_twin(stretch, ("by",), names=("factor",), places=(0,))
    assert (twin.name, twin.arguments, twin.reads) == ("dyn.stretch", ("factor", "x"), (0,))
    judgement = twin.judge(scalar(n), TensorType((n,), DType.BOOL), **bound(twin, {"axis": 0}))
    assert judgement.needs[0].operands == ((1, 0),)
    assert str(judgement.result.shape[0]) == "n * n"  # type: ignore[union-attr]


def test_a_single_number_may_come_as_a_vector_of_one() -> None:
    twin = dynamic_twin(stretch, ("by",))
    given_ = TensorType((n,), DType.BOOL)
    attributes = bound(twin, {"axis": 0})
    assert twin.judge(given_, vector(2), **attributes) == twin.judge(given_, scalar(2), **attributes)
    assert twin.meaning(Tensor([1.0]), Tensor([2], "int64"), **attributes) == Tensor([1.0])
    with pytest.raises(Exception, match="one number, not 2"):
        twin.judge(given_, vector(2, 3), **attributes)


def test_a_number_that_decides_structure_has_to_be_known() -> None:
    x = TensorType((n,), DType.BOOL)
    refusing = dynamic_twin(stretch, ("axis",))
    attributes: dict[str, Any] = bound(refusing, {"by": 2})
    assert refusing.judge(x, scalar(0), **attributes).result.shape == (2 * n,)  # type: ignore[union-attr]
    with pytest.raises(Exception, match="attribute axis has to be an integer, not n"):
        refusing.judge(x, scalar(n), **attributes)

    def otherwise(x: TensorType[Dim], axis: TensorType[Dim], *, by: Dim) -> Judgement:
        return judged((Hole(low=constant(0)),), x.dtype)

    open_ = dynamic_twin(stretch, ("axis",), otherwise=otherwise)
    assert isinstance(open_.judge(x, scalar(n), **attributes).result.shape[0], Hole)  # type: ignore[union-attr]
    assert open_.data_dependent
