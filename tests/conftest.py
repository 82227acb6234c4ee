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

settings.register_profile("gate", deadline=None, derandomize=True)
settings.register_profile("exploring", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
_REPORTS = pytest.StashKey[list[str]]()


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Puts a line into the report at the end of the run."""
    return request.config.stash.setdefault(_REPORTS, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash.get(_REPORTS, [])
    if lines:
        terminalreporter.section("reports")
        for line in lines:
            terminalreporter.write_line(line)
