"""Cost grows with size as the benchmark wants it (`bench/kinds.py`), counted in lines of the package that are run.

A count is the same on every machine and however busy it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import gradual
from bench.fit import exponent
from bench.growing import WARM
from bench.kinds import BAR, LINEAR, Kind, kinds

PACKAGE = str(Path(gradual.__file__).parent)


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of the package are run by something; a turn of a loop on one line counts too."""
    count = 0

    def inside(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return inside

    def called(frame: FrameType, event: str, _: Any) -> Any:
        return inside if frame.f_code.co_filename.startswith(PACKAGE) else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.name)
def test_cost_grows_no_faster_than_the_bar(kind: Kind, tell: Callable[[str], None]) -> None:
    kind.work(WARM)()
    costs = [lines_run(kind.work(kind.make(size))) for size in kind.few]
    power = exponent(kind.few, costs)
    tell(f"{kind.name}: lines grow with size to the power {power:.2f}")
    assert power <= (LINEAR if kind.bar == BAR else kind.bar)


def test_a_loop_on_one_line_is_counted_turn_by_turn() -> None:
    loop = compile("sum(1 for turn in range(size) if turn < 0)", f"{PACKAGE}/loop.py", "eval")
    few, many = (lines_run(partial(eval, loop, {"size": size})) for size in (10, 1_000))
    assert many - few >= 990
