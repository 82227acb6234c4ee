"""The obligations that the known indices of an application are within bounds.   [op.index.bounds]"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from gradual.checker.functions.needs import obligation_of
from gradual.checker.obligations.discharge import discharge
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.program.rule_cache import Answer
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Made
from gradual.diagnostic import Related
from gradual.dims.term.constraint import Constraint
from gradual.ops.declaration.lookups import RULE, Bound, Lookup
from gradual.ops.declaration.operator import Need, Operator
from gradual.source import Span


def owe_bounds(
    state: Elaboration,
    operator: Operator,
    operands: Sequence[str],
    answer: Answer,
    span: Span,
    spans: Sequence[Span],
) -> bool:
    """Discharge the obligations for known indices; False if one is refuted.

    A bound is not exact if all indices may be in bounds although its goal fails; then nothing is reported.
    """
    types = answer.asked.types
    if operator.lookups is None or types is None:
        return True
    for lookup, bound in state.values.ranges.bounds(operator, operands, types, answer.attributes):
        if not bound.exact:
            _try(state, bound.goal)
            continue
        goal = bound.owed(partial(_is_possible, state))
        if not discharge(state, goal, _described(state, operator, lookup, bound, goal, operands, span, spans)):
            return False
    return True


def _is_possible(state: Elaboration, empty: Constraint) -> bool:
    """Whether there may be no index to look up (`empty`), judged by lasting facts."""
    facts = state.facts.lasting()
    return facts.known.estimate.holds(facts.rewrite(empty)) is not False


def _try(state: Elaboration, goal: Constraint) -> None:
    """Count a bound as proved if interval estimates prove it; a search would not be worth its cost."""
    if not state.reach.unreachable and state.facts.known.estimate.holds(state.facts.rewrite(goal)):
        state.obligations.proved += 1


def _described(
    state: Elaboration,
    operator: Operator,
    lookup: Lookup,
    bound: Bound,
    goal: Constraint,
    operands: Sequence[str],
    span: Span,
    spans: Sequence[Span],
) -> Callable[[], Obligation]:
    """The obligation; its report also shows where the indices were made, if that is elsewhere."""

    def described() -> Obligation:
        places = ((*lookup.indices, None), *((lookup.axis,) if lookup.axis is not None else ()))
        need = Need(goal, RULE, lookup.says(bound.index), places)
        owed = obligation_of(state, operator, need, goal, operands, span, spans)
        made = _maker(state, "#".join((operands[lookup.indices[0]], *map(str, lookup.indices[1:]))))
        if made is None or made.span == owed.span:
            return owed
        return replace(owed, related=(*owed.related, Related(made.span, f"the indices are made by {made.by} here")))

    return described


def _maker(state: Elaboration, value: str) -> Made | None:
    """The earliest application in the chain of steps that made the indices.

    The chain leads from each application to its operand with a known range, as long as there is exactly one.
    """
    found = None
    for _ in range(state.program.limits.rlimit):
        made = state.values.origins.get(value)
        if not isinstance(made, Made):
            return found
        found, known = made, [one for one in made.operands if state.values.ranges.known(one) is not None]
        if len(known) != 1:
            return found
        (value,) = known
    return found
