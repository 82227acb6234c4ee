"""Whatever is given, and whatever a program holds, nothing of it steers a terminal or begins a line of its own."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.report.paint import ansi, plain, shielded
from gradual.source import visible
from tests.tools.conftest import Done, Gradual

EVIL = "a\x1b[2J\x1b]0;t\x07\nFORGED\u202e\x9b31m\u2028\x7f"
"""Clears the screen, sets a title, rings, begins a line, turns it around, colours it as 8-bit terminals do."""
COLOURS = re.compile(r"\x1b\[[\d;]*m")
WRITTEN = EVIL.replace("\n", "\\n")
"""The same in a string of a program, of which no line begins with what is looked for."""
PROGRAM = f"""\
def @f(%x: Tensor[(n,), float32]) {{ // {WRITTEN}
  assert n == 2, "{WRITTEN}";
  add(%x, "{WRITTEN}")
}}
def @g(%x: Tensor[(?,), float32]) {{ cast(%x, dtype="{WRITTEN}") }}
def @h(%x: Tensor[(?,), float32]) {{ assert dim(%x, 0) == 7, "{WRITTEN}"; %x }}
"""
RUNNABLE = f'def @h(%x: Tensor[(?,), float32]) {{ assert dim(%x, 0) == 7, "{WRITTEN}"; %x }}\n'


def steers(text: str) -> set[str]:
    """The characters that do something else than stand there, but for line feeds and tabs."""
    kinds = {one: unicodedata.category(one) for one in set(text) - {"\n", "\t"}}
    return {one for one, kind in kinds.items() if kind[0] == "C" or kind in ("Zl", "Zp")}


def harmless(done: Done) -> None:
    """Nothing that was written steers, is an internal error, or begins a line with what was given behind a feed."""
    for text in (done.out, done.err):
        assert steers(text) == set(), text
        assert not any(line.startswith("FORGED") for line in text.split("\n")), text
    assert done.code in (0, 1, 2, 3)


CHECKS = ["full", "concise", "json", "sarif", "github", "junit"]
COMMANDS = [
    *(["check", "--checks", "--format", format, "FILE"] for format in CHECKS),
    *(["check", "--format", format, "EVIL"] for format in CHECKS),
    *(["check", "--format", format, "FILE", "GOOD", "EVIL"] for format in CHECKS),
    ["check", "--annotate", "FILE"],
    ["check", "--require-static", "--entry", "EVIL", "GOOD"],
    *([command, path] for command in ("core", "alloc", "smt", "import") for path in ("FILE", "GOOD", "EVIL")),
    ["fmt", "FILE", "EVIL"],
    ["alloc", "GOOD", "--bind", "EVIL"],
    *(["shape-function", path, "--lang", lang] for path in ("GOOD", "EVIL") for lang in ("relay", "python", "c")),
    ["shape-function", "GOOD", "--lang", "EVIL"],
    ["shape-function", "GOOD", "--lang", "c", "--entry", "EVIL"],
    ["alloc", "GOOD", "--entry", "EVIL"],
    ["smt", "GOOD", "--check", "EVIL"],
    ["pass", "inline", "GOOD"],
    ["pass", "--report", "dynamic-to-static", "GOOD"],
    ["pass", "EVIL", "GOOD"],
    ["pass", "specialize", "EVIL=3", "GOOD"],
    ["run", "GOOD", "@h([1.0])"],
    ["run", "GOOD", "@h([1.0])", "--format", "json"],
    ["run", "GOOD", "EVIL"],
    ["run", "GOOD", "@h(EVIL)"],
    ["run", "GOOD", "@h(@EVIL)"],
    ["run", "GOOD", "@h(@EVIL.npy)"],
    ["run", "GOOD", "--entry", "EVIL"],
    ["run", "GOOD", "--entry", "@h", "--args", "EVIL"],
    ["run", "GOOD", "@h([1, 2, 3, 4, 5, 6, 7])", "--save", "no/EVIL.json"],
    ["explain", "EVIL"],
    ["ops", "EVIL"],
    ["EVIL"],
    ["check", "--EVIL"],
    ["check", "--format", "EVIL", "GOOD"],
    ["check", "GOOD", "-o", "no/EVIL"],
    ["import", "MODEL"],
    ["conformance", "run", "EVIL"],
    ["conformance", "run", "--spec", "EVIL"],
    ["conformance", "run", "--known", "EVIL"],
    ["conformance", "run", "--adapter", "EVIL"],
    ["conformance", "run", "--adapter", "sh -c 'printf \"EVIL\" >&2; exit 3'"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nothing_that_is_given_steers_a_terminal(gradual: Gradual, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / f"{EVIL}.relay").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / f"{EVIL}-good.relay").write_text(RUNNABLE, encoding="utf-8")
    (tmp_path / f"{EVIL}.onnx").write_bytes(b"\x1b[2J")
    names = {"FILE": f"{EVIL}.relay", "GOOD": f"{EVIL}-good.relay", "MODEL": f"{EVIL}.onnx"}
    done = gradual(*(names.get(word, word.replace("EVIL", EVIL)) for word in words))
    harmless(done)
    if "--format" in words and "json" in words and words[-1] == "FILE":
        rows = [json.loads(line) for line in done.out.split("\n") if line]
        assert {row["span"]["file"] for row in rows if "span" in row} == {f"{EVIL}.relay"}
    if "junit" in words and done.out:
        ElementTree.fromstring(done.out)


@pytest.mark.parametrize("format", ["full", "concise"])
def test_colours_are_the_only_codes(gradual: Gradual, tmp_path: Path, format: str) -> None:
    (tmp_path / f"{EVIL}\x1b[0m.relay").write_text(PROGRAM, encoding="utf-8")
    done = gradual("--color", "always", "check", "--checks", "--format", format, f"{EVIL}\x1b[0m.relay")
    assert COLOURS.search(done.out)
    harmless(Done(done.code, COLOURS.sub("", done.out), done.err))
    plain = gradual("check", "--checks", "--format", format, f"{EVIL}\x1b[0m.relay")
    assert COLOURS.sub("", done.out) == plain.out


def test_a_session_repeats_nothing_that_steers(gradual: Gradual, tmp_path: Path) -> None:
    (tmp_path / "good.relay").write_text(RUNNABLE, encoding="utf-8")
    evil = EVIL.replace("\n", "")
    inputs = [evil, *(f":{command} {evil}" for command in ("type", "load", "info", "explain", "run", "core", "why"))]
    inputs += [f":{evil}", ":load good.relay", ":run @h([1.0])", ":core", ":checks", ":history", f'let %x = "{evil}";']
    harmless(gradual("repl", stdin="\n".join(inputs) + "\n"))


def test_a_program_is_written_to_the_last_byte_unless_somebody_reads_along(
    gradual: Gradual, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "// \x1b[2J\u202e\ndef @f() {\n  1\n}\n"
    assert gradual("fmt", "-", stdin=text).out == text
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert gradual("--color", "never", "fmt", "-", stdin=text).out.startswith("// \\x1b[2J\\u202e\ndef @f")


@given(st.text())
def test_every_character_is_shown_or_escaped(text: str) -> None:
    shown = visible(text)
    assert steers(shown) == set() and "\n" not in shown
    assert visible(shown) == shown
    assert [one for one in shown if not one.isascii()] == [one for one in text if not one.isascii() and not steers(one)]
    lines = "\n".join(visible(line, "\t") for line in text.split("\n"))
    assert shielded(text, plain) == lines
    assert steers(COLOURS.sub("", shielded(ansi(text, "error"), ansi))) == set()
