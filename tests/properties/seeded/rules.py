"""Bugs in operators' rules, in the machine, and in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import gradual.ops.declaration.shapes as shapes
import gradual.ops.shape.reshape as reshaping
from gradual.checker.expressions import application
from gradual.checker.state.context import Elaboration
from gradual.checker.state.unknowns import mentions_existential
from gradual.dims.term.constraint import any_of, at_most, equal
from gradual.dims.term.dim import Dim, constant
from gradual.ops import catalogue
from gradual.ops.catalogue import CATALOGUE, gathered
from gradual.ops.declaration.operator import Judgement, Need
from gradual.run.entry import cast
from gradual.run.steps import operators as applying
from gradual.syntax.printing import print as printing
from gradual.syntax.tree import ast
from gradual.types.type import Hole, TensorType
from gradual.types.unpacking import sizes
from tests.properties.seeded.planting import planted


# --------------------------------------------------------------------------------------------------------- operators
@planted
def broadcasting_without_a_choice() -> Iterator[None]:
    """The result of a broadcast is the left size unless that is a literal 1 (GraTen)."""

    def altered(left: Dim, right: Dim) -> Dim:
        return right if left.value == 1 else left

    with patch.object(shapes, "common_extent", altered):
        yield


@planted
def only_the_right_side_broadcasts() -> Iterator[None]:
    """A size of 1 on the left does not give way."""
    agree = shapes._agree

    def altered(left: Dim, right: Dim, *places: Any) -> Need:
        return replace(agree(left, right, *places), goal=any_of(equal(left, right), equal(right, shapes.ONE)))

    with patch.object(shapes, "_agree", altered):
        yield


@planted
def a_static_operator_refuses_unknown_sizes() -> Iterator[None]:
    """`reshape` of unknown sizes is refused: use the dynamic one (Relay)."""
    apply = application.apply

    def altered(state: Elaboration, operator: Any, operands: Any, given: Any, span: Any, *rest: Any) -> str:
        held = [state.values.types[operand] for operand in operands]
        unknown = any(isinstance(type, TensorType) and any(map(mentions_existential, sizes(type))) for type in held)
        if operator.name == "reshape" and unknown:
            state.output.report("E0303", "op.rank", "`reshape` needs sizes that are known", span)
            return state.values.broken()
        return apply(state, operator, operands, given, span, *rest)

    with patch.object(application, "apply", altered):
        yield


@planted
def reshape_divides_the_known_part() -> Iterator[None]:
    """Whether the sizes divide is asked of the sizes that are known only (torch.fx)."""
    requested = reshaping.requested

    def altered(*given: Any, **named: Any) -> Any:
        shape, needs = requested(*given, **named)
        return shape, tuple(map(known_part, needs))

    def known_part(need: Need) -> Need:
        if need.rule != "op.reshape.divides":
            return need
        return replace(
            need, goal=need.goal.substitute({v: constant(1) for v in need.goal.variables() if v.is_existential})
        )

    with patch.object(reshaping, "requested", altered):
        yield


def _bounded(low: int, by: int) -> Any:
    """The judgement of `unique` with both its bounds moved."""
    judge = CATALOGUE["unique"].judge

    def moved(type: Any) -> Any:
        if not isinstance(type, TensorType):
            return replace(type, fields=tuple(map(moved, type.fields)))
        holes = (replace(d, high=d.high + by, low=d.low + low) if _is_bounded(d) else d for d in type.shape)
        return replace(type, shape=tuple(holes))

    def altered(*given: Any, **named: Any) -> Judgement:
        found = judge(*given, **named)
        return replace(found, result=moved(found.result))

    others = {name: one for name, one in gathered().items() if name != "unique"}
    wrong = {**others, "unique": replace(CATALOGUE["unique"], judge=altered)}
    return patch.object(catalogue, "gathered", lambda: wrong)


def _is_bounded(extent: Dim | Hole) -> bool:
    return isinstance(extent, Hole) and extent.high is not None and extent.low is not None


@planted
def unique_finds_fewer_than_there_may_be() -> Iterator[None]:
    """`unique` of n elements has at most n - 1."""
    with _bounded(0, -1):
        yield


@planted
def unique_always_finds_something() -> Iterator[None]:
    """`unique` of nothing has one element."""
    with _bounded(1, 0):
        yield


@planted
def a_size_may_be_as_small_as_minus_one() -> Iterator[None]:
    """A size that is written has to be at least -1."""

    def altered(extents: Any, rule: str, says: str = "a size is negative") -> tuple[Need, ...]:
        return tuple(Need(at_most(constant(-1), extent), rule, says) for extent in extents)

    with patch("gradual.ops.shape.create.not_negative", altered):
        yield


# ----------------------------------------------------------------------------------------------------------- machine
@planted
def contents_survive_wrapping() -> Iterator[None]:
    """Shape arithmetic that does not fit its type wraps, and the type still says what the integers would be."""
    with patch.object(applying, "exact", lambda *given: None):
        yield


@planted
def whoever_enters_is_trusted() -> Iterator[None]:
    """Arguments from outside are not compared with the declaration."""
    with patch.object(cast, "holds", lambda goal, sizes: True):
        yield


# -------------------------------------------------------------------------------------------------------------- text
@planted
def brackets_are_forgotten() -> Iterator[None]:
    """An expression is printed without the brackets that its place needs."""
    with patch.object(printing, "_bracketed", lambda parts, level, place: parts):
        yield


@planted
def conditions_of_dims_are_printed_loosely() -> Iterator[None]:
    """`<` is printed as `<=`."""
    infix = printing.PARTS[ast.Infix]

    def altered(node: ast.Infix, place: int) -> Any:
        return infix(replace(node, op="<=") if node.op == "<" else node, place)

    with patch.dict(printing.PARTS, {ast.Infix: altered}):
        yield
