"""Programs that index obey every law, and an index out of bounds is told by a check wherever it was known."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.generators.indexing import generated_indexing
from tests.properties.campaign import broken
from tests.properties.case import Case
from tests.properties.laws import LAWS
from tests.thorough import enough

PROGRAMS = enough(20)
PARTS = 8
RULE = "op.index.bounds"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", range(PARTS))
def test_every_program_that_indexes_obeys(part: int) -> None:
    for seed in range(part * PROGRAMS, (part + 1) * PROGRAMS):
        one = Case(generated_indexing(seed), seed)
        wrong = ((law, broken(LAWS[law], one)) for law in LAWS)
        assert (found := [f"{law}, {says}\n{one.text}" for law, says in wrong if says]) == [], "\n".join(found)


def test_the_programs_that_index_are_worth_running() -> None:
    """Many are refused for an index, many left with a check of one, which fails in some runs."""
    counts: Counter[str] = Counter()
    for seed in range(2 * PROGRAMS):
        one = Case(generated_indexing(seed), seed)
        counts["refused"] += any(error.rule == RULE for error in one.found.diagnostics)
        counts["accepted"] += one.found.ok
        if one.found.ok:
            counts["checked"] += any(check.blame.rule == RULE for check in one.found.checks)
            counts["blamed"] += any(ended.label is not None and RULE in ended.label for ended in one.outcomes)
    assert counts["refused"] >= 5 and counts["accepted"] >= 15, counts
    assert counts["checked"] >= 3 and counts["blamed"] >= 1, counts
