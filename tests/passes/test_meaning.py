"""Every pass of the catalogue on generated programs: outcomes, types and verification.  [T14]

GRADUAL_PASSED says how many programs; `python -m tests.properties.campaign` takes more.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from gradual.passes.catalogue import PASSES
from tests.generators.programs import generated
from tests.passes.given import GIVEN
from tests.passes.meaning import kept, restored
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.properties.seeded.directed import Written

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


ASKED_AT_A_RANK_FOUND_OUTSIDE = """\
def @main(%x: Tensor[(1, ?), float32], %v: Tensor[*, float32]) {
  let %y = stack((%v, %v), axis=0);
  let %f = fn (%z: Tensor[(1, q), float32]) { %y as Tensor[(?, 1, 2), float32] };
  let %w = %f(%x);
  sum(%v, axis=[3])
}"""

REPEATED_IN_A_LITERAL = """\
def @main(%x: Tensor[(m,), float32], %y: Tensor[(n,), float32], %z: Tensor[(?, 0), float32]) {
  let %n = zeros(shape=[dim(%z, 0)], dtype="float32");
  let %b = nn.bias_add(%z, add(%x, %y), axis=-1);
  let %f = fn (%p: Tensor[(3,), float32]) { subtract(repeat(%z, repeats=m, axis=0), %z) };
  let %r = %f(%n);
  %b
}"""


@pytest.mark.parametrize("text", [ASKED_AT_A_RANK_FOUND_OUTSIDE, REPEATED_IN_A_LITERAL])
def test_every_pass_keeps_what_a_program_does_that_was_hard_once(text: str) -> None:
    program: Any = Written(text)
    found = (kept(Case(program, seed)) for seed in range(3))
    assert compiled(text).ok and next((says for says in found if says), None) is None


def test_what_a_pass_takes_is_drawn_for_it() -> None:
    assert {name for name, one in PASSES.items() if one.takes} == GIVEN.keys()
