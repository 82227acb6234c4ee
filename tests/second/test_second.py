"""The second checker agrees with groups of the suite, and with the reference on random programs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.material import ROOT
from tests.second.compare import compared, shown

AGREED = ("call/*", "name/*", "branch/*")


@pytest.mark.slow
@pytest.mark.parametrize("pattern", AGREED)
def test_the_second_checker_agrees(pattern: str) -> None:
    adapter = f"{sys.executable} -m tests.second"
    command = [sys.executable, "-m", "gradual", "conformance", "run", "--adapter", adapter, "--timeout", "60", pattern]
    done = subprocess.run([*command, "--profile", "verdict"], capture_output=True, text=True, timeout=600, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " pass 0 " not in done.stdout


def test_the_two_checkers_agree_on_random_programs() -> None:
    met = list(compared(30, 0, plain=True))
    assert sum(one.counts["answered"] for one in met) >= 30
    assert sum(one.counts["accepted"] for one in met) >= 5
    assert sum(one.counts["rejected"] for one in met) >= 5
    found = [found for one in met for found in one.found]
    assert not found, "".join(map(shown, found))
