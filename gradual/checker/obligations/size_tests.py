"""Tests on sizes: conditions that compare integers, and branches that end in a check which always fails.

`if (size(%x) == 3) { … } else { … }` tests a size, so its branches need not fit every size: a goal that fails in a
branch is a check there, and an error only if the definition is strict and the branch can be reached.

Whether a condition is a test depends only on its operators and element types, so that less precise types give the
same answer.   [type.if.test]
"""

from __future__ import annotations

from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Made
from gradual.core.terms import Stop
from gradual.dims.term.constraint import TRUE, Constraint
from gradual.source import Span
from gradual.types.dtype import DType
from gradual.types.type import NeverType, TensorType, UnrankedType


def is_test(state: Elaboration, condition: str) -> bool:
    """Whether a condition compares integers, directly or in the definitions of its variables.  [type.if.test]"""
    seen, waiting = set[str](), [condition]
    while waiting:
        value = waiting.pop().split("#", 1)[0]
        origin = state.values.origins.get(value)
        if value in seen or not isinstance(origin, Made):
            continue
        seen.add(value)
        dtypes = [_dtype(state, operand) for operand in origin.operands]
        if origin.compares and any(dtype is not None and dtype.is_integer for dtype in dtypes):
            return True
        kept = zip(origin.operands, dtypes, strict=True)
        waiting += (operand for operand, dtype in kept if dtype is None or dtype is DType.BOOL or dtype.is_integer)
    return False


def _dtype(state: Elaboration, value: str) -> DType | None:
    """The element type of a tensor; None for any other value."""
    type = state.values.types.get(value.split("#", 1)[0])
    return type.dtype if isinstance(type, TensorType | UnrankedType) else None


def taken(state: Elaboration, holds: Constraint, fails: Constraint) -> bool | None:
    """The value that a test always has, by lasting facts; None if either branch may be taken.

    [type.if.taken]
    """
    excludes, facts = state.program.decider.excludes, state.facts.lasting()
    never_then, never_else = (one is not TRUE and excludes(facts, one) for one in (holds, fails))
    return None if never_then == never_else else never_else


def reached(state: Elaboration, result: str, span: Span) -> str:
    """The value of a branch; after a check that always fails, an unreachable value of bottom type.  [type.if.fails]

    Steps after that check are dropped; they were checked for names, structure and element types only.
    """
    if state.reach.ended_at is None:
        return result
    del state.output.steps[state.reach.ended_at :]
    name = state.values.fresh(None)
    state.output.steps.append(Stop(name, "an earlier check always fails", NeverType(), span))
    state.values.types[name] = NeverType()
    return name


def ends(state: Elaboration, span: Span, what: str) -> None:
    """End the enclosing branch of a test, since all branches of a step end in a check that always fails.

    Outside of tests this is an error, and no goal is asked about what follows.  [type.if.fails]
    """
    if state.reach.tests:
        state.end_branch()
    elif not state.reach.unreachable:
        state.end_branch()
        state.output.report("E0301", "type.if.fails", f"every branch of this {what} fails at every size", span)
