"""Operands of unknown rank: decide again whether an operator accepts them.   [pass.sharpen] [op.dynamic]"""

from __future__ import annotations

from dataclasses import replace

from gradual.core.check import Check
from gradual.core.terms import Apply
from gradual.dims.term.constraint import FALSE, TRUE, negated
from gradual.ops.declaration.rank_cases import Case, Cases, Together
from gradual.ops.declaration.unknown_rank import Asking
from gradual.passes.refine.state import SweepState, Unreachable, stopping
from gradual.types.unpacking import shapes_unknown
from gradual.verdict import Refuted


def still_asked(seen: SweepState, step: Apply, cases: Cases | None) -> Check | None:
    """The check of an application, None if it is proved.  Raises Unreachable after a check that always fails."""
    accepts = step.accepts
    if accepts is None or cases is None or not cases.complete:
        return accepts
    if all(_is_met(seen, case) for case in cases.every):
        return None
    if all(_is_refuted(seen, case) for case in cases.fitting):
        seen.out.append(replace(accepts, goal=FALSE))
        raise Unreachable(stopping(f"`{step.operator.name}` refuses its arguments at every rank", step.span))
    return accepts


def _is_met(seen: SweepState, case: Case) -> bool:
    """Whether the rule owes nothing at the ranks of a case, or those ranks are impossible."""
    if case.judgement is not None and not case.is_sample and all(need.goal is TRUE for need in case.judgement.needs):
        return True
    return any(seen.holds(negated(unknown.stands(value))) for unknown, value in case.at)


def _is_refuted(seen: SweepState, case: Case) -> bool:
    """Whether the ranks of a well-formed case are impossible, or what the rule owes at them never holds."""
    assert case.judgement is not None
    needs = () if case.is_sample else case.judgement.needs
    goals = (*(need.goal for need in needs), *(unknown.stands(value) for unknown, value in case.at))
    return any(goal is FALSE or isinstance(seen.decide(goal), Refuted) for goal in goals)


def learn_ranks(seen: SweepState, step: Apply) -> None:
    """Add what an application of unknown rank tells of the ranks of its operands and of its result."""
    types = tuple(map(seen.type_of, step.operands))
    if step.accepts is None and not any(True for type in types for _ in shapes_unknown(type)):
        return
    asking = Asking(step.operator, step.operands, step.attributes)
    cases = asking.cases(asking.flattened(types))
    if cases is None or not cases.complete or not cases.fitting:
        return
    together = Together(cases.fitting)
    for relation in together.relations(step.name):
        seen.facts.assume(relation)
    for bound in together.bounds() if step.accepts is not None else ():
        seen.facts.learn(bound)
