"""Type parameters at a call: what the arguments show has to agree; and explicit instantiation.

[type.call.types] [type.instance]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradual.checker.agreeing import Agreement
from gradual.checker.elaboration import Elaboration
from gradual.core.terms import Promise
from gradual.source import Span
from gradual.types.choosing import Agree, Applied, Shown, at_arguments, leaves_open, match_types, settled_type
from gradual.types.relate import type_variables
from gradual.types.text import shown
from gradual.types.type import FunctionType, GradualType, OpenedType

__all__ = ["agreeing", "at_arguments", "entered", "match_types", "settled_type"]


def agreeing(state: Elaboration, called: str, spans: Sequence[Span]) -> Agree:
    """Join what two arguments of a call show of one type parameter, or report that they never agree."""

    def agree(left: Shown, right: Shown) -> GradualType | None:
        says = f"arguments {left.argument + 1} and {right.argument + 1} of `{called}`"
        agreement = Agreement(state, "type.call.types", says, (spans[left.argument], spans[right.argument]))
        joined = agreement.join(left.type, right.type)
        if joined is None:
            agreement.report(f"`{shown(left.type)}` and `{shown(right.type)}`", "E0307")
        return joined

    return agree


def entered(
    state: Elaboration, type: FunctionType, call: Applied, name: str, promise: Callable[[str, int | None], Promise]
) -> OpenedType:
    """The result of a call, opened; a size that is one of two that arguments show makes nothing gradual by itself."""
    gradual, before = state.gradual, len(state.ghosts)
    result = state.enter(call.result, name, promise)
    if not gradual and state.gradual and _only_joins(type, call):
        state.gradual = False
        state.joins.update(list(state.ghosts)[before:])
    return result


def _only_joins(type: FunctionType, call: Applied) -> bool:
    shows = (one.type for variable in type_variables(type.result) for one in call.shown.get(variable, ()))
    return not leaves_open(type.result) and not any(map(leaves_open, shows))
