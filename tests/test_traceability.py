"""A rule's name stands in four places: the specification's headings, docstrings, diagnostics and blame, and cases."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from gradual.conformance.cases.read import Collection, load
from gradual.conformance.runner.coverage import rules_of
from gradual.ops.catalogue import CATALOGUE
from gradual.resources import folder
from tests.architecture.sources import modules

AREAS = "syntax|name|dim|type|check|core|run|scalar|op|pass|plan|graph|conformance"
NAME = rf"(?:{AREAS})(?:\.[a-z0-9_-]+)+"
CITED = re.compile(rf"\[({NAME})\]")
"""A citation in a docstring, `[type.call.argument]`."""


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
    written = {rule for module in modules() for text in documented(module.tree) for rule in CITED.findall(text)}
    return written | {rule for operator in CATALOGUE.values() for rule in operator.rules}


@pytest.fixture(scope="module")
def spoken(collection: Collection) -> set[str]:
    """Rules in the code's own strings: what diagnostics and blame can say."""
    whole = re.compile(rf"{NAME}")
    return {
        text for module in modules() for text in strings(module.tree) if whole.fullmatch(text) and not is_module(text)
    }


def is_module(text: str) -> bool:
    """Names of attributes and files look like rules: `run.py` is none."""
    return text.endswith((".py", ".md", ".lark", ".json"))


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
