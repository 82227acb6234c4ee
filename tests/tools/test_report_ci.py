"""`gradual check --format github|sarif|junit`: what services read, of any program, well-formed whatever is in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from tests.tools.conftest import Gradual
from tests.tools.test_check import NEVER, PROVED, REFUTED, RESIDUAL, Write

SKIP = (Path(__file__).parents[2] / "examples" / "skip.relay").read_text(encoding="utf-8")
ODD = 'def @f(%x: int32) {\n  assert %x == 5, "100%, a\\x01: b,\\u{fffe}";\n  %nö + "<&\x0c>"\n}\n'


def run_of(text: str) -> dict[str, Any]:
    form = json.loads(text)
    assert form["version"] == "2.1.0" and form["$schema"].endswith("sarif-2.1.0.json")
    (run,) = form["runs"]
    return dict(run)


# --------------------------------------------------------------------------------------------------------- GitHub
def test_an_annotation_marks_the_place_and_says_everything_in_a_line(gradual: Gradual, write: Write) -> None:
    done = gradual("check", "--format", "github", write("a.relay", REFUTED))
    head, _, message = done.lines[0].removeprefix("::").partition("::")
    assert head == "error file=a.relay,line=1,col=76,endLine=1,endColumn=78,title=E0302 op.broadcast.agree"
    assert "%0Anote: counterexample: n = 2" in message
    assert done.lines[1:] == ["proved 1 · residual 0 · refuted 1 · errors 1"]
    assert done.code == 1


def test_an_annotation_of_a_residual_check_is_a_notice(gradual: Gradual, write: Write) -> None:
    done = gradual("check", "--format", "github", "--checks", write("a.relay", RESIDUAL))
    assert done.lines[0].startswith("::notice file=a.relay,line=2,")
    assert "dim(%25x, 0) == 7" in done.lines[0]


def test_no_mark_of_a_command_stands_in_its_texts(gradual: Gradual, write: Write) -> None:
    write("a,b:c%.relay", ODD)
    for line in gradual("check", "--format", "github", "a,b:c%.relay").lines[:-1]:
        match = re.fullmatch(r"::(?:error|warning|notice) ([^:]*)::([^\r\n]*)", line)
        assert match is not None, line
        assert "file=a%2Cb%3Ac%25.relay" in match[1].split(",")
        assert not re.search("%(?!25|0A|0D|2C|3A)", line)


# ---------------------------------------------------------------------------------------------------------- SARIF
def test_a_result_has_its_code_its_rule_its_places_and_its_counterexample(gradual: Gradual, write: Write) -> None:
    run = run_of(
        gradual("check", "--format", "sarif", "--checks", write("a b.relay", SKIP), write("c.relay", RESIDUAL)).out
    )
    first, second = run["results"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["E0302", "E0401"]
    assert [(each["ruleId"], each["ruleIndex"], each["level"]) for each in (first, second)] == [
        ("E0302", 0, "error"),
        ("E0401", 1, "note"),
    ]
    assert first["properties"]["rule"] == "op.broadcast.agree"
    assert first["properties"]["counterexample"] == {"n": 3}
    (place,) = first["locations"]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "a%20b.relay"}
    region = {"startLine": 5, "startColumn": 7, "endLine": 5, "endColumn": 9}
    assert place["physicalLocation"]["region"] == region
    assert [related["id"] for related in first["relatedLocations"]] == list(
        range(1, 1 + len(first["relatedLocations"]))
    )
    assert run["columnKind"] == "unicodeCodePoints"


def test_a_fix_is_the_edits_of_a_help_that_was_tried(gradual: Gradual, write: Write) -> None:
    text = "def @f(%x: Tensor[(?, 3), float32]) -> Tensor[(7, 3), float32] { %x }\n"
    (result,) = run_of(gradual("check", "--format", "sarif", "--deny", "residual", write("a.relay", text)).out)[
        "results"
    ]
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    start = replacement["deletedRegion"]["startColumn"] - 1
    fixed = (
        text[:start] + replacement["insertedContent"]["text"] + text[replacement["deletedRegion"]["endColumn"] - 1 :]
    )
    assert gradual("check", "--deny", "residual", write("b.relay", fixed)).code == 0


@pytest.mark.parametrize("text", ["", PROVED, NEVER, ODD, "def @f( {", "\x00\ud7ff"])
def test_every_text_gives_one_document(gradual: Gradual, write: Write, text: str) -> None:
    path = write("a.relay", text)
    run = run_of(gradual("check", "--format", "sarif", path).out)
    for result in run["results"]:
        for each in (*result["locations"], *result.get("relatedLocations", ())):
            region = each["physicalLocation"]["region"]
            assert min(region.values()) >= 1
            assert (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
            assert unquote(each["physicalLocation"]["artifactLocation"]["uri"]) == path
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    ElementTree.fromstring(gradual("check", "--format", "junit", path).out)


def test_errors_are_not_limited_where_nobody_reads_along(gradual: Gradual, write: Write) -> None:
    write("a.relay", "".join(f"def @f{k}() {{ %x }}\n" for k in range(30)))
    assert len(run_of(gradual("check", "--format", "sarif", "a.relay").out)["results"]) == 30
    assert gradual("check", "--format", "github", "a.relay").out.count("::error ") == 30
    assert gradual("check", "--format", "junit", "a.relay").out.count("error[E0202]") == 30


# ---------------------------------------------------------------------------------------------------------- JUnit
def test_a_text_is_a_test_that_fails_where_it_has_errors(gradual: Gradual, write: Write) -> None:
    done = gradual(
        "check",
        "--format",
        "junit",
        "--checks",
        write("a.relay", PROVED),
        write("b.relay", RESIDUAL),
        write("c.relay", REFUTED),
    )
    suites = ElementTree.fromstring(done.out)
    (suite,) = suites
    assert [(each.get("tests"), each.get("failures")) for each in (suites, suite)] == [("3", "1")] * 2
    cases = {case.get("name"): [part.tag for part in case] for case in suite}
    assert cases == {"a.relay": [], "b.relay": ["system-out"], "c.relay": ["failure"]}
    failure = suite[2][0]
    assert failure.get("type") == "E0302"
    assert str(failure.text).startswith("error[E0302]: shapes do not broadcast together for some sizes")
    assert done.code == 1


def test_a_document_can_be_written_to_a_file(gradual: Gradual, write: Write, tmp_path: Path) -> None:
    assert gradual("check", "--format", "sarif", "-o", "out.sarif", write("a.relay", NEVER)).code == 1
    assert len(run_of((tmp_path / "out.sarif").read_text(encoding="utf-8"))["results"]) == 1


def test_a_report_has_every_error_or_only_errors_or_nothing(gradual: Gradual, write: Write) -> None:
    write("a.relay", RESIDUAL), write("b.relay", NEVER)
    paths = ("a.relay", "b.relay")
    every = run_of(gradual("check", "--checks", "--format", "sarif", *paths).out)["results"]
    quiet = run_of(gradual("check", "--checks", "-q", "--format", "sarif", *paths).out)["results"]
    assert ([each["level"] for each in every], [each["level"] for each in quiet]) == (["note", "error"], ["error"])
    for format in ("sarif", "junit", "github"):
        done = gradual("check", "-qq", "--format", format, *paths)
        assert (done.out, done.code) == ("", 1)
    assert gradual("check", "--format", "junit", "--max-errors", "1", *paths).code == 2


def test_a_text_is_named_once_and_absolute_paths_are_of_files(gradual: Gradual, write: Write, tmp_path: Path) -> None:
    write("a.relay", NEVER)
    done = gradual("check", "--format", "junit", "a.relay", "./a.relay")
    assert len(ElementTree.fromstring(done.out)[0]) == 1
    (result,) = run_of(gradual("check", "--format", "sarif", str(tmp_path / "a.relay")).out)["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == (tmp_path / "a.relay").as_uri()


def test_a_file_may_have_any_name(gradual: Gradual, tmp_path: Path) -> None:
    name = b"odd \xff#%<&>.relay".decode("utf-8", "surrogateescape")
    try:
        (tmp_path / name).write_text(NEVER, encoding="utf-8")
    except OSError:
        pytest.skip("this file system has no such names")
    assert run_of(gradual("check", "--format", "sarif", name).out)["results"][0]["locations"][0]["physicalLocation"][
        "artifactLocation"
    ] == {"uri": "odd%20%FF%23%25%3C%26%3E.relay"}
    ElementTree.fromstring(gradual("check", "--format", "junit", name).out)
    assert gradual("check", "--format", "github", "-o", "out.txt", name).code == 1
