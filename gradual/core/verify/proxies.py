"""The verifier for proxies: the type that a layer promises, its use of the value, and its result."""

from __future__ import annotations

from dataclasses import replace

from gradual.core.terms import Layer, Wrap, WrapReference
from gradual.core.verify import ranks
from gradual.core.verify.data import Structures
from gradual.dims.term.constraint import at_least
from gradual.dims.term.dim import constant, of_atom
from gradual.types.binder_solving import at_values, measured, measuring
from gradual.types.print import shown
from gradual.types.substitution import instantiated, substituted
from gradual.types.type import FunctionType, GradualType, ReferenceType, TupleType


def wrap(verifier: Structures, step: Wrap | WrapReference) -> None:
    """Require that each layer takes and returns what the new type promises, and uses the value at its own type."""
    type = step.type
    match step, type:
        case Wrap(layer=layer), FunctionType():
            ranks.called(verifier, type, step.name)
            with verifier.scope():
                _layer(verifier, layer, type.params, type.result, type, step.name)
        case WrapReference(read=read, write=write), ReferenceType(content):
            with verifier.scope():
                _layer(verifier, read, (), content, None, step.name)
            with verifier.scope():
                _layer(verifier, write, (content,), TupleType(()), None, step.name)
        case _:
            verifier.found.append(f"{step.name}: a proxy as {shown(type)}")
    verifier.define(step.name, type)


def _layer(
    verifier: Structures,
    layer: Layer,
    params: tuple[GradualType, ...],
    result: GradualType,
    promised: FunctionType | None,
    name: str,
) -> None:
    if not {*(dim for dim, _ in layer.binders), *layer.types}.isdisjoint(verifier.bound):
        verifier.found.append(f"{name} binds what is bound around it")
    own = {v: of_atom(w) for v, (w, _) in zip(promised.binders if promised else (), layer.binders, strict=True)}
    types = dict(zip(promised.types if promised else (), layer.types, strict=True))
    parts = at_values(promised, [param.name for param in layer.params]) if promised else {}
    for param, written in zip(layer.params, params, strict=True):
        if not verifier.same(param.written, instantiated(substituted(written, own | parts), types)):
            verifier.wrong(f"{name} takes {shown(param.written)} instead of {shown(written)}")
        verifier.matches(param.written, param.type, param.name)
        verifier.define(param.name, param.type)
        verifier.open_contents(param.name)
    for variable, _ in layer.binders:
        verifier.facts.assume(at_least(of_atom(variable), constant(0)))
    if promised is not None:
        here = replace(
            promised,
            params=tuple(param.written for param in layer.params),
            binders=tuple(variable for variable, _ in layer.binders),
            result=instantiated(substituted(promised.result, own), types),
            where=tuple(clause.substitute(own) for clause in promised.where),
            types=layer.types,
        )
        _measures(verifier, here, layer, name)
        mapping = measured(here, [verifier.type_of(param.name) for param in layer.params]).mapping
        for clause in here.where:
            verifier.facts.assume(clause.substitute(mapping))
        result = substituted(here.result, mapping)
    for step in (*layer.before, layer.call, *layer.after):
        verifier.step(step)
    verifier.flows(layer.result, result, f"what {name} gives back")


def _measures(verifier: Structures, promised: FunctionType, layer: Layer, name: str) -> None:
    choice = measured(promised, [measuring(param.written, param.name) for param in layer.params])
    if dict(layer.binders) != {variable: choice.mapping.get(variable) for variable in promised.binders}:
        verifier.found.append(f"{name} does not measure its dims as it promises them")
