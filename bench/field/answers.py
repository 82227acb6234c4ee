"""The answers of the systems about the cases of a level, through their adapters."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gradual.conformance.cases.case import Case
from gradual.conformance.cases.features import features_of
from gradual.conformance.cases.levels import read_levels
from gradual.conformance.cases.read import load
from gradual.conformance.implementations.adapter import Adapter
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.judge import Profile
from gradual.conformance.runner.run import LOST, Result, run
from gradual.resources import folder


@dataclass(frozen=True)
class Answered:
    """What a system replied about a case.

    Attributes:
        accepted: the verdict; None for none.
        says: what the system has against the program, or why there is no verdict.
        kept: the conditions that the system keeps to be checked when the program runs.
        lost: whether the process crashed or took too long.
    """

    accepted: bool | None
    says: str
    kept: tuple[str, ...]
    lost: bool


def cases(level: str = "core") -> list[Case]:
    """The cases of a level that have a verdict."""
    chosen = read_levels(folder("spec"))[level]
    every = load(folder("spec")).cases
    return [case for case in every if case.expectation.accepted is not None and chosen.has(features_of(case.request))]


def asked(system: str, questions: Sequence[Case], seconds: float) -> tuple[str, dict[str, Answered]]:
    """The version of a system, and case -> its answer."""
    with Adapter(f"{sys.executable} -m bench.field.adapter {system}", seconds) as adapter:
        version = adapter.greet().version
        results = run(questions, adapter, frozenset({Profile.VERDICT}))
        return version, {result.case.id: _answered(result) for result in results}


def _answered(result: Result) -> Answered:
    report = result.report
    if report is None:
        return Answered(None, result.trace, (), result.kind in LOST)
    says = " ".join(each.message for each in report.diagnostics)
    return Answered(report.accepted, says, tuple(check.condition for check in report.checks), lost=False)


def residual(questions: Sequence[Case]) -> frozenset[str]:
    """The accepted cases of which the specification leaves checks to the run."""
    reference = Reference()
    return frozenset(
        case.id for case in questions if case.expectation.accepted and reference.check(case.request).checks
    )


# -------------------------------------------------------------------------------------------------------- files
def kept(path: Path, version: str, answers: dict[str, Answered]) -> None:
    """Write the answers of a system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    form = {"version": version, "cases": {name: asdict(answer) for name, answer in answers.items()}}
    path.write_text(json.dumps(form, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> tuple[str, dict[str, Answered]]:
    """Read the answers of a system."""
    form: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return form["version"], dict(_read(form["cases"]))


def _read(forms: dict[str, Any]) -> Iterator[tuple[str, Answered]]:
    for name, form in forms.items():
        yield name, Answered(form["accepted"], form["says"], tuple(form["kept"]), form["lost"])
