"""Ascriptions: a value at a written type, which forgets everything else."""

from __future__ import annotations

from gradual.checker.coercion.flow import flow, ranks_met
from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import discharge_divisions
from gradual.checker.declarations.types import Reading
from gradual.checker.obligations.origins import written_at
from gradual.checker.program.place import Place
from gradual.checker.state.context import TypingContext
from gradual.checker.state.values import Broken, Written
from gradual.core.terms import Promise, Rename, Site
from gradual.dims.term.dim import Dim, Variable
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import bare, measured
from gradual.types.relations import substituted
from gradual.types.type import FunctionType, NeverType, TupleType
from gradual.types.unpacking import base_of, paired_sizes, sizes


def ascribe(
    state: TypingContext,
    value: str,
    annotation: ast.Type,
    value_span: Span,
    span: Span,
    site: Site,
    rule: str,
    hint: str | None,
    what: str | None = None,
) -> str:
    """The value at the written type, which forgets everything else; new dimension names are bound to its sizes.

    [type.annotation] [type.cast] [type.forget]
    """
    waits = value in state.values.templates
    if not waits and isinstance(state.values.types[value], Broken):
        return value
    new: dict[str, Variable] = {}

    def bound(name: str, at: Span) -> Dim:
        state.scope.bind_dim(name, dim := state.scope.rigid(name))
        (new[name],) = dim.variables()
        return dim

    reading = Reading(state, bound)
    try:
        target = reading.type(annotation)
    except Unreadable:
        return state.values.broken()
    what = what or ("the annotation of `" + (hint or "") + "`" if site is Site.ANNOTATION else "the cast")
    place = Place(value_span, site, rule, what, f"{what}, in `{state.function}`", annotation)
    if new:
        own = FunctionType(("",), (target,), TupleType(()), tuple(new.values()))
        if not ranks_met(state, value, target, place):
            return state.values.broken()
        choice = measured(own, [NeverType() if waits else state.values.opened(value)])
        for name, variable in new.items():
            if variable in choice.unsolved:
                state.output.report(
                    "E0206", "name.dimension", f"dimension `{name}` cannot be inferred from the value", annotation.span
                )
                return state.values.broken()
            state.scope.bind_dim(name, choice.mapping[variable])
        target = substituted(target, choice.mapping)
    discharge_divisions(state, reading)
    fits = flow(state, value, target, place)
    if fits is None:
        return state.values.broken()
    name = state.values.fresh(hint)

    def promise(path: str, axis: int | None) -> Promise:
        return Promise(written_at(annotation, path.split("#")[1:], axis), f"the `?` of {what}")

    state.strictness.wrote(target)
    type = state.enter(target, name, promise)
    kept = state.values.types[value]
    for forgotten, size in paired_sizes(kept, type) if not isinstance(kept, Broken) else ():
        ghost = bare(size)
        if ghost is not None and base_of(ghost) == name:
            state.unknowns.forgotten[ghost] = forgotten
    for size in sizes(type):
        state.is_size(size)
    state.output.steps.append(Rename(name, fits, type, span, target))
    return state.values.define(name, type, Written(annotation))
