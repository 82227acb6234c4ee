"""The reports of a run tell each case, in the forms that others read, and carry the version of the suite."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree as XML

import pytest
from click.testing import CliRunner

from gradual.conformance.cases.suite_version import suite_version
from gradual.conformance.cli import conformance
from gradual.conformance.implementations import protocol
from gradual.conformance.implementations.adapter import Adapter
from gradual.conformance.runner.coverage import Passed, passed_by_rule
from gradual.conformance.runner.judge import Profile
from gradual.conformance.runner.run import run
from gradual.resources import folder
from tests.conformance.suites import HEAD, REFUTED, VARIANTS, collected

LIAR = Path(__file__).parent / "liar.py"


def lying(way: str) -> str:
    return shlex.join([sys.executable, str(LIAR), way])


def written(tmp_path: Path, way: str, *more: str) -> dict[str, str]:
    """The reports of a run of a liar."""
    paths = {name: tmp_path / name for name in ("report-json", "report-junit", "badge")}
    options = [word for name, path in paths.items() for word in (f"--{name}", str(path))]
    CliRunner().invoke(conformance, ["run", "name/*", "--adapter", lying(way), *options, *more])
    return {name: path.read_text(encoding="utf-8") for name, path in paths.items()}


def test_every_case_is_in_every_report(tmp_path: Path) -> None:
    texts = written(tmp_path, "accepts")
    form, root = json.loads(texts["report-json"]), XML.fromstring(texts["report-junit"])
    assert (form["implementation"], form["suite"], form["level"]) == ("liar 1", suite_version(), None)
    kinds = {case["id"]: case["class"] for case in form["cases"]}
    assert set(kinds.values()) == {"pass", "fail"}
    assert {case.get("name"): len(case) for case in root.iter("testcase")} == {
        name: int(kind == "fail") for name, kind in kinds.items()
    }
    assert sum(int(suite.get("failures", "")) for suite in root) == list(kinds.values()).count("fail")
    tally = form["profiles"]["verdict"]
    assert f"{tally['passed']} of {tally['answered']}</title>" in texts["badge"]
    assert 0 < tally["passed"] < tally["answered"] == tally["asked"]


@pytest.mark.parametrize(("way", "tag"), [("dies", "error"), ("skips", "skipped")])
def test_a_case_without_an_answer_is_no_failure(tmp_path: Path, way: str, tag: str) -> None:
    root = XML.fromstring(written(tmp_path, way)["report-junit"])
    assert {part.tag for case in root.iter("testcase") for part in case} == {tag}


def test_a_badge_names_its_profile_and_level(tmp_path: Path) -> None:
    text = written(tmp_path, "accepts", "--profile", "codes", "--level", "core")["badge"]
    assert f"Gradual Relay {suite_version()} · codes · core" in text
    XML.fromstring(text)


def test_the_suite_has_a_version_which_is_told() -> None:
    version = suite_version()
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert f"\n## {version}\n" in (folder("spec") / "CHANGELOG.md").read_text(encoding="utf-8")
    assert protocol.hello()["suite"] == version
    (line,) = CliRunner().invoke(conformance, ["copy", "conformance.level/core"]).output.splitlines()
    assert json.loads(line)["suite"] == version


def test_a_folder_without_a_version_has_none(tmp_path: Path) -> None:
    assert suite_version(tmp_path) == ""


def test_the_cases_of_a_rule_are_counted_as_passed_or_answered() -> None:
    collection = collected(HEAD + REFUTED + VARIANTS)
    with Adapter(lying("accepts"), 20) as adapter:
        results = list(run(collection.cases, adapter, frozenset({Profile.VERDICT})))
    rows = passed_by_rule(collection, results)
    assert rows["op.nn.dense.contract"] == Passed(passed=3, answered=5, cases=5)
    assert rows["check.residual"] == Passed(passed=1, answered=1, cases=1)
    with Adapter(lying("skips"), 20) as adapter:
        results = list(run(collection.cases, adapter, frozenset({Profile.VERDICT})))
    assert passed_by_rule(collection, results)["op.nn.dense.contract"] == Passed(passed=0, answered=0, cases=5)
