"""The runner: send every case to an implementation, and compare its answers.

Only a case's request is sent to the implementation, never its expectation.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from gradual.conformance.cases.answer import (
    Crashed,
    FoundDiagnostic,
    Garbled,
    Implementation,
    Limited,
    NoAnswer,
    Outcome,
    Report,
    Skipped,
    TimedOut,
)
from gradual.conformance.cases.case import Case, ExpectedBlame, Place, Request
from gradual.conformance.runner.judge import EVERY, WRITING, Failure, Profile, judged, needed, outcome_judged, whole
from gradual.conformance.runner.witness import substituted
from gradual.conformance.runner.written import Answers, formatted_judged, printed_judged
from gradual.record import record


class Class(StrEnum):
    """The result class of a case."""

    PASS = "pass"
    FAIL = "fail"
    CRASH = "crash"
    TIMEOUT = "timeout"
    PROTOCOL = "protocol error"
    SKIPPED = "skipped"
    UNSUPPORTED = "unsupported"
    KNOWN = "known failure"
    UNEXPECTED = "unexpected pass"


_UNANSWERED = {
    Crashed: Class.CRASH,
    TimedOut: Class.TIMEOUT,
    Garbled: Class.PROTOCOL,
    Skipped: Class.SKIPPED,
}

LOST = (Class.CRASH, Class.TIMEOUT, Class.PROTOCOL)
"""The classes of cases without an answer that the implementation did not decline to answer."""


@record
class Result:
    """The result of one case: its disagreements, or why there was no answer; `report` is the answer to `check`."""

    case: Case
    kind: Class
    failures: tuple[Failure, ...] = ()
    trace: str = ""
    report: Report | None = None


def run(
    cases: Iterable[Case], implementation: Implementation, profiles: frozenset[Profile] = EVERY
) -> Iterator[Result]:
    """The result of each case, in order, in the given profiles and those that they need."""
    for case in cases:
        yield examined(case, implementation, profiles)


def examined(case: Case, implementation: Implementation, profiles: frozenset[Profile] = EVERY) -> Result:
    """Run one case on an implementation; an exception instead of an answer gives CRASH, not FAIL."""
    if profiles.isdisjoint(asked(case, profiles)):
        return Result(case, Class.UNSUPPORTED, trace="the implementation answers about nothing of it")
    profiles, report = whole(profiles), None
    compared = profiles.intersection(asked(case, profiles))
    try:
        wanted = None if compared & WRITING else compared
        report = implementation.check(replace(case.request, print=Profile.PRINT in compared, compared=wanted))
        answers = Answers(report, _run(case, report, implementation) if Profile.RUN in profiles else ())
        failures = [
            *judged(case, report, profiles),
            *(_witnesses(case, report, implementation) if Profile.CODES in profiles else ()),
            *(_outcomes(case, answers, implementation, profiles) if Profile.RUN in profiles else ()),
            *(printed_judged(case, answers, implementation, profiles) if Profile.PRINT in compared else ()),
            *(formatted_judged(case, answers, implementation, profiles) if Profile.FMT in compared else ()),
        ]
    except Limited as limit:
        return _limited(case, str(limit), report)
    except NoAnswer as why:
        return Result(case, _UNANSWERED[type(why)], trace=str(why) or "without a reason", report=report)
    except Exception:
        return Result(case, Class.CRASH, trace=traceback.format_exc(), report=report)
    broken = tuple(failure for failure in failures if failure.profile in profiles)
    return Result(case, Class.FAIL if broken else Class.PASS, broken, report=report)


def _limited(case: Case, limit: str, report: Report | None) -> Result:
    """A case at which the implementation stopped at a limit: it may do so if the case is marked with this limit."""
    if limit in case.limits:
        return Result(case, Class.SKIPPED, trace=f"the implementation has another limit `{limit}`", report=report)
    message = f"stopped at the limit `{limit}`, within which this program is for every implementation"
    return Result(case, Class.FAIL, (Failure(Profile.VERDICT, case.line, message),), report=report)


def _run(case: Case, report: Report, implementation: Implementation) -> tuple[Outcome, ...]:
    """The outcome of each call, as the program is written."""
    plain = replace(case.request, passes=())
    return tuple(implementation.run(plain, call) for call in case.request.calls) if report.accepted else ()


def _outcomes(
    case: Case, answers: Answers, implementation: Implementation, profiles: frozenset[Profile]
) -> Iterator[Failure]:
    """Compare the outcome of each call; if the case expects a static function, by both runtimes.  [graph.run]

    If the case has a plan of the function, the call is also run with the plan asserted.  [plan.measured]
    After passes the outcome must be the same as before, unless the passes cannot be applied.  [pass.outcome]
    """
    report, plain = answers.report, replace(case.request, passes=())
    if not report.accepted:
        return
    for call, outcome, wanted in zip(case.request.calls, answers.outcomes, case.expectation.outcomes, strict=True):
        requests = [case.request] if report.passed else []
        if Profile.STATIC in profiles and f"{call.function}  static" in (case.expectation.static or ()):
            requests.append(replace(plain, runtime="graph"))
        if Profile.PLAN in profiles and call.function in case.request.plan:
            requests.append(replace(plain, runtime="measured"))
        for found in (outcome, *(implementation.run(request, call) for request in requests)):
            yield from outcome_judged(wanted, found, case.rules, profiles)


def _witnesses(case: Case, report: Report, implementation: Implementation) -> Iterator[Failure]:
    """Require that each expected or reported counterexample makes the program fail at its line.

    A reported one that is expected at its line needs no program: the suite's own test has shown that it fails.
    """
    agreed = {_claim(d.place, d.witness) for d in report.diagnostics}
    agreed &= {_claim(d.place, d.witness) for d in case.expectation.diagnostics}
    for wanted in case.expectation.diagnostics:
        due = wanted.witness and _claim(wanted.place, wanted.witness) not in agreed
        if due and wanted.place and not (wanted.optional and report.accepted):
            yield from checked(case.request, wanted.witness, wanted.place.line, wanted.line, implementation)
    for found in report.diagnostics:
        due = _claims(found) and _claim(found.place, found.witness) not in agreed
        if due and not case.expectation.variant:
            yield from checked(case.request, found.witness, found.place.line, case.line, implementation)


def _claim(at: Place | None, witness: Mapping[str, int]) -> tuple[int, frozenset[tuple[str, int]]]:
    """The line that is said to fail, and the sizes."""
    return at.line if at else 0, frozenset(witness.items())


def _claims(found: FoundDiagnostic) -> bool:
    return found.code in ("E0302", "E0402") and bool(found.witness)


def _fails(found: FoundDiagnostic) -> bool:
    """Whether a diagnostic predicts a failure: an error does, and E0403 does if its point is reached."""
    return found.severity == "error" or found.code == "E0403"


def checked(
    request: Request, sizes: Mapping[str, int], line: int, at: int, implementation: Implementation
) -> Iterator[Failure]:
    """Require that the program with these sizes fails at a line; `at` is the line of the case that says so."""
    text = substituted(request.text, line, sizes)
    if text is None:
        return
    report = implementation.check(replace(request, text=text))
    if not any(d.place.line == line and _fails(d) for d in report.diagnostics):
        shown = ", ".join(f"{name}={value}" for name, value in sizes.items())
        yield Failure(
            Profile.CODES, at, f"{shown} is no counterexample: with it the program does not fail at line {line}"
        )


def asked(case: Case, profiles: frozenset[Profile] = EVERY) -> list[Profile]:
    """The profiles that a case tests, where some are compared: places without codes are those of all diagnostics."""
    wanted = case.expectation
    places = any(d.place for d in wanted.diagnostics) or Profile.CODES not in profiles
    says = {
        Profile.VERDICT: wanted.accepted is not None,
        Profile.CODES: True,
        Profile.SPANS: places and not wanted.variant,
        Profile.RELATED: any(d.related for d in wanted.diagnostics),
        Profile.LEAST: any(d.witness for d in wanted.diagnostics),
        Profile.RULES: not wanted.variant,
        Profile.TYPES: bool(wanted.types),
        Profile.CHECKS: wanted.checks is not None,
        Profile.CORE: wanted.core is not None,
        Profile.STATIC: wanted.static is not None,
        Profile.PLAN: wanted.plan is not None,
        Profile.AFTER: wanted.after is not None or bool(case.request.passes),
        Profile.LEFT: wanted.left is not None,
        Profile.RUN: bool(wanted.outcomes),
        Profile.BLAME: any(isinstance(o, ExpectedBlame) for o in wanted.outcomes),
        Profile.PRINT: case.again and wanted.accepted is True and not wanted.variant,
        Profile.FMT: case.again and not wanted.variant,
        Profile.PLACES: wanted.places is not None,
    }
    return [profile for profile, said in says.items() if said]


def by_default(cases: Iterable[Case]) -> list[Case]:
    """The cases as they are run if no profile is named: those that are about texts are printed and formatted too.

    A case is about texts if it has a rule of the syntax or a block `fmt`.
    """
    return [
        replace(case, again=case.expectation.fmt is not None or any(rule.startswith("syntax.") for rule in case.rules))
        for case in cases
    ]


@record
class Tally:
    """The counts for one profile, of the cases that test it: how many passed, were answered, and were asked.

    A case counts as answered unless it was skipped; one that ended in a crash was answered wrongly.
    """

    passed: int
    answered: int
    asked: int


def tallied(results: Iterable[Result], profiles: frozenset[Profile] = EVERY) -> dict[Profile, Tally]:
    """The counts per profile; a single number for all would hide what an implementation lacks."""
    compared = whole(profiles)
    counts = {profile: [0, 0, 0] for profile in Profile}
    for result in results:
        broken = {failure.profile for failure in result.failures}
        for profile in compared.intersection(asked(result.case, compared)):
            count = counts[profile]
            count[0] += not result.trace and broken.isdisjoint(needed(profile, compared))
            count[1] += result.kind not in (Class.SKIPPED, Class.UNSUPPORTED)
            count[2] += 1
    return {profile: Tally(*count) for profile, count in counts.items() if count[2]}


def verdicts(results: Iterable[Result]) -> dict[bool, Tally]:
    """The counts of the verdict for the programs to accept (True) and those to reject (False), where there are some.

    Whoever accepts everything has many right verdicts, all of them of one kind.
    """
    kinds: dict[bool, list[Result]] = {True: [], False: []}
    for result in results:
        if result.case.expectation.accepted is not None:
            kinds[result.case.expectation.accepted].append(result)
    return {kind: tallied(some, frozenset({Profile.VERDICT}))[Profile.VERDICT] for kind, some in kinds.items() if some}
