"""Apply an operator's typing rule again to the refined types of its operands.   [pass.sharpen]"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.core.check import Check
from gradual.core.datatypes import is_own, known_numbers, without_contents
from gradual.core.terms import Apply, Invoke, Rename
from gradual.core.traversal import Rewriting, apart
from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.constraint import FALSE, TRUE, all_of
from gradual.dims.term.dim import Dim, Variable
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement
from gradual.ops.declaration.unknown_rank import Asking
from gradual.passes.refine.any_rank import still_asked
from gradual.passes.refine.state import SweepState, Unreachable, stopping
from gradual.passes.refine.types import elements, fits
from gradual.types.print import shown
from gradual.types.type import GradualType, Hole, OpenedType, TensorType, TupleType
from gradual.types.unpacking import opened, placed_sizes, tracked_length
from gradual.verdict import Refuted


def judged(seen: SweepState, step: Apply, moved: Apply) -> Apply:
    """The step with the type that its rule gives for the refined operands.  Raises Unreachable."""
    asking = Asking(moved.operator, moved.operands, moved.attributes)
    try:
        operands = asking.flattened(seen.operands(moved))
        found = asking.step(operands)
        result = found.result if isinstance(found, Judgement) else asking.at_any_rank(operands)
    except IllFormed as wrong:  # a check before it always fails, or its branch is never taken
        if moved.accepts is not None:
            seen.out.append(replace(moved.accepts, goal=FALSE))
        raise Unreachable(stopping(f"`{step.operator.name}`: {wrong.message}", step.span)) from None
    if result is not None and is_another(result, step.type):
        raise nowhere(f"`{step.operator.name}` gives {shown(result)}", step)
    if not isinstance(found, Judgement):
        type = moved.type if result is None else seen.sharper(result, step.type, step.name)
        return replace(moved, type=type, accepts=still_asked(seen, moved, asking.cases(operands)))
    if moved.accepts is not None:
        _accepted(seen, found, moved, moved.accepts)
    type = seen.sharper(found.result, step.type, step.name)
    if isinstance(type, TensorType):
        type = replace(type, contents=_contents(seen, step, moved, operands, type))
    return replace(moved, type=type, accepts=None)


def is_another(now: GradualType, was: GradualType) -> bool:
    """Whether ranks or constant sizes differ, so that no value has both types: code with such a value is never run."""
    match now, was:
        case TensorType(shape), TensorType(other):
            return len(shape) != len(other) or any(
                isinstance(a, Dim) and None not in (a.value, b.value) and a is not b
                for a, b in zip(shape, other, strict=True)
                if isinstance(b, Dim)
            )
        case TupleType(fields), TupleType(others):
            return any(map(is_another, fields, others))
        case _:
            return False


def nowhere(says: str, step: Apply | Rename) -> Unreachable:
    """The exception for a step that is unreachable, as its recorded type contradicts its new type."""
    return Unreachable(stopping(f"{says}, not {shown(step.type)}", step.span))


def forgetting(seen: SweepState, step: Apply, moved: Apply) -> Apply:
    """Hide the numbers of operands whose types changed, if with them the rule needs a check that is not proved.

    So an element that causes a fault of the operator still does, where the check would fail instead.
    [pass.sharpen.numbers]
    """
    places = [
        place
        for place, name in enumerate(step.operands)
        if name in seen.changed and known_numbers(seen.type_of(moved.operands[place])) is not None
    ]
    if not places or _is_accepted(seen, moved):
        return moved
    operands = list(moved.operands)
    for place in places:
        (name,) = apart([operands[place]], seen.taken).values()
        type = without_contents(seen.type_of(operands[place]))
        seen.put(Rename(name, operands[place], type, step.span))
        seen.literals[name] = seen.literals[operands[place]]
        operands[place] = name
    return replace(moved, operands=tuple(operands))


def _is_accepted(seen: SweepState, step: Apply) -> bool:
    """Whether all needs of a step's rule are known to hold."""
    try:
        found = Asking(step.operator, step.operands, step.attributes).step(seen.operands(step))
    except IllFormed:
        return False
    if not isinstance(found, Judgement):
        return True
    return all(seen.holds(need.goal) for need in found.needs)


def _accepted(seen: SweepState, judgement: Judgement, moved: Apply, accepts: Check) -> None:
    """Check the unproved needs of the rule before the step, with the label of `accepts`, once the ranks are known.

    Raises Unreachable if one of them never holds.
    """
    unmet = [need for need in judgement.needs if not seen.holds(need.goal)]
    goal = all_of(*(need.goal for need in unmet))
    if goal is TRUE:
        return
    seen.out.append(replace(accepts, goal=goal, says=accepts.says if goal is FALSE else ""))
    for need in unmet:
        if need.goal is FALSE or isinstance(seen.decide(need.goal), Refuted):
            raise Unreachable(stopping(f"`{moved.operator.name}`: {need.says}", moved.span))
    seen.facts.learn(goal)


def _contents(
    seen: SweepState, step: Apply, moved: Apply, operands: tuple[OpenedType, ...], type: OpenedType
) -> Contents:
    """The elements that the rule gives, or None.

    If none were recorded for the step, they are added only if each is an element of an operand or surely fits the
    element type, and no formula is too large.
    """
    rule = step.operator.contents
    if rule is None or tracked_length(type, LIMITS.contents) is None:
        return None
    given = rule(*operands, **moved.attributes)
    if given is None or (isinstance(step.type, TensorType) and step.type.contents is not None):
        return given
    assert isinstance(type, TensorType)
    held = {part for operand in operands for part in elements(operand)}
    safe = all(part in held or fits(part, type.dtype) for part in given)
    return given if safe and not any(is_large(part, LIMITS.nodes) for part in given) else None


def agreeing(seen: SweepState, moved: Apply) -> Apply:
    """Replace the step's unknowns by those of an earlier application to the same operands.   [type.open]"""
    if not any(is_own(size, *place) for place, size in placed_sizes(moved.type, moved.name)):
        return moved
    found = Asking(moved.operator, moved.operands, moved.attributes).step(seen.operands(moved))
    type = shared(seen, found.result, moved, moved.operands) if isinstance(found, Judgement) else moved.type
    return moved if type is moved.type else replace(moved, type=type)


def shared(seen: SweepState, judged: GradualType, moved: Apply | Invoke, operands: Sequence[str]) -> OpenedType:
    """The type of a step, with one unknown for all holes of the same key and operands."""
    holes: dict[tuple[str, int], Hole] = {}
    opened(judged, moved.name, lambda path, axis, hole: holes.update({(path, axis): hole}))
    dims: dict[Variable, Dim] = {}
    for place, size in placed_sizes(moved.type, moved.name):
        key = holes[place].shared_by(operands) if place in holes and is_own(size, *place) else None
        if key is None:
            continue
        if key not in seen.shared:
            seen.values.trail.put(seen.shared, key, size)
        elif (earlier := seen.shared[key]) is not size:
            dims.update((own, earlier) for own in size.variables())
    return Rewriting(dims=dims).type(moved.type) if dims else moved.type
