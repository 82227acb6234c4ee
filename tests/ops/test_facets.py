"""Every operator has every facet; one that has not is named with what it lacks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from gradual.interface.reports.facets import facets
from gradual.ops.catalogue import CATALOGUE

OPERATORS = sorted({one.name for one in CATALOGUE.values()})
every_operator = pytest.mark.parametrize("name", OPERATORS)


@cache
def spoken() -> tuple[re.Pattern[str], ...]:
    """The texts in tests of operators, as patterns: what is put into one matches anything."""
    return tuple(pattern for path in sorted(Path(__file__).parent.glob("test_*.py")) for pattern in _patterns(path))


def _patterns(path: Path) -> Iterator[re.Pattern[str]]:
    if path.name in ("test_catalogue.py", "test_facets.py"):
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.compile(re.escape(node.value))
        elif isinstance(node, ast.JoinedStr):
            yield re.compile("".join(map(_part, node.values)))


def _part(part: ast.expr) -> str:
    return re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"[\w.]+"


@every_operator
def test_no_facet_is_missing(name: str) -> None:
    found = facets(CATALOGUE[name])
    assert not [facet for facet, there in found.items() if there == "missing"]


@every_operator
def test_a_test_of_its_own_names_it(name: str) -> None:
    tested = name, name.removeprefix("dyn.")
    assert any(pattern.fullmatch(one) for pattern in spoken() for one in tested)


def test_counterparts_are_operators_of_onnx() -> None:
    onnx = pytest.importorskip("onnx")
    known = {schema.name for schema in onnx.defs.get_all_schemas_with_history() if schema.domain == ""}
    assert not {one.onnx for one in CATALOGUE.values() if one.onnx is not None} - known


def test_facets_are_read_off_the_declaration() -> None:
    found = facets(CATALOGUE["reshape"])
    assert (found["dynamic form"], found["contents"], found["ONNX"]) == ("dyn.reshape", "yes", "Reshape")
    assert facets(CATALOGUE["unique"])["size depends on data"] == "yes"
    assert facets(CATALOGUE["dyn.zeros"])["shape function"] == "from contents"
