"""Settings of all tests, and reports: what a test measured and nobody judges, printed after the results.

Properties have no deadline: a machine that is busy refutes nothing.  The gate draws the same examples every time, so
that it says yes or no to a change and to nothing else; whoever looks for something new explores
(`HYPOTHESIS_PROFILE=exploring`), as the campaigns do.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping

import pytest
from hypothesis import settings

from tests.thorough import times

os.environ.setdefault("GRADUAL_CACHE", "0")  # a test has to see what the present code says
settings.register_profile("gate", deadline=None, derandomize=True, max_examples=times(100))
settings.register_profile("exploring", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
_TOLD = "told"

SAMPLED: Mapping[str, int] = {
    "tests/checker/test_choices.py": 4,
    "tests/checker/test_remembering.py": 3,
    "tests/checker/test_repairs.py": 4,
    "tests/checker/test_sides.py": 4,
    "tests/checker/test_unranked.py": 4,
    "tests/conformance/test_entries.py": 12,
    "tests/conformance/test_mutation.py": 36,
    "tests/conformance/test_precision.py": 48,
    "tests/core/test_roles.py": 4,
    "tests/core/test_surface.py": 8,
    "tests/corpus/test_relay_models.py": 4,
    "tests/corpus/test_relay_tests.py": 10,
    "tests/corpus/test_runtimes.py": 10,
    "tests/corpus/test_static.py": 10,
    "tests/dims/test_decisions.py": 2,
    "tests/dims/test_divisibility.py": 2,
    "tests/importers/tensorflow/test_exports.py": 8,
    "tests/importers/tensorflow/test_zoo.py": 8,
    "tests/importers/test_admitted.py": 2,
    "tests/importers/test_ends.py": 2,
    "tests/importers/test_learned.py": 8,
    "tests/importers/test_programs.py": 4,
    "tests/importers/test_static.py": 3,
    "tests/importers/torch/test_exports.py": 8,
    "tests/importers/torch/test_fuzzed.py": 4,
    "tests/importers/torch/test_reading.py": 4,
    "tests/importers/torch/test_text.py": 3,
    "tests/lints/test_lints.py": 2,
    "tests/lsp/test_recovery.py": 2,
    "tests/ops/test_alike.py": 12,
    "tests/ops/test_by_name.py": 3,
    "tests/ops/test_catalogue.py": 24,
    "tests/ops/test_elementwise.py": 12,
    "tests/ops/test_extending.py": 8,
    "tests/ops/test_facets.py": 12,
    "tests/ops/test_fast.py": 24,
    "tests/ops/test_ranges.py": 4,
    "tests/ops/test_reducing.py": 3,
    "tests/ops/test_relay_attributes.py": 8,
    "tests/passes/test_bucket.py": 8,
    "tests/passes/test_meaning.py": 4,
    "tests/passes/test_nowhere.py": 4,
    "tests/passes/test_planning.py": 8,
    "tests/passes/test_reading.py": 8,
    "tests/passes/test_specialize.py": 4,
    "tests/passes/test_suite.py": 8,
    "tests/properties/test_annotated.py": 2,
    "tests/properties/test_index_bounds.py": 2,
    "tests/run/test_graph.py": 4,
    "tests/shape_functions/test_models.py": 8,
    "tests/syntax/test_mending.py": 2,
    "tests/syntax/test_phrases.py": 2,
    "tests/syntax/test_robust.py": 2,
    "tests/tensors/test_arrays.py": 4,
    "tests/test_divergences.py": 2,
    "tests/test_zoo.py": 8,
    "tests/tools/test_explain.py": 3,
    "tests/tools/test_fix.py": 2,
    "tests/tools/test_visible.py": 3,
}
"""File of a large family of like tests -> N: `make test` runs every Nth of each of its functions, `make check` all."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `rest` what `make test` leaves out of the large families."""
    seen = Counter[str]()
    for item in items:
        function = item.nodeid.partition("[")[0]
        if seen[function] % SAMPLED.get(function.partition("::")[0], 1):
            item.add_marker("rest")
        seen[function] += 1


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Puts a line into the report at the end of the run."""
    return lambda line: record_property(_TOLD, line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    told = (getattr(report, "user_properties", ()) for report in reports if getattr(report, "when", "") == "call")
    lines = [str(line) for properties in told for name, line in properties if name == _TOLD]
    if lines:
        terminalreporter.section("reports")
        for line in lines:
            terminalreporter.write_line(line)
