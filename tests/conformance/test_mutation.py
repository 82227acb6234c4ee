"""Each expectation counts: changed, one at a time, it fails the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from gradual.conformance.cases.case import Case, Fence, Malformed
from gradual.conformance.cases.expect import cases_of
from gradual.conformance.cases.read import load
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.judge import EVERY, WRITING
from gradual.conformance.runner.known import read_known
from gradual.conformance.runner.run import Class, examined
from gradual.resources import folder
from tests.conformance.test_suite import KNOWN


def cases() -> list[Case]:
    collection = load(folder("spec"))
    known = read_known(KNOWN.read_text(encoding="utf-8"), KNOWN.name, {case.id for case in collection.cases})
    return [case for case in collection.cases if "#" not in case.id and case.id not in known]


def changed_line(language: str, line: str) -> str | None:
    """The line with its expectation made wrong; None for a line that expects nothing, or does not insist."""
    if not line.strip() or re.search(r"\bmay\b", line):
        return None
    match language:
        case "relay":
            return changed_annotation(line)
        case "types":
            return re.sub(r"(: .*)", r"\1x", line, count=1)
        case "places":
            return re.sub(r" at (\d+):(\d+)", lambda m: f" at {m[1]}:{int(m[2]) + 1}", line, count=1)
        case "checks":
            return re.sub(r" at (\d+):(\d+)", lambda m: f" at {m[1]}:{int(m[2]) - 1}", line, count=1)
        case "core" | "plan" | "after" | "left" | "fmt":
            return line + " x"
        case "static":
            return (
                line + " x" if "graph." in line or "pins" in line else f"{line.split()[0]}  graph.static.size  1:1-1:2"
            )
        case "run":
            return changed_outcome(line)
    return None


def changed_annotation(line: str) -> str | None:
    if "//~" not in line or not re.search(r"E\d{4}", line):
        return None
    return re.sub(r"E(\d{3})(\d)", lambda m: f"E{m[1]}{(int(m[2]) + 1) % 10}", line, count=1)


def changed_outcome(line: str) -> str:
    call, _, outcome = line.rpartition(" => ")
    if "E06" in outcome:
        other = re.sub(r"E060(\d)", lambda m: f"E060{9 - int(m[1])}", outcome)
    else:
        other = f"(int8 1, {outcome})"
    return f"{call} => {other}"


def mutants(case: Case) -> Iterator[tuple[str, Case]]:
    for language, fence in case.fences.items():
        for number, line in enumerate(fence.lines):
            wrong = changed_line(language, line)
            if wrong is not None and wrong != line:
                lines = (*fence.lines[:number], wrong, *fence.lines[number + 1 :])
                yield wrong, rebuilt(case, language, Fence(language, fence.line, lines))
    for language in ("checks", "types", "core", "run"):
        if language == "checks" and language in case.fences and "may" not in "".join(case.fences[language].lines):
            yield f"without {language}", rebuilt(case, language, None)


def rebuilt(case: Case, language: str, fence: Fence | None) -> Case:
    fences = {name: block for name, block in case.fences.items() if name != language}
    if fence is not None:
        fences[language] = fence
    (mutant,), problems = cases_of(Case(case.id, case.file, case.line, case.rules, ulps=case.ulps, fences=fences))
    assert not problems, problems
    return mutant


def asked_once() -> Reference:
    """The reference, which remembers its answers: mutants of a case ask it the same, and expect something else."""
    reference = Reference()
    for name in ("check", "run", "format"):
        setattr(reference, name, cache(getattr(reference, name)))
    return reference


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_a_changed_expectation_fails(case: Case) -> None:
    reference, profiles = asked_once(), EVERY if "fmt" in case.fences else EVERY - WRITING
    survivors = [line for line, mutant in mutants(case) if examined(mutant, reference, profiles).kind is Class.PASS]
    assert not survivors


def test_a_case_without_its_rules_fails() -> None:
    reference, insisting, some = Reference(), 0, cases()[::12]
    for case in some:
        bare = Case(
            case.id, case.file, case.line, ("conformance.empty",), case.request, case.expectation, fences=case.fences
        )
        insisting += examined(bare, reference, EVERY - WRITING).kind is Class.FAIL
    assert insisting >= len(some) // 3


def test_a_list_of_known_failures_goes_stale_loudly() -> None:
    with pytest.raises(Malformed, match="there is no case gone/away"):
        read_known("gone/away  verdict  # it went\n", "known.txt", {"still/here"})
    with pytest.raises(Malformed, match="expected"):
        read_known("still/here  verdict\n", "known.txt", {"still/here"})
