"""The end of a definition: goals that fail for some sizes are errors if it is strict, else checks and warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradual.checker.obligations.obligation import rigid_warning
from gradual.checker.state.context import Elaboration
from gradual.checker.state.obligations import Postponed
from gradual.core.check import Check
from gradual.diagnostic import Related
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import TRUE, AtMost, Constraint
from gradual.dims.term.print import brief


def settle(state: Elaboration) -> None:
    """Report the postponed goals that fail for some sizes: errors if the definition is strict, warnings if gradual.

    An error that only follows from another is not reported. In a strict definition a goal that fails for some sizes is
    an error or follows from one, so its check is removed.  [type.strict] [check.strict] [check.rigid-warning]
    """
    state.forget_unreached()
    refuted: set[Check] = set()
    stronger = {} if state.strictness.gradual else _stronger(state)
    for place, postponed in enumerate(state.obligations.postponed):
        if not postponed.fails:
            continue
        if not state.strictness.gradual:
            refuted.update((postponed.check,) if postponed.check is not None else ())
            if not postponed.follows and postponed not in stronger:
                weaker = [one for one, other in stronger.items() if other is postponed]
                whole = _with_weaker(postponed, weaker)
                state.obligations.postponed[place] = whole
                state.output.diagnostics.append(whole.error)
        elif postponed.never is not None:
            state.output.diagnostics.append(postponed.never)
        elif postponed.rigid:
            state.output.diagnostics.append(rigid_warning(postponed.error))
    if state.strictness.gradual:
        state.output.diagnostics += state.obligations.deferred
    state.obligations.checks = [check for check in state.obligations.checks if check not in refuted]


def _stronger(state: Elaboration) -> dict[Postponed, Postponed]:
    """Map an error to a later one that is on every path and implies it: `t >= 3` -> `t >= 5`.

    Only bounds are compared, so no search is needed. The weaker error is reported as part of the stronger one.
    [check.strict]
    """
    told = [
        one for one in state.obligations.postponed if one.fails and not one.follows and isinstance(one.goal, AtMost)
    ]
    facts, found = state.facts, dict[Postponed, Postponed]()
    for place, one in enumerate(told):
        for other in told[place + 1 :]:
            if (
                other.everywhere
                and one.goal is not None
                and other.goal is not None
                and _implies(facts, other.goal, one.goal)
            ):
                found[one] = other
    return {one: _last_of(found, one) for one in found}


def _last_of(found: Mapping[Postponed, Postponed], one: Postponed) -> Postponed:
    while one in found:
        one = found[one]
    return one


def _implies(facts: Facts, goal: Constraint, weaker: Constraint) -> bool:
    """Whether a bound follows from another one, by their sides alone."""
    if goal.variables() != weaker.variables():
        return False
    mark = facts.mark()
    facts.assume(goal)
    rewritten = facts.rewrite(weaker)
    holds = rewritten is TRUE or facts.known.estimate.holds(rewritten) is True
    facts.rollback(mark)
    return holds


def _with_weaker(stronger: Postponed, weaker: Sequence[Postponed]) -> Postponed:
    """The error, with the spans of the weaker goals added."""
    if not weaker:
        return stronger
    related = tuple(Related(one.error.span, f"`{brief(one.goal)}` is needed here") for one in weaker)
    return replace(stronger, error=replace(stronger.error, related=(*stronger.error.related, *related)))
