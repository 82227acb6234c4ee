"""Every pass of the catalogue on generated programs: outcomes, types and verification.  [T14]

GRADUAL_PASSED says how many programs; `python -m tests.properties.campaign` takes more.
"""

from __future__ import annotations

import os

import pytest

from gradual.passes.catalogue import PASSES
from tests.generators.programs import generated
from tests.passes.given import GIVEN
from tests.passes.meaning import kept, restored
from tests.properties.case import Case
from tests.properties.compiling import compiled

PROGRAMS = int(os.environ.get("GRADUAL_PASSED", "200"))
START = 1000
SLICES = 8

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", range(SLICES))
def test_every_pass_keeps_what_generated_programs_do(part: int) -> None:
    for seed in range(START + part, START + PROGRAMS, SLICES):
        case = Case(generated(seed, compiled), seed)
        says = kept(case) or restored(case)
        assert says is None, f"seed {seed}: {says}\n{case.text}"


def test_what_a_pass_takes_is_drawn_for_it() -> None:
    assert {name for name, one in PASSES.items() if one.takes} == GIVEN.keys()
