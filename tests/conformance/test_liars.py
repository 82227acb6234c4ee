"""The suite tells liars: wrong kernels by its cases of values, false reports and outcomes by a sample of all cases."""

from __future__ import annotations

import shlex
import sys

import pytest

from gradual.conformance.cases.case import Case
from gradual.conformance.cases.read import load
from gradual.conformance.implementations.adapter import Adapter
from gradual.conformance.runner.run import Class, examined
from gradual.ops.catalogue import gathered
from gradual.resources import folder
from tests.conformance.liars.kernels import plus_one
from tests.conformance.liars.outcomes import OUTCOMES
from tests.conformance.liars.reports import REPORTS
from tests.conformance.liars.weighing import weighed

SAMPLE = (
    *("05-types.md", "08-core.md", "10-evaluation.md", "11-passes.md"),
    *("conformance/inference.md", "conformance/operators-examples.md", "conformance/passes-folding.md"),
)
"""The files whose cases are put to general liars."""

SPARED = {"-0.0 becomes 0.0"}
"""Lies that no comparison of outcomes tells: zeros of both signs are equal."""

TELLS = {"nn.conv1d": "op/values/conv1d", "sums from right to left": "op/values/sums-in-binary64"}
"""The case that a liar in another process is given."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for case in load(folder("spec")).cases if not case.expectation.variant]


def of_values(cases: list[Case]) -> list[Case]:
    return [case for case in cases if case.id.startswith("op/values/")]


def test_the_cases_of_values_tell_a_wrong_kernel_of_every_operator(cases: list[Case]) -> None:
    found = weighed(of_values(cases), (), 1, {"plus one": plus_one})
    names = {operator.name for operator in gathered().values()}
    assert not found.short_of("plus one", 1, names)


def test_a_sample_of_the_cases_tells_false_reports_and_outcomes(cases: list[Case]) -> None:
    liars = [liar for liar in (*REPORTS, *OUTCOMES) if liar.name not in SPARED]
    found = weighed([case for case in cases if case.file in SAMPLE], liars, 1, {})
    assert not [name for name, told in found.general.items() if not told]


def test_a_true_implementation_is_not_told(cases: list[Case]) -> None:
    found = weighed(of_values(cases)[::20], (), 1, {"the truth": lambda given: given})
    assert found.kernels and not any(told["the truth"] for told in found.kernels.values())


@pytest.mark.parametrize("lie", ["nn.conv1d: last wrong", "sums from right to left"])
def test_a_liar_in_another_process_is_told(cases: list[Case], lie: str) -> None:
    case = next(case for case in cases if case.id == TELLS[lie.partition(":")[0]])
    with Adapter(shlex.join([sys.executable, "-m", "tests.conformance.liars.adapter", lie]), 60) as adapter:
        assert examined(case, adapter).kind is Class.FAIL
