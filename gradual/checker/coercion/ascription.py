"""Ascriptions: a value gets a written type, and everything else known about it is forgotten."""

from __future__ import annotations

from collections.abc import Mapping

from gradual.checker.coercion.flow import flow, ranks_met
from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import discharge_divisions
from gradual.checker.declarations.types import Reading
from gradual.checker.obligations.origins import written_at
from gradual.checker.program.place import Place
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Broken, Written
from gradual.core.check import Promise, Site
from gradual.core.terms import Rename
from gradual.dims.term.dim import Dim, Variable
from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import bare, measured
from gradual.types.substitution import substituted
from gradual.types.type import FunctionType, GradualType, NeverType, TupleType
from gradual.types.unpacking import base_of, paired_sizes, sizes


@record
class Ascription:
    """A type written for a value.

    Attributes:
        value_span: the span of the value.
        span: the span of the whole ascription, which has the type.
        site: the kind of source position, for blame.
        rule: the rule that requires the type.
        what: the ascription in the words of reports, such as "the annotation of `%x`".
    """

    annotation: ast.Type
    value_span: Span
    span: Span
    site: Site
    rule: str
    what: str


def ascribe(state: Elaboration, value: str, written: Ascription, hint: str | None) -> str:
    """Coerce a value to a written type, forget all else about the value, and bind new names in the type to its sizes.

    [type.annotation] [type.cast] [type.forget]
    """
    if value not in state.values.templates and isinstance(state.values.types[value], Broken):
        return value
    new: dict[str, Variable] = {}

    def bound(name: str, at: Span) -> Dim:
        state.scope.bind_dim(name, dim := state.scope.rigid(name))
        (new[name],) = dim.variables()
        return dim

    reading = Reading(state, bound)
    try:
        read = reading.type(written.annotation)
    except Unreadable:
        return state.values.broken()
    what = written.what
    place = Place(
        written.value_span, written.site, written.rule, what, f"{what}, in `{state.function}`", written.annotation
    )
    target = _measured(state, value, read, new, place) if new else read
    if target is None:
        return state.values.broken()
    discharge_divisions(state, reading)
    fits = flow(state, value, target, place)
    return state.values.broken() if fits is None else _named(state, value, fits, target, written, hint)


def _measured(
    state: Elaboration, value: str, target: GradualType, new: Mapping[str, Variable], place: Place
) -> GradualType | None:
    """Replace the target's new names by the value's sizes; None after reporting a name that cannot be inferred."""
    waits = value in state.values.templates
    own = FunctionType(("",), (target,), TupleType(()), tuple(new.values()))
    if not ranks_met(state, value, target, place):
        return None
    choice = measured(own, [NeverType() if waits else state.values.opened(value)])
    for name, variable in new.items():
        if variable in choice.unsolved:
            assert place.annotation is not None
            message = f"dimension `{name}` cannot be inferred from the value"
            state.output.report("E0206", "name.dimension", message, place.annotation.span)
            return None
        state.scope.bind_dim(name, choice.mapping[variable])
    return substituted(target, choice.mapping)


def _named(
    state: Elaboration, value: str, fits: str, target: GradualType, written: Ascription, hint: str | None
) -> str:
    """Define a variable for the value of which only the written type is known.

    The size that each `?` forgets is kept for reports (`Unknowns.forgotten`).
    """
    name, annotation = state.values.fresh(hint), written.annotation

    def promise(path: str, axis: int | None) -> Promise:
        return Promise(written_at(annotation, path.split("#")[1:], axis), f"the `?` of {written.what}")

    state.strictness.wrote(target)
    type = state.enter(target, name, promise)
    kept = state.values.types[value]
    for forgotten, size in paired_sizes(kept, type) if not isinstance(kept, Broken) else ():
        existential = bare(size)
        if existential is not None and base_of(existential) == name:
            state.unknowns.forgotten[existential] = forgotten
    for size in sizes(type):
        state.is_size(size)
    state.output.steps.append(Rename(name, fits, type, written.span, target))
    return state.values.define(name, type, Written(annotation))
