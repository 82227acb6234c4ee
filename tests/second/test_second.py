"""The second checker and the suite agree, but for the cases that are listed with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.material import ROOT

pytestmark = pytest.mark.slow

AGREED = ("call/*", "name/*", "branch/*")


@pytest.mark.parametrize("pattern", AGREED)
def test_the_second_checker_agrees(pattern: str) -> None:
    adapter = f"{sys.executable} -m tests.second"
    command = [sys.executable, "-m", "gradual", "conformance", "run", "--adapter", adapter, "--timeout", "60", pattern]
    done = subprocess.run([*command, "--profile", "verdict"], capture_output=True, text=True, timeout=600, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " pass 0 " not in done.stdout
