"""Type parameters: the result type of a polymorphic call, and explicit instantiation.

[type.call.types] [type.instance]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import NoReturn

from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import NotADim, discharge_divisions
from gradual.checker.declarations.types import Reading
from gradual.checker.obligations.discharge import require
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken, Made
from gradual.core.check import Promise, Site
from gradual.core.terms import Instantiate
from gradual.dims.term.constraint import FALSE, at_least
from gradual.dims.term.dim import Dim, Variable, constant
from gradual.record import record
from gradual.source import Span
from gradual.syntax.parsing.build_types import bare_type
from gradual.syntax.tree import ast
from gradual.types.instantiation import Applied, at_given, is_gradual
from gradual.types.print import shown
from gradual.types.type import FunctionType, GradualType, OpenedType, TypeVariable
from gradual.types.unpacking import closed


def entered(
    state: Elaboration,
    type: FunctionType,
    call: Applied,
    arguments: Sequence[OpenedType],
    name: str,
    promise: Callable[[str, int | None], Promise],
    identities: tuple[str, ...] = (),
) -> OpenedType:
    """Unpack the result type of a call.

    A `?` that replaced differing known sizes, at a join of arguments or of branches in the function, does not make the
    caller gradual.
    """
    gradual, before = state.strictness.gradual, len(state.unknowns.existentials)
    result = state.enter(call.result, name, promise, identities)
    agreed = type in state.strictness.agreed or not leaves_open(state, type, arguments)
    if not gradual and agreed:
        state.strictness.excuse(list(state.unknowns.existentials)[before:])
        state.strictness.agree(call.result)
    return result


def instance(state: Elaboration, node: ast.Instance, function: str, hint: str | None) -> str:
    """Instantiate a function at the dims and types in brackets and return its core variable.  [type.instance]"""
    type = state.values.types[function]
    if isinstance(type, Broken):
        return state.values.broken()
    if not isinstance(type, FunctionType):
        message = f"only a function takes dimensions and types in brackets, not `{shown(type)}`"
        state.output.report("E0307", "type.instance", message, node.span)
        return state.values.broken()
    if len(node.arguments) > len(type.order):
        bound = " and ".join(f"`{one.name}`" for one in type.order) or "nothing"
        message = f"this function binds {bound}, so it cannot take {len(node.arguments)} dimensions and types"
        state.output.report("E0304", "type.instance", message, node.span)
        return state.values.broken()
    given = _Given(state)
    try:
        for one, argument in zip(type.order, node.arguments, strict=False):
            given.read(one, argument)
    except Unreadable:
        return state.values.broken()
    if not given.dims and not given.types:
        return function
    inside = at_given(type, given.dims, given.types)
    for clause, left in zip(type.where, inside.where, strict=True):
        says = f"the function requires `{clause}`"
        if left is FALSE and not require(state, Obligation(left, "type.call.where", Site.WHERE, says, node.span)):
            return state.values.broken()
    for written in given.types.values():
        state.strictness.wrote(written)
    name = state.values.fresh(hint)
    step = Instantiate(name, function, tuple(given.dims.items()), tuple(given.types.items()), inside, node.span)
    state.output.steps.append(step)
    return state.values.define(name, inside, Made("an instance", (function,), node.span))


@record(frozen=False)
class _Given:
    """The arguments of an instance, each read as a dim or a type by the kind of its binder."""

    state: Elaboration
    dims: dict[Variable, Dim] = field(default_factory=dict)
    types: dict[TypeVariable, GradualType] = field(default_factory=dict)

    def read(self, one: Variable | TypeVariable, argument: ast.Expr | ast.Type) -> None:
        """Read one argument; `?` and `_` leave the choice to the call.  Raises Unreadable."""
        reading = Reading(self.state)
        if isinstance(one, TypeVariable):
            written = as_type(argument)
            if written is None:
                self._refuse(
                    f"`{one.name}` stands for a type, and this is not a type", argument.span, "E0205", "name.type"
                )
            elif not isinstance(written, ast.Omitted):
                self.types[one] = reading.type(written)
        elif not (isinstance(argument, ast.Hole) and argument.bound is None):
            self.dims[one] = self._dim(reading, one, argument)
        discharge_divisions(self.state, reading)

    def _dim(self, reading: Reading, one: Variable, argument: ast.Expr | ast.Type) -> Dim:
        if isinstance(argument, ast.FnType | ast.TensorType):
            self._refuse(f"`{one.name}` is a dimension, and this is a type", argument.span, "E0206", "name.dimension")
        try:
            dim = reading.dim(argument)  # type: ignore[arg-type]
        except NotADim as found:
            self._refuse(f"`{one.name}` is a dimension: {found.message}", found.span, found.code, found.rule)
        says = f"`{one.name}` may be negative"
        if not require(
            self.state, Obligation(at_least(dim, constant(0)), "type.instance", Site.ARGUMENT, says, argument.span)
        ):
            raise Unreadable
        return dim

    def _refuse(self, message: str, span: Span, code: str, rule: str) -> NoReturn:
        self.state.output.report(code, rule, message, span)
        raise Unreadable


def as_type(expr: ast.Expr | ast.Type) -> ast.Type | None:
    """Convert an argument of an instance to type syntax; None if it is not a type."""
    match expr:
        case ast.Name(name, span):
            return bare_type(span, expr)
        case ast.Instance(ast.Name(name), arguments, span):
            inside = [as_type(argument) for argument in arguments]
            return None if None in inside else ast.NamedType(name, tuple(t for t in inside if t is not None), span)
        case ast.Tuple(items, span):
            fields = [as_type(item) for item in items]
            return None if None in fields else ast.TupleType(tuple(t for t in fields if t is not None), span)
        case ast.Ref("ref", (content,), span):
            held = as_type(content)
            return None if held is None else ast.RefType(held, span)
        case ast.TensorType() | ast.FnType() | ast.NamedType() | ast.TupleType() | ast.RefType() | ast.Omitted():
            return expr
        case _:
            return None


def leaves_open(state: Elaboration, type: FunctionType, arguments: Sequence[OpenedType]) -> bool:
    """Whether a `?` or `*` that is written, or that depends on data, may occur in the result of a call."""
    shows = (closed(argument, lambda v: not v.is_existential or v in state.strictness.joins) for argument in arguments)
    return is_gradual(type.result) or (bool(type.types) and any(map(state.strictness.hides_unknown, shows)))
