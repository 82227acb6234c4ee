"""Data: patterns against a walk through all values, conversions against a walk through one, core against tampering."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradual
from gradual.checker.expressions.coverage import ANYTHING, Anything, Covering, Entangled, Matrix, Shape, shown_pattern
from gradual.compiler import compile_source
from gradual.core.pattern import Bind, Destructure
from gradual.core.print import printed
from gradual.core.terms import Change, Conversion, Convert, Match, Module, Step
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from gradual.limits import LIMITS, Options
from gradual.source import Source
from gradual.types.declared import Constructor, Data
from gradual.types.dtype import DType
from gradual.types.type import DataType, GradualType, TensorType, TupleType, TypeVariable
from tests.thorough import examples

A = TypeVariable("A")
NUMBER = TensorType((), DType.INT32)
COLOUR = DataType("Colour")
LIST = DataType("List", (COLOUR,))


def declared(name: str, types: tuple[TypeVariable, ...], **constructors: tuple[GradualType, ...]) -> Data:
    return Data(name, types, {c: Constructor(c, name, fields) for c, fields in constructors.items()})


DATA = {
    "Colour": declared("Colour", (), Red=(), Green=()),
    "List": declared("List", (A,), Cons=(A, DataType("List", (A,))), Nil=()),
    "Mixed": declared("Mixed", (), Pair=(COLOUR, TupleType((COLOUR, NUMBER))), Many=(LIST,), Empty=()),
}
TYPES = [COLOUR, LIST, DataType("Mixed"), TupleType((COLOUR, LIST)), TupleType((NUMBER, DataType("Mixed")))]
ROOM = 100_000

Value = tuple[str | None, tuple["Value", ...]]
"""A value by its shape: what no pattern looks into is `("", ())`."""


def fields_of(type: GradualType) -> list[tuple[str | None, tuple[GradualType, ...]]]:
    match type:
        case TupleType(fields):
            return [(None, fields)]
        case DataType(name, arguments):
            chosen = dict(zip(DATA[name].types, arguments, strict=True))
            inside = {c: tuple(placed(f, chosen) for f in d.fields) for c, d in DATA[name].constructors.items()}
            return list(inside.items())
        case _:
            return []


def placed(field: GradualType, chosen: dict[TypeVariable, GradualType]) -> GradualType:
    match field:
        case TypeVariable():
            return chosen[field]
        case DataType(name, arguments):
            return DataType(name, tuple(placed(argument, chosen) for argument in arguments))
        case TupleType(fields):
            return TupleType(tuple(placed(part, chosen) for part in fields))
        case _:
            return field


def all_values(type: GradualType, depth: int) -> Iterator[Value]:
    """Every value of a type, up to a depth; deeper ones are cut off, and count as one value each."""
    shapes = fields_of(type)
    if not shapes or depth == 0:
        yield ("", ())
        return
    for constructor, fields in shapes:
        yield from ((constructor, parts) for parts in every(fields, depth - 1))


def every(types: tuple[GradualType, ...], depth: int) -> Iterator[tuple[Value, ...]]:
    if not types:
        yield ()
        return
    for first in all_values(types[0], depth):
        for rest in every(types[1:], depth):
            yield (first, *rest)


def fits(pattern: Covering, value: Value) -> bool:
    match pattern:
        case Anything():
            return True
        case Shape(constructor, fields):
            return value[0] == constructor and all(map(fits, fields, value[1]))


@st.composite
def patterns_of(draw: st.DrawFn, type: GradualType, depth: int = 3) -> Covering:
    shapes = fields_of(type)
    if not shapes or depth == 0 or draw(st.integers(0, 2)) == 0:
        return ANYTHING
    constructor, fields = draw(st.sampled_from(shapes))
    return Shape(constructor, tuple(draw(patterns_of(field, depth - 1)) for field in fields))


@st.composite
def matches(draw: st.DrawFn) -> tuple[GradualType, list[Covering]]:
    type = draw(st.sampled_from(TYPES))
    return type, draw(st.lists(patterns_of(type), max_size=6))


DEPTH = 4
"""One deeper than any pattern looks."""


@examples(100)
@given(matches())
def test_a_match_is_complete_just_where_every_value_fits_a_pattern(drawn: tuple[GradualType, list[Covering]]) -> None:
    type, patterns = drawn
    missing = Matrix(DATA, ROOM).missing(patterns, type)
    uncovered = [value for value in all_values(type, DEPTH) if not any(fits(pattern, value) for pattern in patterns)]
    assert (missing is None) == (not uncovered)
    if missing is not None:
        assert all(value in uncovered for value in all_values(type, DEPTH) if fits(missing, value)), missing


@examples(100)
@given(matches())
def test_an_arm_is_reached_just_where_a_value_fits_it_first(drawn: tuple[GradualType, list[Covering]]) -> None:
    type, patterns = drawn
    unreached = list(Matrix(DATA, ROOM).unreached(patterns, type))
    for index, pattern in enumerate(patterns):
        new = (
            fits(pattern, value) and not any(fits(other, value) for other in patterns[:index])
            for value in all_values(type, DEPTH)
        )
        assert (index not in unreached) == any(new)


def test_a_pattern_is_shown_as_it_is_written() -> None:
    pattern = Shape("Cons", (Shape(None, (ANYTHING,)), Shape("Nil", ())))
    assert shown_pattern(pattern) == "Cons((_,), Nil)"


def test_patterns_that_take_too_long_are_refused_and_not_waited_for() -> None:
    draw, width = random.Random(1), 20
    heads = (ANYTHING,) * 6 + (Shape("Red", ()), Shape("Green", ()))
    rows = [Shape(None, tuple(draw.choice(heads) for _ in range(width))) for _ in range(60)]
    with pytest.raises(Entangled):
        Matrix(DATA, 2_000).missing(rows, TupleType((COLOUR,) * width))
    arms = ", ".join(f"{shown_pattern(row)} => {{ 0 }}" for row in rows)
    types = ", ".join(["Colour"] * width)
    text = f"type Colour {{ Red, Green, }} def @f(%t: ({types})) -> int32 {{ match (%t) {{ {arms}, }} }}"
    found = compile_source(Source("a.relay", text), Options(limits=replace(LIMITS, patterns=2_000), advise=False))
    assert [(d.code, "too complex" in d.message) for d in found.diagnostics] == [("E0313", True)]


# ------------------------------------------------------------------------------------------------------ conversions
LISTS = """
type List[A] { Cons(A, List[A]), Nil, }
type Chain[A] { Link((A, Chain[A])), End, }
type Rose[A] { Rose(A, List[Rose[A]]), }
def @list(%x: List[Tensor[(?, 2), float32]]) -> List[Tensor[(3, 2), float32]] { %x }
def @chain(%x: Chain[Tensor[(?, 2), float32]]) -> Chain[Tensor[(3, 2), float32]] { %x }
def @rose(%x: Rose[Tensor[(?, 2), float32]]) -> Rose[Tensor[(3, 2), float32]] { %x }
def @any(%x: Rose[Tensor[*, float32]]) -> Rose[Tensor[(3, ?), float32]] { %x }
"""
CONVERTING = gradual.check(LISTS)
SIZES = st.sampled_from([3, 3, 3, 3, 3, 3, 0, 1, 2, 5])


def tensor(size: int) -> gradual.Tensor:
    return gradual.Tensor([0.0] * (2 * size), dtype="float32", shape=(size, 2))


def a_list(values: list[object]) -> gradual.Constructed:
    made = gradual.Constructed("Nil")
    for value in reversed(values):
        made = gradual.Constructed("Cons", (value, made))
    return made


def a_chain(values: list[object]) -> gradual.Constructed:
    made = gradual.Constructed("End")
    for value in reversed(values):
        made = gradual.Constructed("Link", ((value, made),))
    return made


Tree = tuple[int, list["Tree"]]
TREES = st.recursive(st.tuples(SIZES, st.just([])), lambda inner: st.tuples(SIZES, st.lists(inner, max_size=3)))


def a_rose(tree: Tree) -> gradual.Constructed:
    return gradual.Constructed("Rose", (tensor(tree[0]), a_list([a_rose(child) for child in tree[1]])))


def preorder(tree: Tree) -> Iterator[int]:
    yield tree[0]
    for child in tree[1]:
        yield from preorder(child)


def converts(function: str, value: gradual.Constructed, sizes: list[int]) -> None:
    """A conversion gives the same structure, or blames the first size that does not fit, depth first."""
    wrong = [size for size in sizes if size != 3]
    try:
        result = CONVERTING.run(function, value)
    except gradual.Blame as blame:
        assert wrong, blame
        assert list(blame.sizes.values())[:1] == wrong[:1]
    else:
        assert not wrong
        assert shape(result) == shape(value)


def shape(value: object) -> object:
    match value:
        case gradual.Constructed(constructor, fields):
            return constructor, tuple(map(shape, fields))
        case tuple():
            return tuple(map(shape, value))
        case gradual.Tensor():
            return tuple(value.shape)
    raise AssertionError(value)


def test_the_programs_of_the_conversions_are_accepted() -> None:
    assert CONVERTING.ok and CONVERTING.residual == 5
    assert violations(CONVERTING.core, Decider()) == [], printed(CONVERTING.core)


@examples(30)
@given(st.lists(SIZES, max_size=8))
def test_a_converted_list_is_the_same_or_its_first_wrong_size_is_blamed(sizes: list[int]) -> None:
    converts("@list", a_list([tensor(size) for size in sizes]), sizes)
    converts("@chain", a_chain([tensor(size) for size in sizes]), sizes)


@examples(30)
@given(TREES)
def test_a_converted_tree_is_the_same_or_its_first_wrong_size_is_blamed(tree: Tree) -> None:
    converts("@rose", a_rose(tree), list(preorder(tree)))
    converts("@any", a_rose(tree), list(preorder(tree)))


# ---------------------------------------------------------------------------------------------------------- tampering
TAMPERED = """
type List[A] { Cons(A, List[A]), Nil, }
type Chain[A] { Link((A, Chain[A])), End, }
def @f(%xs: List[Tensor[(?, 2), float32]], %c: Chain[Tensor[(?, 2), float32]], %y: Tensor[(3, 2), float32]) {
  let %l: List[Tensor[(3, 2), float32]] = %xs;
  let %d: Chain[Tensor[(3, 2), float32]] = %c;
  match ((%l, %d)) {
    (Cons(%a, _), Link((%b, _))) => { add(%a, %b) },
    (Cons(%a, _), End) => { %a },
    (Nil, _) => { %y },
  }
}
"""


def changed(step: Step) -> Iterator[tuple[str, Step]]:
    """A step of data changed in one place."""
    match step:
        case Convert(conversion=conversion):
            for constructor, how in conversion.fields.items():
                for index, part in enumerate(how):
                    if part is not None:
                        yield (
                            f"{constructor}.{index} stays",
                            replace(step, conversion=with_field(step, constructor, index)),
                        )
                    if isinstance(part, Change) and part.steps:
                        for at in range(len(part.steps)):
                            less = replace(part, steps=part.steps[:at] + part.steps[at + 1 :])
                            yield (
                                f"{constructor}.{index} without {at}",
                                replace(step, conversion=with_field(step, constructor, index, less)),
                            )
            yield "a constructor left out", replace(step, conversion=Conversion())
        case Match(arms=arms):
            for index, arm in enumerate(arms):
                for name in bound(arm.pattern):
                    for other in bound_types(arms):
                        pattern = retyped(arm.pattern, name, other)
                        if pattern is not None:
                            new = (*arms[:index], replace(arm, pattern=pattern), *arms[index + 1 :])
                            yield f"{name} of arm {index}", replace(step, arms=new)


def with_field(step: Convert, constructor: str, index: int, part: Change | None = None) -> Conversion:
    fields = dict(step.conversion.fields)
    how = fields[constructor]
    fields[constructor] = (*how[:index], part, *how[index + 1 :])
    return Conversion(fields)


def bound(pattern: object) -> list[str]:
    match pattern:
        case Bind(str(name)):
            return [name]
        case Destructure(_, fields):
            return [name for field in fields for name in bound(field)]
    return []


def bound_types(arms: object) -> list[TensorType[object]]:
    return [TensorType((), DType.INT32)]


def retyped(pattern: object, name: str, type: object) -> object:
    match pattern:
        case Bind(found) if found == name:
            return replace(pattern, type=type)
        case Destructure(_, fields):
            return replace(pattern, fields=tuple(retyped(field, name, type) for field in fields))
    return pattern


def test_data_that_was_tampered_with_is_not_well_typed() -> None:
    found = gradual.check(TAMPERED)
    assert found.ok, [d.message for d in found.diagnostics]
    assert violations(found.core, Decider()) == [], printed(found.core)
    function = found.core.functions["@f"]
    count, survivors = 0, []
    for index, step in enumerate(function.body.steps):
        for says, other in changed(step):
            steps = (*function.body.steps[:index], other, *function.body.steps[index + 1 :])
            body = replace(function.body, steps=steps)
            core = Module({"@f": replace(function, body=body)}, found.core.data)
            count += 1
            if not violations(core, Decider()):
                survivors.append(says)
    assert count >= 12 and survivors == []
