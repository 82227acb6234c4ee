"""dynamic-to-static on the programs that TVM's own pass was recorded on: as static as there, and the same values."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest

import gradual
from gradual.compilation import Compilation
from gradual.core.def_use import every
from gradual.core.print import printed
from gradual.core.terms import Apply
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from tests.corpus.replay import Outcome, outcome_of, rows
from tests.material import models, needs_models, needs_tests, recordings

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


@needs_models
@pytest.mark.parametrize(("name", "left", "shapes"), [("onnx_bert_ts", 0, 7), ("onnx_gpt2_past_ts", 1, 6)])
def test_an_imported_model_becomes_static(name: str, left: int, shapes: int, tell: Callable[[str], None]) -> None:
    before = gradual.check(models()[name].read_text("utf-8"), name)
    start = time.process_time()
    after = gradual.apply(before, "dynamic-to-static", verify=False)
    seconds = time.process_time() - start
    numbers = applied(before), applied(after)
    told = (f"{what} {numbers[0][what]} to {numbers[1][what]}" for what in ("dyn.", "shape_of", "all"))
    tell(f"{name}: {', '.join(told)} operators in {seconds:.2f} s")
    assert numbers[1]["dyn."] <= left < numbers[0]["dyn."]
    assert numbers[1]["shape_of"] <= shapes < numbers[0]["shape_of"]
    assert after.types == before.types
    assert violations(after.core, Decider()) == []
    assert printed(gradual.apply(after, "dynamic-to-static", verify=False).core) == printed(after.core)


def applied(found: Compilation) -> Counter[str]:
    """How many operators a program has, how many dynamic ones, and how many that read shapes."""
    names = [
        step.operator.name
        for function in found.core.functions.values()
        for step in every(function.body)
        if isinstance(step, Apply)
    ]
    dynamic = [name for name in names if name.startswith("dyn.")]
    return Counter({"all": len(names), "dyn.": len(dynamic), "shape_of": names.count("shape_of")})
