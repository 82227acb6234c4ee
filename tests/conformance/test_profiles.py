"""Codes that are optional, the places of types and checks, and limits at which an implementation may stop."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gradual.conformance.cases.answer import FoundPlace, Garbled, GotBlame, GotFault, Limited, Outcome, Report
from gradual.conformance.cases.case import Malformed, Place, Request
from gradual.conformance.commands.running import compared
from gradual.conformance.implementations.protocol import outcome, replied, report
from gradual.conformance.runner.judge import EVERY, Profile, needed, whole
from gradual.conformance.runner.run import Class, Result, asked, examined, tallied
from gradual.resources import folder
from tests.conformance.suites import HEAD, REFUTED, VARIANTS, collected
from tests.conformance.test_run import ACCEPTED, CONTRACT, ERROR, REJECTED, Told, profiles

SPANS = frozenset({Profile.SPANS})
BARE = replace(ERROR, code="", rule="", witness={})
"""The error as an implementation without codes reports it."""


def of(suite: str, report: Report, compared: frozenset[Profile] = SPANS, **outcomes: Outcome) -> Result:
    (case,) = collected(suite).cases
    return examined(case, Told(report, {int(width[1:]): found for width, found in outcomes.items()}), compared)


# -------------------------------------------------------------------------------------------------- without codes
def test_places_are_compared_without_codes() -> None:
    assert of(REFUTED, replace(REJECTED, diagnostics=(BARE,))).kind is Class.PASS
    moved = of(REFUTED, replace(REJECTED, diagnostics=(replace(BARE, place=Place(2, 3, 2, 14)),)))
    assert profiles(moved) == {Profile.SPANS}
    assert "expected error at 2:12-2:14, which was not reported" in moved.failures[0].message
    assert profiles(of(REFUTED, replace(REJECTED, diagnostics=(BARE, BARE)))) == {Profile.SPANS}
    assert of(REFUTED, replace(REJECTED, diagnostics=(replace(BARE, related=()),))).kind is Class.PASS


def test_severities_are_compared_without_codes() -> None:
    warning = replace(BARE, severity="warning")
    assert profiles(of(REFUTED, replace(REJECTED, diagnostics=(warning,)))) == {Profile.SPANS}
    assert profiles(of(HEAD, replace(ACCEPTED, diagnostics=(warning,)))) == {Profile.SPANS}
    note = replace(BARE, severity="note")
    assert of(HEAD, replace(ACCEPTED, diagnostics=(note,))).kind is Class.PASS


def test_a_wrong_code_counts_where_codes_are_answered_only() -> None:
    other = replace(REJECTED, diagnostics=(replace(ERROR, code="E0301"),))
    assert of(REFUTED, other).kind is Class.PASS
    assert Profile.CODES in profiles(of(REFUTED, other, frozenset({Profile.SPANS, Profile.CODES})))
    assert Profile.CODES in profiles(of(REFUTED, replace(REJECTED, diagnostics=(BARE,)), frozenset({Profile.CODES})))


def test_variants_are_compared_by_their_verdict() -> None:
    cases = collected(VARIANTS).cases
    found = [
        examined(case, Told(Report(case.expectation.accepted is True)), SPANS | {Profile.VERDICT}) for case in cases
    ]
    assert {one.kind for one in found} == {Class.PASS}
    assert all(Profile.SPANS not in asked(case, SPANS) for case in cases)


def test_what_places_depend_on() -> None:
    assert needed(Profile.SPANS) == {Profile.VERDICT, Profile.CODES, Profile.SPANS}
    assert whole(SPANS) == {Profile.VERDICT, Profile.SPANS}
    assert whole(SPANS | {Profile.CODES}) == {Profile.VERDICT, Profile.CODES, Profile.SPANS}
    (case,) = collected(HEAD).cases
    assert Profile.SPANS in asked(case, SPANS) and Profile.SPANS not in asked(case)
    assert tallied([of(HEAD, ACCEPTED)], SPANS)[Profile.SPANS].passed == 1


def test_places_alone_are_compared_with_codes_if_there_are_any() -> None:
    assert compared(["spans"], EVERY) == {Profile.SPANS, Profile.CODES}
    assert compared(["spans", "run"], SPANS | {Profile.TYPES}) == SPANS
    assert compared([], SPANS) == SPANS and compared(["types"], EVERY) == {Profile.TYPES}


def test_outcomes_without_codes_are_compared_by_their_kind() -> None:
    runs, blame = frozenset({Profile.RUN}), GotBlame("", "", (Place(1, 28, 1, 29),))
    assert of(HEAD, ACCEPTED, runs, _3=blame, _2=GotFault("")).kind is Class.PASS
    assert profiles(of(HEAD, ACCEPTED, runs, _3=GotFault(""), _2=GotFault(""))) == {Profile.RUN}
    assert profiles(of(HEAD, ACCEPTED, runs, _3=blame, _2=GotFault("E0603"))) == {Profile.RUN}
    assert profiles(of(HEAD, ACCEPTED, runs | {Profile.CODES}, _3=blame)) == {Profile.RUN}


def test_a_reply_may_leave_out_codes_and_rules() -> None:
    span = {"start": {"line": 2, "column": 12}, "end": {"line": 2, "column": 14}}
    (found,) = report({"accepted": False, "diagnostics": [{"severity": "error", "span": span}]}).diagnostics
    assert (found.code, found.rule, found.place) == ("", "", Place(2, 12, 2, 14))
    assert outcome({"outcome": "blame", "blames": []}) == GotBlame("", "", ())
    assert outcome({"outcome": "fault"}) == GotFault("")


# --------------------------------------------------------------------------------------------------------- places
PLACES = """```places
check op.nn.dense.contract   at 2:12-2:14
type @head   at 1:5-1:10
type @head %x   at 1:11-1:13
```
"""
FOUND = (
    FoundPlace("type", "@head", Place(1, 5, 1, 10)),
    FoundPlace("type", "@head %x", Place(1, 11, 1, 13)),
    FoundPlace("type", "@head %w", Place(1, 41, 1, 43)),
    FoundPlace("check", CONTRACT, Place(2, 12, 2, 14)),
)
ONLY = frozenset({Profile.PLACES})


def test_places_of_functions_and_checks_are_all_compared() -> None:
    right = replace(ACCEPTED, places=FOUND)
    assert of(HEAD + PLACES, right, ONLY).kind is Class.PASS
    for lost in (0, 1, 3):
        fewer = replace(right, places=(*FOUND[:lost], *FOUND[lost + 1 :]))
        assert profiles(of(HEAD + PLACES, fewer, ONLY)) == {Profile.PLACES}
    for one in (FOUND[0], FOUND[3]):
        more = replace(right, places=(*FOUND, replace(one, place=Place(3, 1, 3, 2))))
        assert "unexpected" in of(HEAD + PLACES, more, ONLY).failures[0].message


def test_places_of_variables_are_compared_where_they_are_listed() -> None:
    moved = replace(ACCEPTED, places=(*FOUND[:2], replace(FOUND[2], place=Place(9, 1, 9, 2)), FOUND[3]))
    assert of(HEAD + PLACES, moved, ONLY).kind is Class.PASS
    moved = replace(ACCEPTED, places=(FOUND[0], replace(FOUND[1], place=Place(9, 1, 9, 2)), *FOUND[2:]))
    (failure,) = of(HEAD + PLACES, moved, ONLY).failures
    assert failure.message == "expected type @head %x at 1:11-1:13, was at 9:1-9:2"


def test_the_profile_is_asked_of_cases_with_the_block_only() -> None:
    assert of(HEAD, ACCEPTED, ONLY).kind is Class.UNSUPPORTED


def test_a_reply_gives_places_where_it_has_spans() -> None:
    span = {"start": {"line": 1, "column": 5}, "end": {"line": 1, "column": 10}}
    check = {"condition": "c", "rule": CONTRACT, "span": span, "blames": []}
    form = {
        "accepted": True,
        "functions": [{"name": "@head", "type": "T", "span": span}, {"name": "@other", "type": "T"}],
        "bindings": [{"function": "@head", "name": "%x", "type": "T", "span": span}],
        "checks": [check],
    }
    assert [str(one) for one in report(form).places] == [
        "type @head   at 1:5-1:10",
        "type @head %x   at 1:5-1:10",
        f"check {CONTRACT}   at 1:5-1:10",
    ]


@pytest.mark.parametrize(
    "line", ["@head at 1:5-1:10", "type head %x at 1:5", "check at 1:5-1:10", "type @f %x y at 1:1-1:2"]
)
def test_a_line_of_places_that_cannot_be_read_is_a_problem(line: str) -> None:
    with pytest.raises(Malformed, match="expected"):
        collected(HEAD + f"```places\n{line}\n```\n")


# --------------------------------------------------------------------------------------------------------- limits
class Stopping(Told):
    """An implementation that stops at a limit."""

    def check(self, request: Request) -> Report:
        raise Limited("nesting")


def test_a_case_may_be_declined_at_a_limit_that_it_names() -> None:
    limited = HEAD.replace("the other is checked.", "the other is checked. limit: `nesting`")
    (case,) = collected(limited).cases
    assert case.limits == ("nesting",)
    found = examined(case, Stopping(ACCEPTED))
    assert found.kind is Class.SKIPPED and "the implementation has another limit `nesting`" in found.trace
    assert examined(case, Told(ACCEPTED), frozenset({Profile.TYPES})).kind is Class.PASS


@pytest.mark.parametrize("suite", [HEAD, HEAD.replace("is checked.", "is checked. limit: `rank` `size`")])
def test_another_case_may_not(suite: str) -> None:
    (case,) = collected(suite).cases
    found = examined(case, Stopping(ACCEPTED))
    assert profiles(found) == {Profile.VERDICT}
    assert "stopped at the limit `nesting`" in found.failures[0].message


def test_a_limit_has_a_known_name() -> None:
    with pytest.raises(Malformed, match="there is no limit `depth`"):
        collected(HEAD.replace("is checked.", "is checked. limit: `depth`"))
    with pytest.raises(Limited, match="rank"):
        replied(b'{"seq": 1, "limit": "rank"}', 1)
    with pytest.raises(Garbled, match="there is no limit `depth`"):
        replied(b'{"seq": 1, "limit": "depth"}', 1)


def test_the_readme_says_of_each_profile_what_it_needs() -> None:
    text = (folder("spec") / "conformance" / "README.md").read_text(encoding="utf-8")
    rows = text.partition("\n| profile | compares | needs |\n")[2].partition("\n\n")[0].splitlines()[1:]
    said: dict[Profile, list[str]] = {}
    for row in rows:
        names, _, needs = (cell.strip() for cell in row.strip("|").split("|"))
        said |= dict.fromkeys(map(Profile, re.findall(r"`(\w+)`", names)), re.findall(r"`(\w+)`", needs))
    assert set(said) == set(Profile)
    said[Profile.VERDICT].append("verdict")
    for profile, others in said.items():
        assert {profile}.union(*(needed(Profile(need)) for need in others)) == needed(profile), profile
