"""How long the command line takes to start: medians over processes, by the clock and in processor time."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.texts import SMALL

BARS = (("gradual --version", 0.150), ("gradual check, 10 lines", 0.350))
"""Seconds by the clock; the bars of the design."""


def report(runs: int) -> Iterator[str]:
    """A line for each command, against an interpreter that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "small.relay")
        program.write_text(SMALL)
        cached = _cached(folder)
        yield _line("python -c pass", *_medians([sys.executable, "-c", "pass"], runs, cached))
        for (name, bar), arguments in zip(BARS, (["--version"], ["check", str(program)]), strict=True):
            clock, processor = _medians([sys.executable, "-m", "gradual", *arguments], runs, cached)
            verdict = "within" if clock < bar else "over"
            yield f"{_line(name, clock, processor)}   {verdict} the bar of {bar * 1000:.0f} ms"


def _line(name: str, clock: float, processor: float) -> str:
    return f"{name:38}{clock * 1000:9.0f} ms   {processor * 1000:7.0f} ms of processor time"


def _cached(folder: str) -> dict[str, str]:
    """An environment in which compiled modules are kept, as they are where a package is installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(Path(folder, "modules"))}


def _medians(command: list[str], runs: int, environment: dict[str, str]) -> tuple[float, float]:
    figures = [_measured(command, environment) for _ in range(runs + 1)][1:]  # the first fills caches
    return statistics.median(clock for clock, _ in figures), statistics.median(processor for _, processor in figures)


def _measured(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    began, before = time.perf_counter(), os.times()
    done = subprocess.run(command, capture_output=True, env=environment)
    seconds, after = time.perf_counter() - began, os.times()
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()[-300:]}")
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return seconds, used
