"""The verifier for operators: apply each typing rule again, at every rank that its operands can have.

[op.dynamic] [core.verify]
"""

from __future__ import annotations

from collections.abc import Sequence

from gradual.core.datatypes import is_own
from gradual.core.refinement import of_result
from gradual.core.terms import Apply
from gradual.core.verify import ranks
from gradual.core.verify.recorded_types import Recorded
from gradual.dims.term.constraint import FALSE, equal
from gradual.dims.term.dim import Dim, constant
from gradual.ops.declaration.operator import Contents, IllFormed, Judgement
from gradual.ops.declaration.rank_cases import Case, Cases, Together, Types, Unknown, at_size, unranked
from gradual.ops.declaration.unknown_rank import Asking
from gradual.types.type import Content, GradualType, Hole, OpenedType, TensorType, UnrankedType
from gradual.verdict import Proved


def apply(verifier: Recorded, step: Apply) -> None:
    """Apply the operator's rule again; its needs must be provable and its result must match the recorded type."""
    for index, operand in enumerate(step.operands):
        if index in step.operator.reads or step.operator.contents is not None:
            verifier.open_contents(operand, index in step.operator.reads)
    ranks.settle(verifier, step.operands)
    for dim in ranks.dims_of(tuple(step.attributes.values())):
        ranks.read(verifier, dim, step.name)
    asking = Asking(step.operator, step.operands, step.attributes)
    try:
        types, found = _asked(verifier, step.operands, asking)
    except IllFormed as wrong:
        if step.accepts is None and not verifier.unreachable():
            verifier.found.append(f"{step.name}: {wrong.message}")
        verifier.facts.suppose(FALSE)  # its check fails, so that the code after it is unreachable
        verifier.define(step.name, step.type)
        return
    if not isinstance(found, Judgement):
        _applied(verifier, step, asking, types, found)
        verifier.define(step.name, step.type)
        return
    for need in found.needs:
        if step.accepts is None:
            verifier.prove(need.goal, f"{step.name} needs {need.goal} [{need.rule}]")
        else:
            verifier.facts.assume(need.goal)
    verifier.matches(_asked_for(found.result, step), step.type, step.name, step.operands)
    _recorded_contents(verifier, step, types)
    verifier.define(step.name, step.type)
    truth = of_result(step.operator, step.type, lambda: [verifier.implied(operand) for operand in step.operands])
    if truth is not None:
        verifier.implications[step.name] = truth


def _recorded_contents(verifier: Recorded, step: Apply, types: Sequence[OpenedType]) -> None:
    recorded = step.type.contents if isinstance(step.type, TensorType) else None
    if recorded is None:
        return
    if _gives(verifier, step, types, recorded):
        return
    for operand in step.operands:
        ranks.settle_length(verifier, operand)
        verifier.open_contents(operand)
    if not _gives(verifier, step, [verifier.type_of(operand) for operand in step.operands], recorded):
        verifier.wrong(f"{step.name}: contents that no rule gives")


def _gives(verifier: Recorded, step: Apply, types: Sequence[OpenedType], recorded: tuple[Content, ...]) -> bool:
    """Whether the operator's rule gives the recorded elements, up to proved equality."""
    rule = step.operator.contents
    given = rule(*types, **step.attributes) if rule is not None else None
    if given is None or len(given) != len(recorded):
        return False
    return all(one is other or _is_equal(verifier, one, other) for one, other in zip(given, recorded, strict=True))


def _is_equal(verifier: Recorded, one: Content, other: Content) -> bool:
    return isinstance(one, Dim) and isinstance(other, Dim) and verifier.holds(equal(one, other))


def _asked(verifier: Recorded, operands: tuple[str, ...], asking: Asking) -> tuple[Types, Judgement | Cases | None]:
    """Apply the rule to the operands; substitute ranks, and sizes that decide a rank, as far as they are known.

    If that gives no judgement, the result is the cases at every rank, or None if they are too many.  Raises IllFormed.
    """
    while True:
        types = asking.flattened(tuple(verifier.type_of(operand) for operand in operands))
        found = asking.step(types)
        if isinstance(found, Judgement):
            return types, found
        value = verifier.decider.simplified(verifier.facts, found.number).value if found.origin is None else None
        if value is not None:
            _take_in(verifier, operands, types, found, value)
            continue
        cases = asking.cases(types)
        fixed = cases.fixed if cases is not None and cases.complete and cases.fitting else None
        if fixed is None or not _is(verifier, *fixed):
            return types, cases
        _take_in(verifier, operands, types, *fixed)


def _is(verifier: Recorded, unknown: Unknown, value: int) -> bool:
    """Whether an unknown number is proved to be the value that the rule requires."""
    return isinstance(verifier.decider.decide(verifier.facts, equal(unknown.number, constant(value))), Proved)


def _take_in(verifier: Recorded, operands: tuple[str, ...], types: Types, unknown: Unknown, value: int) -> None:
    """Replace a rank, or a size that decides one, by a number from here on."""
    if unknown.origin is not None:
        ranks.rank_known(verifier, unknown.origin, value)
        return
    for place in unknown.operands:
        verifier.types[operands[place]] = at_size(types[place], unknown.number, value)
        verifier.open_contents(operands[place], True)


def _applied(verifier: Recorded, step: Apply, asking: Asking, types: Types, cases: Cases | None) -> None:
    """Verify an application at unknown ranks: its result must match the recorded type at each possible rank.

    Without a check that evaluates the rule at run time, the needs of the rule must hold at each rank, too.
    """
    if cases is None or not cases.complete:
        _unasked(verifier, step, asking, types)
        return
    possible = [case for case in cases.every if _possible(verifier, step, asking, case)]
    fitting = cases.fitting
    together = Together(fitting)
    for fact in (*together.bounds(), *together.relations(step.name)) if fitting else ():
        verifier.facts.assume(fact)
    if len(possible) == 1 and not possible[0].is_sample:
        _settled(verifier, step, possible[0])
    if fitting:
        result = together.result()
        if not any(case.is_sample for case in possible):
            result = _filled(result, step)
        verifier.matches(_asked_for(result, step), step.type, step.name, step.operands)


def _filled(result: GradualType, step: Apply) -> GradualType:
    """Fill the holes of the result with recorded sizes: every case was proved to give them, though in other forms."""
    if not (isinstance(result, TensorType) and isinstance(step.type, TensorType) and result.rank == step.type.rank):
        return result
    pairs = enumerate(zip(result.shape, step.type.shape, strict=True))
    shape = (
        size if isinstance(one, Hole) and not is_own(size, step.name, axis) else one for axis, (one, size) in pairs
    )
    return TensorType(tuple(shape), result.dtype)


def _asked_for(result: GradualType, step: Apply) -> GradualType:
    """Take over each recorded size 0 of a checked application: its check requires this size at run time.

    At run time a size 0 of a reshape's target is the code that copies a size, which may differ.   [op.reshape.code]
    """
    recorded = step.type
    if step.accepts is None or not (isinstance(result, TensorType) and isinstance(recorded, TensorType)):
        return result
    if result.rank != recorded.rank:
        return result
    pairs = zip(result.shape, recorded.shape, strict=True)
    return TensorType(tuple(size if size.value == 0 else given for given, size in pairs), result.dtype)


def _settled(verifier: Recorded, step: Apply, case: Case) -> None:
    """Assume the only possible case after the step, with its needs if a check evaluates the rule."""
    for equation in case.equations:
        verifier.facts.assume(equation)
        if step.accepts is None:
            ranks.learnt(verifier, equation)
    for need in case.judgement.needs if step.accepts is not None and case.judgement is not None else ():
        verifier.facts.assume(need.goal)


def _unasked(verifier: Recorded, step: Apply, asking: Asking, types: Types) -> None:
    """Verify only structure and dtypes, as there are too many possible ranks."""
    if step.accepts is None:
        verifier.found.append(f"{step.name}: nothing asks whether {step.operator.name} accepts its operands")
    try:
        judgement = asking.sample(types).judgement
    except IllFormed as refusal:
        verifier.wrong(f"{step.name}: {refusal.message}")
        return
    assert judgement is not None
    verifier.matches(unranked(judgement.result), step.type, step.name, step.operands)


def _possible(verifier: Recorded, step: Apply, asking: Asking, case: Case) -> bool:
    """Verify one case at its ranks, and return whether it is possible."""
    asks, judgement = step.accepts is not None, case.judgement
    if judgement is None and asks:
        return False
    if asks and isinstance(step.type, UnrankedType) and step.type.origin == step.name:
        return True  # the result's own unknown shape matches the result of any case
    facts, mark, shared = verifier.facts, verifier.facts.mark(), dict(verifier.shared)
    for equation in case.equations:
        facts.suppose(equation)
    reached = asks or not verifier.unreachable()
    if judgement is None and reached:
        verifier.found.append(f"{step.name}: nothing excludes a refusal: {case.refusal}")
    elif case.is_sample and reached and not asks:
        verifier.found.append(f"{step.name}: nothing asks whether {step.operator.name} accepts so long a shape")
    elif judgement is not None and reached and not case.is_sample:
        for need in judgement.needs:
            if asks:  # the check has passed
                facts.suppose(need.goal)
            else:
                verifier.prove(need.goal, f"{step.name} needs {need.goal} [{need.rule}]")
        verifier.matches(_asked_for(judgement.result, step), step.type, step.name, step.operands)
        _contents(verifier, step, asking.contents(case.types, judgement.result))
    facts.rollback(mark)
    verifier.shared = shared
    return reached


def _contents(verifier: Recorded, step: Apply, given: Contents) -> None:
    recorded = step.type.contents if isinstance(step.type, TensorType) else None
    if recorded is None:
        return
    if given is None or len(given) != len(recorded):
        verifier.wrong(f"{step.name}: contents that no rule gives")
        return
    for content, claimed in zip(given, recorded, strict=True):
        if isinstance(content, Dim) and isinstance(claimed, Dim):
            verifier.prove(equal(content, claimed), f"{step.name}: {content} recorded as {claimed}")
        elif content is not claimed:
            verifier.wrong(f"{step.name}: contents that no rule gives")
