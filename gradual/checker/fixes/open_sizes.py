"""Suggest the whole shape of a parameter whose `?`s cause residual checks, so that one edit proves them all.

A `?` is replaced by the size that an equality gives, by another parameter's size on the same axis (counted from the
last), by the size with which it broadcasts, or by the least number for which all checks hold, used for every `?` that
is left.  [check.residual]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradual.checker.fixes.suggested import Outcome, Trials, annotation_for
from gradual.checker.repairs.place import shortened
from gradual.checker.state.context import Elaboration
from gradual.core.check import Check
from gradual.core.terms import Module
from gradual.diagnostic import Edit, Help
from gradual.dims.term.atom import Variable
from gradual.dims.term.constraint import AtMost, Equal, Or, all_of
from gradual.dims.term.dim import constant
from gradual.record import record
from gradual.syntax.tree import ast
from gradual.types.binder_solving import bare

GREATEST = 1024
"""The greatest number that is tried for a size."""


@record
class _Parameter:
    """A parameter with unknown sizes.

    Attributes:
        holes: axis of a `?` -> its unknown.
        checks: the residual checks that mention these unknowns and no others.
    """

    name: str
    type: ast.TensorType
    shape: tuple[ast.Expr, ...]
    holes: Mapping[int, Variable]
    checks: Sequence[Check]


def help_for(
    check: Check,
    checks: Sequence[Check],
    state: Elaboration,
    core: Module,
    function: ast.Fn,
    before: Outcome,
    trials: Trials,
) -> Help | None:
    """A help for a check: a size from an equality, else the shape of a parameter, else a name or a bound."""
    found = annotation_for(check, state, core, before, trials)
    if found is not None and isinstance(check.goal, Equal) and "?{" not in found.edits[0].text:
        return found
    return shape_for(check, checks, state, function, before, trials) or found


def shape_for(
    check: Check, checks: Sequence[Check], state: Elaboration, function: ast.Fn, before: Outcome, trials: Trials
) -> Help | None:
    """A shape for the parameter whose unknowns a check mentions, if it proves all checks about them; else None."""
    if trials.spent:
        return None
    found = _parameter(check, checks, state, function)
    if found is None or (len(found.checks) < 2 and len(found.holes) < 2):
        return None
    for filled in _filled(found, function, trials.text):
        sizes = [
            filled.get(axis, trials.text[size.span.start : size.span.end]) for axis, size in enumerate(found.shape)
        ]
        text = f"Tensor[({', '.join(sizes)}{',' * (len(sizes) == 1)}), {found.type.dtype}]"
        edit = Edit(found.type.span, text)
        outcome = trials.outcome(edit)
        if outcome is None:
            return None
        gone = len(before.residual) - len(outcome.residual)
        if outcome.errors <= before.errors and gone >= len(found.checks):
            return Help(f"write `{shortened(f'{found.name}: {text}')}`: removes {_listed(found.checks)}", (edit,))
    return None


def _parameter(check: Check, checks: Sequence[Check], state: Elaboration, function: ast.Fn) -> _Parameter | None:
    """The parameter whose `?`s are all the unknowns of a check; None if there is no such parameter."""
    unknown = {variable for variable in check.goal.variables() if variable in state.unknowns.existentials}
    for param in function.params:
        if not isinstance(param.annotation, ast.TensorType) or param.annotation.shape is None:
            continue
        places = {size.span: axis for axis, size in enumerate(param.annotation.shape) if isinstance(size, ast.Hole)}
        holes = {
            places[promise.span]: existential
            for existential, promise in state.unknowns.existentials.items()
            if promise.span in places
        }
        own = set(holes.values())
        if unknown and unknown <= own:
            same = [one for one in checks if _speaks_of(one, own, state)]
            return _Parameter(param.name.name, param.annotation, param.annotation.shape, holes, same)
    return None


def _speaks_of(check: Check, own: set[Variable], state: Elaboration) -> bool:
    unknown = {variable for variable in check.goal.variables() if variable in state.unknowns.existentials}
    return bool(unknown) and unknown <= own


# ------------------------------------------------------------------------------------------------ what to write
def _filled(found: _Parameter, function: ast.Fn, text: str) -> Iterator[Mapping[int, str]]:
    """Yield candidates, axis -> replacement of its `?`; a `?` that no check mentions is kept."""
    asked = {variable for check in found.checks for variable in check.goal.variables()}
    wanted = {axis: existential for axis, existential in found.holes.items() if existential in asked}
    known = dict(_equalities(wanted, found.checks))
    left = {axis: existential for axis, existential in wanted.items() if axis not in known}
    only_bounds = all(isinstance(check.goal, AtMost) for check in found.checks)
    if not left:
        yield known
    for other in function.params:
        beside = _beside(other, left, len(found.shape), text, only_bounds) if other.name.name != found.name else {}
        if beside and beside.keys() == left.keys():
            yield known | beside
    stretched = dict(_stretched(left, found.checks))
    if stretched and stretched.keys() == left.keys():
        yield known | stretched
    number = _number(left, found.checks)
    if number is not None:
        yield known | dict.fromkeys(left, str(number))


def _equalities(wanted: Mapping[int, Variable], checks: Sequence[Check]) -> Iterator[tuple[int, str]]:
    for axis, existential in wanted.items():
        for goal in (check.goal for check in checks):
            is_solved = isinstance(goal, Equal) and bare(goal.left) is existential
            if isinstance(goal, Equal) and is_solved and not any(one.is_existential for one in goal.right.variables()):
                yield axis, str(goal.right)


def _stretched(wanted: Mapping[int, Variable], checks: Sequence[Check]) -> Iterator[tuple[int, str]]:
    """Yield (axis, size) for each named size with which the axis's unknown broadcasts."""
    for axis, existential in wanted.items():
        for goal in (check.goal for check in checks):
            equal = [one for one in goal.parts if isinstance(one, Equal)] if isinstance(goal, Or) else []
            for left, right in ((one.left, one.right) for one in equal):
                other = right if bare(left) is existential else left if bare(right) is existential else None
                if (
                    other is not None
                    and other.value is None
                    and not any(one.is_existential for one in other.variables())
                ):
                    yield axis, str(other)


def _beside(other: ast.Param, left: Mapping[int, Variable], rank: int, text: str, only_bounds: bool) -> dict[int, str]:
    """Another parameter's sizes on the same axes, counted from the last; empty if `only_bounds` and one is a number."""
    shape = other.annotation.shape if isinstance(other.annotation, ast.TensorType) else None
    if shape is None:
        return {}
    aligned = {axis: axis - rank + len(shape) for axis in left}
    if any(place >= 0 and isinstance(shape[place], ast.Number) for place in aligned.values()) and only_bounds:
        return {}
    return {
        axis: text[shape[place].span.start : shape[place].span.end]
        for axis, place in aligned.items()
        if place >= 0 and isinstance(shape[place], ast.Name | ast.Number)
    }


def _number(left: Mapping[int, Variable], checks: Sequence[Check]) -> int | None:
    """The least number of at least 2 with which, in place of every unknown in `left`, the checks about these hold.

    None if there is no such number up to `GREATEST`, if the checks mention other variables, or if none is an equation.
    """
    goals = [check.goal for check in checks if set(left.values()) & set(check.goal.variables())]
    if not any(isinstance(goal, Equal) for goal in goals) or {
        variable for goal in goals for variable in goal.variables()
    } - set(left.values()):
        return None
    goal = all_of(*goals)
    for number in range(2, GREATEST + 1):
        if goal.substitute(dict.fromkeys(left.values(), constant(number))).value is True:
            return number
    return None


def _listed(checks: Sequence[Check]) -> str:
    """The labels of checks: `c1`, `c1 and c3`, `c1 to c4`."""
    numbers = sorted(int(check.id[1:]) for check in checks)
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"c{numbers[0]} to c{numbers[-1]}"
    *first, last = (f"c{number}" for number in numbers)
    return f"{', '.join(first)} and {last}" if first else last
