"""An example for each operator: the shortest program of the conformance suite that applies it, with its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from docs.generator.places import ROOT
from gradual.conformance.cases.case import Case
from gradual.conformance.cases.read import load
from gradual.ops.catalogue import CATALOGUE

SHOWN = ("relay", "types", "run")
_CALL = re.compile(r"(?<![@%\w.])([a-z][\w.]*)\(")


@cache
def examples() -> Mapping[str, Case]:
    """Operator -> the case that shows it best: with a value, alone, written for it, short."""
    best: dict[str, tuple[tuple[object, ...], Case]] = {}
    for case in load(ROOT / "spec").cases:
        applied = _applied(case)
        for name in applied:
            rank = (*_rank(case, name, len(applied)), case.id)
            if name not in best or rank < best[name][0]:  # type: ignore[operator]  # each rank has the same types
                best[name] = rank, case
    return {name: case for name, (_, case) in best.items()}


def _applied(case: Case) -> set[str]:
    """The operators that an accepted program applies; none for a program with expected errors or variants."""
    text = written(case, "relay")
    if "//~" in text or "<<" in text or "variants" in case.fences:
        return set()
    return {CATALOGUE[name].name for name in _CALL.findall(text) if name in CATALOGUE}


def _rank(case: Case, name: str, applied: int) -> tuple[object, ...]:
    outcome = written(case, "run")
    has_value = "=>" in outcome and "blame" not in outcome and "fault" not in outcome
    others = set(case.fences) - {*SHOWN, "checks"}
    length = sum(len(written(case, block)) for block in SHOWN)
    return not has_value, bool(others), applied > 1, not case.id.startswith(f"op/{name}/"), length


def written(case: Case, block: str) -> str:
    """The text of a block of a case, empty if it has none."""
    return "\n".join(case.fences[block].lines) if block in case.fences else ""
