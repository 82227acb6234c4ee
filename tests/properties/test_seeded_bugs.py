"""The laws can fail: each planted bug is found by the law or the program that is named for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import gradual
from gradual.compiler import compile_source
from gradual.core.verify import violations
from gradual.dims.decide import Decider
from gradual.source import Source
from tests.properties.compiling import outcome
from tests.properties.seeded import elaborating
from tests.properties.seeded.directed import FORGETFUL, HARD, POOR
from tests.properties.seeded.table import DIRECTED, GENERATED, Directed, Generated, needed
from tests.run.test_blame import floats

pytestmark = pytest.mark.slow


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


def test_the_verifier_finds_a_forgotten_precondition() -> None:
    with elaborating.a_call_forgets_a_precondition():
        found = gradual.check(FORGETFUL)
    assert [violation.function for violation in violations(found.core, Decider())] == ["@main"]


def test_the_unreduced_program_of_the_budget_is_undecided() -> None:
    found = compile_source(Source("p.relay", HARD), POOR)
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["E0501"]
    assert outcome(found.core, (floats(1, 1, 1, 2), floats(2))).kind == "value"
    assert outcome(found.core, (floats(1, 1, 2, 2), floats(2))).kind == "blame"
