"""Subsumption of function types: when a function can be used at another type without a wrapper."""

from __future__ import annotations

from gradual.types.instantiation import at_arguments
from gradual.types.relations import Demand, Holds, demands, is_written, precise
from gradual.types.substitution import renamed
from gradual.types.type import FunctionType
from gradual.types.unpacking import opened


def subsumes(source: FunctionType, target: FunctionType, holds: Holds = is_written) -> bool:
    """Whether a function of one type can be used at another with no run-time check; `holds` decides the goals.

    A call at `target` passes arguments of the target's parameter types, in which each `?` is an arbitrary size.
    """
    if len(source.params) != len(target.params):
        return False
    if precise(source, target, holds) and precise(target, source, holds):
        return True
    target = renamed(target, target, source) or target
    passed = zip(target.params, target.names, strict=True)
    arguments = [opened(param, name, lambda path, axis, hole: None)[0] for param, name in passed]
    call = at_arguments(source, arguments, target.result)
    if call is None or call.unsolved or not all(holds(goal) for _, goal in call.owed):
        return False
    result, _ = opened(call.result, "%?result", lambda path, axis, hole: None)
    needs = [need for pair in zip(arguments, call.params, strict=True) for need in demands(*pair)]
    needs += demands(result, target.result)
    return all(isinstance(need, Demand) and holds(need.goal) for need in needs) and all(map(holds, call.where))
