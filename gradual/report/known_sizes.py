"""How many sizes of a program's values are known before a run: those that are formulas over the sizes of the inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gradual.checker.state.context import Elaboration
from gradual.checker.state.scope import Binding
from gradual.core.terms import Function
from gradual.dims.term.dim import SizeOf, Variable
from gradual.record import record
from gradual.source import Source
from gradual.types.type import TensorType, UnrankedType
from gradual.types.unpacking import base_of


@record
class Sizes:
    """The number of sizes of a program's values, and how many of them are known."""

    total: int = 0
    known: int = 0


def known_sizes(source: Source, functions: Mapping[str, Function], states: Mapping[str, Elaboration]) -> Sizes:
    """The sizes of all tensors that a program computes, its parameters aside.

    In a model these are the values of its main graph that have names in the model, including those that were computed
    while importing.  A tensor of unknown rank has one size, which is unknown.
    """
    total = known = 0
    for name, state in states.items():
        params = {param.name for param in functions[name].params}
        for binding in state.scope.bindings:
            times = 0 if binding.value in params else _times(source, name, binding)
            found = list(_sizes(binding, functions[name], params, state)) if times else []
            total, known = total + times * len(found), known + times * sum(found)
    folded = 0 if source.origins is None else sum(len(shape) for _, shape in source.origins.folded.values())
    return Sizes(total + folded, known + folded)


def _times(source: Source, function: str, binding: Binding) -> int:
    """How often a variable counts: in a model, once for each name that the model has for the value."""
    if source.origins is None:
        return 1
    node = source.origin(binding.span)
    return 0 if node is None or not node.value or function != "@main" else 1 + len(node.also)


def _sizes(binding: Binding, function: Function, params: set[str], state: Elaboration) -> Iterator[bool]:
    """For each size of a variable, whether it is known."""
    own = set(function.type.binders)
    match state.values.types[binding.value]:
        case TensorType(shape):
            yield from (all(_is_of_input(one, own, params) for one in size.variables()) for size in shape)
        case UnrankedType():
            yield False


def _is_of_input(variable: Variable, own: set[Variable], params: set[str]) -> bool:
    """Whether a variable is a size of a parameter, by name or as `dim(%x, 0)`."""
    return variable in own or (isinstance(variable.witness, SizeOf) and base_of(variable) in params)
