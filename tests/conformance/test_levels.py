"""A case's features are those of its program, and a level is a set of them."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from click.testing import CliRunner

from gradual.conformance.cases.case import Request
from gradual.conformance.cases.features import Features, features_of
from gradual.conformance.cases.levels import FILE, Level, level_of, read_levels
from gradual.conformance.cases.read import Collection, load
from gradual.conformance.cli import conformance
from gradual.ops.catalogue import CATALOGUE
from gradual.resources import folder

PLAIN = "def @f(%x: Tensor[(n, 3), float32], %y: Tensor[(3,), float32]) BODY"


@pytest.fixture(scope="module")
def levels() -> dict[str, Level]:
    return read_levels(folder("spec"))


@pytest.fixture(scope="module")
def collection() -> Collection:
    return load(folder("spec"))


def used(text: str) -> Features:
    return features_of(Request("x.relay", text))


def of_body(body: str) -> Features:
    return used(PLAIN.replace("BODY", body))


def of_type(written: str) -> Features:
    return used(f"def @f(%x: {written}) {{ %x }}")


@pytest.mark.parametrize(
    ("body", "constructs"),
    [
        ("{ add(%x, %y) }", set()),
        ("{ let %z = add(%x, %y); (%z, %x).0 }", {"let", "tuples"}),
        ("{ if (True) { %x } else { %x } }", {"if"}),
        ("where n >= 2 { %x }", {"where"}),
        ("where n % 2 == 0 { %x }", {"where", "quotients"}),
        ("where n == 2 or n == 3 { %x }", {"where", "disjunctions"}),
        ("{ %x as Tensor[(2, ?), float32] }", {"casts", "unknown-sizes"}),
        ("{ assert dim(%x, 0) >= 2; %x }", {"assertions", "measures"}),
        ("{ fn (%z: float32) { %z } }", {"function-values"}),
        ("{ let %r = ref(%x); ref_read(%r) }", {"let", "references"}),
        ("{ reshape(%x, newshape=[n * 3]) }", {"arithmetic"}),
        ("{ reshape(%x, newshape=[dim(%x, 0), 3]) }", {"measures"}),
        ("{ @f(%x, %y) }", {"calls", "recursion"}),
    ],
)
def test_a_body_has_the_features_of_its_parts(body: str, constructs: set[str]) -> None:
    assert of_body(body).constructs == constructs


@pytest.mark.parametrize(
    ("written", "constructs"),
    [
        ("Tensor[(2 * n, 3), float32]", {"arithmetic"}),
        ("Tensor[(n * m, n, m), float32]", {"products"}),
        ("Tensor[(n // m, n, m), float32]", {"quotients", "quotients-by-names"}),
        ("Tensor[(max(n, m), n, m), float32]", {"choices"}),
        ("Tensor[(?{u. u >= 2},), float32]", {"refinements", "arithmetic"}),
        ("Tensor[*, float32]", {"unknown-rank"}),
        ("fn (float32) -> float32", {"function-values"}),
        ("(float32, A)", {"tuples", "type-parameters"}),
        ("ref(float32)", {"references"}),
        ("_", {"inference"}),
    ],
)
def test_a_type_has_the_features_of_its_parts(written: str, constructs: set[str]) -> None:
    assert of_type(written).constructs - {"arithmetic"} == constructs - {"arithmetic"}


def test_functions_that_call_each_other_are_recursive_and_others_are_not() -> None:
    other = "def @g(%x: int32) { @f(%x) }\n"
    assert "recursion" in used(other + "def @f(%x: int32) { @g(%x) }").constructs
    assert used(other + "def @f(%x: int32) { %x }").constructs == {"calls"}
    assert used(other + "def @f(%x: int32) { let %g = @h; %x }\ndef @h(%x: int32) { %x }").constructs >= {
        "function-values"
    }


def test_constructors_are_no_operators() -> None:
    text = "type T { A(int32) }\ndef @f(%x: int32) { match (A(%x)) { A(%y) => add(%y, %x) } }"
    assert used(text) == Features(frozenset({"declared-types", "match"}), frozenset({"add"}), used(text).computed)


def test_what_a_case_asks_for_is_a_feature_too() -> None:
    request = Request("x", "def @f() { 7 }", static=("@f",), plan=("@f",), passes=("inline",))
    assert features_of(request).constructs == {"static", "plans", "passes"}


def test_of_a_text_that_is_no_program_nothing_else_is_known(levels: dict[str, Level]) -> None:
    assert used("def @f(").constructs == {"syntax-error"}
    assert level_of(Request("x", "def @f("), levels).name == "unranked"


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ("{ reshape(%x, newshape=[-1]) }", "core"),
        ("{ reshape(%x, [dim(%x, 0), 3]) }", "core"),
        ("{ reshape(%x, shape_of(%x)) }", "first-order"),
        ("{ reshape(zeros(shape=[3], dtype=\"float32\"), newshape=%s) }", "first-order"),
        ("{ sin(%x) }", "first-order"),
        ("{ fn () { add(%x, %y) } }", "functions"),
        ("{ fn () { sin(%x) } }", "unranked"),
    ],
)  # fmt: skip
def test_the_level_is_the_first_that_has_all(body: str, level: str, levels: dict[str, Level]) -> None:
    assert level_of(Request("x", PLAIN.replace("BODY", body)), levels).name == level


def test_each_case_has_a_level_and_each_level_has_cases(collection: Collection, levels: dict[str, Level]) -> None:
    counts = dict.fromkeys(levels, 0)
    for case in collection.cases:
        counts[level_of(case.request, levels).name] += 1
    assert min(counts.values()) >= 20 and counts["core"] >= 300
    assert all(
        levels[inner].constructs < levels[outer].constructs for inner, outer in pairwise(("core", "functions", "data"))
    )


def test_levels_name_operators_and_features_that_exist(collection: Collection, levels: dict[str, Level]) -> None:
    operators = {name for level in levels.values() for name in level.operators or () if name[0].isalpha()}
    assert operators <= set(CATALOGUE)
    seen = frozenset[str]().union(*(features_of(case.request).constructs for case in collection.cases))
    assert seen == levels["full"].constructs


def test_the_table_of_levels_is_that_of_the_file() -> None:
    rows = {}
    for line in (folder("spec") / "conformance/README.md").read_text(encoding="utf-8").splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) or cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 4 and line.startswith("| `"):
            rows[cells[0][0]] = cells[1:]
    forms = json.loads((folder("spec") / FILE).read_text(encoding="utf-8"))
    written = {
        name: [form["contains"] or "", form["constructs"], form.get("operators", "")] for name, form in forms.items()
    }
    assert rows == written


def test_a_command_about_a_level_is_about_its_cases() -> None:
    listed = CliRunner().invoke(conformance, ["list", "--level", "core", "dim/*"]).output.splitlines()
    copied = [json.loads(line) for line in CliRunner().invoke(conformance, ["copy", "dim/*"]).output.splitlines()]
    core = [form["id"] for form in copied if form["level"] == "core"]
    assert [line.split()[0] for line in listed] == core and 0 < len(core) < len(copied)
    wrong = CliRunner().invoke(conformance, ["run", "--level", "cor"])
    assert wrong.exit_code == 2 and "there is no level `cor`; they are core, first-order," in wrong.output
