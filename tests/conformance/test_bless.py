"""Blessing rewrites places, types, checks and values, and never a verdict or a code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradual.conformance.cases.answer import FoundCheck, GotBlame, GotFault, GotValue, Outcome, Report
from gradual.conformance.cases.case import Place
from gradual.conformance.runner.bless import Refused, blessed, replaced
from gradual.interface.input.values import Literal
from tests.conformance.suites import HEAD, REFUTED, collected
from tests.conformance.test_run import ACCEPTED, CONTRACT, ERROR, REJECTED

OUTCOMES: list[Outcome] = [
    GotValue(Literal("float32", (5, 11), (0.0,) * 55)),
    GotBlame("E0601", CONTRACT, (Place(1, 28, 1, 29),)),
    GotFault("E0607"),
]


def after(suite: str, report: Report, outcomes: list[Outcome]) -> str:
    (case,) = collected(suite).cases
    return replaced(suite, case, blessed(case, report, outcomes))


def test_a_right_case_stays_as_it_is() -> None:
    assert after(HEAD, ACCEPTED, OUTCOMES) == HEAD
    assert after(REFUTED, REJECTED, []) == REFUTED


def test_places_move() -> None:
    moved = replace(ERROR, place=Place(1, 23, 1, 25), related=(Place(2, 3, 2, 11),))
    assert after(REFUTED, replace(REJECTED, diagnostics=(moved,)), []) == REFUTED.replace(
        ") {\n", ") {\n//~".ljust(26) + "^^ error E0302 at n=3\n//~ related 2:3-2:11 the weight\n"
    ).replace("  //~      ^^ error E0302 at n=3\n  //~          -- the weight\n", "")


def test_checks_types_and_values_are_rewritten() -> None:
    check = FoundCheck("dim(%x, 1) == 13", Place(2, 16, 2, 18), CONTRACT, (Place(1, 25, 1, 26), Place(1, 28, 1, 29)))
    report = replace(ACCEPTED, checks=(check,), functions={"@head": "fn () -> int32"}, core=("def @head { }",))
    outcomes = [GotValue(Literal("float64", (5, 13), (0.0,) * 65)), *OUTCOMES[1:]]
    text = after(HEAD, report, outcomes)
    assert "dim(%x, 1) == 13   at 2:16-2:18   by op.nn.dense.contract   blames 1:25-1:26, 1:28-1:29\n" in text
    assert "@head : fn () -> int32\n" in text
    assert "```core\ndef @head { }\n```" in text
    assert "=> float64[5, 13]\n" in text


@pytest.mark.parametrize(
    ("suite", "report"),
    [
        (HEAD, replace(ACCEPTED, accepted=False)),
        (HEAD, replace(ACCEPTED, diagnostics=(replace(ERROR, severity="warning"),))),
        (REFUTED, replace(REJECTED, accepted=True)),
        (REFUTED, replace(REJECTED, diagnostics=())),
        (REFUTED, replace(REJECTED, diagnostics=(replace(ERROR, code="E0301"),))),
        (REFUTED, replace(REJECTED, diagnostics=(ERROR, ERROR))),
    ],
)
def test_a_verdict_or_a_code_is_never_changed(suite: str, report: Report) -> None:
    with pytest.raises(Refused):
        after(suite, report, OUTCOMES if suite is HEAD else [])


@pytest.mark.parametrize("k", [0, 1, 2])
def test_the_kind_of_an_outcome_is_never_changed(k: int) -> None:
    others: list[Outcome] = [GotFault("E0603"), GotBlame("E0602", CONTRACT, (Place(1, 28, 1, 29),)), GotFault("E0603")]
    with pytest.raises(Refused):
        after(HEAD, ACCEPTED, [*OUTCOMES[:k], others[k], *OUTCOMES[k + 1 :]])


def test_checks_are_not_added_where_none_are_expected() -> None:
    suite = HEAD[: HEAD.index("```checks")]
    with pytest.raises(Refused, match="checks"):
        after(suite, ACCEPTED, [])


def test_a_block_of_which_nothing_is_left_goes() -> None:
    text = after(HEAD, replace(ACCEPTED, checks=()), OUTCOMES)
    assert "checks" in HEAD and "checks" not in text
    assert text.count("```") == HEAD.count("```") - 2
    (case,) = collected(text).cases
    assert case.expectation.checks == ()
