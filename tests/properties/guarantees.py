"""The gradual guarantees: less precise annotations are accepted, and change no value.  [T9] [T10]"""

from __future__ import annotations

from gradual.compiler import Compilation
from gradual.core.terms import Closure
from gradual.types.relate import precise
from gradual.types.type import GradualType
from tests.properties.case import Case, errors, steps_of
from tests.properties.compiling import ROOMY, Outcome, alike, compiled, outcome


def static_guarantee(case: Case) -> str | None:
    """A less precise program is accepted too; one where a size was too large to be kept proves nothing.  [T9]"""
    if not case.found.ok or case.gave_up:
        return None
    for program, found in case.less_precise:
        if found.ok or _only_names_unknown_ranks(found) or not _results_say_less(case.found, found):
            continue
        if compiled(case.text, ROOMY).ok:
            return f"rejected when less precise: {errors(found)}\n{program}"
    return None


def _results_say_less(found: Compilation, other: Compilation) -> bool:
    """Whether no result type that was inferred for the other program says what the one for this program does not."""
    results, others = _results(found), _results(other)
    return all(precise(results[name], result) for name, result in others.items() if name in results)


def _results(found: Compilation) -> dict[str, GradualType]:
    functions = found.core.functions
    literals = (
        step for function in functions.values() for step in steps_of(function.body) if isinstance(step, Closure)
    )
    held = {step.name: step.function.type.result for step in literals}
    return held | {name: function.type.result for name, function in functions.items()}


def _only_names_unknown_ranks(found: Compilation) -> bool:
    """Whether all that is wrong is a declaration that speaks of `dim(%x, 0)`, where `%x` has unknown rank.

    There is no place for the check of that rank, so such a declaration is outside the guarantee.
    """
    wrong = [d for d in found.diagnostics if d.severity == "error"]
    return all(d.code == "E0305" and "names no dimension" in d.message for d in wrong)


def dynamic_guarantee(case: Case) -> str | None:
    """A less precise program ends with the same value, and blames only where the other does.  [T10]"""
    if not case.found.ok:
        return None
    for program, found in case.less_precise:
        for values, ended in zip(case.inputs, case.outcomes, strict=True) if found.ok else ():
            wrong = _less_precise(ended, outcome(found.core, values))
            if wrong:
                return f"on {values}: {wrong}\n{program}"
    return None


def _less_precise(ended: Outcome, other: Outcome) -> str:
    """What speaks against `other` being the outcome of a less precise program; a trap may go with its contents."""
    if ended.kind == "value" and (other.kind != "value" or not alike(ended.value, other.value)):
        return f"{ended}, less precise {other}"
    if other.kind == "blame" and ended.kind != "blame":
        return f"{ended}, less precise {other}"
    if ended.kind == "fault" and ended.label is not None and ended.label[0] != "E0605" and not _alike(ended, other):
        return f"{ended}, less precise {other}"
    return f"less precise {other}" if other.kind == "stuck" else ""


def _alike(ended: Outcome, other: Outcome) -> bool:
    return other.label is not None and ended.label is not None and other.label[0] == ended.label[0]
