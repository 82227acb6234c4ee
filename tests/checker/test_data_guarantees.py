"""The guarantees over random programs on data: core is well typed, less is known of no value, nothing gets stuck."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import gradual
from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.core.verify.function import violations
from gradual.dims.solver.decide import Decider
from gradual.interface.input.arguments import read_call, values
from gradual.limits import Options
from gradual.source import Source
from gradual.tensors.value import shown_value
from tests.generators.data import CALLS, Writer, blurs, text

SEEDS = range(4)
PROGRAMS = 12
"""Programs per seed."""


def checked(slotted: str) -> Compilation:
    return compile_source(Source("data.relay", text(slotted)), Options(advise=False))


def outcomes(found: Compilation) -> Iterator[tuple[str, str]]:
    """What each call gives: a value as text, or the code that stopped it."""
    for call in CALLS:
        name, arguments = read_call(call)
        given = values(arguments, found.functions[name].params, 0, found.core.data)
        try:
            yield "value", shown_value(found.run(name, *given))
        except gradual.Blame as blame:
            yield "blame", blame.code
        except gradual.Fault as fault:
            yield "fault", fault.code


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_on_data_keeps_the_guarantees(seed: int) -> None:
    draw = random.Random(seed)
    accepted = 0
    for _ in range(PROGRAMS):
        slotted = Writer(draw).program()
        found = checked(slotted)
        if not found.ok:
            continue
        accepted += 1
        assert violations(found.core, Decider()) == [], text(slotted)
        before = list(outcomes(found))
        for blurred in draw.sample(every := list(blurs(slotted)), min(2, len(every))):
            less = checked(blurred)
            assert less.ok, (text(slotted), text(blurred), [d.message for d in less.diagnostics])
            for call, known, unknown in zip(CALLS, before, outcomes(less), strict=True):
                assert known[0] != "value" or known == unknown, (call, text(slotted), text(blurred))
    assert accepted > PROGRAMS // 2
