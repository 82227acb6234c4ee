"""Laws that hold of every operator in the catalogue."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gradual.conformance.entries.chapter import HEAD
from gradual.core.datatypes import numbers_of
from gradual.dims.term.constraint import FALSE, TRUE
from gradual.dims.term.dim import Dim, Kind, Undefined, Variable, constant, variable
from gradual.limits import LIMITS
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed, Judgement, Operator
from gradual.tensors.fault import TensorFault
from gradual.tensors.scalar import integer_range, wrapped
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType, TupleType, UnrankedType
from tests.generators.derived import derived
from tests.generators.operators import Application, rows
from tests.thorough import examples

OPERATORS = sorted({one.name for one in CATALOGUE.values()})
every_operator = pytest.mark.parametrize("name", OPERATORS)
few = settings(examples(12), derandomize=True)
fewer = settings(few, max_examples=6)
drawn = given(data=st.data())


def exact_type(value: Value) -> Any:
    """The type of a value at run time: constant dims, and contents wherever they can be known."""
    if isinstance(value, tuple):
        return TupleType(tuple(map(exact_type, value)))
    shape = tuple(map(constant, value.shape))
    contents = exact_contents(value)
    return TensorType(shape, value.dtype, contents, numbers_of(value) if contents is None else None)


def exact_contents(value: Tensor) -> Any:
    if value.rank > 1 or value.size > LIMITS.contents or value.dtype.is_float:
        return None
    if value.dtype is DType.BOOL:
        return tuple(TRUE if part else FALSE for part in value.flat())
    return tuple(map(constant, value.flat()))


def as_ints(value: Any) -> Any:
    """An attribute as a meaning takes it: integers for dims."""
    if isinstance(value, Dim):
        assert value.value is not None
        return value.value
    return tuple(map(as_ints, value)) if isinstance(value, tuple) else value


def applied(one: Operator, application: Application) -> Any:
    """What the meaning gives; None for a fault."""
    attributes = {name: as_ints(value) for name, value in bound(one, application.attributes).items()}
    try:
        return one.meaning(*application.arguments, **attributes)
    except TensorFault:
        return None


def judged(one: Operator, application: Application) -> Judgement:
    attributes = bound(one, application.attributes)
    return one.judge(*map(exact_type, application.arguments), **attributes)


def holds(judgement: Judgement, env: dict[Variable, int]) -> bool:
    try:
        return all(need.goal.evaluate(env) for need in judgement.needs)
    except Undefined:
        return False


def assert_inhabits(value: Any, wanted: Any) -> None:
    """The value has the type, whose dims are constant or holes with constant bounds."""
    if isinstance(wanted, TupleType):
        assert isinstance(value, tuple) and len(value) == len(wanted.fields)
        for part, kind in zip(value, wanted.fields, strict=True):
            assert_inhabits(part, kind)
        return
    assert isinstance(value, Tensor)
    assert value.dtype is wanted.dtype and value.rank == wanted.rank, (value, wanted)
    assert len(value.elements) == math.prod(value.shape)
    for extent, dim in zip(value.shape, wanted.shape, strict=True):
        assert_extent(extent, dim)


def assert_extent(extent: int, dim: Dim | Hole) -> None:
    if isinstance(dim, Hole):
        assert dim.low is None or dim.low.evaluate({}) <= extent
        assert dim.high is None or extent <= dim.high.evaluate({})
    else:
        assert extent == dim.value


@pytest.mark.parametrize("name", ["add", "exp", "power", "where", "clip", "nn.bias_add", "nn.dense", "sum", "gather"])
def test_applications_derived_from_a_declaration_are_well_formed_and_most_hold(name: str) -> None:
    """Of operators that have rows of their own: one without is drawn from in this way alone."""
    one, found = CATALOGUE[name], list[bool]()

    @settings(few, max_examples=60)
    @given(derived(one))
    def law(application: Application) -> None:
        found.append(holds(judged(one, application), {}))

    law()
    assert sum(found) > len(found) / 2


def test_no_row_is_about_an_operator_that_does_not_exist() -> None:
    assert set(rows()) - set(OPERATORS) == set()


@every_operator
def test_an_operator_says_what_it_does_and_cites_rules_by_name(name: str) -> None:
    one = CATALOGUE[name]
    assert one.summary.strip()
    assert all(rule.startswith("op.") for rule in one.rules)


EQUATION = re.compile(r"^    out\b[^=\n]* = \S", re.MULTILINE)


@every_operator
def test_an_operator_has_an_equation_and_says_what_each_operand_and_attribute_means(name: str) -> None:
    """What several operators share is explained in the head of the chapter of entries."""
    one = CATALOGUE[name]
    assert EQUATION.search(one.description), "the docstring has no indented block with a line `out[…] = …`"
    meaningful = [each.name for each in one.attributes if each.annotation != "object"]
    static = CATALOGUE.get(name.removeprefix("dyn."), one)
    known = set(re.findall(r"\w+", f"{one.description} {static.description} {HEAD}"))
    assert [part for part in (*one.arguments, *meaningful) if part not in known] == []


@every_operator
@few
@drawn
def test_the_judged_type_is_the_type_of_the_meaning(name: str, data: st.DataObject) -> None:
    one = CATALOGUE[name]
    application = data.draw(rows()[name])
    judgement = judged(one, application)
    assume(holds(judgement, {}))
    value = applied(one, application)
    if value is not None:
        assert_inhabits(value, judgement.result)


@every_operator
@fewer
@drawn
def test_every_need_is_cited_in_the_declaration(name: str, data: st.DataObject) -> None:
    one = CATALOGUE[name]
    application = data.draw(rows()[name])
    for need in judged(one, application).needs:
        assert need.rule in one.rules
        assert need.says
        for operand in need.operands:
            assert operand and 0 <= (operand[0] or 0) < len(one.arguments)


@pytest.mark.parametrize("name", [name for name in OPERATORS if CATALOGUE[name].contents is not None])
@few
@drawn
def test_contents_are_the_elements_that_the_meaning_computes(name: str, data: st.DataObject) -> None:
    one = CATALOGUE[name]
    application = data.draw(rows()[name])
    assume(holds(judged(one, application), {}))
    value = applied(one, application)
    assume(value is not None)
    assert one.contents is not None
    attributes = bound(one, application.attributes)
    contents = one.contents(*map(exact_type, application.arguments), **attributes)
    if contents is not None:
        low, high = integer_range(value.dtype) if value.dtype.is_integer else (0, 1)
        for part, element in zip(contents, value.flat(), strict=True):
            number = part.evaluate({})
            assert number == element or not low <= number <= high  # which a run tells  [run.overflow]
        assert value.rank <= 1


@every_operator
@fewer
@drawn
def test_a_hole_stands_only_where_the_declaration_says_that_the_shape_depends_on_data(
    name: str, data: st.DataObject
) -> None:
    one = CATALOGUE[name]
    result = judged(one, data.draw(rows()[name])).result
    if any(isinstance(dim, Hole) for dim in dims_of(result)):
        assert one.data_dependent


def dims_of(kind: Any) -> Iterator[Dim | Hole]:
    for part in kind.fields if isinstance(kind, TupleType) else (kind,):
        yield from () if isinstance(part, UnrankedType) else part.shape


class Abstraction:
    """Sizes replaced by unknowns, with the sizes they stood for."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.sizes: dict[Variable, int] = {}
        self.fresh = count()

    def dim(self, size: int) -> Dim:
        """The size itself, an unknown that already stands for it, or a new unknown."""
        known = [one for one, value in self.sizes.items() if value == size]
        choice = self.data.draw(st.integers(0, 2))
        if choice == 0:
            return constant(size)
        if choice == 1 and known:
            return known_dim(known[0])
        dim = variable(f"u{next(self.fresh)}", kind=Kind.EXISTENTIAL)
        (unknown,) = dim.variables()
        self.sizes[unknown] = size
        return dim

    def type(self, value: Value) -> Any:
        """The value's type with unknown sizes and contents."""
        if isinstance(value, tuple):
            return TupleType(tuple(map(self.type, value)))
        length = constant(value.size) if value.rank == 1 and not value.dtype.is_float else None
        shape = (length,) if length is not None else tuple(map(self.dim, value.shape))
        contents = exact_contents(value)
        if contents is not None and value.dtype is not DType.BOOL:
            contents = tuple(map(self.dim, value.flat()))
        return TensorType(shape, value.dtype, contents, numbers_of(value) if contents is None else None)

    def attribute(self, value: Any) -> Any:
        """The attribute with its dims unknown."""
        if isinstance(value, Dim):
            assert value.value is not None
            return self.dim(value.value)
        return tuple(map(self.attribute, value)) if isinstance(value, tuple) else value


def known_dim(unknown: Variable) -> Dim:
    return variable(unknown.name, kind=unknown.kind, witness=unknown.witness)


def evaluated(dims: Iterable[Dim | Hole], env: dict[Variable, int]) -> list[Any]:
    return [dim.evaluate(env) if isinstance(dim, Dim) else None for dim in dims]


@every_operator
@few
@drawn
def test_judging_unknown_sizes_and_then_measuring_is_measuring_and_then_judging(name: str, data: st.DataObject) -> None:
    one = CATALOGUE[name]
    application = data.draw(rows()[name])
    measured = judged(one, application)
    abstraction = Abstraction(data)
    arguments = tuple(map(abstraction.type, application.arguments))
    attributes = {
        k: v if k in application.literal else abstraction.attribute(v)
        for k, v in bound(one, application.attributes).items()
    }
    try:
        unknown = one.judge(*arguments, **attributes)
    except IllFormed as refusal:
        assume(refusal.rule not in ("op.attribute", "op.rank"))
        raise
    env = abstraction.sizes
    assert holds(unknown, env) is holds(measured, {})
    if holds(measured, {}):
        assert_same(unknown.result, measured.result, env)
        if one.contents is not None:
            assert_same_contents(one, application, arguments, attributes, env)


def assert_same(unknown: Any, measured: Any, env: dict[Variable, int]) -> None:
    if isinstance(unknown, UnrankedType):  # a rank that depends on sizes
        assert unknown.dtype is measured.dtype
        return
    left, right = list(dims_of(unknown)), list(dims_of(measured))
    assert len(left) == len(right)
    for symbolic, exact in zip(left, right, strict=True):
        if isinstance(symbolic, Dim) and isinstance(exact, Dim):
            assert symbolic.evaluate(env) == exact.value


def assert_same_contents(
    one: Operator, application: Application, arguments: Any, attributes: Any, env: dict[Variable, int]
) -> None:
    assert one.contents is not None
    unknown = one.contents(*arguments, **attributes)
    value = applied(one, application)
    if unknown is None or value is None:
        return
    found = [part.evaluate(env) for part in unknown]
    if value.dtype is DType.BOOL or all(wrapped(value.dtype, part) == part for part in found):
        assert found == value.flat()
