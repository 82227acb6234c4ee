"""What the checker writes: the same with less budget and without a memory, and accepted by the verifier."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from random import Random

from gradual.compiler import compile_source
from gradual.core.check import Check
from gradual.core.def_use import blocks
from gradual.core.print import printed as printed_core
from gradual.core.terms import Match, Module, Rename, Step, Stop
from gradual.core.verify.function import violations
from gradual.limits import LIMITS, Limits, Options
from gradual.ops.declaration.unknown_rank import remembered_cases
from gradual.source import Source
from tests.core.mutation import mutants
from tests.properties.case import Case, errors, gave_up, steps_of
from tests.properties.compiling import SHARED, compiled, outcome, same
from tests.properties.watching import Trace

_FRESH = 0.25
"""How many programs are checked with fresh answers too: the law speaks of the memory more than of programs."""

_POORER = 0.5
"""How many programs are checked with a smaller budget too."""


def determinism(case: Case) -> str | None:
    """Checking twice, with the answers remembered or not, writes the same core and the same diagnostics."""
    if Random(f"fresh {case.seed}").random() > _FRESH:
        return None
    remembered_cases.cache_clear()
    fresh = compile_source(Source("p.relay", case.text), Options(advise=False))
    if printed_core(fresh.core) != printed_core(case.found.core):
        return f"another core:\n{printed_core(fresh.core)}\n{printed_core(case.found.core)}"
    pairs = zip_longest(map(str, fresh.diagnostics), map(str, case.found.diagnostics))
    return next((f"another diagnostic:\n{one}\n{other}" for one, other in pairs if one != other), None)


_POOR = (
    Options(smt=False, advise=False),
    Options(limits=Limits(models=8, cases=2, residues=1, rlimit=10), advise=False),
)


def budget(case: Case) -> str | None:
    """Less budget never rejects: what was decided may become unknown, and then it is checked.  [T3]"""
    random = Random(f"poor {case.seed}")
    if not case.found.ok or random.random() > _POORER:
        return None
    found = compiled(case.text, random.choice(_POOR))
    if not found.ok:
        return f"rejected with less budget: {errors(found)}"
    for values, ended in zip(case.inputs, case.outcomes, strict=True):
        if not same(ended, outcome(found.core, values)):
            return f"another outcome with less budget on {values}"
    return None


def verified(case: Case) -> str | None:
    """The verifier accepts every core that the checker writes.  [core.verify]"""
    if case.found.ok and not case.gave_up and case.violations:
        return f"{case.violations[0].function}: {case.violations[0].message}\n{printed_core(case.found.core)}"
    for _, found in case.less_precise[:1]:
        wrong = violations(found.core, SHARED()) if found.ok and not gave_up(found) else []
        if wrong:
            return f"{wrong[0].function}: {wrong[0].message}\n{printed_core(found.core)}"
    return None


def _is_live(step: Step, trace: Trace) -> bool:
    """Whether a run finished the step, or failed at it if it is a check."""
    return step in (trace.reached if isinstance(step, Check) else trace.finished)


_MAY_SURVIVE = ("check among others", "operands", "unknown")
"""A check may follow from others; operands may be exchanged, and sizes recorded as each other, where they are equal."""


_MUTANTS = 2

_HURRIED = replace(LIMITS, rlimit=LIMITS.rlimit // 20)
"""What Z3 may spend on what a mutant owes, most of which nobody can prove."""


def tampering(case: Case) -> str | None:
    """The verifier rejects core that was changed in one place that some run comes to.  [core.verify]"""
    if not case.found.ok or not case.outcomes or case.gave_up or case.violations:
        return None
    functions, rejected = case.found.core.functions, lru_cache(_hurriedly)
    every = [mutant for mutant in mutants(case.found.core) if mutant.step is None or _is_live(mutant.step, case.trace)]
    for mutant in Random(f"mutants {case.seed}").sample(every, min(_MUTANTS, len(every))):
        module = replace(mutant.module, data=case.found.core.data)
        changed = frozenset(name for name, function in module.functions.items() if function is not functions[name])
        may_survive = mutant.kind in _MAY_SURVIVE or mutant.step in _of_arms(case) | _of_ascriptions(
            case
        ) | _before_stops(case) | _of_indices(case)
        decider = SHARED() if rejected(case.found.core, changed) else SHARED(_HURRIED)
        if not may_survive and not violations(module, decider, changed):
            return f"accepted: {mutant.says}\n{printed_core(mutant.module)}"
    return None


def _hurriedly(core: Module, functions: frozenset[str]) -> bool:
    """Whether a budget for mutants is too small for what these functions owe themselves."""
    return bool(violations(core, SHARED(_HURRIED), functions))


def _of_arms(case: Case) -> set[Step]:
    """The checks that read the value of a `match`, which forgets what its arms knew: they may follow from it."""
    functions = case.found.core.functions.values()
    steps = [step for function in functions for step in steps_of(function.body)]
    joined = {step.name for step in steps if isinstance(step, Match)}
    return {step for step in steps if isinstance(step, Check) and not joined.isdisjoint(_read(step))}


def _of_ascriptions(case: Case) -> set[Step]:
    """The checks beside one that reads a size which an ascription forgot: they may follow from it and what it was."""
    found: set[Step] = set()
    for function in case.found.core.functions.values():
        steps = list(steps_of(function.body))
        ascribed = {step.name for step in steps if isinstance(step, Rename)}
        checks = [step for step in steps if isinstance(step, Check)]
        if any(not ascribed.isdisjoint(_read(check)) for check in checks):
            found.update(checks)
    return found


def _of_indices(case: Case) -> set[Step]:
    """The checks of indices: without one the operator faults a step later."""
    steps = (step for function in case.found.core.functions.values() for step in steps_of(function.body))
    return {step for step in steps if isinstance(step, Check) and step.blame.rule == "op.index.bounds"}


def _before_stops(case: Case) -> set[Step]:
    """The checks behind which the run stops whatever they say: without one it stops a step later."""
    functions = case.found.core.functions.values()
    steps = [step for function in functions for step in steps_of(function.body)]
    every = [*(function.body for function in functions), *(block for step in steps for block in blocks(step))]
    stopped = [block for block in every if any(isinstance(step, Stop) for step in block.steps)]
    return {step for block in stopped for step in block.steps if isinstance(step, Check)}


def _read(check: Check) -> set[str]:
    witnesses = [variable.witness for variable in check.goal.variables()]
    return {witness.value.split("#")[0] for witness in witnesses if witness is not None}
