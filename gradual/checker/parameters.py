"""Parameters whose types are left out: they have those of an expected function type, or what is inferred."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gradual.checker.elaboration import Elaboration
from gradual.checker.omission import is_omitted
from gradual.checker.omitted import omitted_type
from gradual.dims.constraint import Constraint
from gradual.dims.dim import Dim, Variable
from gradual.source import Span
from gradual.syntax import ast
from gradual.types.relate import substituted
from gradual.types.type import FunctionType, GradualType, NeverType, TypeVariable

Given = dict[str, GradualType]
"""The types of parameters that are not written, by their names; `_` of one that is not known."""


@dataclass(slots=True, eq=False)
class HandedDown:
    """What an expected function type gives a literal.

    Attributes:
        params: the types of the parameters that have none.
        where: what its callers owe.
        order: its dims and types, which are the literal's own.
    """

    params: Given = field(default_factory=dict)
    where: tuple[Constraint, ...] = ()
    order: tuple[Variable | TypeVariable, ...] = ()


def handed_down(
    state: Elaboration, literal: ast.Fn, expected: FunctionType | None, binders: dict[str, tuple[Dim, Span]]
) -> HandedDown:
    """What an expected function type says of the parameters, and what its callers owe, at dims of the literal's own.

    The dims have no names inside the literal.  [type.fn.expected]
    """
    if expected is None:
        return HandedDown()
    fresh: dict[Variable, Dim] = {}
    for binder in expected.binders:
        fresh[binder] = dim = state.rigid(binder.name)
        (own,) = dim.variables()
        state.rigids[own] = literal.span
        binders[own.name] = dim, literal.span
    given = {
        param.name.name: substituted(type, fresh)
        for param, type in zip(literal.params, expected.params, strict=True)
        if is_omitted(param.annotation)
    }
    where = tuple(clause.substitute(fresh) for clause in expected.where)
    for clause in where:
        state.learnt()
        state.facts.assume(clause)
    own_dims = tuple(variable for dim in fresh.values() for variable in dim.variables())
    return HandedDown(given, where, own_dims + expected.types)


def with_parameters(state: Elaboration, literal: ast.Fn, given: Given) -> ast.Fn:
    """The literal with a type for every parameter: `_` where it is given, else what is inferred.

    One that is not determined is reported, and is given as unknown.  [type.omitted]
    """
    if not any(is_omitted(param.annotation) for param in literal.params):
        return literal
    return replace(literal, params=tuple([_with_type(state, param, given) for param in literal.params]))


def _with_type(state: Elaboration, param: ast.Param, given: Given) -> ast.Param:
    name = param.name
    if not is_omitted(param.annotation):
        return param
    found = None
    if name.name not in given:
        found = omitted_type(state, param if param.annotation is None else param.annotation, name.span)
    if found is None and name.name not in given:
        message = f"the type of `{name.name}` is not determined by its uses; write it"
        state.report("E0310", "type.omitted", message, name.span)
        given[name.name] = NeverType()
    return replace(param, annotation=found or ast.Omitted(name.span))
