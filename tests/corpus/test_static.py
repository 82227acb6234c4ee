"""dynamic-to-static on the programs that TVM's own pass was recorded on: as static as there, and the same values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest

import gradual
from gradual.compiler import Compilation
from gradual.core.reading import every
from gradual.core.terms import Apply
from tests.corpus.replay import Outcome, outcome_of, rows
from tests.material import needs_tests, recordings

pytestmark = needs_tests


@cache
def passed(name: str) -> tuple[tuple[Mapping[str, Any], Compilation, Compilation], ...]:
    """Each recorded program that TVM's pass printed, before and after ours."""
    found = ((row, gradual.check(row["program"], row["id"])) for row in rows(recordings()[name]) if row.get("static"))
    return tuple((row, one, gradual.apply(one, "dynamic-to-static")) for row, one in found if one.ok)


def dynamic(found: Compilation) -> Iterator[str]:
    """The dynamic operators of a program."""
    for function in found.core.functions.values():
        for step in every(function.body):
            if isinstance(step, Apply) and step.operator.name.startswith("dyn."):
                yield step.operator.name


@pytest.mark.parametrize("name", recordings())
def test_no_dynamic_operator_is_left_that_tvm_removes(name: str) -> None:
    for row, _, after in passed(name):
        assert len(list(dynamic(after))) <= row["static"].count("dyn."), (row["id"], [n.says for n in after.notes])


@pytest.mark.parametrize("name", recordings())
def test_the_values_are_those_of_the_program_before(name: str) -> None:
    for row, before, after in passed(name):
        assert outcome_of(after, row) == outcome_of(before, row), row["id"]


def test_what_became_static_is_counted(tell: Callable[[str], None]) -> None:
    counts: Counter[str] = Counter()
    for name in recordings():
        for row, before, after in passed(name):
            assert outcome_of(before, row)[0] in (Outcome.PASS, Outcome.STOPS, Outcome.BLAMED), row["id"]
            counts["programs"] += 1
            counts["dyn. before"] += len(list(dynamic(before)))
            counts["dyn. after"] += len(list(dynamic(after)))
            counts["dyn. after TVM's pass"] += row["static"].count("dyn.")
    tell("recorded for TVM's DynamicToStatic: " + ", ".join(f"{what} {count}" for what, count in counts.items()))
    assert counts["programs"] > 100
    assert counts["dyn. after"] <= counts["dyn. after TVM's pass"] < counts["dyn. before"]
