"""Ascriptions: a value at a written type, which forgets everything else."""

from __future__ import annotations

from gradual.checker.coercion.flow import flow, ranks_met
from gradual.checker.declarations.binders import Unreadable
from gradual.checker.declarations.dims import discharge_divisions
from gradual.checker.declarations.types import Reading
from gradual.checker.obligations.origins import written_at
from gradual.checker.state.context import Broken, Elaboration, Written
from gradual.checker.state.place import Place
from gradual.core.terms import Promise, Rename, Site
from gradual.dims.term.dim import Dim, Variable
from gradual.source import Span
from gradual.syntax.tree import ast
from gradual.types.binder_solving import bare, measured
from gradual.types.relations import substituted
from gradual.types.type import FunctionType, NeverType, TupleType
from gradual.types.unpacking import base_of, paired_sizes, sizes


def ascribe(
    state: Elaboration,
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
    waits = value in state.templates
    if not waits and isinstance(state.types[value], Broken):
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
        return state.broken()
    what = what or ("the annotation of `" + (hint or "") + "`" if site is Site.ANNOTATION else "the cast")
    place = Place(value_span, site, rule, what, f"{what}, in `{state.function}`", annotation)
    if new:
        own = FunctionType(("",), (target,), TupleType(()), tuple(new.values()))
        if not ranks_met(state, value, target, place):
            return state.broken()
        choice = measured(own, [NeverType() if waits else state.opened(value)])
        for name, variable in new.items():
            if variable in choice.unsolved:
                state.report(
                    "E0206", "name.dimension", f"dimension `{name}` cannot be inferred from the value", annotation.span
                )
                return state.broken()
            state.scope.bind_dim(name, choice.mapping[variable])
        target = substituted(target, choice.mapping)
    discharge_divisions(state, reading)
    fits = flow(state, value, target, place)
    if fits is None:
        return state.broken()
    name = state.fresh(hint)

    def promise(path: str, axis: int | None) -> Promise:
        return Promise(written_at(annotation, path.split("#")[1:], axis), f"the `?` of {what}")

    state.strictness.wrote(target)
    type = state.enter(target, name, promise)
    kept = state.types[value]
    for forgotten, size in paired_sizes(kept, type) if not isinstance(kept, Broken) else ():
        ghost = bare(size)
        if ghost is not None and base_of(ghost) == name:
            state.behind[ghost] = forgotten
    for size in sizes(type):
        state.is_size(size)
    state.steps.append(Rename(name, fits, type, span, target))
    return state.define(name, type, Written(annotation))
