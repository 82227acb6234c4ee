"""From attributes as written to what a judgement declares."""

from __future__ import annotations

from typing import Any

import pytest

from gradual.dims.term.dim import Dim, Kind, constant, variable
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound, coerced, unread
from gradual.ops.declaration.operator import AttributeSpec, IllFormed, Judgement, operator
from gradual.types.dtype import DType
from gradual.types.type import TensorType

n = variable("n", kind=Kind.RIGID)


def read(annotation: str, raw: Any) -> Any:
    return coerced(AttributeSpec("a", annotation, None), raw)


@pytest.mark.parametrize(
    "annotation, raw, value",
    [
        ("int", 3, 3),
        ("int", True, 1),
        ("float", 3, 3.0),
        ("float", 2.5, 2.5),
        ("bool", 1, True),
        ("bool", False, False),
        ("str", "NCHW", "NCHW"),
        ("DType", "int8", DType.INT8),
        ("DType | None", "", None),
        ("DType | None", None, None),
        ("Dim", 3, constant(3)),
        ("Dim", n, n),
        ("Dim | None", None, None),
        ("tuple[int, ...]", [1, 2], (1, 2)),
        ("tuple[int | Dim, ...]", [0, constant(0), n], (0, constant(0), n)),
        ("tuple[int, ...]", 1, (1,)),
        ("tuple[int, ...]", (), ()),
        ("tuple[Dim, ...]", (1, n), (constant(1), n)),
        ("tuple[Dim, ...]", n, (n,)),
        ("tuple[int, ...] | int", 1, 1),
        ("tuple[int, ...] | int", [1], (1,)),
        ("tuple[int, ...] | int | None", None, None),
        ("tuple[tuple[int, int], ...]", [[1, 2], [3, 4]], ((1, 2), (3, 4))),
        ("tuple[int, int]", [1, 2], (1, 2)),
        ("object", [1, "x"], [1, "x"]),
        ("Any", None, None),
    ],
)
def test_a_value_is_read_as_its_declaration_wants_it(annotation: str, raw: Any, value: Any) -> None:
    found = read(annotation, raw)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "annotation, raw, says",
    [
        ("int", n, "attribute a has to be an integer, not n"),
        ("int", constant(3), "an integer, not the computed size 3"),
        ("int", 2.5, "an integer, not 2.5"),
        ("int", "3", 'an integer, not "3"'),
        ("int", None, "an integer, not None"),
        ("bool", 2, "True or False, not 2"),
        ("bool", 1.0, "True or False, not 1.0"),
        ("float", "x", 'a number, not "x"'),
        ("str", 3, "a string, not 3"),
        ("DType", "", 'an element type, not ""'),
        ("DType", "float31", 'an element type, not "float31"'),
        ("Dim", 1.5, "a size, not 1.5"),
        ("tuple[int, ...]", [1, "x"], 'a list of integers, not [1, "x"]'),
        ("tuple[int, ...]", None, "a list of integers, not None"),
        ("tuple[Dim, ...] | None", "x", 'a list of sizes or None, not "x"'),
        ("tuple[int, int]", [1], "a list of 2 integers, not [1]"),
    ],
)
def test_a_value_of_another_form_is_refused_in_words(annotation: str, raw: Any, says: str) -> None:
    with pytest.raises(IllFormed) as raised:
        read(annotation, raw)
    assert raised.value.rule == "op.attribute"
    assert says in raised.value.message


def nothing(x: Any) -> Any:
    return x


@operator("sample", meaning=nothing, family="test")
def sample(x: TensorType[Dim], *, axis: int, keepdims: bool = False, exclude: bool = False) -> Judgement:
    """A sample.   t[..a] -> t[..a]"""
    raise NotImplementedError


def test_attributes_are_complete_and_in_the_order_of_their_declaration() -> None:
    assert list(bound(sample, {"exclude": 1, "axis": 2}).items()) == [
        ("axis", 2),
        ("keepdims", False),
        ("exclude", True),
    ]


def test_an_attribute_that_only_repeats_an_argument_is_not_read() -> None:
    assert unread(CATALOGUE["arange"]) == {"start", "stop", "step"}
    assert unread(CATALOGUE["dyn.zeros"]) == {"shape"}
    assert bound(CATALOGUE["arange"], {"stop": object(), "dtype": "int32"})["stop"] is None


@pytest.mark.parametrize(
    "given, says",
    [
        ({"axes": 1, "axis": 1}, "sample has no attribute axes; did you mean axis?"),
        ({"zzz": 1, "axis": 1}, "sample has no attribute zzz; it has axis, keepdims, exclude"),
        ({}, "sample needs its attribute axis"),
    ],
)
def test_unknown_and_missing_attributes_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(IllFormed) as raised:
        bound(sample, given)
    assert (raised.value.rule, raised.value.message) == ("op.attribute", says)
