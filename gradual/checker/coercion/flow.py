"""A value flows into a written type: an argument, a result, an annotation, a cast.

The obligations of a flow are about sizes and ranks. Functions, references and data cannot be checked at once and are
converted, so `flow` returns the variable whose value has the written type.
"""

from __future__ import annotations

from functools import partial

from gradual.checker.coercion.projection import projected
from gradual.checker.obligations.discharge import discharge, refuse
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.obligations.origins import birth, written_at
from gradual.checker.program.place import Place
from gradual.checker.state.context import Elaboration
from gradual.checker.state.unknowns import single
from gradual.checker.state.values import Broken, Made
from gradual.core.terms import MakeTuple
from gradual.diagnostic import Diagnostic, Related
from gradual.dims.term.dim import RankOf
from gradual.source import Span
from gradual.types.relations import Coercion, Demand, Mismatch, demands
from gradual.types.subsumption import subsumes
from gradual.types.type import DataType, FunctionType, GradualType, ReferenceType, TupleType
from gradual.types.unpacking import counted, spelled

_CODES = {"type.structure": "E0307", "type.dtype": "E0306", "op.rank": "E0303"}


def flow(state: Elaboration, value: str, target: GradualType, place: Place) -> str | None:
    """Coerce a value to a written type and discharge its obligations; None after reporting that this always fails.

    Neither type changes: what both say of the value is known by the facts of the obligations.   [type.meet]
    In unreachable code ranks need not fit.   [type.if.fails]

    [type.call.argument] [type.result] [type.annotation] [type.cast] [type.consistent]
    """
    if value in state.values.templates:
        held = state.judge.deferred_at(state, value, target, place.span, place.through, place.rule)
        if held is None:
            return None
        value = held
    source = state.values.types[value]
    if isinstance(source, Broken):
        return value
    converted: dict[str, str] = {}
    for demand in demands(source, target):
        match demand:
            case Demand(goal, axis=axis):
                if axis is not None:
                    discharge(state, goal, partial(_owed, state, value, demand, place))
                elif not _rank_met(state, value, demand, place):
                    return None
            case Mismatch(why, message):
                related = (Related(place.annotation.span, "declared here"),) if place.annotation is not None else ()
                error = Diagnostic(_CODES[why], place.rule, f"{place.through}: {message}", place.span, related=related)
                if why != "op.rank":
                    state.output.diagnostics.append(error)
                    return None
                refuse(state, error)
                if not state.reach.unreachable:
                    return None
            case Coercion(path=path):
                part = _converted(state, value, demand, place)
                if part is None:
                    return None
                if part != value + path:
                    converted[path] = part
    return _rebuilt(state, value, "", converted, place.span)


def ranks_met(state: Elaboration, value: str, target: GradualType, place: Place) -> bool:
    """Require only the ranks of a written type, so that sizes can be read; False after reporting a wrong rank.

    [type.unranked.demand]
    """
    source = state.values.types[value]
    if isinstance(source, Broken):
        return True
    for demand in demands(source, target):
        if isinstance(demand, Demand) and demand.axis is None and not _rank_met(state, value, demand, place):
            return False
    return True


def _rank_met(state: Elaboration, value: str, demand: Demand, place: Place) -> bool:
    """Require a rank and add it to the facts; False after reporting that it is impossible."""
    witness = single(demand.size).witness
    assert isinstance(witness, RankOf) and demand.wanted is not None and demand.wanted.value is not None
    origin, rank = witness.value, demand.wanted.value
    accepted = discharge(state, demand.goal, partial(_owed, state, value, demand, place), counted(origin, rank))
    if accepted:
        state.rank_known(origin, rank)
    return accepted


def _owed(state: Elaboration, value: str, demand: Demand, place: Place) -> Obligation:
    part = spelled(demand.path)
    size = demand.size
    what = f"dimension {demand.axis}" if demand.axis is not None else "the rank"
    annotation, related = place.annotation, []
    if annotation is not None:
        related.append(Related(written_at(annotation, demand.path.split("#")[1:], demand.axis), "declared here"))
    born = birth(state, value + demand.path, demand.axis) if demand.axis is not None else None
    if born is not None and born.span != place.span:
        words = f"{size} comes from here" if born.written else f"{size} is made by {born.by} here"
        related.append(Related(born.span, words))
    field = f"field {part[1:]} of " if part else ""
    says = f"{what} of {field}{place.through} does not fit"
    sides = (size, demand.wanted) if demand.wanted is not None else None
    return Obligation(
        demand.goal, place.rule, place.site, says, place.span, f"{what} is {size}", place.through, tuple(related),
        place.party, sides, (value,), place.polarity,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------ conversions
def _converted(state: Elaboration, value: str, coercion: Coercion, place: Place) -> str | None:
    """Convert the part of a value that needs it; None after reporting that this always fails.

    If no part of the value changes, the result is its path, such as `%x#0`.
    """
    path = coercion.path
    match coercion.source, coercion.target:
        case FunctionType() as source, FunctionType() as target:
            if subsumes(source, target):
                return value + path
            return state.judge.wrapped(state, projected(state, value, path, place.span), source, target, place)
        case ReferenceType() as source, ReferenceType() as target:
            return state.judge.wrapped_reference(
                state, projected(state, value, path, place.span), source, target, place
            )
        case DataType() as source, DataType() as target:
            return state.judge.converted(state, value, path, source, target, place)
    raise AssertionError(coercion)


def _rebuilt(state: Elaboration, value: str, path: str, converted: dict[str, str], span: Span) -> str:
    """Rebuild the tuple below a path with its converted parts."""
    if path in converted:
        return converted[path]
    part: object = state.values.types[value]
    if not any(other.startswith(f"{path}#") for other in converted):
        return projected(state, value, path, span)
    for index in map(int, path.split("#")[1:]):
        assert isinstance(part, TupleType), path
        part = part.fields[index]
    assert isinstance(part, TupleType), path
    fields = tuple(_rebuilt(state, value, f"{path}#{i}", converted, span) for i in range(len(part.fields)))
    types = tuple(type for field in fields if not isinstance(type := state.values.types[field], Broken))
    name = state.values.fresh(None)
    type = TupleType(types)
    state.output.steps.append(MakeTuple(name, fields, type, span))
    return state.values.define(name, type, Made("a tuple", fields, span))
