"""How long the command line takes to start: medians over processes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.texts import SMALL

BARS = {"--version": 0.150, "check": 0.350}
"""Seconds; the bars of the design."""


def report(runs: int) -> Iterator[str]:
    """A line for each command, against an interpreter that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "small.relay")
        program.write_text(SMALL)
        bare = _median([sys.executable, "-c", "pass"], runs)
        yield f"python -c pass{'':24}{bare * 1000:7.0f} ms"
        for name, bar in BARS.items():
            command = [sys.executable, "-m", "gradual", name, *([str(program)] if name == "check" else [])]
            seconds = _median(command, runs)
            shown = "gradual --version" if name == "--version" else "gradual check, 10 lines"
            verdict = "within" if seconds < bar else "over"
            yield f"{shown:38}{seconds * 1000:7.0f} ms   {verdict} the bar of {bar * 1000:.0f} ms"


def _median(command: list[str], runs: int) -> float:
    return statistics.median(_seconds(command) for _ in range(runs))


def _seconds(command: list[str]) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True)
    seconds = time.perf_counter() - began
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()[-300:]}")
    return seconds
