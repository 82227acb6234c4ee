"""Bugs about functions, data, references and unknown ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from gradual.checker import module
from gradual.checker.coercion import flow
from gradual.core.check import Polarity
from gradual.dims.term.dim import Variable
from gradual.ops.declaration.unknown_rank import Asking
from gradual.run.machine import Machine
from gradual.run.steps import operators as applying
from gradual.run.steps import proxies as running
from gradual.run.value import Part, Proxied
from gradual.types import substitution
from gradual.types.type import FunctionType
from gradual.types.unpacking import base_of
from tests.properties.seeded.planting import planted


@planted
def polarity_is_never_flipped() -> Iterator[None]:
    """What the context passes to a wrapped function is blamed on the function."""
    with patch.object(Polarity, "other", property(lambda self: self)):
        yield


@planted
def functions_are_never_wrapped() -> Iterator[None]:
    """A function at another type is the function itself."""
    with patch.object(module.Mutual, "wrapped", staticmethod(lambda state, value, *rest: value)):
        yield


@planted
def numbers_of_parameters_are_known_by_name() -> Iterator[None]:
    """Function types agree where a size is the number that an argument of the same name holds, whichever it is."""
    with patch.object(substitution, "_of_parameters", lambda type, names: {}):
        yield


@planted
def parameters_are_kept_apart_from_newcomers_only() -> Iterator[None]:
    """A parameter of a function type gets a name that is new to what comes in, but perhaps not to the type."""

    def other(type: FunctionType, dims: Iterable[Variable]) -> FunctionType:
        taken = {*type.names, *(base for base in map(base_of, dims) if base is not None)}
        names = tuple(substitution._other(name, taken) for name in type.names)
        return replace(substitution.substituted_within(type, substitution._of_parameters(type, names)), names=names)

    with patch.object(substitution, "other_parameters", other):
        yield


@planted
def references_are_never_wrapped() -> Iterator[None]:
    """A reference at another type is the reference itself."""
    with patch.object(module.Mutual, "wrapped_reference", staticmethod(lambda state, value, *rest: value)):
        yield


@planted
def data_are_never_converted() -> Iterator[None]:
    """A list at another type is the list itself, whatever its elements are."""
    with patch.object(module.Mutual, "converted", staticmethod(lambda state, value, *rest: value)):
        yield


@planted
def a_tail_call_forgets_its_result() -> Iterator[None]:
    """What the result of a call through a proxy has to meet is dropped."""

    def altered(self: Machine, proxied: Any, arguments: Sequence[Any], target: str) -> str:
        return self._tail(target)

    with patch.object(Machine, "_await", altered):
        yield


@planted
def a_composition_keeps_its_last_layer() -> Iterator[None]:
    """Of the layers around a function only the one put on last is kept."""

    def altered(parts: Sequence[Part]) -> tuple[Part, ...]:
        return tuple(parts[:1])

    with patch.object(running, "normal", altered):
        yield


@planted
def layers_are_composed_the_wrong_way_round() -> Iterator[None]:
    """The layer put on last is taken for the innermost one: of two that disagree the other one is blamed."""
    around = running._around

    def altered(value: Any, passed: Any, returned: Any, frame: Any) -> Any:
        outer = around(value.inner if isinstance(value, Proxied) else value, passed, returned, frame)
        if not (isinstance(value, Proxied) and isinstance(outer, Proxied)):
            return value if isinstance(value, Proxied) else outer
        before, after = (*value.before, *outer.before), (*outer.after, *value.after)
        return Proxied(value.inner, running.normal(before), running.normal(after))

    with patch.object(running, "_around", altered):
        yield


@planted
def whoever_asks_a_rule_is_believed() -> Iterator[None]:
    """An operator on unknown ranks runs whatever its rule answers."""

    def altered(step: Any, values: Any, types: Any, attributes: Any) -> Any:
        judgement = Asking(step.operator, step.operands, attributes).judged(tuple(types))
        return judgement, {**attributes, **(judgement.attributes or {})}

    with patch.object(applying, "accepted", altered):
        yield


@planted
def a_rank_is_not_demanded() -> Iterator[None]:
    """A value of unknown rank has the rank of the type that it flows into, unchecked."""
    discharge = flow.discharge

    def altered(state: Any, goal: Any, described: Any) -> bool:
        if any(variable.name.startswith("ndim(") for variable in goal.variables()):
            return True
        return discharge(state, goal, described)

    with patch.object(flow, "discharge", altered):
        yield
