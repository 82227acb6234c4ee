"""Warnings allowed, told or denied: by options, by comments in the text, by a configuration."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.diagnostic import Diagnostic, Severity
from gradual.interface.input.levels import ALL, GROUPS, RESIDUAL, Choice, Level, Levels, switchable
from gradual.source import Span
from tests.tools.conftest import Done, Gradual

Write = Callable[[str, str], str]

TEXT = """\
def @loss(%x: Tensor[(b, 1), float32], %y: Tensor[(b,), float32], %z: float32) {
  let %unused = exp(%y);
  mean(%x - %y)
}
"""
OPEN = """\
def @f(%x: Tensor[(?,), float32], %y: Tensor[(n,), float32]) {
  (%x as Tensor[(3,), float32], reshape(%y, newshape=[2, 3]))
}
"""


def told(done: Done) -> list[str]:
    """`line:column: severity code` of each finding, from the concise format."""
    rows = (line.split(":", 3) for line in done.lines if line.startswith(("a.relay:", "p/a.relay:")))
    return [f"{line}:{column}:{rest.partition(']')[0].replace('[', ' ')}" for _, line, column, rest in rows]


def check(gradual: Gradual, *arguments: str) -> Done:
    return gradual("check", "--format", "concise", *arguments)


# ----------------------------------------------------------------------------------------------------- the options
OPTIONS: dict[tuple[str, ...], list[str]] = {
    (): ["1:67: warning E0802", "2:7: warning E0802", "3:8: warning E0801"],
    ("--allow", "E0801"): ["1:67: warning E0802", "2:7: warning E0802"],
    ("--allow", "e0801,unused"): [],
    ("--allow", "lints"): [],
    ("--allow", "all"): [],
    ("--allow", "warnings", "--warn", "stretched"): ["3:8: warning E0801"],
    ("--deny", "stretched"): ["3:8: error E0801", "1:67: warning E0802", "2:7: warning E0802"],
    ("--deny", "warnings", "--allow", "unused"): ["3:8: error E0801"],
    ("--deny", "unused", "--allow", "E0802", "--warn", "lints"): ["3:8: warning E0801"],
    ("--deny", "E0801", "--allow", "E0801", "--allow", "unused"): ["3:8: error E0801"],
}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_options_say_how_grave_a_warning_is(gradual: Gradual, write: Write, options: tuple[str, ...]) -> None:
    done = check(gradual, *options, write("a.relay", TEXT))
    assert told(done) == OPTIONS[options]
    assert done.code == any("error" in row for row in OPTIONS[options])


def test_residual_checks_have_a_level(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", OPEN)
    assert told(check(gradual, path)) == ["2:41: warning E0402"]
    assert told(check(gradual, "--checks", path)) == ["2:41: warning E0402", "2:4: note E0401"]
    assert told(check(gradual, "--warn", "residual", "--allow", "E0402", path)) == [
        "2:4: warning E0401",
        "2:41: warning E0401",
    ]
    done = check(gradual, "--deny", "all,residual", "--checks", path)
    assert done.code == 1 and told(done) == ["2:4: error E0401", "2:41: error E0402", "2:41: error E0401"]


def test_an_error_has_no_level(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", "def @f(%x: Tensor[(n,), float32]) -> Tensor[(3,), float32] { %x }\n")
    for level in ("--allow", "--warn", "--deny"):
        done = check(gradual, level, "E0302", path)
        assert done.code == 2 and "`E0302` is an error, and errors have no level" in done.err
    assert check(gradual, "--allow", "all", path).code == 1
    done = check(gradual, "--allow", "unusde", path)
    assert done.code == 2 and "`unusde` is not a warning; near: `unused`" in done.err


def test_a_named_size_that_may_fail_cannot_be_allowed_where_it_is_an_error(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", OPEN)
    assert told(check(gradual, "--rigid", "error", "--allow", "E0402", path)) == ["2:41: error E0402"]


@pytest.mark.parametrize("format", ["full", "json", "sarif", "github", "junit"])
def test_every_format_follows_the_levels(gradual: Gradual, write: Write, format: str) -> None:
    path = write("a.relay", TEXT)
    done = gradual("check", "--format", format, "--allow", "unused", "--deny", "stretched", path)
    assert done.code == 1 and "E0801" in done.out and "E0802" not in done.out


@given(
    st.lists(
        st.builds(
            Choice,
            st.sampled_from(Level),
            st.sampled_from([*GROUPS, *ALL, *switchable()]),
            st.just("somewhere"),
            st.sampled_from([0, 1]),
        )
    )
)
def test_levels_drop_raise_and_keep_and_never_touch_an_error(choices: list[Choice]) -> None:
    levels = Levels(tuple(choices))
    for code in switchable():
        of = levels.of(code)
        assert all(one.rank <= of.rank for one in choices if one.name == code)
        warning = Diagnostic(code, "", "said", Span(0, 0), Severity.WARNING)
        kept = [one.severity for one in levels.graded([warning])]
        assert kept == {Level.ALLOW: [], Level.WARN: [Severity.WARNING], Level.DENY: [Severity.ERROR]}[of.level]
        error = Diagnostic(code, "", "said", Span(0, 0), Severity.ERROR)
        assert list(levels.graded([error])) == [error]


# ---------------------------------------------------------------------------------------------------- the comments
def test_a_comment_behind_a_line_or_above_it_allows_what_begins_there(gradual: Gradual, write: Write) -> None:
    lines = TEXT.split("\n")
    path = write("a.relay", "\n".join([lines[0], f"{lines[1]} // gradual: allow E0802", *lines[2:]]))
    assert told(check(gradual, path)) == ["1:67: warning E0802", "3:8: warning E0801"]
    write("a.relay", "\n".join([*lines[:2], "  // gradual: allow stretched -- all pairs", "  // two", "", *lines[2:]]))
    assert told(check(gradual, path)) == ["1:67: warning E0802", "2:7: warning E0802"]
    write("a.relay", "\n".join([f"{lines[0]} // gradual: allow stretched, unused", *lines[1:]]))
    assert told(check(gradual, path)) == ["2:7: warning E0802", "3:8: warning E0801"]


@pytest.mark.parametrize("head", ["", '#[version = "0.0.5"]\n', "// A loss.\n"])
def test_a_comment_before_the_first_definition_is_for_the_file(gradual: Gradual, write: Write, head: str) -> None:
    path = write("a.relay", f"{head}// gradual: allow unused, stretched\n{TEXT}")
    assert told(check(gradual, path)) == []
    write("a.relay", f"def @g(%x: float32) {{ %x }}\n// gradual: allow unused, stretched\n{TEXT}")
    assert told(check(gradual, path)) == ["4:7: warning E0802", "5:8: warning E0801"]


def test_a_comment_goes_before_options_and_allows_no_error(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", f"// gradual: allow all\n{TEXT}def @g(%x: float32) {{ %y }}\n")
    assert told(check(gradual, "--deny", "warnings", path)) == ["6:23: error E0202"]
    write("a.relay", f"// gradual: allow residual\n{OPEN}")
    assert told(check(gradual, "--deny", "residual", path)) == ["3:41: warning E0402"]


def test_a_comment_that_allows_no_warning_is_told(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", "// gradual: allow E0302, unusde, E0806x, E0801\ndef @f(%x: float32) { %x }\n")
    done = check(gradual, path)
    assert told(done) == ["1:19: warning E0806", "1:26: warning E0806", "1:34: warning E0806"]
    assert "near: `unused`" in done.out and done.code == 0


@pytest.mark.parametrize(
    "text",
    [
        'def @f(%x: float32, %y: float32) { assert 1 >= 0, "// gradual: allow all"; %x }\n',
        "/* // gradual: allow all */ def @f(%x: float32, %y: float32) { %x }\n",
        "// gradual: allowed all\ndef @f(%x: float32, %y: float32) { %x }\n",
        "// not gradual: allow all\ndef @f(%x: float32, %y: float32) { %x }\n",
    ],
)
def test_what_only_looks_like_such_a_comment_allows_nothing(gradual: Gradual, write: Write, text: str) -> None:
    (found,) = told(check(gradual, write("a.relay", text)))
    assert found.endswith("warning E0802")


# ------------------------------------------------------------------------------------------------ the configuration
def test_the_nearest_configuration_above_a_file_counts(gradual: Gradual, write: Write) -> None:
    write("p/a.relay", TEXT)
    write("pyproject.toml", '[tool.gradual]\nallow = ["unused"]\n')
    assert told(check(gradual, "p/a.relay")) == ["3:8: warning E0801"]
    write("p/pyproject.toml", '[project]\nname = "p"\n')  # says nothing of this
    assert told(check(gradual, "p/a.relay")) == ["3:8: warning E0801"]
    write("p/pyproject.toml", '[tool.gradual]\nallow = ["stretched"]\n')
    assert told(check(gradual, "p/a.relay")) == ["1:67: warning E0802", "2:7: warning E0802"]
    write("p/gradual.toml", 'allow = ["lints"]\n')
    assert told(check(gradual, "p/a.relay")) == []


def test_each_file_has_the_settings_of_its_folder(gradual: Gradual, write: Write) -> None:
    for folder in ("p", "q"):
        write(f"{folder}/a.relay", TEXT)
    write("p/gradual.toml", 'allow = ["lints"]\n')
    for jobs in ("1", "2"):
        done = check(gradual, "p", "q", "--jobs", jobs)
        assert [line.partition(":")[0] for line in done.lines[:-1]] == ["q/a.relay"] * 3


def test_the_command_line_goes_before_a_configuration(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", TEXT)
    write("gradual.toml", 'deny = ["E0801"]\nallow = ["unused"]\n')
    assert told(check(gradual, path)) == ["3:8: error E0801"]
    assert told(check(gradual, "--warn", "all", path)) == OPTIONS[()]
    write("gradual.toml", 'rigid = "error"\nsmt = false\n')
    write("a.relay", OPEN)
    assert told(check(gradual, path)) == ["2:41: error E0402"]
    assert told(check(gradual, "--rigid", "warning", path)) == ["2:41: warning E0402"]


def test_without_a_path_those_of_the_configuration_are_checked(
    gradual: Gradual, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = gradual("check")
    assert done.code == 2 and "nothing to check" in done.err
    write("p/a.relay", TEXT)
    write("gradual.toml", 'paths = ["p"]\n')
    assert told(check(gradual)) == OPTIONS[()]
    monkeypatch.chdir("p")
    assert told(check(gradual)) == OPTIONS[()]  # named as seen from here


def test_standard_input_has_the_settings_of_the_folder_it_is_read_in(gradual: Gradual, write: Write) -> None:
    write("gradual.toml", 'allow = ["lints"]\n')
    assert gradual("check", "--format", "concise", "-", stdin=TEXT).lines == ["proved 0 · residual 0 · refuted 0"]


MALFORMED = {
    "smt = ": "gradual.toml:1:7: invalid value",
    'smt = true\nallow = ["unused"\n': "gradual.toml:2:18: unclosed array",
    "smt = 1": "gradual.toml:1:1: `smt` has to be true or false, not 1",
    "\n# rigid\nrigid = true": 'gradual.toml:3:1: `rigid` has to be "warning" or "error", not true',
    'paths = "p"': 'gradual.toml:1:1: `paths` has to be a list of strings, not "p"',
    "paths = [1]": "gradual.toml:1:1: `paths` has to be a list of strings, not a list of other values",
    "alow = []": "gradual.toml:1:1: unknown key `alow`; near: `allow`",
    "[smt]\nx = 1": "gradual.toml:1:2: `smt` has to be true or false, not a table",
    '"smt" = 1979-05-27': "gradual.toml:1:2: `smt` has to be true or false, not a date or a time",
    'deny = [\n  "unused",\n  "unusde",\n]': "gradual.toml:3:4: `unusde` is not a warning; near: `unused`",
    'deny = ["E0302"]': "gradual.toml:1:10: `E0302` is an error, and errors have no level",
    "allow = []\nallow = []": "gradual.toml:2:11: cannot overwrite a value",
}


@pytest.mark.parametrize("text", MALFORMED)
def test_what_is_wrong_with_a_configuration_is_told_with_its_place(gradual: Gradual, write: Write, text: str) -> None:
    write("gradual.toml", text)
    done = check(gradual, write("a.relay", TEXT))
    assert (done.code, done.out) == (2, "")
    assert done.err.lower().startswith(f"error[e0705]: {MALFORMED[text].lower()}")


def test_everything_that_is_wrong_with_a_configuration_is_told_in_its_order(gradual: Gradual, write: Write) -> None:
    write("pyproject.toml", "[project]\nsmt = 1\n" + "\n" * 8 + "[tool.gradual]\nsmt = 1\nalow = []\nrigid = 2\n")
    done = check(gradual, write("a.relay", TEXT))
    assert [line.split(":")[2] for line in done.err.splitlines()] == ["12", "13", "14"]


def test_a_configuration_that_is_no_text_is_refused(gradual: Gradual, write: Write) -> None:
    Path("gradual.toml").write_bytes(b"smt = \xff")
    done = check(gradual, write("a.relay", TEXT))
    assert done.code == 2 and "`gradual.toml` is not UTF-8: unexpected byte at offset 6" in done.err


# ----------------------------------------------------------------------------------------------------- --show-config
def test_the_settings_are_shown_with_where_each_comes_from(gradual: Gradual, write: Write) -> None:
    write("gradual.toml", 'paths = ["p"]\nallow = ["unused"]\n\ndeny = [\n  "stretched",\n]\n')
    done = gradual("check", "--show-config", "--rigid", "error", "--warn", "E0803")
    assert done.code == 0
    for row in (
        'paths = ["p"]  # gradual.toml:1',
        "smt = true  # default",
        'rigid = "error"  # command line',
        '  "E0801",  # both operands are stretched (`stretched`, gradual.toml:4)',
        '  "E0802",  # a value is never used (`unused`, gradual.toml:2)',
        '  "E0803",  # a definition is never used (`E0803`, command line)',
        '  "E0402",  # a named size may fail (`rigid`, command line)',
        '  "E0501",  # the solver gave up (default)',
    ):
        assert row in done.lines, done.out


def test_the_settings_that_are_shown_are_a_configuration_of_the_same_settings(gradual: Gradual, write: Write) -> None:
    write("gradual.toml", 'paths = ["p"]\nallow = ["unused"]\ndeny = ["stretched"]\nrigid = "error"\n')
    shown = gradual("check", "--show-config").out
    before = levels(gradual)
    write("gradual.toml", shown)
    assert tomllib.loads(shown)["paths"] == ["p"]
    assert levels(gradual) == before and set(before) == set(switchable()) and before[RESIDUAL] == "allow"


def levels(gradual: Gradual) -> dict[str, str]:
    (row,) = map(json.loads, gradual("check", "--show-config", "--format", "json").lines)
    return {code: one["level"] for code, one in row["levels"].items()}


def test_settings_of_several_folders_are_shown_apart(gradual: Gradual, write: Write) -> None:
    for folder in ("p", "q"):
        write(f"{folder}/a.relay", TEXT)
    write("p/gradual.toml", "smt = false\n")
    done = gradual("check", "--show-config", "p/a.relay", "q", "q/a.relay")
    heads = [line for line in done.lines if line.startswith(("# ", "smt"))]
    place = os.path.join("p", "gradual.toml")
    assert heads == [
        "# settings of p/a.relay",
        f"smt = false  # {place}:1",
        "# settings of q, q/a.relay",
        "smt = true  # default",
    ]
