"""Conversion of the blocks of a case to its request and its expectation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from gradual.conformance.cases.annotation import Annotated, annotated
from gradual.conformance.cases.block import Variant, check_line, lines_of, place_line, run_line, type_line, variant_line
from gradual.conformance.cases.case import (
    Case,
    Expectation,
    ExpectedDiagnostic,
    ExpectedOutcome,
    ExpectedValue,
    Request,
)

Problems = list[tuple[int, str]]
_FILL = re.compile(r"<<([A-Z]\w*)>>")


def cases_of(case: Case) -> tuple[list[Case], Problems]:
    """The case with its request and expectation, or one case for each of its variants."""
    fence = case.fences["relay"]
    program = annotated(fence.lines, fence.line)
    problems = list(program.problems)
    if not program.text.strip():
        problems.append((fence.line, "the program is empty"))
    if "variants" in case.fences:
        return _variants(case, program, problems), problems
    return [_single(case, program, problems)], problems


def _single(case: Case, program: Annotated, problems: Problems) -> Case:
    fences = case.fences
    types = lines_of(fences["types"], type_line) if "types" in fences else ([], [])
    checks = lines_of(fences["checks"], check_line) if "checks" in fences else ([], [])
    runs = lines_of(fences["run"], run_line) if "run" in fences else ([], [])
    places = lines_of(fences["places"], place_line) if "places" in fences else ([], [])
    for _, refused in (types, checks, runs, places):
        problems.extend(refused)
    problems.extend(_empty(case))
    expectation = Expectation(
        diagnostics=program.diagnostics,
        types=tuple(types[0]),
        checks=tuple(checks[0]),
        core=_plain(case, "core"),
        static=_plain(case, "static"),
        plan=_plain(case, "plan"),
        after=_plain(case, "after"),
        left=_plain(case, "left"),
        fmt=_plain(case, "fmt"),
        places=tuple(places[0]) if "places" in fences else None,
        outcomes=tuple(_granted(outcome, case.ulps) for _, outcome in runs[0]),
    )
    if expectation.accepted is False:
        problems.extend(_accepted_only(case))
        expectation = replace(expectation, checks=None)
    static, plan = _functions(expectation.static), _functions(expectation.plan)
    calls = tuple(call for call, _ in runs[0])
    passes = tuple(word for line in _plain(case, "pass") or () for word in line.split())
    problems += [
        (fences[name].line, f"`{name}` without `pass`") for name in ("after", "left") if name in fences and not passes
    ]
    request = Request(f"{case.id}.relay", program.text, calls, static, plan, passes=passes)
    return replace(case, request=request, expectation=expectation)


def _granted(outcome: ExpectedOutcome, ulps: int) -> ExpectedOutcome:
    """The outcome; the elements of a value may be a number of ulps away."""
    return replace(outcome, ulps=ulps) if ulps and isinstance(outcome, ExpectedValue) else outcome


def _plain(case: Case, name: str) -> tuple[str, ...] | None:
    """The lines of a block that is compared line by line; None if the case has no such block."""
    return tuple(line.rstrip() for line in case.fences[name].lines) if name in case.fences else None


def _functions(lines: Iterable[str] | None) -> tuple[str, ...]:
    """The functions that lines mention, in order."""
    return tuple(dict.fromkeys(line.split()[0] for line in lines or () if line.startswith("@")))


FILLED = ("core", "after", "fmt", "places")
"""The blocks that may be empty until `bless` fills them; until then the case fails, as no answer is empty."""


def _empty(case: Case) -> Problems:
    return [
        (fence.line, f"the `{name}` block is empty")
        for name, fence in case.fences.items()
        if name not in ("relay", *FILLED) and not any(line.strip() for line in fence.lines)
    ]


def _accepted_only(case: Case) -> Problems:
    names = ("checks", "core", "static", "plan", "pass", "after", "left", "run", "places")
    return [(case.fences[name].line, f"a rejected program has no `{name}`") for name in names if name in case.fences]


def _variants(case: Case, program: Annotated, problems: Problems) -> list[Case]:
    variants, refused = lines_of(case.fences["variants"], variant_line)
    problems.extend(refused)
    problems.extend(_empty(case))
    if program.diagnostics:
        problems.append((case.fences["relay"].line, "a program with variants has no annotations"))
    for name in ("types", "checks", "core", "static", "plan", "pass", "after", "left", "run", "fmt", "places"):
        if name in case.fences:
            problems.append((case.fences[name].line, f"a program with variants has no `{name}` block"))
    return [_variant(case, program.text, variant, problems) for variant in variants]


def _variant(case: Case, text: str, variant: Variant, problems: Problems) -> Case:
    filling = dict(variant.filling)
    if set(_FILL.findall(text)) != set(filling):
        problems.append((variant.line, f"variant {variant.name} does not fill exactly the program's `<<…>>`"))
    filled = _FILL.sub(lambda match: filling.get(match[1], match[0]), text)
    diagnostics = (
        (ExpectedDiagnostic(variant.code, "error", None, (), {}, False, variant.line),) if variant.code else ()
    )
    id = f"{case.id}#{variant.name}"
    expectation = Expectation(diagnostics=diagnostics, checks=None, variant=True)
    return replace(case, id=id, request=Request(f"{id}.relay", filled), expectation=expectation)
