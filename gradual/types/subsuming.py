"""Functions that can stand for others as they are."""

from __future__ import annotations

from gradual.dims.constraint import TRUE
from gradual.types.measuring import measured
from gradual.types.opening import opened
from gradual.types.relate import Demand, demands, substituted
from gradual.types.type import FunctionType


def subsumes(source: FunctionType, target: FunctionType) -> bool:
    """Whether a function can stand for another type with no check at all, by its written sizes alone.

    Whoever calls it at `target` passes arguments of the target's parameter types, each `?` any size.
    """
    if len(source.params) != len(target.params) or source.types != target.types:
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
