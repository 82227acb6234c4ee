"""The command line as a whole: commands, exit codes, what is imported when."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gradual.interface.reports.operators import signature
from gradual.ops.catalogue import CATALOGUE
from gradual.resources import folder
from gradual.tools import cli
from tests.tools.conftest import Gradual

Write = Callable[[str, str], str]

HEAD = """\
def @head(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) -> Tensor[(?, 10), float32] {
  nn.dense(%x, %w)
}
"""


# ------------------------------------------------------------------------------------------------ leaving
def test_help_lists_every_command_and_every_exit_code(gradual: Gradual) -> None:
    done = gradual("--help")
    assert done.code == 0
    for name in cli.COMMANDS:
        assert f"\n  {name} " in done.out
    for code in ("0 ", "1 ", "2 ", "3 ", "101 ", "130 "):
        assert f"\n    {code}" in done.out


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help(gradual: Gradual, name: str) -> None:
    assert gradual(name, "--help").code == 0


def test_an_unknown_command_is_a_usage_error(gradual: Gradual) -> None:
    done = gradual("chekc")
    assert (done.code, done.out) == (2, "")
    assert "near: check" in done.err


def test_a_fault_of_the_tool_is_exit_101_with_a_report(gradual: Gradual, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradual.tools.commands.grammar.folder", lambda name: 1 / 0)
    done = gradual("grammar")
    assert (done.code, done.out) == (101, "")
    assert "ZeroDivisionError" in done.err
    assert done.err.rstrip().split("\n")[-1].startswith("error[E0900]: ")


def test_an_interrupt_is_exit_130(gradual: Gradual, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(path: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gradual.tools.commands.check.read", interrupted)
    done = gradual("check", "-")
    assert (done.code, done.out, done.err.strip()) == (130, "", "interrupted")


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error_worth_a_report(write: Write, tmp_path: Path) -> None:
    write("a.relay", "".join(f"def @f{k}() {{ %x }}\n" for k in range(3000)))
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = f"{sys.executable} -m gradual check --max-errors 0 a.relay | head -n 1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.stderr == b""


# ---------------------------------------------------------------------------------------------- start-up
def imported(tmp_path: Path, *arguments: str) -> set[str]:
    """The modules that a command leaves imported."""
    code = f"import sys; sys.argv = ['gradual', *{arguments!r}]\n"
    code += "from gradual.__main__ import main\ntry:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
    code += "print('\\n' + ' '.join(sys.modules))"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_the_version_is_told_before_anything_is_imported(tmp_path: Path) -> None:
    modules = imported(tmp_path, "--version")
    assert not {name for name in modules if name.startswith("gradual.")} - {"gradual.__main__"}
    assert "click" not in modules


def test_a_simple_check_imports_neither_solver_nor_terminal_libraries(write: Write, tmp_path: Path) -> None:
    modules = imported(tmp_path, "check", write("a.relay", HEAD))
    assert not modules & {"z3", "rich", "prompt_toolkit", "numpy", "lark"}


# ---------------------------------------------------------------------------------------- small commands
def test_core_shows_the_checks_where_they_run(gradual: Gradual, write: Write) -> None:
    done = gradual("core", write("a.relay", HEAD))
    assert done.code == 0
    assert "  check dim(%x, 1) == 784;   // c1 [op.nn.dense.contract]" in done.out


def test_core_of_a_program_with_errors_is_its_errors(gradual: Gradual, write: Write) -> None:
    done = gradual("core", write("a.relay", "def @f() { %x }"))
    assert done.code == 1
    assert done.out.startswith("error[E0202]")


def test_smt_prints_the_question_of_each_check_or_of_one(gradual: Gradual, write: Write) -> None:
    done = gradual("smt", write("a.relay", HEAD))
    assert done.code == 0
    assert "(declare-const |dim(%x, 1)| Int)" in done.out and "(check-sat)" in done.out
    assert gradual("smt", "a.relay", "--check", "c1").out == done.out
    missing = gradual("smt", "a.relay", "--check", "c7")
    assert missing.code == 2 and "it has c1" in missing.err


@pytest.mark.slow
def test_the_question_is_one_that_z3_reads(gradual: Gradual, write: Write) -> None:
    import z3

    text = gradual("smt", write("a.relay", HEAD)).out
    for question in text.split("(reset)"):
        solver = z3.Solver()
        solver.from_string(question)
        assert str(solver.check()) == "sat"


def test_ops_lists_each_operator_once_in_sorted_order(gradual: Gradual) -> None:
    names = [line.split()[0] for line in gradual("ops").lines]
    assert names == sorted({operator.name for operator in CATALOGUE.values()})


def test_ops_in_json_has_a_line_an_operator(gradual: Gradual) -> None:
    rows = [json.loads(line) for line in gradual("ops", "--format", "json").lines]
    assert {row["name"] for row in rows} == {operator.name for operator in CATALOGUE.values()}
    (dense,) = (row for row in rows if row["name"] == "nn.dense")
    assert "op.nn.dense.contract" in dense["rules"]
    assert [attribute["name"] for attribute in dense["attributes"]] == ["units", "out_dtype"]
    assert dense["attributes"][0]["default"] == "None"


def test_the_entry_of_a_dynamic_variant_is_a_summary_for_users(gradual: Gradual) -> None:
    words = gradual("ops", "dyn.reshape").out
    assert "`reshape` with newshape taken from arguments." in words
    assert "promoted" not in words


def test_ops_of_a_name_is_its_entry(gradual: Gradual) -> None:
    done = gradual("ops", "nn.dense")
    assert signature(CATALOGUE["nn.dense"]) in done.out
    near = gradual("ops", "nn.dens")
    assert near.code == 2 and "nn.dense" in near.err


def test_grammar_prints_the_file_that_the_parser_reads(gradual: Gradual) -> None:
    assert gradual("grammar").out == (folder("grammar") / "gradual.lark").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------ format
UGLY, NEAT = "def @f(%x:int32){ // a\n%x}", "def @f(%x: int32) { // a\n  %x\n}\n"


def test_fmt_rewrites_a_file_once(gradual: Gradual, write: Write, tmp_path: Path) -> None:
    done = gradual("fmt", write("a.relay", UGLY))
    assert (done.code, done.out) == (0, "reformatted a.relay\n")
    assert (tmp_path / "a.relay").read_text(encoding="utf-8") == NEAT
    assert gradual("fmt", "a.relay").out == ""


def test_fmt_check_changes_nothing(gradual: Gradual, write: Write, tmp_path: Path) -> None:
    write("b.relay", NEAT)
    done = gradual("fmt", "--check", write("a.relay", UGLY), "b.relay")
    assert (done.code, done.out) == (1, "would reformat a.relay\n")
    assert (tmp_path / "a.relay").read_text(encoding="utf-8") == UGLY
    assert gradual("fmt", "--check", "b.relay").code == 0


def test_fmt_of_a_dash_goes_through(gradual: Gradual) -> None:
    assert gradual("fmt", "-", stdin=UGLY).out == NEAT


def test_fmt_of_what_cannot_be_read_leaves_it_alone(gradual: Gradual, write: Write, tmp_path: Path) -> None:
    done = gradual("fmt", write("a.relay", "def @f( {"))
    assert done.code == 1 and "error[E0101]" in done.out
    assert (tmp_path / "a.relay").read_text(encoding="utf-8") == "def @f( {"


WIDE = "def @f(%x: int32) {\n  add(%x, multiply(%x, %x))\n}\n"
NARROW = "def @f(%x: int32) {\n  add(\n    %x,\n    multiply(%x, %x)\n  )\n}\n"


def test_fmt_breaks_lines_at_the_length_that_is_given_or_configured(gradual: Gradual, write: Write) -> None:
    assert gradual("fmt", "-", stdin=WIDE).out == WIDE
    assert gradual("fmt", "--line-length", "24", "-", stdin=WIDE).out == NARROW
    write("gradual.toml", "line-length = 24\n")
    assert gradual("fmt", "-", stdin=WIDE).out == NARROW
    write("p/pyproject.toml", "[tool.gradual]\nline-length = 30\n")
    assert gradual("fmt", "--check", write("p/a.relay", WIDE)).code == 0
    assert gradual("fmt", "--check", write("a.relay", WIDE)).code == 1
    assert gradual("fmt", "--check", "--line-length", "30", "a.relay").code == 0
    write("gradual.toml", "line-length = true\n")
    done = gradual("fmt", "a.relay")
    assert done.code == 2 and "`line-length` has to be a number of columns, not true" in done.err


def test_fmt_shows_what_would_change(gradual: Gradual, write: Write, tmp_path: Path) -> None:
    done = gradual("fmt", "--diff", write("a.relay", UGLY), write("b.relay", NEAT))
    diff = "--- a.relay\n+++ a.relay\n@@ -1,2 +1,3 @@\n-def @f(%x:int32){ // a\n-%x}\n\\ No newline at end of file\n"
    assert (done.code, done.out) == (1, diff + "+def @f(%x: int32) { // a\n+  %x\n+}\n")
    assert gradual("fmt", "--diff", "--check", "a.relay").lines[-1] == "would reformat a.relay"
    assert gradual("fmt", "--diff", "-", stdin=UGLY).lines[0] == "--- <stdin>"
    assert (tmp_path / "a.relay").read_text(encoding="utf-8") == UGLY
    assert gradual("fmt", "--diff", "b.relay").code == 0
