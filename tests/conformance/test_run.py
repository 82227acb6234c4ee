"""The runner tells a right answer from every kind of wrong one, and never hands out the expectation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradual.conformance.cases.answer import FoundCheck, FoundDiagnostic, GotBlame, GotFault, GotValue, Outcome, Report
from gradual.conformance.cases.case import Place, Request
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.judge import Profile
from gradual.conformance.runner.run import Class, Result, examined, tallied
from gradual.conformance.runner.witness import substituted
from gradual.interface.input.values import Call, Drawn, Literal
from tests.conformance.suites import HEAD, PASSED, REFUTED, VARIANTS, collected

CONTRACT = "op.nn.dense.contract"
ACCEPTED = Report(
    accepted=True,
    functions={"@head": "fn (Tensor[(?, ?), float32], Tensor[(11, 7), float32]) -> Tensor[(?, 11), float32]"},
    bindings=(("@head", "%x", "Tensor[(dim(%x, 0), dim(%x, 1)), float32]"),),
    checks=(FoundCheck("dim(%x, 1) == 7", Place(2, 12, 2, 14), CONTRACT, (Place(1, 28, 1, 29),)),),
    core=("def @head {", "}"),
)
ERROR = FoundDiagnostic("E0302", "error", CONTRACT, Place(2, 12, 2, 14), (Place(2, 16, 2, 18),), {"n": 3})
REJECTED = Report(False, (ERROR,))


class Told:
    """An implementation that answers as it is told, and remembers what it was asked."""

    def __init__(self, report: Report, outcomes: dict[int, Outcome] | None = None) -> None:
        self.report = report
        self.outcomes = outcomes or {}
        self.asked: list[object] = []

    def check(self, request: Request) -> Report:
        self.asked.append(request)
        return replace(self.report, printed=request.text) if request.print else self.report

    def format(self, request: Request) -> str:
        return request.text

    def run(self, request: Request, call: Call) -> Outcome:
        self.asked.append((request, call))
        rows = call.arguments[0]
        assert isinstance(rows, Drawn)
        width = rows.shape[1]
        if width in self.outcomes:
            return self.outcomes[width]
        match width:
            case 7:
                return GotValue(Literal("float32", (5, 11), (0.0,) * 55))
            case 3:
                return GotBlame("E0601", CONTRACT, (Place(1, 28, 1, 29),))
        return GotFault("E0607")


def result(suite: str, report: Report, outcomes: dict[int, Outcome] | None = None) -> Result:
    (case,) = collected(suite).cases
    return examined(case, Told(report, outcomes))


def profiles(found: Result) -> set[Profile]:
    assert found.kind is Class.FAIL
    return {failure.profile for failure in found.failures}


def test_the_right_answers_pass() -> None:
    assert result(HEAD, ACCEPTED).kind is Class.PASS
    assert result(REFUTED, REJECTED).kind is Class.PASS


def test_the_implementation_sees_requests_only() -> None:
    (case,) = collected(HEAD).cases
    told = Told(ACCEPTED)
    examined(case, told)
    first, *calls = (x[0] if isinstance(x, tuple) else x for x in told.asked)
    assert first == replace(case.request, print=True) and calls == [case.request] * 3
    assert not {"rules", "expectation", "checks", "outcomes"} & set(Request.__dataclass_fields__)


WRONG = [
    (replace(ACCEPTED, accepted=False), Profile.VERDICT),
    (replace(ACCEPTED, diagnostics=(replace(ERROR, severity="warning"),)), Profile.CODES),
    (replace(ACCEPTED, functions={}), Profile.TYPES),
    (replace(ACCEPTED, bindings=ACCEPTED.bindings * 2), Profile.TYPES),
    (replace(ACCEPTED, checks=()), Profile.CHECKS),
    (replace(ACCEPTED, checks=ACCEPTED.checks * 2), Profile.CHECKS),
    (replace(ACCEPTED, checks=(replace(ACCEPTED.checks[0], condition="dim(%x, 1) == 11"),)), Profile.CHECKS),
    (replace(ACCEPTED, checks=(replace(ACCEPTED.checks[0], place=Place(2, 16, 2, 18)),)), Profile.CHECKS),
    (replace(ACCEPTED, checks=(replace(ACCEPTED.checks[0], blames=(Place(1, 25, 1, 26),)),)), Profile.CHECKS),
    (replace(ACCEPTED, checks=(replace(ACCEPTED.checks[0], rule="type.cast"),)), Profile.RULES),
    (replace(ACCEPTED, core=("def @head {", "  x", "}")), Profile.CORE),
    (replace(ACCEPTED, core=("def @head {",)), Profile.CORE),
]


@pytest.mark.parametrize(("report", "profile"), WRONG)
def test_a_wrong_report_fails_in_its_profile(report: Report, profile: Profile) -> None:
    assert profile in profiles(result(HEAD, report))


@pytest.mark.parametrize(
    ("report", "profile"),
    [
        (replace(REJECTED, accepted=True), Profile.VERDICT),
        (replace(REJECTED, diagnostics=()), Profile.CODES),
        (replace(REJECTED, diagnostics=(ERROR, ERROR)), Profile.CODES),
        (replace(REJECTED, diagnostics=(replace(ERROR, code="E0301"),)), Profile.CODES),
        (replace(REJECTED, diagnostics=(replace(ERROR, witness={}),)), Profile.CODES),
        (replace(REJECTED, diagnostics=(replace(ERROR, place=Place(2, 16, 2, 18)),)), Profile.SPANS),
        (replace(REJECTED, diagnostics=(replace(ERROR, related=()),)), Profile.RELATED),
        (replace(REJECTED, diagnostics=(replace(ERROR, rule="type.cast"),)), Profile.RULES),
    ],
)
def test_a_wrong_rejection_fails_in_its_profile(report: Report, profile: Profile) -> None:
    assert profile in profiles(result(REFUTED, report))


@pytest.mark.parametrize(
    ("width", "outcome", "profile"),
    [
        (7, GotValue(Literal("float32", (11, 5), (0.0,) * 55)), Profile.RUN),
        (7, GotValue(Literal("float64", (5, 11), (0.0,) * 55)), Profile.RUN),
        (7, GotBlame("E0601", CONTRACT, (Place(1, 28, 1, 29),)), Profile.RUN),
        (3, GotValue(Literal("float32", (5, 11), (0.0,) * 55)), Profile.RUN),
        (3, GotBlame("E0602", CONTRACT, (Place(1, 28, 1, 29),)), Profile.RUN),
        (3, GotBlame("E0601", CONTRACT, (Place(1, 25, 1, 26),)), Profile.BLAME),
        (3, GotBlame("E0601", "type.cast", (Place(1, 28, 1, 29),)), Profile.RULES),
        (2, GotFault("E0603"), Profile.RUN),
    ],
)
def test_a_wrong_outcome_fails_in_its_profile(width: int, outcome: Outcome, profile: Profile) -> None:
    assert profile in profiles(result(HEAD, ACCEPTED, {width: outcome}))


AFTER = replace(ACCEPTED, after=("def @head {}",), left=("@head  2:3-2:14  it stays",), passed=True)


def test_the_passes_are_asked_for_and_what_they_made_is_compared() -> None:
    assert result(HEAD + PASSED, AFTER).kind is Class.PASS
    assert profiles(result(HEAD + PASSED, replace(AFTER, after=("def @head {", "}")))) == {Profile.AFTER}
    assert profiles(result(HEAD + PASSED, replace(AFTER, left=()))) == {Profile.LEFT}
    plain = HEAD + "```pass\ndynamic-to-static\n```\n"
    assert result(plain, AFTER).kind is Class.PASS
    assert profiles(result(plain, replace(AFTER, passed=False))) == {Profile.AFTER}


def test_each_call_runs_before_and_after_the_passes() -> None:
    class Changing(Told):
        def run(self, request: Request, call: Call) -> Outcome:
            return GotFault("E0603") if request.passes else super().run(request, call)

    (case,) = collected(HEAD + PASSED).cases
    assert case.request.passes == ("inline", "drop-dead")
    found = examined(case, Changing(AFTER))
    assert profiles(found) == {Profile.RUN} and len(found.failures) == 3


def test_a_crash_is_told_from_a_failure() -> None:
    class Crashing(Told):
        def check(self, request: Request) -> Report:
            raise RecursionError("too deep")

    (case,) = collected(HEAD).cases
    found = examined(case, Crashing(ACCEPTED))
    assert found.kind is Class.CRASH and "too deep" in found.trace
    assert all(tally.passed == 0 for tally in tallied([found]).values())


def test_a_counterexample_is_put_into_the_program() -> None:
    class Strict(Told):
        """Fails at n = 2 only: it takes n = 3 for right."""

        def check(self, request: Request) -> Report:
            return Report(True) if "Tensor[(3, 5)" in request.text else self.report

    (case,) = collected(REFUTED).cases
    found = examined(case, Strict(replace(REJECTED, diagnostics=(replace(ERROR, witness={"n": 2}),))))
    assert [failure.message for failure in found.failures] == [
        "the least counterexample is n=3, not n=2",
        "n=3 is no counterexample: with it the program does not fail at line 2",
    ]


def test_a_counterexample_that_is_not_the_least_is_one() -> None:
    found = result(REFUTED, replace(REJECTED, diagnostics=(replace(ERROR, witness={"n": 4}),)))
    assert profiles(found) == {Profile.LEAST}


def test_substitution_replaces_a_dim_and_its_binder_in_one_definition() -> None:
    other = "def @g(%n: Tensor[(n,), float32]) { %n }\n"
    text = other + "def @f[n, m: Dim](%x: Tensor[(n, 2 * m), float32]) where n == 3 {\n  g(%x, n=1)\n}\n"
    filled = other + "def @f(%x: Tensor[(5, 2 * 7), float32]) where 5 == 3 {\n  g(%x, n=1)\n}\n"
    assert substituted(text, 3, {"n": 5, "m": 7}) == filled
    assert substituted(text, 3, {"dim(%x, 0)": 5}) is None


def test_variants_ask_for_verdicts_and_codes() -> None:
    unknown, exact, wrong = collected(VARIANTS).cases
    assert examined(exact, Told(Report(True))).kind is Class.PASS
    assert profiles(examined(unknown, Told(REJECTED))) == {Profile.VERDICT, Profile.CODES}
    assert profiles(examined(wrong, Told(REJECTED))) == {Profile.CODES}


def test_what_may_be_reported_may_be_missing() -> None:
    suite = REFUTED.replace("^^ error", "^^ may error")
    assert result(suite, REJECTED).kind is Class.PASS
    assert result(suite, Report(True)).kind is Class.PASS
    assert profiles(result(suite, replace(REJECTED, diagnostics=(replace(ERROR, code="E0301"),)))) == {Profile.CODES}


def test_the_reference_leaves_out_what_is_not_compared() -> None:
    (case,) = collected(HEAD).cases
    whole, bare = (Reference().check(replace(case.request, compared=parts)) for parts in (None, frozenset({"checks"})))
    assert whole.core and whole.functions and whole.places
    assert bare == replace(whole, core=(), functions={}, bindings=(), places=())
