"""Tests on sizes: conditions that compare integers, and branches that end in a check which always fails.

`if (size(%x) == 3) { … } else { … }` asks what a size is, so that its branches need not fit every size: what fails in
one is a check there, and no error, unless the definition is strict and the branch can be reached.

Whether a condition is a test is told by what it is made of and by element types alone, so that less precise types
change nothing.   [type.if.test]
"""

from __future__ import annotations

from gradual.checker.state.context import TypingContext
from gradual.checker.state.values import Made
from gradual.core.terms import Stop
from gradual.dims.term.constraint import TRUE, Constraint
from gradual.source import Span
from gradual.types.dtype import DType
from gradual.types.type import NeverType, TensorType, UnrankedType


def is_test(state: TypingContext, condition: str) -> bool:
    """Whether integers are compared anywhere in a condition, through the names that stand in it.  [type.if.test]"""
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


def _dtype(state: TypingContext, value: str) -> DType | None:
    """The element type of a tensor; None of anything else."""
    type = state.values.types.get(value.split("#", 1)[0])
    return type.dtype if isinstance(type, TensorType | UnrankedType) else None


def taken(state: TypingContext, holds: Constraint, fails: Constraint) -> bool | None:
    """Which branch of a test is always taken, by what is known whatever the path; None if either may be.

    [type.if.taken]
    """
    excludes, facts = state.program.decider.excludes, state.facts.lasting()
    never_then, never_else = (one is not TRUE and excludes(facts, one) for one in (holds, fails))
    return None if never_then == never_else else never_else


def reached(state: TypingContext, result: str, span: Span) -> str:
    """The value of a branch; where a check in it always fails, one that no run comes to.  [type.if.fails]

    What was written after the check is dropped: it was looked at for names, structure and element types only.
    """
    if state.reach.ended_at is None:
        return result
    del state.output.steps[state.reach.ended_at :]
    name = state.values.fresh(None)
    state.output.steps.append(Stop(name, "an earlier check always fails", NeverType(), span))
    state.values.types[name] = NeverType()
    return name


def ends(state: TypingContext, span: Span, what: str) -> None:
    """Every way through a step ends in a check that always fails: so does the branch around, if it is one of a test.

    Outside of tests this is an error.  [type.if.fails]
    """
    if state.reach.tests:
        state.end_branch()
    else:
        state.output.report("E0301", "type.if.fails", f"every branch of this {what} fails at every size", span)
