"""Every field of every step says what it is for, and what traverses core by these roles comes to each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest

from gradual.core import terms
from gradual.core.check import Blame, Check, Site
from gradual.core.def_use import bindings, blocks, checks_in, defined, operands, reads, within
from gradual.core.pattern import Bind, Destructure
from gradual.core.roles import Role, roles
from gradual.core.traversal import Rewriting, with_blocks, with_operands
from gradual.dims.term.constraint import at_least, equal
from gradual.dims.term.dim import Dim, Kind, Variable, constant
from gradual.ops.catalogue import CATALOGUE
from gradual.passes.framework.bound_names import bound_in
from gradual.source import Span
from gradual.tensors.tensor import scalar
from gradual.types.dtype import DType
from gradual.types.type import FunctionType, TensorType, TypeVariable
from gradual.types.unpacking import size_of

STEPS: tuple[type, ...] = get_args(terms.Step)
INSIDE = (terms.Block, terms.Arm, terms.Param, terms.Layer, terms.Change, terms.Conversion, terms.Function)
NODES = (*STEPS, *INSIDE, Bind, Destructure)

NOT_READ = {Role.DEFINED, Role.SELF, Role.WRITTEN, Role.INSTANCES, Role.CHOICES}
"""Roles of fields whose variables a step does not read: what it defines, and types that only the source states."""

PLAIN: dict[object, object] = {
    Span: Span(0, 0),
    str: "said",
    str | None: "Some",
    int: 0,
    bool: False,
    type(scalar(1, DType.INT64)): scalar(1, DType.INT64),
    type(CATALOGUE["add"]): CATALOGUE["add"],
}
"""What fields hold that a traversal passes over."""


# ------------------------------------------------------------------------------------------------------------- samples
@dataclass
class Sample:
    """Builds nodes in which every variable occurs once.

    Attributes:
        names: role -> the variables in fields that have it.
    """

    names: dict[Role, list[str]] = field(default_factory=dict)
    count: int = 0

    def node(self, kind: type) -> Any:
        """A node whose fields are filled by their roles."""
        if kind is terms.Conversion:
            found = terms.Conversion()
            found.fields["Some"] = (self.node(terms.Change), None, found)
            return found
        hints = get_type_hints(kind, include_extras=True)
        return kind(*(self.field(role, hints[name].__origin__) for name, role in roles(kind).items()))

    def field(self, role: Role, hint: Any) -> Any:
        """A value for a field."""
        match role:
            case Role.PLAIN:
                return PLAIN.get(hint, {})
            case Role.DEFINED | Role.SELF | Role.HEAD | Role.OPERAND:
                return self.name(role)
            case Role.OPERANDS:
                return (self.name(role), self.name(role))
            case Role.DIM:
                return self.size(role)
            case Role.DIMS | Role.BINDERS:
                return ((self.dim(), self.size(role)),)
            case Role.ATTRIBUTES:
                return {"shape": (self.size(role), 3)}
            case Role.GOAL:
                return equal(self.size(role), constant(3))
            case Role.BLAME:
                owed = at_least(self.size(role), constant(3))
                return Blame("type.call", Site.CAST, Span(0, 0), "said", "", (), "", (), "", owed)
            case Role.TYPE | Role.WRITTEN:
                return self.type(role)
            case Role.SIGNATURE:
                names, binder = (self.name(Role.DEFINED),), self.dim()
                return FunctionType(names, (self.type(role),), self.type(role), (binder,), types=(self.parameter(),))
            case Role.INSTANCES:
                return (self.type(role),)
            case Role.CHOICES:
                return ((self.parameter(), self.type(role)),)
            case Role.TYPE_BINDERS:
                return (self.parameter(),)
            case Role.BLOCK | Role.PART | Role.LITERAL | Role.LAYER | Role.CONVERSION:
                return self.node(next(_classes(hint)))
            case Role.PARTS | Role.ARMS | Role.ENTRY:
                return (self.node(next(_classes(hint))),)
        raise AssertionError(role)

    def bare(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def name(self, role: Role) -> str:
        name = f"%{self.bare()}"
        self.names.setdefault(role, []).append(name)
        return name

    def size(self, role: Role) -> Dim:
        return size_of(self.name(role), 0)

    def type(self, role: Role) -> TensorType[Dim]:
        return TensorType((self.size(role),), DType.FLOAT32)

    def dim(self) -> Variable:
        name = self.bare()
        return Variable(name, name, Kind.RIGID, None)

    def parameter(self) -> TypeVariable:
        return TypeVariable(self.bare())


def _classes(hint: Any) -> Iterator[type]:
    """The classes of nodes in an annotation, in order."""
    if isinstance(hint, type) and is_dataclass(hint):
        yield hint
    for part in get_args(hint):
        yield from _classes(part)


# ----------------------------------------------------------------------------------------------- without the roles
def _inside(node: object, seen: set[int]) -> Iterator[object]:
    """Everything in the fields of a node, whatever their roles."""
    if id(node) in seen:
        return
    seen.add(id(node))
    yield node
    if isinstance(node, NODES):
        parts: tuple[object, ...] = tuple(getattr(node, one.name) for one in fields(node))  # type: ignore[arg-type]
    elif isinstance(node, Blame):
        parts = (node.owed,)
    elif isinstance(node, dict):
        parts = tuple(node.values())
    else:
        parts = node if isinstance(node, tuple) else ()
    for part in parts:
        yield from _inside(part, seen)


def _everything(node: object) -> list[Any]:
    return list(_inside(node, set()))


def _names(node: object) -> set[str]:
    """Every variable in a node."""
    leaves = (part for part in _everything(node) if not isinstance(part, (*NODES, Blame, dict, tuple)))
    return {name for leaf in leaves for name in re.findall(r"%\w+", str(leaf))}


def _sampled(kind: type) -> tuple[Any, dict[Role, list[str]]]:
    sample = Sample()
    return sample.node(kind), sample.names


# ---------------------------------------------------------------------------------------------------------- the laws
@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
def test_every_field_has_a_role(node: type) -> None:
    assert set(roles(node)) == {one.name for one in fields(node)}


def test_a_field_without_a_role_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"Link\.span has 0 roles"):
        roles(_Link)


@dataclass
class _Link:
    span: Span


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
def test_what_is_plain_holds_no_variable(node: type) -> None:
    hints = get_type_hints(node, include_extras=True)
    plain = [hints[name].__origin__ for name, role in roles(node).items() if role is Role.PLAIN]
    attributes = get_type_hints(terms.Function)["attributes"]
    assert all(hint in PLAIN or hint == attributes for hint in plain), plain


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_a_step_reads_and_defines_each_variable_in_it(kind: type) -> None:
    step, names = _sampled(kind)
    silent = {name for role in (Role.SELF, Role.WRITTEN, Role.INSTANCES, Role.CHOICES) for name in names.get(role, ())}
    assert {name for role in names.keys() - NOT_READ for name in names[role]} <= {*reads(step)}
    own = [node for node in within(step) if isinstance(node, (*STEPS, terms.Param, Bind)) and hasattr(node, "name")]
    assert _names(step) == {*reads(step), *(node.name for node in own)} | silent
    assert defined(step) == getattr(step, "name", None)


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_operands_are_those_of_the_step_itself(kind: type) -> None:
    step, _ = _sampled(kind)
    named = [getattr(step, name) for name, role in roles(kind).items() if role in (Role.HEAD, Role.OPERAND)]
    several = [getattr(step, name) for name, role in roles(kind).items() if role is Role.OPERANDS]
    assert operands(step) == (*named, *(name for names in several for name in names))


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_a_copy_renames_every_variable(kind: type) -> None:
    step, _ = _sampled(kind)
    names = {name: f"{name}_again" for name in _names(step)}
    copy = Rewriting(names, binding=True).step(step)
    assert type(copy) is kind and copy is not step
    assert _names(copy) == {*names.values()}
    assert not {id(node) for node in _everything(copy) if isinstance(node, NODES)} & {
        id(node) for node in _everything(step) if isinstance(node, NODES)
    }


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_a_copy_without_changes_says_the_same(kind: type) -> None:
    step, _ = _sampled(kind)
    copy = Rewriting().step(step)
    assert [type(part) for part in _everything(copy)] == [type(part) for part in _everything(step)]
    assert _names(copy) == _names(step)
    plain = [name for name, role in roles(kind).items() if role is Role.PLAIN]
    assert all(getattr(copy, name) is getattr(step, name) for name in plain)


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_blocks_are_found_and_exchanged(kind: type) -> None:
    step, _ = _sampled(kind)
    outside_proxies = kind not in (terms.Wrap, terms.WrapReference, terms.Convert)
    nested = [part for part in _everything(step) if isinstance(part, terms.Block)] if outside_proxies else []
    assert list(blocks(step)) == nested
    assert with_blocks(step, lambda block: block) is step
    other = terms.Block((), "%other")
    assert list(blocks(with_blocks(step, lambda block: other))) == [other] * len(nested)


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_operands_are_exchanged_but_not_the_head(kind: type) -> None:
    step, _ = _sampled(kind)
    copy = with_operands(step, lambda name: f"{name}_other")
    for name, role in roles(kind).items():
        before, after = getattr(step, name), getattr(copy, name)
        match role:
            case Role.OPERAND:
                assert after == f"{before}_other"
            case Role.OPERANDS:
                assert after == tuple(f"{one}_other" for one in before)
            case _:
                assert after is before


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_every_check_is_found_once(kind: type) -> None:
    step, _ = _sampled(kind)
    at_entry = {id(check) for node in within(step) if isinstance(node, terms.Function) for check in node.entry}
    checks = [part for part in _everything(step) if isinstance(part, Check) and id(part) not in at_entry]
    assert sorted(map(id, checks_in(terms.Block((step,), "%r")))) == sorted(map(id, checks))


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_the_variables_that_a_step_binds_have_their_types(kind: type) -> None:
    step, _ = _sampled(kind)
    found = dict(bindings(step))
    if hasattr(step, "name"):
        assert found.pop(step.name) == step.type
    if isinstance(step, terms.Closure):
        assert {param.name: param.type for param in step.function.params} == found
    elif isinstance(step, terms.Match):
        assert {arm.pattern.name: arm.pattern.type for arm in step.arms if isinstance(arm.pattern, Bind)} == found
    else:
        assert not found


def test_dims_and_type_parameters_are_found_where_they_are_bound() -> None:
    sample = Sample()
    function = sample.node(terms.Function)
    wrap = sample.node(terms.Wrap)
    assert {*function.type.binders, *function.type.types, function.binders[0][0]} == bound_in(function)
    body = terms.Block((wrap,), wrap.name)
    inner = terms.Function("@f", (), (), (), body, FunctionType((), (), wrap.type), False, Span(0, 0))
    assert bound_in(inner) == {wrap.layer.binders[0][0], *wrap.layer.types}
