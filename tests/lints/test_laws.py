"""What holds of the lints of generated programs: they change nothing, and what they say is so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from gradual.diagnostic import Diagnostic
from tests.generators.programs import generated
from tests.properties.case import Case
from tests.properties.compiling import compiled
from tests.thorough import enough

PROGRAMS = enough(15)
"""How many programs are drawn."""

pytestmark = pytest.mark.slow


def test_lints_are_true_and_change_nothing() -> None:
    told: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        case = Case(generated(seed, compiled), seed)
        if case.found.ok:
            before = str(case.found), str(case.found.core)
            lints = case.found.lints()
            assert (str(case.found), str(case.found.core)) == before
            assert all(0 <= one.span.start < one.span.end <= len(case.text) for one in lints)
            assert not [one for one in lints if one.code == "E0805" and is_taken(case, one)], case.text
            assert unused_is_renamed(case, [one for one in lints if one.code == "E0802"]), case.text
            told.update(one.code for one in lints)
    assert told["E0802"] and told["E0805"], told


def is_taken(case: Case, branch: Diagnostic) -> bool:
    """Whether a run of the program came into a branch."""
    assert case.outcomes is not None  # the trace is complete once the runs are over
    spans = [step.span for step in case.trace.reached]
    return any(branch.span.start < span.start and span.end < branch.span.end for span in spans)


def unused_is_renamed(case: Case, unused: Sequence[Diagnostic]) -> bool:
    """Whether the program with the names that the lints offer has the same types and checks, and none of them."""
    edits = [edit for one in unused for help in one.help for edit in help.edits]
    text = case.text
    for edit in sorted(edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    again = compiled(text)
    left = sum(one.code == "E0802" for one in again.lints())
    same = (again.types, again.proved, again.residual) == (case.found.types, case.found.proved, case.found.residual)
    return same and left == len(unused) - len(edits)
