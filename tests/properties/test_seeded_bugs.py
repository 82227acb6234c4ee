"""The laws can fail: each planted bug is found by the law or the program that is named for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import gradual
from gradual.compiler import compile_source
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from gradual.source import Source
from tests.ops.test_catalogue import (
    test_judging_unknown_sizes_and_then_measuring_is_measuring_and_then_judging as one_declaration,
)
from tests.properties.compiling import outcome
from tests.properties.seeded import elaborating, rules
from tests.properties.seeded.directed import FORGETFUL, HARD, POOR
from tests.properties.seeded.planting import Bug
from tests.properties.seeded.table import DIRECTED, GENERATED, Directed, Generated, needed
from tests.properties.test_unknown_sizes import test_the_size_that_the_data_have_is_within_the_bounds as within_bounds
from tests.run.test_blame import floats

pytestmark = pytest.mark.slow


@pytest.mark.mutants
@pytest.mark.parametrize("row", GENERATED, ids=lambda row: f"{row.bug.__name__}-{row.law}")
def test_a_generated_program_finds(row: Generated, tell: Callable[[str], None]) -> None:
    examples = needed(row)
    assert examples is not None, f"not found in {row.within} programs"
    tell(f"{row.bug.__name__:45} {row.law:20} {examples:4} of {row.within} programs")


@pytest.mark.parametrize("row", DIRECTED, ids=lambda row: f"{row.bug.__name__}-{row.of}")
def test_a_directed_program_finds(row: Directed) -> None:
    assert row.trial() is None
    with row.bug():
        assert row.trial() is not None


OF_OPERATORS: list[tuple[Bug, Any, str, int]] = [
    (rules.broadcasting_without_a_choice, one_declaration, "add", 300),
    (rules.only_the_right_side_broadcasts, one_declaration, "add", 300),
    (rules.unique_finds_fewer_than_there_may_be, within_bounds, "unique", 300),
    (rules.unique_always_finds_something, within_bounds, "unique", 300),
]
"""Bugs in declarations, the law of operators that finds each (T4, T8), and within how many applications."""


@pytest.mark.mutants
@pytest.mark.parametrize(
    ("bug", "law", "operator", "within"),
    OF_OPERATORS,
    ids=[f"{bug.__name__}-{name}" for bug, _, name, _ in OF_OPERATORS],
)
def test_a_law_of_operators_finds(bug: Bug, law: Any, operator: str, within: int, tell: Callable[[str], None]) -> None:
    examples = 0

    @settings(max_examples=within, deadline=None, database=None, derandomize=True, phases=[Phase.generate])
    @given(data=st.data())
    def trial(data: st.DataObject) -> None:
        nonlocal examples
        examples += 1
        law.hypothesis.inner_test(name=operator, data=data)

    with bug(), pytest.raises(AssertionError):
        trial()
    tell(f"{bug.__name__:45} {operator:20} {examples:4} of {within} applications")


def test_the_verifier_finds_a_forgotten_precondition() -> None:
    with elaborating.a_call_forgets_a_precondition():
        found = gradual.check(FORGETFUL)
    assert {violation.function for violation in violations(found.core, Decider())} == {"@main"}


def test_the_unreduced_program_of_the_budget_is_undecided() -> None:
    found = compile_source(Source("p.relay", HARD), POOR)
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["E0501"]
    assert outcome(found.core, (floats(1, 0, 1, 2), floats(1))).kind == "value"
    assert outcome(found.core, (floats(1, 1, 2, 2), floats(2))).kind == "blame"
