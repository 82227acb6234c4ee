"""The reports of a run tell each case, in the forms that others read, and carry the version of the suite."""

from __future__ import annotations

import json
import re
import shlex
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as XML

import pytest
from click.testing import CliRunner

from gradual.conformance.cases.answer import FoundDiagnostic, Report
from gradual.conformance.cases.case import Place
from gradual.conformance.cases.suite_version import suite_version
from gradual.conformance.cli import conformance
from gradual.conformance.implementations import protocol
from gradual.conformance.implementations.adapter import Adapter
from gradual.conformance.reports.html_report import html_report
from gradual.conformance.reports.summary import Summary
from gradual.conformance.runner.coverage import Passed, passed_by_rule
from gradual.conformance.runner.judge import Failure, Profile
from gradual.conformance.runner.run import Class, Result, run
from gradual.resources import folder
from tests.conformance.suites import HEAD, REFUTED, VARIANTS, collected

LIAR = Path(__file__).parent / "liar.py"


def lying(way: str) -> str:
    return shlex.join([sys.executable, str(LIAR), way])


def written(tmp_path: Path, way: str, *more: str) -> dict[str, str]:
    """The reports of a run of a liar."""
    paths = {name: tmp_path / name for name in ("report-json", "report-junit", "report-html", "badge")}
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


class Page(HTMLParser):
    """The elements of a page with their attributes, its text, and the elements that are not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)


def test_a_page_tells_profiles_rules_and_each_failing_case(tmp_path: Path) -> None:
    texts = written(tmp_path, "accepts")
    page = Page(texts["report-html"])
    assert not page.open
    said = "".join(page.words)
    assert f"suite {suite_version()}, every level." in said and "Conformance of liar 1" in said
    form = json.loads(texts["report-json"])
    failing = [case for case in form["cases"] if case["class"] == "fail"]
    assert sum(tag == "details" for tag, _ in page.elements) == len(failing) > 0
    for case in failing:
        assert case["id"] in said and f"({case['file']}:{case['line']})" in said
        assert all(failure["message"] in said for failure in case["failures"])
    assert "Program" in said and "Expected" in said and "Answered" in said and "accepted" in said


def test_a_page_loads_nothing_and_leads_to_the_rules(tmp_path: Path) -> None:
    text = written(tmp_path, "accepts")["report-html"]
    page = Page(text)
    assert {tag for tag, _ in page.elements}.isdisjoint({"script", "link", "img", "iframe", "object", "embed"})
    assert not {"src", "onclick", "onerror"} & {name for _, attributes in page.elements for name in attributes}
    assert "url(" not in text and "@import" not in text and "light dark" in text
    links = [str(attributes["href"]) for tag, attributes in page.elements if tag == "a"]
    rules = [link for link in links if not link.startswith("#")]
    for link in rules:
        path, _, anchor = link.partition("#")
        chapter = (tmp_path / unquote(path)).read_text(encoding="utf-8")
        headings = re.findall(r"^#+ `?([a-z0-9_.-]+)`?$", chapter, re.MULTILINE)
        assert anchor in [heading.replace(".", "") for heading in headings]
    assert rules


def test_what_an_adapter_says_is_text_on_the_page() -> None:
    evil = "<script>alert(1)</script>\x1b[31m\u202e&amp;'\""
    error = FoundDiagnostic("E0301", "error", evil, Place(1, 1, 1, 2), (), {evil: 3}, evil)
    reports = (
        Report(True, (error,), {evil: evil}, printed=f"{evil}\n{evil}", core=(evil,)),
        Report(False, (error,), left=(evil,)),
    )
    (case,) = collected(HEAD).cases
    results = [Result(case, Class.FAIL, (Failure(Profile.CODES, 3, evil),), report=one) for one in reports]
    results += [Result(case, kind, trace=f"{evil}\n{evil}") for kind in (Class.CRASH, Class.SKIPPED)]
    text = html_report(Summary(evil, evil, None, results, rules=collected(HEAD).rules), "a b/'\"><script>")
    page = Page(text)
    assert not page.open and {tag for tag, _ in page.elements}.isdisjoint({"script"})
    assert "\x1b" not in text and "\u202e" not in text
    assert "".join(page.words).count("<script>alert(1)</script>") >= 12


def test_a_page_without_a_failing_case_says_so() -> None:
    (case,) = collected(HEAD).cases
    page = Page(html_report(Summary("mine 1", "1.0.0", "core", [Result(case, Class.PASS)]), "spec"))
    said = "".join(page.words)
    assert "None." in said and "level core" in said and "1 case: pass 1." in said


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
    rows = passed_by_rule(collection.rules, results)
    assert rows["op.nn.dense.contract"] == Passed(passed=3, answered=5, cases=5)
    assert rows["check.residual"] == Passed(passed=1, answered=1, cases=1)
    with Adapter(lying("skips"), 20) as adapter:
        results = list(run(collection.cases, adapter, frozenset({Profile.VERDICT})))
    assert passed_by_rule(collection.rules, results)["op.nn.dense.contract"] == Passed(passed=0, answered=0, cases=5)
