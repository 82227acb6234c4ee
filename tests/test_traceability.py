"""A rule's name stands in four places: the specification's headings, docstrings, diagnostics and blame, and cases."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gradual
from gradual.conformance.cases.read import Collection, load
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.coverage import Covered, covered, rules_of
from gradual.conformance.runner.run import run
from gradual.ops.catalogue import CATALOGUE
from gradual.resources import folder

PACKAGE = Path(gradual.__file__).parent
AREAS = "syntax|name|dim|type|check|core|run|op|pass|plan|graph|conformance"
NAME = rf"(?:{AREAS})(?:\.[a-z0-9_-]+)+"
CITED = re.compile(rf"\[({NAME})\]")
"""A citation in a docstring, `[type.call.argument]`."""


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def documented(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def strings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.fixture(scope="module")
def collection() -> Collection:
    return load(folder("spec"))


@pytest.fixture(scope="module")
def cited() -> set[str]:
    """Rules in docstrings; some operators' docstrings are written by a loop, so the catalogue is asked too."""
    written = {rule for _, tree in modules() for text in documented(tree) for rule in CITED.findall(text)}
    return written | {rule for operator in CATALOGUE.values() for rule in operator.rules}


@pytest.fixture(scope="module")
def spoken(collection: Collection) -> set[str]:
    """Rules in the code's own strings: what diagnostics and blame can say."""
    whole = re.compile(rf"{NAME}")
    return {text for _, tree in modules() for text in strings(tree) if whole.fullmatch(text) and not is_module(text)}


def is_module(text: str) -> bool:
    """Names of attributes and files look like rules: `run.py` is none."""
    return text.endswith((".py", ".md", ".lark", ".json"))


@pytest.fixture(scope="module")
def coverage(collection: Collection) -> dict[str, Covered]:
    return covered(collection, run(collection.cases, Reference()))


def listed(rules: set[str]) -> str:
    return ", ".join(sorted(rules))


def test_each_citation_has_its_heading(collection: Collection, cited: set[str]) -> None:
    assert not cited - collection.rules.keys(), listed(cited - collection.rules.keys())


def test_each_heading_is_cited_where_it_is_implemented(collection: Collection, cited: set[str]) -> None:
    missing = collection.rules.keys() - cited
    assert not missing, listed(missing)


def test_each_rule_that_is_reported_has_its_heading(collection: Collection, spoken: set[str]) -> None:
    assert not spoken - collection.rules.keys(), listed(spoken - collection.rules.keys())


def test_each_heading_has_a_case(collection: Collection) -> None:
    missing = collection.rules.keys() - rules_of(collection.cases)
    assert not missing, listed(missing)


REFUSE = {"op.rank", "op.dtype", "op.axis", "op.attribute", "op.structure"}
"""No size could mend what these refuse: always an error."""

OWE_NOTHING = {
    *("op.strided_slice.clamp", "op.index.known", "op.dyn.twin", "op.dyn.form", "op.window.padding"),
    *("op.dynamic.demand", "op.dynamic.result", "op.dynamic.flat"),
}
"""These say what an operator does; nothing is owed."""

ASK = {"op.dynamic"}
"""The operator's own rules are asked, and they are what is refuted."""


def test_each_rule_that_owes_is_seen_proved_refuted_and_residual(coverage: dict[str, Covered]) -> None:
    operators = {rule for rule in coverage if rule.startswith("op.")} - REFUSE - OWE_NOTHING
    owing = operators | {rule for rule, row in coverage.items() if row.residual and not rule.startswith("check.")}
    assert owing >= {"type.annotation", "type.cast", "type.result", "type.assert", "type.call.where", "dim.division"}
    partial = {rule for rule in owing - ASK if not whole(coverage[rule])}
    assert not partial, listed(partial)


def whole(row: Covered) -> bool:
    return bool(row.proved and row.refuted and row.residual)
