"""`gradual check --baseline`: findings that a project already has are left out, new ones are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.diagnostic import Diagnostic
from gradual.source import Source, Span
from gradual.tools.checking.baseline import Baseline, key_of, keys_of, text_of
from gradual.tools.checking.results import Checked, Outcome
from tests.tools.conftest import Gradual

NEVER = "def @f(%x: Tensor[(5,), float32]) -> Tensor[(7,), float32] { %x }\n"
OTHER = "def @g(%x: Tensor[(5,), float32]) -> Tensor[(8,), float32] { %x }\n"
UNUSED = "def @h(%x: Tensor[(5,), float32]) -> Tensor[(5,), float32] {\n  let %y = exp(%x);\n  %x\n}\n"

Write = Callable[[str, str], str]


@pytest.fixture
def files(gradual: Gradual, write: Write) -> Gradual:
    """Three files with known findings: an error, an error, and a warning."""
    write("a.relay", NEVER)
    write("unused.relay", UNUSED)
    write("sub/b.relay", NEVER)
    assert gradual("check", ".").code == 1
    return gradual


def test_known_findings_are_left_out(files: Gradual) -> None:
    done = files("check", ".", "--write-baseline", "known.json")
    assert (done.code, done.out) == (0, "wrote known.json: 3 findings\n")
    done = files("check", ".", "--baseline", "known.json")
    assert done.code == 0
    assert done.lines[-1] == "proved 1 · residual 0 · refuted 2 · in the baseline 3"
    assert "E0301" not in done.out


def test_lines_that_move_stay_known_and_lines_that_change_do_not(files: Gradual, write: Write) -> None:
    files("check", ".", "--write-baseline", "known.json")
    write("a.relay", "// a comment\n\n" + NEVER)
    assert files("check", ".", "--baseline", "known.json").code == 0
    write("a.relay", NEVER.replace("@f", "@renamed"))
    done = files("check", ".", "--baseline", "known.json")
    assert done.code == 1
    assert done.out.count("error[E0301]") == 1
    assert done.err.endswith("1 finding of the baseline did not occur; --write-baseline writes a new one\n")


def test_a_second_finding_of_the_same_kind_is_new(files: Gradual, write: Write) -> None:
    files("check", ".", "--write-baseline", "known.json")
    write("sub/b.relay", NEVER + OTHER)
    assert files("check", ".", "--baseline", "known.json").out.count("error[E0301]") == 1
    done = files("check", "sub", "--baseline", "known.json")  # what is known of other files does not matter
    assert (done.out.count("error[E0301]"), done.err) == (1, "")


def test_the_configuration_can_name_it(files: Gradual, write: Write) -> None:
    write("gradual.toml", 'baseline = "known.json"\n')
    assert files("check", "a.relay").code == 2  # it does not exist yet
    assert files("check", ".", "--write-baseline", "known.json").code == 0
    assert files("check", ".").code == 0
    assert 'baseline = "known.json"  # gradual.toml:1' in files("check", "--show-config").out


def test_it_is_the_same_from_another_folder(files: Gradual, monkeypatch: pytest.MonkeyPatch) -> None:
    assert files("check", ".", "--write-baseline", "known.json").code == 0
    monkeypatch.chdir("sub")
    done = files("check", "..", "--baseline", "../known.json")
    assert (done.code, done.err) == (0, "")


def test_a_file_that_cannot_be_checked_is_never_known(files: Gradual, write: Write) -> None:
    write("c.onnx", "no model")
    done = files("check", ".", "--write-baseline", "known.json")
    assert (done.code, done.lines) == (2, ["wrote known.json: 3 findings"])
    assert "c.onnx" in done.err
    assert files("check", ".", "--baseline", "known.json").code == 2


@pytest.mark.parametrize("format", ["json", "sarif", "github", "junit", "concise"])
def test_every_format_leaves_them_out(files: Gradual, format: str) -> None:
    files("check", ".", "--write-baseline", "known.json")
    done = files("check", ".", "--baseline", "known.json", "--format", format)
    assert done.code == 0
    assert "E0301" not in done.out
    if format == "json":
        rows = [json.loads(line) for line in done.lines]
        assert [row["outcome"] for row in rows if row["kind"] == "file"] == ["ok"] * 3
        assert rows[-1]["known"] == 3


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", "[[", '{"findings": 3}', '{"findings": [{"file": 3}]}', "\udcff", "[" * 100_000),
        '{"findings": [{"file": "a", "code": "E", "message": "m", "line": "l", "count": 1e99}]}',
        '{"findings": [{"file": "a", "code": "E", "message": "m", "line": "l", "count": 100000000}]}',
    ],
)
def test_what_is_no_baseline_is_said(files: Gradual, text: str) -> None:
    Path("known.json").write_text(text, encoding="utf-8", errors="surrogateescape")
    done = files("check", ".", "--baseline", "known.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[E0705]: `known.json` is not a baseline")


def test_it_does_not_go_with_everything(files: Gradual) -> None:
    for option in ("--fix", "--watch", "--baseline=x"):
        assert files("check", ".", "--write-baseline", "known.json", option).code == 2
    assert files("check", ".", "--baseline", "missing.json").code == 2


FINDINGS = st.builds(
    lambda code, line, message: Diagnostic(code, "r", message, Span(2 * line, 2 * line + 1)),
    *(st.sampled_from(["E0301", "E0302"]), st.integers(0, 3), st.sampled_from(["m", "é"])),
)


@given(st.lists(FINDINGS), st.lists(FINDINGS))
def test_what_is_left_is_what_is_not_known(known: list[Diagnostic], found: list[Diagnostic]) -> None:
    source = Source("a.relay", "a\nb\na\nc\n")
    before = Checked(source, tuple(known), outcome=Outcome.ERRORS)
    rows = json.loads(text_of(keys_of(before, "")))["findings"]
    keys = [
        key
        for row in rows
        for key in [tuple(row[k] for k in ("file", "code", "message", "line"))] * row.get("count", 1)
    ]
    new, count = Baseline(keys, "").without_known(Checked(source, tuple(found), outcome=Outcome.ERRORS))
    left = [key_of(source, one, "") for one in known]
    expected = []
    for one in found:
        if (key := key_of(source, one, "")) in left:
            left.remove(key)
        else:
            expected.append(one)
    assert list(new.diagnostics) == expected
    assert count == len(found) - len(expected)
    assert new.outcome is (Outcome.ERRORS if expected else Outcome.OK)
