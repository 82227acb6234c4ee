"""A value flows into a written type: an argument, a result, an annotation, a cast."""

from __future__ import annotations

from functools import partial

from gradual.checker.discharge import Owed, discharge
from gradual.checker.elaboration import Broken, Elaboration
from gradual.checker.provenance import birth, written_at
from gradual.core.terms import Site
from gradual.diagnostic import Related
from gradual.dims.constraint import TRUE
from gradual.source import Span
from gradual.syntax import ast
from gradual.types.measuring import measured
from gradual.types.opening import opened, spelled
from gradual.types.relate import Coercion, Demand, Mismatch, demands, substituted
from gradual.types.text import shown
from gradual.types.type import FunctionType, GradualType

_CODES = {"type.structure": "E0307", "type.dtype": "E0306", "op.rank": "E0303"}


def flow(
    state: Elaboration,
    value: str,
    target: GradualType,
    span: Span,
    site: Site,
    rule: str,
    through: str,
    blamed: str,
    annotation: ast.Type | None = None,
) -> bool:
    """Discharge what a value owes to a type; False if no size could make it fit, which was then reported.

    [type.call.argument] [type.result] [type.annotation] [type.cast] [type.consistent]
    """
    source = state.types[value]
    if isinstance(source, Broken):
        return True
    for demand in demands(source, target):
        match demand:
            case Demand():
                described = partial(_owed, state, value, demand, span, site, rule, through, blamed, annotation)
                discharge(state, demand.goal, described)
            case Mismatch(why, message):
                related = (Related(annotation.span, "declared here"),) if annotation is not None else ()
                state.report(_CODES[why], rule, f"{through}: {message}", span, related=related)
                return False
            case Coercion(function, wanted):
                if not subsumes(function, wanted):
                    message = f"{through}: using `{shown(function)}` as `{shown(wanted)}` is not supported yet"
                    state.report("E0399", "type.unsupported", message, span)
                    return False
    return True


def _owed(
    state: Elaboration,
    value: str,
    demand: Demand,
    span: Span,
    site: Site,
    rule: str,
    through: str,
    blamed: str,
    annotation: ast.Type | None,
) -> Owed:
    part = spelled(demand.path)
    size = demand.size
    label = f"dimension {demand.axis} is {size}"
    related = []
    if annotation is not None:
        related.append(Related(written_at(annotation, demand.path.split("#")[1:], demand.axis), "declared here"))
    born = birth(state, value + demand.path, demand.axis)
    if born is not None and born.span != span:
        words = f"{size} comes from here" if born.written else f"{size} is made by {born.by} here"
        related.append(Related(born.span, words))
    field = f"field {part[1:]} of " if part else ""
    says = f"dimension {demand.axis} of {field}{through} does not fit"
    sides = (size, demand.wanted) if demand.wanted is not None else None
    return Owed(demand.goal, rule, site, says, span, label, through, tuple(related), blamed, sides, (value,))


def subsumes(source: FunctionType, target: FunctionType) -> bool:
    """Whether a function can stand for another type with no check at all, by its written sizes alone.

    Whoever calls it at `target` passes arguments of the target's parameter types, each `?` any size.
    """
    if len(source.params) != len(target.params):
        return False
    arguments = [opened(param, f"%?{i}", lambda path, axis, hole: None)[0] for i, param in enumerate(target.params)]
    choice = measured(source, arguments)
    if choice.unsolved or any(goal is not TRUE for _, goal in choice.owed):
        return False
    params = [substituted(param, choice.mapping) for param in source.params]
    result, _ = opened(substituted(source.result, choice.mapping), "%?result", lambda path, axis, hole: None)
    needs = [need for pair in zip(arguments, params, strict=True) for need in demands(*pair)]
    needs += demands(result, target.result)
    where = [goal.substitute(choice.mapping) for goal in source.where]
    return all(isinstance(need, Demand) and need.goal is TRUE for need in needs) and all(goal is TRUE for goal in where)
