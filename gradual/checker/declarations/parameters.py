"""Parameters whose types are left out: they have those of an expected function type, or what is inferred."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gradual.checker.program.elided import is_omitted
from gradual.checker.state.context import TypingContext
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import ContentOf, Dim, Variable
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import named_parts, read_off, unbound
from gradual.types.relations import instantiated, substituted
from gradual.types.type import FunctionType, GradualType, NeverType, OpenedType, TypeVariable
from gradual.types.unpacking import base_of, closed

Given = dict[str, GradualType]
"""The types of parameters that are not written, by their names; `_` of one that is not known."""


NOTHING = FunctionType((), (), NeverType())
"""An expected type that says nothing."""


@dataclass(slots=True, eq=False)
class HandedDown:
    """What an expected function type gives a literal, at dims and types of the literal's own.

    Attributes:
        expected: the function type.
        params: the types of the parameters that have none, by their spellings; they still speak of the parameters of
            the expected type.
        order: its dims and types, which are the literal's own.
        where: what its callers owe, as the expected type says it.
    """

    expected: FunctionType = NOTHING
    params: Given = field(default_factory=dict)
    order: tuple[Variable | TypeVariable, ...] = ()
    where: tuple[Constraint, ...] = ()

    def numbers(self) -> set[int]:
        """Which parameters hold numbers that the expected type speaks of."""
        parts = (part for part in named_parts(self.expected) if isinstance(part.witness, ContentOf))
        return {self.expected.names.index(str(base_of(part))) for part in parts}

    def resolved(self, type: GradualType, values: Sequence[OpenedType | None]) -> GradualType:
        """A type handed down, where the expected type's parameters are the values that the literal's have so far.

        A size of one that has none yet is `?`.
        """
        own = [part for part in dict.fromkeys(unbound(type)) if base_of(part) in self.expected.names]
        known = read_off(own, self.expected, values)
        hidden = set(own) - known.keys()
        return substituted(closed(type, lambda part: part not in hidden) if hidden else type, known)

    def clauses(self, values: Sequence[OpenedType | None]) -> Iterator[Constraint]:
        """What callers owe, of the values that the literal's parameters have; without what speaks of anything else."""
        for clause in self.where:
            own = [part for part in clause.variables() if base_of(part) in self.expected.names]
            known = read_off(own, self.expected, values)
            if len(known) == len(own):
                yield clause.substitute(known)


def handed_down(
    state: TypingContext, literal: ast.Fn, expected: FunctionType | None, binders: dict[str, tuple[Dim, Span]]
) -> HandedDown:
    """What an expected function type says of the parameters, and what its callers owe.

    The dims and types have no names inside the literal.  [type.fn.expected]
    """
    if expected is None:
        return HandedDown()
    fresh: dict[Variable, Dim] = {}
    for binder in expected.binders:
        fresh[binder] = dim = state.scope.rigid(binder.name)
        (own,) = dim.variables()
        state.unknowns.rigids[own] = literal.span
        binders[own.name] = dim, literal.span
    types: dict[TypeVariable, GradualType] = {one: state.scope.type_parameter(one.name) for one in expected.types}
    given = {
        param.name.name: instantiated(substituted(type, fresh), types)
        for param, type in zip(literal.params, expected.params, strict=True)
        if is_omitted(param.annotation)
    }
    where = tuple(clause.substitute(fresh) for clause in expected.where)
    own_dims = tuple(variable for dim in fresh.values() for variable in dim.variables())
    own_types = tuple(one for one in types.values() if isinstance(one, TypeVariable))
    return HandedDown(expected, given, own_dims + own_types, where)


def with_parameters(state: TypingContext, literal: ast.Fn, given: Given) -> ast.Fn:
    """The literal with a type for every parameter: `_` where it is given, else what is inferred.

    One that is not determined is reported, and is given as unknown.  [type.omitted]
    """
    if not any(is_omitted(param.annotation) for param in literal.params):
        return literal
    return replace(literal, params=tuple([_with_type(state, param, given) for param in literal.params]))


def _with_type(state: TypingContext, param: ast.Param, given: Given) -> ast.Param:
    name = param.name
    if not is_omitted(param.annotation):
        return param
    found = None
    if name.name not in given:
        found = state.judge.omitted_type(state, param if param.annotation is None else param.annotation, name.span)
    if found is None and name.name not in given:
        message = f"the type of `{name.name}` cannot be inferred from its uses; write it"
        if not state.reach.after_error:  # what was reported might have determined it
            state.output.report("E0310", "type.omitted", message, name.span)
        given[name.name] = NeverType()
    return replace(param, annotation=found or ast.Omitted(name.span))
