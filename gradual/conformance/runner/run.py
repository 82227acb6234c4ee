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
    NoAnswer,
    Report,
    Skipped,
    TimedOut,
)
from gradual.conformance.cases.case import Case, ExpectedBlame, Request
from gradual.conformance.runner.judge import Failure, Profile, judged, needed, outcome_judged
from gradual.conformance.runner.witness import substituted
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


EVERY = frozenset(Profile)

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


def whole(profiles: Iterable[Profile]) -> frozenset[Profile]:
    """The profiles with those that they need."""
    return frozenset().union(*map(needed, profiles))


def examined(case: Case, implementation: Implementation, profiles: frozenset[Profile] = EVERY) -> Result:
    """Run one case on an implementation; an exception instead of an answer gives CRASH, not FAIL."""
    if profiles.isdisjoint(asked(case)):
        return Result(case, Class.UNSUPPORTED, trace="the implementation answers about nothing of it")
    profiles, report = whole(profiles), None
    try:
        report = implementation.check(case.request)
        failures = [
            *judged(case, report),
            *(_witnesses(case, report, implementation) if Profile.CODES in profiles else ()),
            *(_outcomes(case, report, implementation, profiles) if Profile.RUN in profiles else ()),
        ]
    except NoAnswer as why:
        return Result(case, _UNANSWERED[type(why)], trace=str(why) or "without a reason", report=report)
    except Exception:
        return Result(case, Class.CRASH, trace=traceback.format_exc(), report=report)
    broken = tuple(failure for failure in failures if failure.profile in profiles)
    return Result(case, Class.FAIL if broken else Class.PASS, broken, report=report)


def _outcomes(
    case: Case, report: Report, implementation: Implementation, profiles: frozenset[Profile]
) -> Iterator[Failure]:
    """Compare the outcome of each call; if the case expects a static function, by both runtimes.  [graph.run]

    If the case has a plan of the function, the call is also run with the plan asserted.  [plan.measured]
    After passes the outcome must be the same as before, unless the passes cannot be applied.  [pass.outcome]
    """
    if not report.accepted:
        return
    for call, wanted in zip(case.request.calls, case.expectation.outcomes, strict=True):
        plain = replace(case.request, passes=())
        yield from outcome_judged(wanted, implementation.run(plain, call), case.rules)
        if report.passed:
            yield from outcome_judged(wanted, implementation.run(case.request, call), case.rules)
        if Profile.STATIC in profiles and f"{call.function}  static" in (case.expectation.static or ()):
            graph = replace(plain, runtime="graph")
            yield from outcome_judged(wanted, implementation.run(graph, call), case.rules)
        if Profile.PLAN in profiles and call.function in case.request.plan:
            measured = replace(plain, runtime="measured")
            yield from outcome_judged(wanted, implementation.run(measured, call), case.rules)


def _witnesses(case: Case, report: Report, implementation: Implementation) -> Iterator[Failure]:
    """Require that each expected or reported counterexample makes the program fail at its line."""
    for wanted in case.expectation.diagnostics:
        if wanted.witness and wanted.place and not (wanted.optional and report.accepted):
            yield from _checked(case.request, wanted.witness, wanted.place.line, wanted.line, implementation)
    for found in report.diagnostics:
        if _claims(found) and not case.expectation.variant:
            yield from _checked(case.request, found.witness, found.place.line, case.line, implementation)


def _claims(found: FoundDiagnostic) -> bool:
    return found.code in ("E0302", "E0402") and bool(found.witness)


def _fails(found: FoundDiagnostic) -> bool:
    """Whether a diagnostic predicts a failure: an error does, and E0403 does if its point is reached."""
    return found.severity == "error" or found.code == "E0403"


def _checked(
    request: Request, sizes: Mapping[str, int], line: int, at: int, implementation: Implementation
) -> Iterator[Failure]:
    text = substituted(request.text, line, sizes)
    if text is None:
        return
    report = implementation.check(replace(request, text=text))
    if not any(d.place.line == line and _fails(d) for d in report.diagnostics):
        shown = ", ".join(f"{name}={value}" for name, value in sizes.items())
        yield Failure(
            Profile.CODES, at, f"{shown} is no counterexample: with it the program does not fail at line {line}"
        )


def asked(case: Case) -> list[Profile]:
    """The profiles that a case tests."""
    wanted = case.expectation
    says = {
        Profile.VERDICT: wanted.accepted is not None,
        Profile.CODES: True,
        Profile.SPANS: any(d.place for d in wanted.diagnostics),
        Profile.RELATED: any(d.related for d in wanted.diagnostics),
        Profile.LEAST: any(d.witness for d in wanted.diagnostics),
        Profile.RULES: not wanted.variant,
        Profile.TYPES: bool(wanted.types),
        Profile.CHECKS: wanted.checks is not None,
        Profile.CORE: wanted.core is not None,
        Profile.STATIC: wanted.static is not None,
        Profile.PLAN: wanted.plan is not None,
        Profile.AFTER: wanted.after is not None,
        Profile.LEFT: wanted.left is not None,
        Profile.RUN: bool(wanted.outcomes),
        Profile.BLAME: any(isinstance(o, ExpectedBlame) for o in wanted.outcomes),
    }
    return [profile for profile, said in says.items() if said]


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
    counts = {profile: [0, 0, 0] for profile in Profile}
    for result in results:
        broken = {failure.profile for failure in result.failures}
        for profile in whole(profiles).intersection(asked(result.case)):
            count = counts[profile]
            count[0] += not result.trace and broken.isdisjoint(needed(profile))
            count[1] += result.kind not in (Class.SKIPPED, Class.UNSUPPORTED)
            count[2] += 1
    return {profile: Tally(*count) for profile, count in counts.items() if count[2]}
