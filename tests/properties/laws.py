"""The theorems of the calculus as laws of generated programs; a law answers with what is wrong, or None.

T5 soundness, T6 types preserved, T7 check elimination, T9 and T10 the gradual guarantees, T11 conservative
extension, T12 blame safety, T15 printing, T16 renaming, and that the verifier accepts what the checker writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from random import Random

from gradual.compiler import Compilation, Options
from gradual.core.print import printed as printed_core
from gradual.core.terms import Block, Check, Closure, Function, If, Step
from gradual.core.verify import violations
from gradual.diagnostic import Diagnostic
from gradual.dims.decide import Decider
from gradual.limits import Limits
from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.print import printed
from gradual.tensors.value import Value
from tests.core.mutation import mutants
from tests.generators.program_terms import SPELLED, Program, respelled, shadowed
from tests.properties.compiling import Outcome, all_checks, compiled, outcome, same
from tests.properties.inputs import arguments, spoiled
from tests.properties.precision import randomly_blurred
from tests.properties.watching import Trace

INPUTS = 6
_COMPLETIONS = 120


@dataclass(frozen=True, eq=False)
class Case:
    """A generated program with all that laws ask of it, each found once."""

    program: Program
    seed: int

    @cached_property
    def text(self) -> str:
        """The program's text."""
        return str(self.program)

    @cached_property
    def found(self) -> Compilation:
        """The program checked."""
        return compiled(self.text)

    @cached_property
    def doubtful(self) -> Compilation:
        """The program with every goal left to run time."""
        return all_checks(self.text)

    @cached_property
    def gave_up(self) -> bool:
        """Whether some goal was not decided for want of budget."""
        return _gave_up(self.found)

    @cached_property
    def inputs(self) -> tuple[tuple[Value, ...], ...]:
        """Arguments of `@main`; one in ten does not fit the declaration."""
        random, main = Random(f"inputs {self.seed}"), self.found.core.functions.get("@main")
        if main is None:
            return ()
        drawn = [arguments(main, random) for _ in range(INPUTS)]
        fitting = [values for values in drawn if values is not None]
        return tuple(spoiled(values, random) if random.random() < 0.1 else values for values in fitting)

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """How the program runs on its inputs, watched."""
        return tuple(outcome(self.found.core, values, trace=self.trace) for values in self.inputs)

    @cached_property
    def trace(self) -> Trace:
        """The steps that runs came to; complete once the outcomes are known."""
        return Trace()

    @cached_property
    def less_precise(self) -> tuple[tuple[Program, Compilation], ...]:
        """The program blurred to several degrees."""
        programs = randomly_blurred(self.program, Random(f"blur {self.seed}"))
        return tuple((program, compiled(str(program))) for program in programs)


Law = Callable[[Case], str | None]


def _gave_up(found: Compilation) -> bool:
    return any(diagnostic.code == "E0501" for diagnostic in found.diagnostics)


def _errors(found: Compilation) -> list[str]:
    return [f"{d.code} {d.message}" for d in found.diagnostics if d.severity == "error"]


def _owner(found: Compilation, span: Span) -> Function | None:
    """The function of the file in which a place lies."""
    return next((f for f in found.core.functions.values() if f.span.start <= span.start < f.span.end), None)


# --------------------------------------------------------------------------------------------------------- T5 to T7
def soundness(case: Case) -> str | None:
    """An accepted program is never stuck, and every value is what its type says.  [T5] [T6]"""
    for values, ended in zip(case.inputs, case.outcomes, strict=True) if case.found.ok else ():
        if ended.kind == "stuck":
            return f"stuck on {values}: {ended.says}"
    return None


def elimination(case: Case) -> str | None:
    """Leaving out the checks that were proved changes nothing, not even which check fails.  [T7]"""
    if not case.found.ok:
        return None
    if not case.doubtful.ok:
        return f"rejected with every goal left to run time: {_errors(case.doubtful)}"
    for values, ended in zip(case.inputs, case.outcomes, strict=True):
        other = outcome(case.doubtful.core, values)
        if not same(ended, other):
            return f"on {values}: {ended}, with all checks {other}"
    return None


# -------------------------------------------------------------------------------------------------------- T9 and T10
def static_guarantee(case: Case) -> str | None:
    """A less precise program is accepted too.  [T9]"""
    if not case.found.ok or case.gave_up:
        return None
    for program, found in case.less_precise:
        if not found.ok:
            return f"rejected when less precise: {_errors(found)}\n{program}"
    return None


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
    if ended.kind == "value" and (other.kind != "value" or ended.value != other.value):
        return f"{ended}, less precise {other}"
    if other.kind == "blame" and ended.kind != "blame":
        return f"{ended}, less precise {other}"
    if ended.kind == "fault" and ended.label is not None and ended.label[0] != "E0605" and not _alike(ended, other):
        return f"{ended}, less precise {other}"
    return f"less precise {other}" if other.kind == "stuck" else ""


def _alike(ended: Outcome, other: Outcome) -> bool:
    return other.label is not None and ended.label is not None and other.label[0] == ended.label[0]


# ------------------------------------------------------------------------------------------------------- T11 and T12
def conservative(case: Case) -> str | None:
    """A strict definition that is accepted has no check and is never blamed, at any size.  [T11]"""
    if not case.found.ok or case.gave_up:
        return None
    for check in case.found.checks:
        owner = _owner(case.found, check.span)
        if check.blame.rule != "type.assert" and (owner is None or owner.strict):
            return f"a check in a strict definition: {check.goal}"
    for values in case.inputs if case.doubtful.ok else ():
        ended = outcome(case.doubtful.core, values)
        if ended.kind == "blame" and not ended.at_entry and ended.label is not None:
            owner = _owner(case.found, Span(*ended.label[2:]))
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
    function = _owner(case.doubtful, error.span)
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
    goals = [step for step in _checks(case.doubtful) if (step.blame.rule, step.span) == (error.rule, error.span)]
    return trace.reached.isdisjoint(goals)  # in a branch that nothing reaches no run can blame


def refutations(case: Case) -> str | None:
    """A goal that is refuted at every size fails wherever a run comes to it.  [T2]"""
    refuted = {(d.rule, d.span) for d in case.found.diagnostics if d.code == "E0301"}
    if not refuted or not case.doubtful.ok:
        return None
    goals = [step for step in _checks(case.doubtful) if (step.blame.rule, step.blame.span) in refuted]
    random, trace = Random(f"refutation {case.seed}"), Trace()
    for function in case.doubtful.core.functions.values():
        for _ in range(INPUTS):
            values = arguments(function, random)
            if values is not None:
                outcome(case.doubtful.core, values, function.name, trace)
    passed = next((step for step in goals if step in trace.finished and not _is_shared(step, goals)), None)
    return None if passed is None else f"`{passed.goal}` was refuted, and holds in a run"


def _is_shared(step: Check, goals: list[Check]) -> bool:
    """Whether several goals have this place and rule, so that it is not known which one was refuted."""
    return sum((goal.blame.rule, goal.blame.span) == (step.blame.rule, step.blame.span) for goal in goals) > 1


def _checks(found: Compilation) -> list[Check]:
    """Every check of a core, those of branches and literals too."""
    waiting: list[Block] = [function.body for function in found.core.functions.values()]
    checks: list[Check] = []
    while waiting:
        for step in waiting.pop().steps:
            match step:
                case Check():
                    checks.append(step)
                case If(then=then, orelse=orelse):
                    waiting += (then, orelse)
                case Closure(function=inner):
                    waiting.append(inner.body)
    return checks


def blame_safety(case: Case) -> str | None:
    """Only a residual check or the entry contract ever blames.  [T12]"""
    labels = {(check.blame.rule, check.span) for check in case.found.checks}
    for ended in case.outcomes if case.found.ok else ():
        if ended.kind == "blame" and ended.label is not None and not ended.at_entry:
            rule, span = ended.label[1], Span(*ended.label[2:])
            if (rule, span) not in labels:
                return f"blame without a residual check: {ended}"
    return None


# ------------------------------------------------------------------------------------------------------- T15 and T16
def printing(case: Case) -> str | None:
    """The printed program is the program: read and printed again the same, and it runs the same.  [T15]"""
    again = printed(case.found.surface)
    surface, wrong = parse(Source("again.relay", again))
    if wrong:
        return f"the printed program does not parse: {wrong[0].message}\n{again}"
    if printed(surface) != again:
        return f"printed twice differs:\n{again}\n{printed(surface)}"
    found = compiled(again)
    if [printed_core(found.core), found.ok] != [printed_core(case.found.core), case.found.ok]:
        return f"the printed program has another core:\n{again}"
    return None


def determinism(case: Case) -> str | None:
    """Checking twice, with the answers remembered or not, writes the same core and the same diagnostics."""
    from gradual.compiler import compile_source

    fresh = compile_source(Source("p.relay", case.text), Options(advise=False))
    if printed_core(fresh.core) != printed_core(case.found.core):
        return f"another core:\n{printed_core(fresh.core)}\n{printed_core(case.found.core)}"
    pairs = zip_longest(map(str, fresh.diagnostics), map(str, case.found.diagnostics))
    return next((f"another diagnostic:\n{one}\n{other}" for one, other in pairs if one != other), None)


def renaming(case: Case) -> str | None:
    """Renaming variables and dims changes neither acceptance nor where checks stand.  [T16]"""
    random = Random(f"rename {case.seed}")
    names = sorted(set(re.findall(SPELLED, case.text)))
    fresh = [
        f"{'%' if name.startswith('%') else ''}{letters}"
        for name, letters in zip(names, _letters(random), strict=False)
    ]
    mapping = dict(zip(names, fresh, strict=True))
    other = compiled(respelled(case.program, lambda name: mapping.get(name, name)))
    if other.ok != case.found.ok:
        return f"renamed: {other.ok} instead of {case.found.ok}: {_errors(other)} {_errors(case.found)}"
    if _places(other) != _places(case.found) and not (case.gave_up or _gave_up(other)):
        return f"renamed, other checks: {_places(other)} instead of {_places(case.found)}\n{other.source.text}"
    return None


def shadowing(case: Case) -> str | None:
    """Names that are used again for other values change nothing.  [T16]"""
    text = shadowed(case.program, Random(f"shadow {case.seed}"))
    other = compiled(text)
    if other.ok != case.found.ok:
        return f"shadowed: {other.ok} instead of {case.found.ok}: {_errors(other)} {_errors(case.found)}\n{text}"
    if _places(other) != _places(case.found) and not (case.gave_up or _gave_up(other)):
        return f"shadowed, other checks: {_places(other)} instead of {_places(case.found)}\n{text}"
    for values, ended in zip(case.inputs, case.outcomes, strict=True) if other.ok else ():
        again = outcome(other.core, values)
        if (again.kind, again.value) != (ended.kind, ended.value):
            return f"shadowed, on {values}: {again} instead of {ended}\n{text}"
    return None


def _letters(random: Random) -> Iterator[str]:
    numbers = list(range(1000))
    random.shuffle(numbers)
    return (f"{random.choice('abyzn')}_{number}" for number in numbers)


def _places(found: Compilation) -> list[tuple[str, int]]:
    return [(check.blame.rule, found.source.position(check.span.start).line) for check in found.checks]


# ------------------------------------------------------------------------------------------------- budget, verifier
_POOR = (
    Options(smt=False, advise=False),
    Options(limits=Limits(models=8, cases=2, residues=1, rlimit=10), advise=False),
)


def budget(case: Case) -> str | None:
    """Less budget never rejects: what was decided may become unknown, and then it is checked.  [T3]"""
    for options in _POOR if case.found.ok else ():
        found = compiled(case.text, options)
        if not found.ok:
            return f"rejected with less budget: {_errors(found)}"
        for values, ended in zip(case.inputs, case.outcomes, strict=True):
            if not same(ended, outcome(found.core, values)):
                return f"another outcome with less budget on {values}"
    return None


def verified(case: Case) -> str | None:
    """The verifier accepts every core that the checker writes.  [core.verify]"""
    for found in (case.found, *(less for _, less in case.less_precise)):
        wrong = violations(found.core, Decider()) if found.ok and not _gave_up(found) else []
        if wrong:
            return f"{wrong[0].function}: {wrong[0].message}\n{printed_core(found.core)}"
    return None


def _is_live(step: Step, trace: Trace) -> bool:
    """Whether a run finished the step, or failed at it if it is a check."""
    return step in (trace.reached if isinstance(step, Check) else trace.finished)


_MAY_SURVIVE = ("check among others", "operands", "unknown")
"""A check may follow from others; operands may be exchanged, and sizes recorded as each other, where they are equal."""


def tampering(case: Case) -> str | None:
    """The verifier rejects core that was changed in one place that some run comes to.  [core.verify]"""
    if not case.found.ok or not case.outcomes or violations(case.found.core, _CHEAP):
        return None
    every = [mutant for mutant in mutants(case.found.core) if mutant.step is None or _is_live(mutant.step, case.trace)]
    for mutant in Random(f"mutants {case.seed}").sample(every, min(6, len(every))):
        if mutant.kind not in _MAY_SURVIVE and not violations(mutant.module, _CHEAP):
            return f"accepted: {mutant.says}\n{printed_core(mutant.module)}"
    return None


_CHEAP = Decider(smt=False)
"""What needs the solver to be proved is not asked of a changed program."""


LAWS: dict[str, Law] = {
    "soundness": soundness,
    "elimination": elimination,
    "static guarantee": static_guarantee,
    "dynamic guarantee": dynamic_guarantee,
    "conservative": conservative,
    "counterexamples": counterexamples,
    "refutations": refutations,
    "blame safety": blame_safety,
    "printing": printing,
    "determinism": determinism,
    "renaming": renaming,
    "shadowing": shadowing,
    "budget": budget,
    "verified": verified,
    "tampering": tampering,
}
