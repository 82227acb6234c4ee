"""Functions that can stand for others as they are."""

from __future__ import annotations

from gradual.dims.constraint import TRUE
from gradual.types.choosing import at_arguments
from gradual.types.opening import opened
from gradual.types.relate import Demand, demands, precise, renamed
from gradual.types.type import FunctionType


def subsumes(source: FunctionType, target: FunctionType) -> bool:
    """Whether a function can stand for another type with no check at all, by its written sizes alone.

    Whoever calls it at `target` passes arguments of the target's parameter types, each `?` any size.
    """
    if len(source.params) != len(target.params):
        return False
    if precise(source, target) and precise(target, source):
        return True
    target = renamed(target, target, source) or target
    passed = zip(target.params, target.names, strict=True)
    arguments = [opened(param, name, lambda path, axis, hole: None)[0] for param, name in passed]
    call = at_arguments(source, arguments, target.result)
    if call is None or call.unsolved or any(goal is not TRUE for _, goal in call.owed):
        return False
    result, _ = opened(call.result, "%?result", lambda path, axis, hole: None)
    needs = [need for pair in zip(arguments, call.params, strict=True) for need in demands(*pair)]
    needs += demands(result, target.result)
    return all(isinstance(need, Demand) and need.goal is TRUE for need in needs) and all(
        goal is TRUE for goal in call.where
    )
