"""Reports: what a test measured and nobody judges, printed after the results.

Properties have no deadline: a machine that is busy refutes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

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
