"""Operands of unknown rank: decide again whether an operator accepts them.   [pass.sharpen] [op.dynamic]"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gradual.core.check import Check
from gradual.core.terms import Apply
from gradual.dims.term.constraint import FALSE, Constraint
from gradual.ops.declaration.rank_cases import Cases, Together
from gradual.ops.declaration.unknown_rank import Asking
from gradual.passes.refine.state import SweepState, Unreachable, stopping
from gradual.types.unpacking import shapes_unknown
from gradual.verdict import Refuted


def still_asked(seen: SweepState, step: Apply, cases: Cases | None) -> Check | None:
    """The check of an application, None if it is proved.  Raises Unreachable after a check that always fails."""
    accepts = step.accepts
    if accepts is None or cases is None or not cases.complete:
        return accepts
    if all(case.is_met(seen.holds) for case in cases.every):
        return None
    if all(case.is_refuted(partial(_contradicts, seen)) for case in cases.fitting):
        seen.out.append(replace(accepts, goal=FALSE))
        raise Unreachable(stopping(f"`{step.operator.name}` refuses its arguments at every rank", step.span))
    return accepts


def _contradicts(seen: SweepState, goal: Constraint) -> bool:
    return goal is FALSE or isinstance(seen.decide(goal), Refuted)


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
