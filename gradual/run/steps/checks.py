"""Checks at run time: evaluate a goal at the sizes of this run, and blame if it is false."""

from __future__ import annotations

from functools import partial

from gradual.core.check import Check
from gradual.core.terms import Function
from gradual.dims.term.constraint import Constraint, Equal
from gradual.dims.term.dim import Undefined
from gradual.dims.term.print import brief
from gradual.run.sizes import Sizes
from gradual.run.value import Blame, Fault, Frame, blame_of, demanded, fault


def measure(function: Function, frame: Frame) -> None:
    """Read the function's rigid dims from its arguments.  [run.call]"""
    sizes = Sizes(frame)
    for variable, solution in function.binders:
        frame.sizes[variable] = solution.evaluate(sizes)


def holds(goal: Constraint, sizes: Sizes) -> bool:
    """Whether a goal is true at these sizes; a division by less than 1 makes it false."""
    try:
        return goal.evaluate(sizes)
    except Undefined:
        return False


def failed(step: Check, sizes: Sizes, code: str, what: str) -> Blame:
    """The blame of a failed check.  [run.check.blame]"""
    seen, came = _came(step, sizes)
    return blame_of(step.blame, step, code, f"{what}: {_difference(step, sizes)}", came, seen)


def unasserted(step: Check, sizes: Sizes) -> Fault:
    """The fault of a failed assertion on sizes, with the actual sizes.  [run.assert]"""
    seen, came = _came(step, sizes)
    notes = (
        f"required: {demanded(step.blame, step)}",
        *((f"actual: {step.blame.worded(came)}",) if seen else ()),
        *step.blame.terms,
    )
    message = f"assertion failed: {step.blame.says}"
    return fault("E0606", "run.assert", message, step.span, notes=notes, sizes=seen)


def _came(step: Check, sizes: Sizes) -> tuple[dict[str, int], str]:
    """The sizes that a check mentions: name -> size, and the same in words."""
    seen = {
        variable.name: sizes[variable]
        for variable in sorted(step.goal.variables(), key=lambda v: v.name)
        if sizes.has(variable)
    }
    return seen, ", ".join(f"{name} = {value}" for name, value in seen.items()) + _both_sides(step, sizes)


def _both_sides(step: Check, sizes: Sizes) -> str:
    """The two numbers that the rule compares, if the check's goal is a simplified form of the rule's."""
    owed = step.blame.owed
    if owed is step.goal or step.goal.value is not None or not isinstance(owed, Equal):
        return ""
    if not all(map(sizes.has, owed.variables())):  # a pass may have removed a dim that the rule names
        return ""
    try:
        return f" ({owed.left.evaluate(sizes)} against {owed.right.evaluate(sizes)})"
    except Undefined:
        return ""


def _difference(step: Check, sizes: Sizes) -> str:
    """How the actual sizes differ from the required ones; for a goal refuted before the run, what its rule demands."""
    goal, told = step.goal, partial(brief, called=step.blame.worded)
    if goal.value is not None:
        return f"`{demanded(step.blame, step)}` does not hold"
    if not isinstance(goal, Equal):
        return f"`{told(goal)}` does not hold"
    try:
        left, right = goal.left.evaluate(sizes), goal.right.evaluate(sizes)
    except Undefined:
        return f"`{told(goal)}` has no value"
    expected = f"expected {right}" if goal.right.value is not None else f"but {told(goal.right)} is {right}"
    return f"{told(goal.left)} is {left}, {expected}"
