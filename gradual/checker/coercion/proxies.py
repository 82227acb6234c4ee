"""Proxies: a function or reference wrapped at another type, with checks around each use.

    <fn(S1) -> T1 => fn(S2) -> T2>  =  <S2 => S1>, blaming the context  ->  <T1 => T2>, blaming the function

Arguments from the context are unpacked at the promised type and flow into the parameters of the wrapped function; its
result flows into the promised result. Goals that are proved leave no check, so a proxy without checks only changes
the type.   [type.function] [type.function.argument] [type.function.result]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.checker.coercion.agreement import promising
from gradual.checker.coercion.flow import flow, ranks_met
from gradual.checker.coercion.instantiation import entered
from gradual.checker.obligations.discharge import require
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.program.place import Place
from gradual.checker.state.context import Elaboration
from gradual.checker.state.unknowns import single
from gradual.checker.state.values import Made, Written
from gradual.core.check import Promise
from gradual.core.terms import Invoke, Layer, Param, ReadReference, Wrap, WrapReference, WriteReference
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.syntax.tree import ast
from gradual.types.binder_solving import at_values, measured, measuring
from gradual.types.instantiation import at_arguments, is_empty
from gradual.types.print import shown
from gradual.types.substitution import instantiated, substituted
from gradual.types.type import FunctionType, GradualType, ReferenceType, TupleType
from gradual.types.unpacking import sizes


def wrapped(state: Elaboration, value: str, source: FunctionType, target: FunctionType, place: Place) -> str | None:
    """Wrap a function at another type; None after reporting that all its calls would fail.  [type.function]"""
    if len(source.params) != len(target.params):
        message = f"{place.through}: `{shown(source)}` is not `{shown(target)}`"
        state.output.report("E0307", place.rule, message, place.span)
        return None
    name = state.values.fresh(None)
    with state.apart() as steps:
        params, promised, binders = _promised(state, target, place)
        call = _called(state, value, source, promised, params, place)
        if call is None:
            return None
        before = len(steps)
        state.output.steps.append(call)
        result = flow(state, call.name, promised.result, _positive(place, "result"))
        if result is None:
            return None
    layer = Layer(params, binders, tuple(steps[:before]), call, tuple(steps[before + 1 :]), result, promised.types)
    state.output.steps.append(Wrap(name, value, layer, target, place.span))
    return state.values.define(name, target, state.values.origins.get(value))


def wrapped_reference(
    state: Elaboration, value: str, source: ReferenceType, target: ReferenceType, place: Place
) -> str | None:
    """Wrap a reference at another type: reads and writes through it are checked.

    [type.reference] [type.reference.read] [type.reference.write]
    """
    name = state.values.fresh(None)
    inside = place.annotation.content if isinstance(place.annotation, ast.RefType) else None
    there = replace(
        place, rule="type.reference.read", through=f"what is read through {place.through}", annotation=inside
    )
    here = replace(
        place,
        rule="type.reference.write",
        through=f"what is written through {place.through}",
        annotation=inside,
        polarity=place.polarity.other,
        context=place.context or f"whoever writes through {place.through}",
    )
    with state.apart() as steps:
        read = _read(state, value, source, place)
        result = flow(state, read.name, target.content, there)
    if result is None:
        return None
    reading = Layer((), (), (), read, tuple(steps[1:]), result)
    with state.apart() as steps:
        said = f"what is written through {place.through}"
        param = _parameter(state, state.values.fresh("%written"), target.content, said, place)
        flows = flow(state, param.name, source.content, here)
        if flows is None:
            return None
        done = state.values.define(state.values.fresh(None), TupleType(()))
    write = WriteReference(done, value, flows, TupleType(()), place.span)
    writing = Layer((param,), (), tuple(steps), write, (), done)
    state.output.steps.append(WrapReference(name, value, reading, writing, target, place.span))
    return state.values.define(name, target, state.values.origins.get(value))


def _read(state: Elaboration, value: str, source: ReferenceType, place: Place) -> ReadReference:
    name = state.values.fresh("%read")
    promise = Promise(place.span, f"what is read through {place.through}")
    type = state.enter_part(source.content, name, lambda path, axis: promise, source in state.strictness.agreed)
    for size in sizes(type):
        state.is_size(size)
    state.values.define(name, type, Made("`ref_read`", (), place.span))
    step = ReadReference(name, value, type, place.span)
    state.output.steps.append(step)
    return step


# ----------------------------------------------------------------------------------------------------------- layers
def _promised(
    state: Elaboration, target: FunctionType, place: Place
) -> tuple[tuple[Param, ...], FunctionType, tuple[tuple[Variable, Dim], ...]]:
    """The promised type's unpacked parameters, the type in terms of them, and each binder with its dim there."""
    fresh: dict[Variable, Dim] = {}
    for binder in target.binders:
        fresh[binder] = state.scope.rigid(binder.name)
        state.scope.bind_dim(binder.name, fresh[binder])
        state.unknowns.rigids[single(fresh[binder])] = place.span
        state.is_size(fresh[binder])
    types = {variable: state.scope.bind_type(variable.name) for variable in target.types}
    said = f"what is passed to {place.through}"
    names = [state.values.fresh("%argument") for _ in target.params]
    chosen = fresh | at_values(target, names)
    params = tuple(
        _parameter(state, name, instantiated(substituted(param, chosen), types), said, _inside(place, index))
        for index, (name, param) in enumerate(zip(names, target.params, strict=True))
    )
    own = FunctionType(
        target.names,
        tuple(param.written for param in params),
        instantiated(substituted(target.result, fresh), types),
        tuple(map(single, fresh.values())),
        tuple(clause.substitute(fresh) for clause in target.where),
        tuple(types.values()),
    )
    mapping = measured(own, [state.values.opened(param.name) for param in params]).mapping
    solved = measured(own, [measuring(param.written, param.name) for param in params]).mapping
    for clause in own.where:
        state.facts.assume(clause.substitute(mapping), learnt=True)
    promised = replace(own, result=substituted(own.result, mapping))
    return params, promised, tuple((variable, solved[variable]) for variable in own.binders)


def _parameter(state: Elaboration, name: str, type: GradualType, says: str, place: Place) -> Param:
    """Define an unpacked parameter of a proxy; the context is blamed for unknown sizes of the parameter."""
    promise = Promise(place.annotation.span if place.annotation is not None else place.span, says)
    opened = state.enter(type, name, lambda path, axis: promise)
    for size in sizes(opened):
        state.is_size(size)
    origin = Written(place.annotation) if place.annotation is not None else Made(says, (), place.span)
    state.values.define(name, opened, origin)
    state.contents(name)
    return Param(name, opened, type, place.span)


def _called(
    state: Elaboration,
    value: str,
    source: FunctionType,
    promised: FunctionType,
    params: Sequence[Param],
    place: Place,
) -> Invoke | None:
    """Build the call of the wrapped function with the context's arguments; the context is blamed if they do not fit."""
    negative = _negative(place, "an argument")
    for index, (param, wanted) in enumerate(zip(params, source.params, strict=True)):
        inside = replace(negative, annotation=_inside(place, index).annotation)
        if not ranks_met(state, param.name, wanted, inside):
            return None
        state.contents(param.name)
    types, before = [state.values.opened(param.name) for param in params], len(state.obligations.postponed)
    choice = at_arguments(source, types, promised.result, promising(state, place.rule, place.span))
    assert choice is not None, source
    name = state.values.fresh("%result")
    state.doubt(name, before)
    for _, goal in choice.owed:
        if not require(state, _due(goal, "an argument has no size that fits the function's own declaration", negative)):
            return None
    operands: list[str] = []
    for index, (param, wanted) in enumerate(zip(params, choice.params, strict=True)):
        inside = replace(negative, annotation=_inside(place, index).annotation)
        operand = flow(state, param.name, wanted, inside)
        if operand is None:
            return None
        operands.append(operand)
    # If no argument determines a binder, the call is never reached: a parameter type has no values, or a rank differs.
    assert not choice.unsolved or state.reach.unreachable or any(map(is_empty, types)), (source, types)
    for clause, goal in zip(source.where, choice.where, strict=True):
        if not require(state, _due(goal, f"the function requires `{clause}`", negative)):
            return None
    promise = Promise(place.span, f"the result of the function that flows into {place.through}")
    result = entered(state, source, choice, types, name, lambda path, axis: promise)
    for size in sizes(result):
        state.is_size(size)
    state.values.define(name, result, Made("the function", (), place.span))
    return Invoke(name, value, tuple(operands), result, place.span, choice.types)


def _due(goal: Constraint, says: str, place: Place) -> Obligation:
    return Obligation(
        goal, place.rule, place.site, says, place.span, "", place.through, (), place.party, None, (), place.polarity
    )


# ------------------------------------------------------------------------------------------------------------ blame
def _positive(place: Place, what: str) -> Place:
    """The position of the function's result: positive, so the value's side is blamed."""
    inside = _parts(place.annotation)[-1:]
    return replace(
        place,
        rule="type.function.result",
        through=f"the {what} of the function at {place.through}",
        annotation=inside[0] if inside else None,
    )


def _negative(place: Place, what: str) -> Place:
    """The position of the context's arguments: the polarity flips, so the other side is blamed."""
    return replace(
        place,
        rule="type.function.argument",
        through=f"{what} passed through {place.through}",
        polarity=place.polarity.other,
        context=place.context or f"whoever uses the function through {place.through}",
    )


def _inside(place: Place, index: int) -> Place:
    parts = _parts(place.annotation)
    return replace(place, annotation=parts[index] if index < len(parts) else None)


def _parts(annotation: ast.Type | None) -> Sequence[ast.Type]:
    """The types written inside a function type: parameters, then the result."""
    match annotation:
        case ast.FnType(_, params, result):
            return (*params, result)
        case _:
            return ()
