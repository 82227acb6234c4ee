"""Programs of the suite for other systems: what ONNX says of the translations, and the figures of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="onnx is not installed")

from onnx import checker, helper

from bench.field.adapter import checked
from bench.field.answers import Answered, cases
from bench.field.onnx_model import model
from bench.field.page import tally
from bench.field.program import Beyond, functions
from bench.field.systems import SYSTEMS

PAGE = Path(__file__).parents[1] / "docs" / "field.md"


def asked(text: str) -> dict[str, object]:
    return checked(SYSTEMS["onnx"], {"name": "program", "text": text, "passes": []})


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("def @f(%x: Tensor[(2, 7), float32], %w: Tensor[(3, 7), float32]) { nn.dense(%x, %w) }", True),
        ("def @f(%x: Tensor[(2, 5), float32], %w: Tensor[(3, 7), float32]) { nn.dense(%x, %w) }", False),
        ("def @f(%x: Tensor[(n, 5), float32]) -> Tensor[(n, 5), float32] { nn.relu(%x) }", True),
        ("def @f(%x: Tensor[(n, 5), float32]) -> Tensor[(n, 7), float32] { nn.relu(%x) }", False),
        ("def @f(%x: Tensor[(?, 5), float32]) { let %y: Tensor[(2, 7), float32] = %x; %y }", False),
        ("def @f(%x: Tensor[(?, 5), float32]) { concatenate((%x, %x), axis=0) }", True),
        ("def @f(%x: Tensor[(b, d), float32]) { reshape(%x, newshape=[b, 4, d // 4]) }", True),
        ("def @f(%c: bool, %x: Tensor[(3,), float32]) { if (%c) { %x } else { nn.relu(%x) } }", True),
        ("def @f(%x: Tensor[(3,), float32], %y: Tensor[(3,), int32]) { add(%x, %y) }", False),
        ("def @g(%x: Tensor[(7,), float32]) { %x }\ndef @f(%x: Tensor[(5,), float32]) { @g(%x) }", False),
    ],
)
def test_onnx_answers_about_the_translation_of_a_program(text: str, accepted: bool) -> None:
    assert asked(text)["accepted"] is accepted


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def @f(%x: Tensor[(n,), float32]) where n >= 3 { %x }", "where clause"),
        ("def @f(%x: Tensor[(n + 1,), float32]) { %x }", "formula of sizes"),
        ("def @f(%x: Tensor[(n, 4), float32]) { reshape(%x, newshape=[-3]) }", "code of reshape"),
        ("def @f(%x: Tensor[(n,), float32]) { %y }", "names"),
    ],
)
def test_what_onnx_cannot_say_is_skipped_with_the_reason(text: str, reason: str) -> None:
    assert reason in str(asked(text)["skipped"])


def test_models_are_valid_and_have_no_inferred_shapes() -> None:
    text = "def @f(%x: Tensor[(n, ?), float32]) -> Tensor[(n, 3), float32] { nn.relu(%x) }"
    every = functions("program", text)
    made = model(every["@f"], every)
    for output in made.graph.output:
        assert not output.HasField("type")
        output.CopyFrom(helper.make_tensor_value_info(output.name, 1, [None, None]))  # the checker wants a type
    checker.check_model(made)
    assert [value.name for value in made.graph.value_info] == [made.graph.node[1].output[0]]


def test_every_program_of_the_level_has_a_translation_or_a_reason() -> None:
    for case in cases()[::10]:
        try:
            every = functions(case.request.name, case.request.text)
            for function in every.values():
                model(function, every)
        except Beyond as reason:
            assert str(reason)


def test_cases_are_sorted_by_the_answers() -> None:
    some = cases()[:60]
    yes = {case.id: Answered(True, "", (), lost=False) for case in some}
    found = tally("torch", some, yes, frozenset())
    assert [case for case in some if case.expectation.accepted] == found.agreed
    assert len(some) == found.answered
    assert found.accepted
    assert not found.rejected


def test_the_figures_of_the_page_add_up() -> None:
    text = PAGE.read_text(encoding="utf-8")
    (asked_of,) = map(int, re.findall(r"^(\d+) programs; a row for each system", text, re.MULTILINE))
    rows = re.findall(
        r"^\| (\S.*?) \S+ \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) of (\d+) \|$",
        text,
        re.MULTILINE,
    )
    assert [row[0] for row in rows] == [system.title for system in SYSTEMS.values()]
    for _, *cells in rows:
        answered, agreed, accepted, rejected, defined, beyond, unchecked, checked_ = map(int, cells)
        assert agreed + accepted + rejected + defined == answered
        assert answered + beyond <= asked_of
        assert unchecked <= checked_ <= agreed
