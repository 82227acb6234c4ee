"""The reader takes every part of a case, and refuses whatever else stands in a suite."""

from __future__ import annotations

import re

import pytest

from gradual.conformance.cases.case import Case, ExpectedBlame, ExpectedFault, ExpectedValue, Malformed, Place
from gradual.conformance.cases.read import read
from gradual.interface.input.values import Drawn
from tests.conformance.suites import CHAPTER, HEAD, PASSED, REFUTED, VARIANTS, collected


def only(suite: str) -> Case:
    (case,) = collected(suite).cases
    return case


def problems(suite: str, chapter: str = CHAPTER) -> str:
    """What is wrong with a suite, whether or not a case of it can be read."""
    try:
        found = collected(suite, chapter).problems
    except Malformed as malformed:
        return str(malformed)
    return "\n".join(map(str, found))


def test_a_case_has_its_id_rules_and_program() -> None:
    case = only(HEAD)
    assert case.id == "op/nn.dense/unknown-width"
    assert case.rules == ("op.nn.dense.contract", "check.residual", "run.check.blame")
    assert case.request.text.startswith("def @head(") and case.request.text.endswith("}")


def test_types_checks_core_and_outcomes_are_read() -> None:
    expected = only(HEAD).expectation
    assert [line.name for line in expected.types] == ["@head", "%x"]
    assert expected.checks is not None
    (check,) = expected.checks
    assert (check.condition, check.rule) == ("dim(%x, 1) == 7", "op.nn.dense.contract")
    assert (check.place, check.blames) == (Place(2, 12, 2, 14), (Place(1, 28, 1, 29),))
    assert expected.core == ("def @head {", "}")
    value, blame, fault = expected.outcomes
    assert isinstance(value, ExpectedValue) and value.value == Drawn("float32", (5, 11))
    assert isinstance(blame, ExpectedBlame) and blame.blames == (Place(1, 28, 1, 29),)
    assert isinstance(fault, ExpectedFault) and fault.code == "E0607"


def test_annotations_are_taken_out_with_their_lines() -> None:
    case = only(REFUTED)
    assert "//~" not in case.request.text
    assert case.request.text.count("\n") == 2
    (error,) = case.expectation.diagnostics
    assert (error.code, error.severity, dict(error.witness)) == ("E0302", "error", {"n": 3})
    assert error.place == Place(2, 12, 2, 14)
    assert [related.place for related in error.related] == [Place(2, 16, 2, 18)]
    assert case.expectation.accepted is False


def test_each_variant_is_a_case_of_its_own() -> None:
    cases = collected(VARIANTS).cases
    assert [case.id.partition("#")[2] for case in cases] == ["unknown", "exact", "wrong"]
    assert [case.expectation.accepted for case in cases] == [True, True, False]
    assert "(2, ?)" in cases[0].request.text and "(2, 5)" in cases[2].request.text


def test_a_chapter_s_program_is_a_case_of_the_heading_s_rule() -> None:
    chapter = (
        CHAPTER + "\nText.\n```text\npremise\n```\n```relay no-parameters\ndef @f() { 1 }\n```\n"
        "```types\n@f : fn () -> int32\n```\n"
    )
    (case,) = read({}, {"1-chapter.md": chapter}).cases
    assert (case.id, case.rules) == ("run.check.blame/no-parameters", ("run.check.blame",))
    assert case.expectation.types[0].name == "@f"


@pytest.mark.parametrize(
    ("fence", "message"),
    [
        ("```relay", "a chapter's program has a name"),
        ("```relay 1", "`1` is not the name of a case"),
        ("```relay Wide", "`Wide` is not the name of a case"),
        ("```relay two words", "`two words` is not the name of a case"),
        ("```relay no_width", "`no_width` is not the name of a case"),
    ],
)
def test_a_chapter_s_program_needs_a_name_that_is_no_position(fence: str, message: str) -> None:
    chapter = f"{CHAPTER}\n{fence}\ndef @f() {{ 1 }}\n```\n"
    with pytest.raises(Malformed, match=re.escape(message)):
        read({}, {"1-chapter.md": chapter})


def test_a_name_occurs_once_below_its_heading() -> None:
    program = "```relay one\ndef @f() { 1 }\n```\n"
    with pytest.raises(Malformed, match=r"case run\.check\.blame/one stands also in"):
        read({}, {"1-chapter.md": f"{CHAPTER}\n{program}{program}"})
    other = f"{CHAPTER}## run.check\n{program}\n## run.call\n{program}"
    assert [case.id for case in read({}, {"1-chapter.md": other}).cases] == ["run.check/one", "run.call/one"]


def test_only_the_program_of_a_chapter_has_a_name() -> None:
    program = "```relay one\ndef @f() { 1 }\n```\n```types two\n@f : fn () -> int32\n```\n"
    with pytest.raises(Malformed, match="only a program has a name, not `types`"):
        read({}, {"1-chapter.md": f"{CHAPTER}\n{program}"})
    assert "a block of a suite has no name: `one`" in problems(HEAD.replace("```relay", "```relay one", 1))


def test_an_empty_suite_fails() -> None:
    assert "conformance.empty" in problems("# Nothing here\n")
    with pytest.raises(Malformed, match=r"conformance\.empty"):
        read({}, {"1-chapter.md": CHAPTER})
    with pytest.raises(Malformed, match=r"conformance\.empty"):
        read({}, {})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("```types", "```typos", "unknown block `typos`"),
        ("rules: `op", "level: `op", "unknown key `level:`"),
        ("rules: `op.nn.dense.contract` `check.residual` `run.check.blame`", "", "names no rules"),
        ("`check.residual`", "`check.residue`", "unknown rule `check.residue`"),
        ("## op/nn.dense/unknown-width", "## Dense", "is not a case id"),
        ("```relay", "```text", "unknown block"),
        ("at 2:12-2:14", "at 2:12", "expected a place"),
        ("   by op.nn.dense.contract", "", "expected `condition at"),
        ("=> fault E0607", "=> fault", "expected a code"),
        ("=> fault E0607", "-> fault E0607", "expected `@f"),
        ("float32[5, 11]", "float32[5, n]", "expected a size"),
        ("%x : Tensor", "x : Tensor", "expected `@f : T`"),
    ],
)
def test_what_the_reader_does_not_know_is_a_problem(old: str, new: str, message: str) -> None:
    assert old in HEAD
    assert message in problems(HEAD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("^^ error E0302 at n=3", "^^ failure E0302", "expected `error E0301`"),
        ("^^ error E0302 at n=3", "^^ error E302", "expected `error E0301`"),
        ("at n=3", "at n", "expected sizes"),
        ("^^ error", "error", "expected `//~ ^^"),
        ("  nn.dense(%x, %w)\n", "", "stands below the line"),
    ],
)
def test_an_annotation_that_cannot_be_read_is_a_problem(old: str, new: str, message: str) -> None:
    suite = REFUTED.replace(old, new, 1)
    if not new:
        suite = suite.replace("def @main[n: Dim](%x: Tensor[(n, 5), float32], %w: Tensor[(11, n), float32]) {\n", "")
    assert message in problems(suite)


def test_a_second_case_of_the_same_id_is_a_problem() -> None:
    assert "stands also in" in problems(REFUTED + REFUTED)


def test_a_rejected_program_is_not_run() -> None:
    assert "a rejected program has no `run`" in problems(REFUTED + "```run\n@main() => int32 1\n```\n")


def test_a_variant_fills_every_gap() -> None:
    assert "does not fill" in problems(VARIANTS.replace("exact     K=7", "exact     N=7"))


def test_a_block_that_is_not_closed_is_a_problem() -> None:
    assert "not closed" in problems(REFUTED.rstrip().removesuffix("```"))


def test_a_rule_has_one_heading() -> None:
    assert "stands also in" in problems(REFUTED, CHAPTER + "## check.residual\n")


def test_what_passes_make_is_expected_of_passes_only() -> None:
    text = HEAD + PASSED.replace("```pass\ninline drop-dead\n```\n", "")
    assert "`after` without `pass`" in problems(text) and "`left` without `pass`" in problems(text)
