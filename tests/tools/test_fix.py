"""`gradual check --fix`: what is applied, what is left alone, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from gradual.limits import Options
from gradual.source import Source
from gradual.tools.checking.fixing import Fixed, fixed
from tests.tools.conftest import Gradual

Write = Callable[[str, str], str]

FOREIGN = """\
// kept: a comment

def @f(%x:   Tensor[(None, 3), fp32],  %w: Tensor[(3, 4), float32]) {
    let %y = F.softmax(%x, dim=1);  // kept, too
    %y @ %w
}
"""
WRITTEN = """\
// kept: a comment

def @f(%x:   Tensor[(?, 3), float32],  %w: Tensor[(3, 4), float32]) {
    let %y = nn.softmax(%x, axis=1);  // kept, too
    nn.matmul(%y, %w)
}
"""
TURNED = "def @f(%x: Tensor[(n, 3), float32], %w: Tensor[(3, 4), float32]) { nn.dense(%x, %w) }\n"


def test_safe_fixes_are_applied_and_layout_and_comments_stay(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", FOREIGN)
    done = gradual("check", "--fix", path)
    assert Path(path).read_text() == WRITTEN
    assert done.code == 0
    assert done.lines[0].startswith("fixed ")


def test_a_second_run_changes_nothing(gradual: Gradual, write: Write) -> None:
    path = Path(write("a.relay", WRITTEN))
    path.chmod(0o444)
    before = path.stat().st_mtime_ns
    assert gradual("check", "--fix", str(path)).code == 0
    assert path.stat().st_mtime_ns == before


def test_diff_shows_and_changes_nothing(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", FOREIGN)
    done = gradual("check", "--fix", "--diff", path)
    assert Path(path).read_text() == FOREIGN
    assert done.code == 1
    assert "-    %y @ %w" in done.lines
    assert "+    nn.matmul(%y, %w)" in done.lines
    assert gradual("check", "--fix", "--diff", write("b.relay", WRITTEN)).code == 0


def test_what_chooses_a_meaning_needs_unsafe_fixes(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", TURNED)
    done = gradual("check", "--fix", path)
    assert Path(path).read_text() == TURNED
    assert done.code == 1
    assert "1 more help can be applied with --unsafe-fixes" in done.err
    assert gradual("check", "--fix", "--unsafe-fixes", path).code == 0
    assert Path(path).read_text() == TURNED.replace("%x, %w)", "%x, transpose(%w))")


def test_what_is_no_program_is_left_alone(gradual: Gradual, tmp_path: Path) -> None:
    path = tmp_path / "a.relay"
    path.write_bytes(b"def @f(%x: int64) { \xff }")
    assert gradual("check", "--fix", str(path), str(tmp_path / "absent.relay")).code == 2
    assert path.read_bytes() == b"def @f(%x: int64) { \xff }"


def test_line_ends_and_the_byte_order_mark_stay(gradual: Gradual, tmp_path: Path) -> None:
    path = tmp_path / "a.relay"
    path.write_bytes(b"\xef\xbb\xbf" + FOREIGN.replace("\n", "\r\n").encode())
    assert gradual("check", "--fix", str(path)).code == 0
    assert path.read_bytes() == b"\xef\xbb\xbf" + WRITTEN.replace("\n", "\r\n").encode()


def test_of_standard_input_the_program_is_written() -> None:
    command = [sys.executable, "-m", "gradual", "check", "--fix", "-"]
    done = subprocess.run(command, input=FOREIGN, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == (WRITTEN, 0)
    assert "residual" in done.stderr


@pytest.mark.parametrize("options", [("--diff",), ("--unsafe-fixes",), ("--fix", "--watch")])
def test_options_that_do_not_go_together_are_refused(gradual: Gradual, write: Write, options: tuple[str, ...]) -> None:
    assert gradual("check", *options, write("a.relay", WRITTEN)).code == 2


def test_json_and_sarif_carry_every_edit(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", TURNED)
    rows = [json.loads(line) for line in gradual("check", "--format", "json", path).lines]
    (help,) = next(row for row in rows if row["kind"] == "diagnostic")["help"]
    assert help["safe"] is False
    (edit,) = help["edits"]
    assert edit["text"] == "transpose(%w)"
    (result,) = json.loads(gradual("check", "--format", "sarif", path).out)["runs"][0]["results"]
    (fix,) = result["fixes"]
    assert fix["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "transpose(%w)"}


def programs() -> list[str]:
    """Programs that were written for the repairs, as they were written first."""
    lines = (Path(__file__).parents[1] / "checker" / "repairs.txt").read_text().splitlines()
    return [line[2:] for line in lines if line.startswith("- ")]


@cache
def fixed_text(text: str, unsafe: bool) -> Fixed:
    """A program after fixing: what is asked of a program that nothing changes is asked once."""
    return fixed(Source("t", text), Options(), unsafe=unsafe)


@pytest.mark.parametrize("text", programs())
def test_fixing_comes_to_an_end_and_safe_fixes_are_a_part_of_all(text: str) -> None:
    every, safe = fixed_text(text, True), fixed_text(text, False)
    assert not fixed_text(every.text, True).applied
    assert not fixed_text(safe.text, False).applied
    assert fixed_text(safe.text, True).text == every.text
