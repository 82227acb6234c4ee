"""The reference passes the conformance suite, and the suite notices every expectation that is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from pathlib import Path

import pytest

from gradual.compilation import Compilation
from gradual.conformance.cases.case import Request
from gradual.conformance.cases.code_table import FILE as CODES
from gradual.conformance.cases.code_table import code_table
from gradual.conformance.cases.read import Collection, load
from gradual.conformance.entries.chapter import FILE, entries
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.coverage import Covered, covered
from gradual.conformance.runner.judge import EVERY, WRITING
from gradual.conformance.runner.known import read_known, weighed
from gradual.conformance.runner.run import Class, Result, checked, run
from gradual.resources import folder
from tests.thorough import TIMES

KNOWN = Path(__file__).with_name("known_failures.txt")
SOME = max(int(5 // TIMES), 1)
"""Without the solver one case in so many is run of those for which the solver is not asked."""

WRITTEN = max(int(20 // TIMES), 1)
"""One case in so many is printed and formatted of those that are not about printing and formatting."""


@pytest.fixture(scope="module")
def collection() -> Collection:
    return load(folder("spec"))


class Asking(Reference):
    """The reference, which takes note of the programs about which it asks the solver."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def compiled(self, request: Request) -> Compilation:
        """The compilation of a request's program."""
        found = super().compiled(request)
        if found.smt_queries:
            self.asked.add(request.text)
        return found


@pytest.fixture(scope="module")
def reference() -> Asking:
    return Asking()


@pytest.fixture(scope="module")
def results(collection: Collection, reference: Asking) -> list[Result]:
    """What the reference makes of every case, with the solver, apart from what it writes."""
    return list(run(collection.cases, reference, EVERY - WRITING))


def told(result: Result) -> str:
    shown = "; ".join(f"[{f.profile.value}] {f.message}" for f in result.failures)
    return f"{result.case.file}:{result.case.line}: {result.case.id}: {result.kind.value} {shown}{result.trace[-300:]}"


def failing(collection: Collection, results: Iterable[Result]) -> list[str]:
    """The results that are neither passes nor known failures, in words."""
    known = read_known(KNOWN.read_text(encoding="utf-8"), KNOWN.name, {case.id for case in collection.cases})
    return [told(result) for result in weighed(results, known) if result.kind not in (Class.PASS, Class.KNOWN)]


def test_the_reference_passes_the_suite(collection: Collection, results: list[Result]) -> None:
    assert not (wrong := failing(collection, results)), "\n".join(wrong)


def test_expected_counterexamples_make_their_programs_fail(collection: Collection) -> None:
    """The runner relies on it: it does not put a counterexample in that is both expected and reported."""
    reference, seen = Reference(), 0
    for case in collection.cases:
        for wanted in case.expectation.diagnostics:
            if wanted.witness and wanted.place:
                seen += 1
                line = wanted.place.line
                assert not list(checked(case.request, wanted.witness, line, wanted.line, reference)), case.id
    assert seen > 200


REFUSE = {"op.rank", "op.dtype", "op.axis", "op.attribute", "op.structure"}
"""No size could mend what these refuse: always an error."""

OWE_NOTHING = {
    *("op.strided_slice.clamp", "op.index.known", "op.dyn.twin", "op.dyn.form", "op.window.padding"),
    *("op.dynamic.demand", "op.dynamic.result", "op.dynamic.flat"),
}
"""These say what an operator does; nothing is owed."""

ASK = {"op.dynamic"}
"""The operator's own rules are asked, and they are what is refuted."""


def test_each_rule_that_owes_is_seen_proved_refuted_and_residual(collection: Collection, results: list[Result]) -> None:
    coverage = covered(collection, results)
    operators = {rule for rule in coverage if rule.startswith("op.")} - REFUSE - OWE_NOTHING
    owing = operators | {rule for rule, row in coverage.items() if row.residual and not rule.startswith("check.")}
    assert owing >= {"type.annotation", "type.cast", "type.result", "type.assert", "type.call.where", "dim.division"}
    partial = {rule for rule in owing - ASK if not whole(coverage[rule])}
    assert not partial, ", ".join(sorted(partial))


def whole(row: Covered) -> bool:
    return bool(row.proved and row.refuted and row.residual)


def test_the_reference_passes_the_suite_without_the_solver(
    collection: Collection, results: list[Result], reference: Asking
) -> None:
    """Every case about which the solver was asked is looked at, and some of those that can hardly differ."""
    assert len(results) == len(collection.cases) and reference.asked
    number = count()
    some = [one for one in collection.cases if one.request.text in reference.asked or next(number) % SOME == 0]
    assert not (wrong := failing(collection, run(some, Reference(smt=False), EVERY - WRITING))), "\n".join(wrong)


def test_programs_that_the_reference_writes_have_the_same_answers(collection: Collection) -> None:
    """The cases about writing, and some of all others: each program is checked three times."""
    files, number = ("conformance/printing.md", "conformance/syntax.md", "03-syntax.md"), count()
    cases = (one for one in collection.cases if not one.expectation.variant)
    some = [one for one in cases if one.file in files or next(number) % WRITTEN == 0]
    assert not (wrong := failing(collection, run(some, Reference(), WRITING))), "\n".join(wrong)


def test_the_suite_is_not_small(collection: Collection) -> None:
    areas = {case.id.split("/")[0] for case in collection.cases if case.file.startswith("conformance/")}
    assert len(collection.cases) >= 400
    assert areas >= {"syntax", "name", "dim", "type", "call", "branch", "op", "check", "blame", "run", "pitfall"}


def test_entries_of_operators_are_generated(collection: Collection) -> None:
    written = (folder("spec") / FILE).read_text(encoding="utf-8")
    assert written == entries(), "run `gradual conformance entries`"


def test_the_list_of_codes_is_generated() -> None:
    written = (folder("spec") / CODES).read_text(encoding="utf-8")
    assert written == code_table(folder("spec")), "run `gradual conformance entries`"


def test_programs_differ(collection: Collection) -> None:
    seen: dict[tuple[str, str], str] = {}
    for case in collection.cases:
        key = (case.request.text, str((case.request.calls, case.request.passes)))
        if "#" in case.id or not case.file.startswith("conformance/"):
            continue
        if not case.file.endswith(("acceptance.md", "pitfalls.md", "rfcs.md")):
            assert seen.setdefault(key, case.id) == case.id
