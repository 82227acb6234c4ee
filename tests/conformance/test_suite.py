"""The reference passes the conformance suite, and the suite notices every expectation that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradual.conformance.cases.code_table import FILE as CODES
from gradual.conformance.cases.code_table import code_table
from gradual.conformance.cases.entries import FILE, entries, shared_rules
from gradual.conformance.cases.read import Collection, load
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.known import read_known, weighed
from gradual.conformance.runner.run import Class, Result, run
from gradual.resources import folder

KNOWN = Path(__file__).with_name("known_failures.txt")


@pytest.fixture(scope="module")
def collection() -> Collection:
    return load(folder("spec"))


def told(result: Result) -> str:
    shown = "; ".join(f"[{f.profile.value}] {f.message}" for f in result.failures)
    return f"{result.case.file}:{result.case.line}: {result.case.id}: {result.kind.value} {shown}{result.trace[-300:]}"


@pytest.mark.parametrize("smt", [True, False], ids=["smt", "no-smt"])
def test_the_reference_passes_the_suite(collection: Collection, smt: bool) -> None:
    known = read_known(KNOWN.read_text(encoding="utf-8"), KNOWN.name, {case.id for case in collection.cases})
    results = weighed(run(collection.cases, Reference(smt=smt)), known)
    wrong = [told(result) for result in results if result.kind not in (Class.PASS, Class.KNOWN)]
    assert not wrong, "\n".join(wrong)


def test_the_suite_is_not_small(collection: Collection) -> None:
    areas = {case.id.split("/")[0] for case in collection.cases if case.file.startswith("conformance/")}
    assert len(collection.cases) >= 400
    assert areas >= {"syntax", "name", "dim", "type", "call", "branch", "op", "check", "blame", "run", "pitfall"}


def test_entries_of_operators_are_generated(collection: Collection) -> None:
    written = (folder("spec") / FILE).read_text(encoding="utf-8")
    assert written == entries(shared_rules(folder("spec"))), "run `gradual conformance entries`"


def test_the_list_of_codes_is_generated() -> None:
    written = (folder("spec") / CODES).read_text(encoding="utf-8")
    assert written == code_table(folder("spec")), "run `gradual conformance entries`"


def test_programs_differ(collection: Collection) -> None:
    seen: dict[tuple[str, str], str] = {}
    for case in collection.cases:
        key = (case.request.text, str(case.request.calls))
        if "#" in case.id or not case.file.startswith("conformance/"):
            continue
        if not case.file.endswith(("acceptance.md", "pitfalls.md", "rfcs.md")):
            assert seen.setdefault(key, case.id) == case.id
