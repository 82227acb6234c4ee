"""Strict definitions: accepted if and only if no size makes an obligation fail.  [T11]"""

from __future__ import annotations

from random import Random

from gradual.core.check import Check
from gradual.core.terms import Closure, Convert, Function, If, Match, Wrap, WrapReference
from gradual.diagnostic import Diagnostic
from gradual.source import Span
from gradual.types.instantiation import is_gradual
from gradual.types.type import DataType, FunctionType, GradualType, ReferenceType, TensorType, TupleType
from tests.properties.case import INPUTS, Case, checks_of, owner_of, steps_of
from tests.properties.compiling import outcome
from tests.properties.enumerating import enumerated
from tests.properties.inputs import arguments
from tests.properties.watching import Trace

_COMPLETIONS = 120


def conservative(case: Case) -> str | None:
    """A strict definition that is accepted has no check and is never blamed, at any size.  [T11]"""
    if not case.found.ok or case.gave_up:
        return None
    for check in case.found.checks:
        owner = owner_of(case.found, check.span)
        if check.blame.rule != "type.assert" and (owner is None or owner.strict):
            return f"a check in a strict definition: {check.goal}"
    for values in case.inputs if case.doubtful.ok else ():
        ended = outcome(case.doubtful.core, values)
        if ended.kind == "blame" and not ended.at_entry and ended.label is not None:
            owner = owner_of(case.found, Span(*ended.label[2:]))
            if owner is None or owner.strict:
                return f"on {values}, with all checks, a strict definition is blamed: {ended}"
    return None


def counterexamples(case: Case) -> str | None:
    """The counterexample of a rejected strict definition, executed, blames exactly that obligation.  [T11]"""
    errors = [d for d in case.found.diagnostics if d.severity == "error"]
    if not errors or any(d.code != "E0302" for d in errors) or not case.doubtful.ok:
        return None
    for error in errors:
        if not _blamed(case, error):
            return f"no completion of {dict(error.data)} blames {error.rule} at {error.span}: {error.message}"
    return None


def _blamed(case: Case, error: Diagnostic) -> bool:
    function = owner_of(case.doubtful, error.span)
    if function is None:
        return False
    witness = error.data["counterexample"]
    assert isinstance(witness, dict)
    random, trace = Random(f"counterexample {case.seed}"), Trace()
    for _ in range(_COMPLETIONS):
        values = arguments(function, random, witness)
        if values is None:
            continue
        ended = outcome(case.doubtful.core, values, function.name, trace)
        if ended.label == ("E0601", error.rule, error.span.start, error.span.end):
            return True
    goals = [step for step in checks_of(case.doubtful) if (step.blame.rule, step.span) == (error.rule, error.span)]
    literals = [step.function for step in steps_of(function.body) if isinstance(step, Closure)]
    sizes = {variable.name for literal in literals for variable in literal.type.binders}
    numbers = {param.name for literal in literals for param in literal.params}
    if not witness.keys().isdisjoint(sizes | numbers):
        return True  # a literal's own are chosen by its calls, and there may be none that has these
    return trace.reached.isdisjoint(goals)  # in a branch that nothing reaches no run can blame


def refutations(case: Case) -> str | None:
    """A goal that is refuted at every size fails wherever a run comes to it.  [T2]"""
    refuted = [d for d in case.found.diagnostics if d.code == "E0301"]
    if not refuted or not case.doubtful.ok:
        return None
    goals = [step for step in checks_of(case.doubtful) if any(_is_of(error, step) for error in refuted)]
    random, trace = Random(f"refutation {case.seed}"), Trace()
    for function in case.doubtful.core.functions.values():
        for _ in range(INPUTS):
            values = arguments(function, random)
            if values is not None:
                outcome(case.doubtful.core, values, function.name, trace)
    passed = next((step for step in goals if step in trace.finished and not _is_shared(step, goals)), None)
    return None if passed is None else f"`{passed.goal}` was refuted, and holds in a run"


def _is_of(error: Diagnostic, step: Check) -> bool:
    """Whether an error is about the goal of a check; a fault inside data has its place and no check of its own."""
    blame = step.blame
    return (error.rule, error.span) == (blame.rule, blame.span) and error.message.startswith(blame.says)


def _is_shared(step: Check, goals: list[Check]) -> bool:
    """Whether several goals have this place and rule and are told in the same words."""
    return sum(_told(goal) == _told(step) for goal in goals) > 1


def _told(step: Check) -> tuple[str, Span, str]:
    return step.blame.rule, step.blame.span, step.blame.says


def _is_first_order(case: Case, name: str) -> bool:
    """Whether enumeration enters every place of a function: tensors come in, and there is no arm of a `match`.

    Into a literal too, and of sizes that need no proof; branches of data agree by what is known around them.
    """
    function = case.doubtful.core.functions[name]
    steps = list(steps_of(function.body))
    literals = [step.function.type.params for step in steps if isinstance(step, Closure)]
    if any(isinstance(step, Match | Wrap | WrapReference | Convert) for step in steps):
        return False
    if any(isinstance(step, If) and isinstance(step.type, _HOLDS) for step in steps):
        return False
    return all(all(map(_is_of_tensors, params)) for params in (function.type.params, *literals)) and not any(
        any(map(is_gradual, params)) for params in literals
    )


_HOLDS = (DataType, FunctionType, ReferenceType)


def _is_of_tensors(type: GradualType) -> bool:
    return all(map(_is_of_tensors, type.fields)) if isinstance(type, TupleType) else isinstance(type, TensorType)


def _asserts_in_branches(function: Function) -> bool:
    inside = set(steps_of(function.body)) - set(function.body.steps)
    return any(isinstance(step, Check) and step.blame.rule == "type.assert" for step in inside)


def _is_of_sizes(error: Diagnostic) -> bool:
    """Whether enumeration can find it: an obligation that fails, or branches that differ."""
    return error.code in ("E0301", "E0302") or (error.code, error.rule) == ("E0308", "type.if.join")


def static_system(case: Case) -> str | None:
    """A strict definition is accepted exactly if enumeration finds nothing wrong with it.  [T11]

    That an obligation holds at no size of a grid explains a rejection; it does not speak against acceptance.  What is
    asserted inside a branch ends with it [type.if.facts], but a run that is enumerated stops there; of branches that
    differ enumeration says nothing if one of them stopped before its value; where another definition is rejected too, a
    call of it may stop; behind a fault, or a call that never comes back, nothing is asked.  Such definitions may be
    rejected for more than enumeration finds.
    """
    wrong = [d for d in case.found.diagnostics if d.severity == "error"]
    if case.gave_up or not case.doubtful.ok or not all(map(_is_of_sizes, wrong)):
        return None
    for name, function in case.found.core.functions.items():
        mine = [d for d in wrong if owner_of(case.found, d.span) is function]
        if function.strict and (mine or not wrong) and _is_first_order(case, name):
            samples = [sample for d in mine if isinstance(sample := d.data.get("counterexample"), dict)]
            static = enumerated(case.doubtful.core, case.doubtful.core.functions[name], samples)
            if not mine and static.failing:
                return f"{name} is accepted, but {static.failing}"
            partial = static.partial and all(d.code == "E0308" for d in mine)
            behind = static.faulty or static.hidden
            unseen = partial or behind or len(mine) < len(wrong) or _asserts_in_branches(function)
            if mine and not (static.failing or static.impossible or unseen):
                return f"{name} is rejected, nothing fails: {mine[0]}"
    return None
