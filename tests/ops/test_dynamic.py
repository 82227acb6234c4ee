"""Dynamic twins: the static operator, read off a value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradual.dims.term.constraint import at_most
from gradual.dims.term.dim import Dim, Kind, Undefined, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.dynamic_variant import dynamic_twin
from gradual.ops.declaration.operator import IllFormed, Judgement, Need, OpenRank, operator
from gradual.ops.declaration.shapes import judged, tensor
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from tests.generators.operators import FLOATS, as_argument, rows
from tests.ops.oracle import compares, examples, judges, means, refusal
from tests.ops.test_catalogue import exact_type

n = variable("n", kind=Kind.RIGID)


def vector(*contents: Dim | int) -> TensorType[Dim]:
    held = tuple(constant(part) if isinstance(part, int) else part for part in contents)
    return TensorType((constant(len(held)),), DType.INT64, held)


TWINS: dict[str, tuple[str, ...]] = {
    "zeros": ("shape",),
    "ones": ("shape",),
    "full": ("shape",),
    "reshape": ("newshape",),
    "squeeze": ("axis",),
    "expand_dims": ("axis",),
    "broadcast_to": ("shape",),
    "tile": ("reps",),
    "strided_slice": ("begin", "end", "strides"),
    "topk": ("k",),
    "one_hot": ("depth",),
    "sparse_to_dense": ("output_shape",),
    "image.resize2d": ("size", "roi"),
    "nn.pad": ("pad_width",),
    "nn.upsampling": ("scale_h", "scale_w"),
    "nn.upsampling3d": ("scale_d", "scale_h", "scale_w"),
}
"""The attributes of each static form that its twin takes as values; they stand last, but for those of `nn.pad`."""


def test_every_twin_is_compared() -> None:
    assert {f"dyn.{name}" for name in TWINS} == {one.name for one in CATALOGUE.values() if one.name.startswith("dyn.")}


@pytest.mark.parametrize("name", TWINS)
@examples(100)
@given(data=st.data())
@compares(*(f"dyn.{name}" for name in TWINS))
def test_a_twin_is_its_static_form_on_constants(name: str, data: st.DataObject) -> None:
    """In type, value and failure: the attributes are as generated, or one of their numbers is another.

    The elements of a value are no codes below -1 of a reshape.
    """
    application = data.draw(rows()[name])
    attributes = dict(application.attributes)
    assume(all(taken in attributes for taken in TWINS[name]) and attributes.get("pad_mode") in (None, "constant"))
    taken = {one: data.draw(perturbed(attributes.pop(one))) for one in TWINS[name]}
    assume(name != "reshape" or min(taken["newshape"], default=0) >= -1)
    place = 1 if name == "nn.pad" else len(application.arguments)
    values = [data.draw(as_tensor(value, pairs=name == "nn.pad")) for value in taken.values()]
    arguments = (*application.arguments[:place], *values, *application.arguments[place:])
    static = outcome(name, application.arguments, attributes | taken)
    assert outcome(f"dyn.{name}", arguments, attributes) == static


def perturbed(value: Any, inside: bool = False) -> st.SearchStrategy[Any]:
    """The value of an attribute, or the value with a number changed, a row left out, a row repeated."""
    if not isinstance(value, list):
        another = st.integers(-4, 9) if isinstance(value, int) else st.sampled_from([0.0, -1.0, 0.3, 2.0])
        return st.one_of(st.just(value), another)
    changed = [
        perturbed(part, inside=True).map(lambda new, at=at: [*value[:at], new, *value[at + 1 :]])
        for at, part in enumerate(value)
    ]
    whole = all(isinstance(part, int) for part in value)
    shorter = [st.just(value[:-1]), st.just(value + value[-1:])] if value and whole and not inside else []
    return st.one_of(st.just(value), *changed, *shorter)


def as_tensor(value: Any, pairs: bool = False) -> st.SearchStrategy[Tensor]:
    """The value of an attribute as an argument: numbers of a type that has them."""
    flat = [number for part in value for number in part] if pairs else value
    if isinstance(value, float) or (isinstance(value, list) and value and isinstance(value[0], float)):
        given = [Tensor(value, dtype) for dtype in FLOATS]
        return st.sampled_from([one for one in given if one.tolist() == value])
    return as_argument(flat).map(lambda given: Tensor(given.flat(), given.dtype, (len(value), 2)) if pairs else given)


def outcome(name: str, arguments: Any, attributes: Any) -> Any:
    """The type and the value, or how it fails: the rule that refuses, those that are refuted, the fault."""
    try:
        judgement = judges(name, *map(exact_type, arguments), **attributes)
    except IllFormed as wrong:
        return "ill-formed", wrong.rule
    refuted = [need.rule for need in judgement.needs if not holds(need)]
    if refuted:
        return "refuted", refuted
    try:
        return judgement.result, means(name, *arguments, **attributes)
    except TensorFault as fault:
        return "fault", fault.code


def holds(need: Need) -> bool:
    try:
        return need.goal.evaluate({})
    except Undefined:
        return False


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
