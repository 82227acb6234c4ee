"""Settings of all tests, and reports: what a test measured and nobody judges, printed after the results.

Properties have no deadline: a machine that is busy refutes nothing.  The gate draws the same examples every time, so
that it says yes or no to a change and to nothing else; whoever looks for something new explores
(`HYPOTHESIS_PROFILE=exploring`), as the campaigns do.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import settings

os.environ.setdefault("GRADUAL_CACHE", "0")  # a test has to see what the present code says
settings.register_profile("gate", deadline=None, derandomize=True)
settings.register_profile("exploring", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
_TOLD = "told"


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
