"""The entries of operators tell what the checker accepts: element types, and the order of requirements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradual.conformance.entries.chapter import FILE, entries
from gradual.conformance.entries.requirements import in_order, runs
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import Choice, Row, Several, bound, form_of
from gradual.ops.declaration.operator import IllFormed, Judgement, Operator
from gradual.ops.declaration.shapes import ONE
from gradual.resources import folder
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.generators.operators import Application, rows
from tests.ops.test_catalogue import exact_type, judged
from tests.thorough import examples

OPERATORS = sorted({one.name for one in CATALOGUE.values()})
every_operator = pytest.mark.parametrize("name", OPERATORS)

WORDS = {
    "integer": {dtype for dtype in DType if dtype.is_integer},
    "float": {dtype for dtype in DType if dtype.is_float},
    "any": set(DType),
}
GROUP = re.compile(r"(?P<names>`[^;]*`)(?P<same> the same,)? (?P<words>[a-z0-9 ]+)")

DEPENDENT = {
    "cumprod": ("dtype",),
    "cumsum": ("dtype",),
    "dyn.one_hot": ("dtype",),
    "one_hot": ("dtype",),
    "reinterpret": ("dtype",),
    "scatter_elements": ("reduction",),
    "scatter_nd": ("mode",),
    "vision.non_max_suppression": ("return_indices",),
}
"""Attributes on which it depends, as the text of the entry says, which element types an operator accepts."""


@cache
def lines() -> dict[str, str]:
    """The line of element types of each entry, as it stands in the chapter."""
    text = (folder("spec") / FILE).read_text(encoding="utf-8")
    found = {}
    for entry in text.split("\n### Operator `")[1:]:
        line = re.search(r"^Element types: (.*)\.$", entry, re.MULTILINE)
        found[entry.partition("`")[0]] = line.group(1) if line is not None else ""
    return found


@cache
def groups(name: str) -> tuple[tuple[tuple[str, ...], frozenset[DType]], ...]:
    """The operands that have one element type, by their names in the entry, and the types that they may have."""
    found = []
    for part in lines()[name].split("; "):
        if part and not part.startswith("attribute"):
            match = GROUP.fullmatch(part)
            assert match is not None, part
            admitted = [WORDS.get(word) or {DType(word)} for word in match["words"].split(" or ")]
            found.append((tuple(re.findall(r"`(.*?)`", match["names"])), frozenset(set[DType]().union(*admitted))))
    return tuple(found)


def tensors(one: Operator, types: Sequence[Any]) -> Iterator[tuple[str, int, int | None]]:
    """The tensors of an application by the name that the entry has for them; a later part of a tuple is like part 1.

    An operand that may be a tensor or a tuple has one name.
    """
    whole = {name for names, _ in groups(one.name) for name in names}
    for place, (name, type) in enumerate(zip(one.arguments, types, strict=True)):
        if isinstance(type, TupleType) and name in whole:
            yield from ((name, place, field) for field in range(len(type.fields)))
        elif isinstance(type, TupleType):
            yield from ((f"{name}.{min(field, 1)}", place, field) for field in range(len(type.fields)))
        else:
            yield name, place, None


def dtype_of(types: Sequence[Any], place: int, field: int | None) -> DType:
    held = types[place] if field is None else types[place].fields[field]
    assert isinstance(held, TensorType)
    return held.dtype


def with_dtype(types: Sequence[Any], place: int, field: int | None, dtype: DType) -> list[Any]:
    """The types of operands with another element type at one place."""
    changed, held = list(types), types[place]
    if field is None:
        changed[place] = retyped(held, dtype)
    else:
        parts = list(held.fields)
        parts[field] = retyped(parts[field], dtype)
        changed[place] = TupleType(tuple(parts))
    return changed


def retyped(held: Any, dtype: DType) -> Any:
    """The type of a tensor with another element type; only integers have elements that are sizes."""
    return replace(held, dtype=dtype, contents=held.contents if dtype.is_integer else None, numbers=None)


def refusal(one: Operator, types: Sequence[Any], attributes: dict[str, Any]) -> str | None:
    try:
        one.judge(*types, **attributes)
    except IllFormed as wrong:
        return wrong.rule
    return None


def admits(name: str, named: Sequence[tuple[str, int, int | None]], types: Sequence[Any]) -> bool:
    """Whether the entry's line admits these element types."""
    for names, admitted in groups(name):
        found = {dtype_of(types, place, field) for each, place, field in named if each in names}
        if (len(names) > 1 and len(found) > 1) or not found <= admitted:
            return False
    return True


def multiplies_freely(one: Operator, attributes: dict[str, Any]) -> bool:
    """Whether `out_dtype` lets factors differ, as the head of the chapter says."""
    return attributes.get("out_dtype") is not None and "op.dtype" in lines()[one.name].partition("`out_dtype`")[2]


@every_operator
@settings(examples(3), derandomize=True)
@given(data=st.data())
def test_an_operator_accepts_exactly_the_element_types_of_its_entry(name: str, data: st.DataObject) -> None:
    one = CATALOGUE[name]
    application: Application = data.draw(rows()[name])
    attributes = bound(one, application.attributes)
    types = list(map(exact_type, application.arguments))
    named = list(tensors(one, types))
    assert {each for each, _, _ in named} <= {each for names, _ in groups(name) for each in names}
    if multiplies_freely(one, attributes) or any(key in application.attributes for key in DEPENDENT.get(name, ())):
        return
    assert admits(name, named, types)
    for _, place, field in named:
        for dtype in DType:
            tried = with_dtype(types, place, field, dtype)
            assert (refusal(one, tried, attributes) != "op.dtype") is admits(name, named, tried), (dtype, place, field)


@every_operator
@settings(examples(5), derandomize=True)
@given(data=st.data())
def test_an_operator_requires_in_the_order_of_its_entry(name: str, data: st.DataObject) -> None:
    one = CATALOGUE[name]
    order = in_order(one)
    found: Judgement = judged(one, data.draw(rows()[name]))
    rules = runs([need.rule for need in found.needs])
    assert all(order.index(first) < order.index(second) for first, second in combinations(rules, 2)), rules


def test_an_entry_lists_its_order() -> None:
    text = entries()
    assert "Required in this order: `op.nn.dense.contract`, `op.nn.dense.units`." in text
    assert "Element types: `data` any; `indices` integer." in text


def scalars(name: str, *dtypes: DType, rank: int = 1, **attributes: Any) -> str | None:
    """By which rule an operator refuses vectors, or tensors of size 1, of these element types; None if it accepts."""
    one = CATALOGUE[name]
    return refusal(one, [TensorType((ONE,) * rank, dtype) for dtype in dtypes], bound(one, attributes))


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_a_scan_takes_booleans_with_a_dtype_only(name: str) -> None:
    assert scalars(name, DType.BOOL) == "op.dtype"
    assert scalars(name, DType.BOOL, dtype="int32") is None
    assert scalars(name, DType.INT32, dtype="bool") == "op.dtype"


@pytest.mark.parametrize("reduction", ["add", "mul", "mean", "min", "max"])
def test_a_scatter_combines_no_booleans(reduction: str) -> None:
    def kinds(dtype: DType) -> tuple[DType, ...]:
        return dtype, DType.INT64, dtype

    assert scalars("scatter_elements", *kinds(DType.BOOL), reduction=reduction) == "op.dtype"
    assert scalars("scatter_elements", *kinds(DType.INT8), reduction=reduction) is None
    assert scalars("scatter_elements", *kinds(DType.BOOL), reduction="update") is None


def test_factors_may_differ_where_the_type_of_the_result_is_given() -> None:
    assert scalars("nn.dense", DType.INT8, DType.INT32, rank=2) == "op.dtype"
    assert scalars("nn.dense", DType.INT8, DType.INT32, rank=2, out_dtype="int32") is None
    assert scalars("nn.dense", DType.INT8, DType.FLOAT32, rank=2, out_dtype="float32") is None
    assert scalars("nn.dense", DType.INT8, DType.FLOAT32, rank=2, out_dtype="int32") == "op.dtype"
    assert scalars("nn.dense", DType.BOOL, DType.INT32, rank=2, out_dtype="int32") == "op.dtype"


def test_bits_are_reinterpreted_at_one_width() -> None:
    for dtype in DType:
        assert (scalars("reinterpret", DType.FLOAT16, dtype=dtype) is None) is (dtype.bits == 16)
        assert (scalars("reinterpret", DType.BOOL, dtype=dtype) is None) is (dtype is DType.BOOL)


def test_an_entry_has_the_kind_of_each_attribute() -> None:
    said = {
        "sum": "`axis` a list of integers or an integer or None; `keepdims` and `exclude` True or False",
        "expand_dims": "`axis` a size; `num_newaxis` an integer.",
        "vision.non_max_suppression": "`force_suppress`, `return_indices` and `invalid_to_bottom` True or False;",
    }
    text = entries()
    for name, words in said.items():
        assert f"\nAttributes: {words}" in text.partition(f"\n### Operator `{name}`\n")[2].partition("\n### ")[0]
    assert text.count("\nAttributes: ") == sum(bool(CATALOGUE[name].attributes) for name in OPERATORS)
    rows = [form for name in OPERATORS for spec in CATALOGUE[name].attributes for form in rows_of(spec.annotation)]
    assert rows and all(len(set(form.parts)) == 1 for form in rows), "a row is described by its first part"


def rows_of(annotation: str) -> Iterator[Row]:
    """The forms of lists of a fixed length in an annotation."""
    waiting = [form_of(annotation)]
    while waiting:
        match waiting.pop():
            case Row() as form:
                yield form
            case Several(each):
                waiting.append(each)
            case Choice(among):
                waiting += among
