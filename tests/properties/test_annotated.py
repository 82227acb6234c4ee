"""Annotating keeps a program accepted and its values, but for empty tensors, and adds no check.  [check.annotated]"""

from __future__ import annotations

from collections import Counter

import pytest

from gradual.compilation import Compilation
from gradual.limits import Options
from gradual.source import Source
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed, Value
from gradual.tools.migrating.rounds import migrated
from tests.generators.programs import generated
from tests.properties.case import Case
from tests.properties.compiling import Outcome, compiled, outcome, same
from tests.thorough import enough

PROGRAMS = enough(24)
PARTS = 6

pytestmark = pytest.mark.slow


def is_partly_empty(value: Value) -> bool:
    """Whether a tensor in a value has a size 0."""
    match value:
        case Tensor(shape=shape):
            return 0 in shape
        case tuple() as fields:
            return any(map(is_partly_empty, fields))
        case Constructed(fields=fields):
            return any(map(is_partly_empty, fields))
        case _:
            return False


def annotated(text: str, *, everything: bool) -> str:
    """The program after annotating."""
    result, before = migrated(Source("p.relay", text), Options(), everything=everything)
    assert result is not None, before.diagnostics
    return result.text


def checks(program: Compilation) -> tuple[int, int]:
    """How many checks are left, and how many that something is not empty."""
    return program.residual - program.not_empty, program.not_empty


def agree(before: Outcome, after: Outcome, *, empty: bool) -> bool:
    """Whether a run ended as it has to."""
    if before.kind == "value":
        return same(before, after) or (empty and after.kind == "blame")
    return after.kind not in ("value", "stuck")


@pytest.mark.parametrize("part", range(PARTS))
def test_annotating_keeps_what_a_program_does(part: int) -> None:
    changed: Counter[bool] = Counter()
    for seed in range(part * 1000, part * 1000 + PROGRAMS // PARTS):
        one = Case(generated(seed, compiled), seed)
        for everything in (True, False) if one.found.ok else ():
            changed[everything] += annotating_keeps_what_it_does(one, everything)
    assert changed[True] and changed[False]


def annotating_keeps_what_it_does(one: Case, everything: bool) -> bool:
    """Whether annotating changes the text of a program, of which it keeps the rest."""
    text = annotated(one.text, everything=everything)
    program = compiled(text)
    says = f"seed {one.seed}:\n{one.text}\n{text}"
    assert program.ok, says
    assert all(now <= then for now, then in zip(checks(program), checks(one.found), strict=True)), says
    assert annotated(text, everything=everything) == text, says
    for values, ended in zip(one.inputs, one.outcomes, strict=True):
        after = outcome(program.core, values)
        assert agree(ended, after, empty=any(map(is_partly_empty, values))), f"on {values}: {ended}, {after}\n{says}"
    return text != one.text
