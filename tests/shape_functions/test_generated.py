"""Generated programs: the three forms agree with each other, with the machine and with the plan, at random sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradual.shape_functions.build import Refused
from gradual.tensors.value import Value
from tests.generators.programs import KINDS, generated, generated_about
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.shape_functions.forms import Shaped, agreeing, shaped
from tests.thorough import enough

PROGRAMS = enough(16)


def calls(cases: Iterator[Case], counts: Counter[str]) -> Iterator[tuple[Shaped, tuple[Value, ...]]]:
    """The programs that have a shape function, each with some of its arguments."""
    for case in cases:
        if not case.found.ok:
            continue
        try:
            one = shaped(case.found, name=f"p{case.seed}")
        except Refused:
            counts["refused"] += 1
            continue
        counts["programs"] += 1
        assert one.relay.ok and not one.relay.refuted, f"{one.relay.render()}\n{case.text}"
        yield from ((one, values) for values in case.inputs)


@pytest.mark.parametrize("part", [pytest.param(k, marks=pytest.mark.slow if k else ()) for k in range(4)])
def test_the_forms_agree_with_the_machine_and_the_plan(part: int, tmp_path: Path, tell: Callable[[str], None]) -> None:
    counts: Counter[str] = Counter()
    seeds = range(6400 + part, 6400 + PROGRAMS, 4)
    counts += agreeing([*calls((Case(generated(seed, compiled), seed) for seed in seeds), counts)], tmp_path)
    tell(f"shape functions of generated programs: {dict(counts)}")
    assert counts["programs"] and counts["shapes"] and counts["need"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_they_agree_on_programs_about_one_thing(kind: str, tmp_path: Path, tell: Callable[[str], None]) -> None:
    counts: Counter[str] = Counter()
    cases = (Case(generated_about(kind, seed, compiled), seed) for seed in range(enough(8)))
    counts += agreeing([*calls(cases, counts)], tmp_path)
    tell(f"shape functions of programs about {kind}: {dict(counts)}")
