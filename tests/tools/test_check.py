"""`gradual check`: counts, formats, exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interrupts import heard
from tests.tools.conftest import Done, Gradual

Write = Callable[[str, str], str]

PROVED = "def @f(%x: Tensor[(n, 3), float32]) -> Tensor[(n, 3), float32] { %x }\n"
RESIDUAL = """\
def @f(%x: Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32] {
  let %y: Tensor[(7, 3), float32] = %x;
  %y
}
"""
REFUTED = """\
def @f(%x: Tensor[(n, 3), float32], %y: Tensor[(n + 1, 3), float32]) { add(%x, %y) }
"""
NEVER = """\
def @f(%x: Tensor[(5,), float32]) -> Tensor[(7,), float32] { %x }
"""


def objects(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.lines]


def of_kind(done: Done, kind: str) -> list[dict[str, Any]]:
    return [each for each in objects(done) if each["kind"] == kind]


# -------------------------------------------------------------------------------------------------- text
def test_a_proved_program_shows_its_types_and_the_totals(gradual: Gradual, write: Write) -> None:
    done = gradual("check", write("a.relay", PROVED))
    assert done.lines[0] == "@f : fn (Tensor[(n, 3), float32]) -> Tensor[(n, 3), float32]"
    assert done.lines[-1].endswith("· residual 0 · refuted 0")
    assert (done.code, done.err) == (0, "")


def test_a_residual_check_is_no_error(gradual: Gradual, write: Write) -> None:
    done = gradual("check", write("a.relay", RESIDUAL))
    assert done.code == 0
    assert "· residual 1 · refuted 0" in done.lines[-1]
    assert "E0401" not in done.out


def test_checks_shows_each_residual_check_with_its_promise(gradual: Gradual, write: Write) -> None:
    done = gradual("check", "--checks", write("a.relay", RESIDUAL))
    assert done.code == 0
    assert "note[E0401]: residual check c1: dim(%x, 0) == 7\n --> a.relay:2:" in done.out
    assert "by rule type.annotation" in done.out
    assert "= note: if it fails, blame goes to " in done.out


def test_denied_residual_checks_are_errors(gradual: Gradual, write: Write) -> None:
    done = gradual("check", "--deny", "residual", write("a.relay", RESIDUAL))
    assert done.code == 1
    assert "error[E0401]: residual check c1: dim(%x, 0) == 7" in done.out
    assert done.lines[-1].endswith("· errors 1")


def test_a_refutation_shows_the_least_counterexample_first(gradual: Gradual, write: Write) -> None:
    done = gradual("check", write("a.relay", REFUTED))
    assert done.code == 1
    notes = [line for line in done.lines if "= note:" in line]
    assert notes[0].startswith("  = note: counterexample: n = 2")


def test_concise_is_a_line_a_diagnostic(gradual: Gradual, write: Write) -> None:
    done = gradual("check", "--format", "concise", write("a.relay", NEVER))
    assert done.lines[0].startswith("a.relay:1:62: error[E0301]: ")
    assert done.lines[0].endswith(" [type.result]")
    assert len(done.lines) == 2


def test_every_line_of_a_file_is_counted_once_over_several_files(gradual: Gradual, write: Write) -> None:
    done = gradual("check", write("a.relay", RESIDUAL), write("b.relay", RESIDUAL), "a.relay")
    assert "· residual 2 ·" in done.lines[-1]
    assert [line for line in done.lines if line.endswith(".relay")] == ["a.relay", "b.relay"]


def test_a_folder_stands_for_its_programs_in_sorted_order(gradual: Gradual, write: Write) -> None:
    for name in ("p/b.relay", "p/a.relay", "p/c/d.relay", "p/e.txt"):
        write(name, PROVED)
    done = gradual("check", "p")
    assert [line for line in done.lines if line.endswith(".relay")] == ["p/a.relay", "p/b.relay", "p/c/d.relay"]


def test_a_dash_is_standard_input(gradual: Gradual) -> None:
    assert gradual("check", "-", stdin=PROVED).code == 0
    done = gradual("check", "--format", "concise", "-", stdin=NEVER)
    assert done.lines[0].startswith("<stdin>:1:62: error[E0301]")


def test_the_number_of_errors_shown_can_be_limited_but_not_their_count(gradual: Gradual, write: Write) -> None:
    text = "".join(f"def @f{k}() {{ %x }}\n" for k in range(30))
    done = gradual("check", "--format", "concise", write("a.relay", text))
    assert sum("E0202" in line for line in done.lines) == 20
    assert "10 more errors are not shown" in done.out and done.lines[-1].endswith("errors 30")
    assert sum("error[E0202" in line for line in gradual("check", "a.relay", "--max-errors", "3").lines) == 3
    assert sum("error[E0202" in line for line in gradual("check", "a.relay", "--max-errors", "0").lines) == 30


def test_quiet_shows_errors_only_and_quieter_nothing(gradual: Gradual, write: Write) -> None:
    assert gradual("check", "-q", write("a.relay", RESIDUAL)).out == ""
    done = gradual("check", "-q", write("b.relay", NEVER))
    assert done.out.startswith("error[E0301]") and "proved" not in done.out
    done = gradual("check", "-qq", "b.relay")
    assert (done.out, done.code) == ("", 1)


def test_verbose_tells_how_the_answers_were_found(gradual: Gradual, write: Write) -> None:
    done = gradual("check", "-v", write("a.relay", RESIDUAL))
    assert done.lines[-2].startswith("decided by ")


def test_annotate_prints_a_program_with_types_and_checks_beside_its_lines(gradual: Gradual, write: Write) -> None:
    done = gradual("check", "--annotate", write("a.relay", RESIDUAL))
    text = done.out.split("\n\n")[0]
    assert "// %x : Tensor[(dim(%x, 0), 3), float32]" in text.split("\n")[0]
    assert "// check c1: dim(%x, 0) == 7 [type.annotation]" in text
    again = gradual("check", write("b.relay", text))
    assert again.code == 0
    assert again.lines[0] == done.out.split("\n\n")[1].split("\n")[0]


def test_annotate_shows_known_contents(gradual: Gradual, write: Write) -> None:
    text = 'def @f(%x: Tensor[(n, 3), float32]) {\n  let %s = shape_of(%x, dtype="int64");\n  %s\n}\n'
    assert "%s : Tensor[(2,), int64] = [n, 3]" in gradual("check", "--annotate", write("a.relay", text)).out


def test_output_can_go_to_a_file(gradual: Gradual, write: Write, tmp_path: Path) -> None:
    plain = gradual("check", write("a.relay", REFUTED)).out
    done = gradual("check", "a.relay", "-o", "report.txt")
    assert (done.out, done.code) == ("", 1)
    assert (tmp_path / "report.txt").read_bytes() == plain.encode()


def test_a_file_for_a_program_never_holds_its_errors(gradual: Gradual, write: Write, tmp_path: Path) -> None:
    broken = write("a.relay", REFUTED)
    for command in (("pass", "fold-constants"), ("core",), ("alloc",)):
        done = gradual(*command, broken, "-o", "out.relay")
        assert (done.out, done.code) == ("", 1)
        assert "error[E0302]" in done.err
        assert not (tmp_path / "out.relay").exists()
    gradual("pass", "fold-constants", write("b.relay", RESIDUAL), "-o", "out.relay")
    kept = (tmp_path / "out.relay").read_bytes()
    assert kept.startswith(b"def @f")
    gradual("pass", "fold-constants", broken, "-o", "out.relay")
    assert gradual("pass", "no-such-pass", "b.relay", "-o", "out.relay").code == 2
    assert (tmp_path / "out.relay").read_bytes() == kept


# -------------------------------------------------------------------------------------------------- json
def test_json_has_functions_checks_diagnostics_and_a_summary_in_this_order(gradual: Gradual, write: Write) -> None:
    done = gradual("check", "--format", "json", write("a.relay", RESIDUAL + NEVER.replace("@f", "@g")))
    assert [each["kind"] for each in objects(done)] == ["function", "function", "check", "diagnostic", "summary"]
    assert objects(done)[0] == {
        "kind": "function",
        "name": "@f",
        "type": "fn (Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32]",
    }
    summary = objects(done)[-1]
    assert list(summary) == ["kind", "proved", "residual", "refuted", "errors", "not_empty"]
    assert (summary["residual"], summary["refuted"], summary["errors"]) == (1, 1, 1)


def test_a_check_in_json_has_its_condition_rule_span_and_blames(gradual: Gradual, write: Write) -> None:
    (check,) = of_kind(gradual("check", "--format", "json", write("a.relay", RESIDUAL)), "check")
    assert check["id"] == "c1"
    assert check["condition"] == "dim(%x, 0) == 7"
    assert check["rule"] == "type.annotation"
    start = RESIDUAL.index("%x;")
    assert check["span"] == {
        "file": "a.relay",
        "start": {"line": 2, "column": 37, "offset": start},
        "end": {"line": 2, "column": 39, "offset": start + 2},
    }
    assert all(set(blamed) == {"file", "start", "end"} for blamed in check["blames"])


def test_a_diagnostic_in_json_has_its_counterexample(gradual: Gradual, write: Write) -> None:
    (found,) = of_kind(gradual("check", "--format", "json", write("a.relay", REFUTED)), "diagnostic")
    assert (found["code"], found["severity"], found["rule"]) == ("E0302", "error", "op.broadcast.agree")
    assert found["data"]["counterexample"] == {"n": 2}
    assert found["related"] and all(set(related) == {"span", "label"} for related in found["related"])
    assert {"message", "span", "notes", "help"} <= set(found)


def test_bindings_come_only_with_annotate(gradual: Gradual, write: Write) -> None:
    assert not of_kind(gradual("check", "--format", "json", write("a.relay", RESIDUAL)), "binding")
    found = of_kind(gradual("check", "--format", "json", "--annotate", "a.relay"), "binding")
    assert {"function", "name", "type", "span"} <= set(found[0])
    assert {(each["function"], each["name"], each["type"]) for each in found} >= {
        ("@f", "%x", "Tensor[(dim(%x, 0), 3), float32]"),
        ("@f", "%y", "Tensor[(7, 3), float32]"),
    }


def test_json_shows_every_error_unless_told_otherwise(gradual: Gradual, write: Write) -> None:
    text = "".join(f"def @f{k}() {{ %x }}\n" for k in range(30))
    assert len(of_kind(gradual("check", "--format", "json", write("a.relay", text)), "diagnostic")) == 30


# ------------------------------------------------------------------------------------------- every input
@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"/* \xff */", b"def @f", b"\x00", b"\xef\xbb\xbfdef @f() { 1 }", b"(" * 400]
)
def test_every_byte_sequence_gives_a_result_or_a_diagnostic(gradual: Gradual, data: bytes) -> None:
    done = gradual("check", "--format", "json", "-", stdin=data)
    summary = objects(done)[-1]
    assert summary["kind"] == "summary"
    assert done.code == (1 if summary["errors"] else 0)
    assert done.err == ""


def test_bytes_that_are_no_text_are_pointed_at(gradual: Gradual) -> None:
    (found,) = of_kind(gradual("check", "--format", "json", "-", stdin=b"def\n \xc3\xa9 \xff"), "diagnostic")
    assert found["code"] == "E0102"
    assert found["span"]["start"] == {"line": 2, "column": 4, "offset": 7}


def test_a_byte_order_mark_does_not_move_columns(gradual: Gradual) -> None:
    assert gradual("check", "--format", "concise", "-", stdin=b"\xef\xbb\xbf" + NEVER.encode()).out.startswith(
        "<stdin>:1:62:"
    )


@pytest.mark.parametrize("arguments", [["check"], ["check", "nowhere.relay"], ["check", "."], ["check", "--frob", "x"]])
def test_usage_and_unreadable_files_are_exit_2_and_leave_standard_output_pure(
    gradual: Gradual, arguments: list[str]
) -> None:
    done = gradual(*arguments, "--format", "json")
    assert (done.code, done.out) == (2, "")
    assert done.err


# ------------------------------------------------------------------------------------------------ colour
def test_colour_is_for_terminals_unless_asked_for(
    gradual: Gradual, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = gradual("check", write("a.relay", NEVER)).out
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[E0301]\x1b[0m" in gradual("check", "a.relay", "--color", "always").out
    assert "\x1b" in gradual("--color", "always", "check", "a.relay").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in gradual("check", "a.relay").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert gradual("check", "a.relay").out == plain


def test_the_time_is_told_to_a_person_only(gradual: Gradual, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = gradual("check", write("a.relay", PROVED)).lines[-1]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    timed = gradual("check", "a.relay", "--color", "never").lines[-1]
    assert re.fullmatch(re.escape(plain) + r"   in \d+\.\d\d s", timed)


@pytest.mark.slow
def test_output_is_the_same_to_the_byte_whatever_the_hash_seed(write: Write, tmp_path: Path) -> None:
    write("a.relay", RESIDUAL + REFUTED.replace("@f", "@g"))
    seen = set()
    for seed in ("0", "1", "77"):
        command = [sys.executable, "-m", "gradual", "check", "--checks", "--annotate", "-v", "a.relay"]
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        seen.add(subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False).stdout)
    assert len(seen) == 1


# -------------------------------------------------------------------------------------------------- what is open
OPEN = """\
type List[A] { Cons(A, List[A]), Nil }
def @main(%x: Tensor[(?, 784), float32], %y: Tensor[*, float32], %m: Tensor[(n,), bool], %k: int64) {
  let %a = nn.relu(%x);
  let %b = argwhere(%m);
  let %c = arange(0i64, %k, 1i64);
  let %d = (shape_of(%y), reshape(%y, newshape=[-1]));
  let %e = Cons(%a, Nil);
  (%e, @forgets(%m))
}
def @forgets(%m: Tensor[(n,), bool]) -> Tensor[(?,), bool] {
  let %f = fn (%z: Tensor[(?,), bool]) { %z };
  logical_not(%m)
}
def @complete(%x: Tensor[(n, 3), float32], %g: fn (Tensor[(n, 3), float32]) -> Tensor[(n, 3), float32]) {
  if (n > 3) { concatenate((%x, %g(%x))) } else { concatenate((%x, %x)) }
}
"""


def test_require_complete_tells_each_unknown_once_where_it_was_left_open(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", OPEN)
    assert gradual("check", path).code == 0
    done = gradual("check", path, "--require-complete", "--allow", "lints", "--format", "json")
    assert done.code == 1
    lines = OPEN.splitlines()
    told = {
        row["message"]: (
            lines[row["span"]["start"]["line"] - 1][slice(*columns(row))],
            row["rule"],
            row["data"]["names"],
        )
        for row in of_kind(done, "diagnostic")
    }
    assert told == {
        "the size `dim(%x, 0)` is not known in `@main`": ("?", "type.open", ["%x", "%a"]),
        "the rank of `%y` is not known in `@main`": ("Tensor[*, float32]", "type.unranked", ["%y", "%d"]),
        "the size `dim(%b, 0)` is not known in `@main`": ("argwhere(%m)", "type.open", ["%b"]),
        "the element `%k` is not known in `@main`": ("int64", "type.contents", ["%c"]),
        "a size in the type of `%e` is not known in `@main`": ("%e", "type.open", ["%e", "result"]),
        "the size `dim(%_6, 0)` is not known in `@main`": ("@forgets(%m)", "type.open", ["result"]),
        "a size in the type of `%f` is not known in `@forgets`": ("%f", "type.open", ["%f"]),
        "the size `dim(%z, 0)` is not known in `@forgets`": ("?", "type.open", ["%z"]),
        "a size of the result is not known in `@forgets`": ("Tensor[(?,), bool]", "type.close", []),
    }


def columns(row: dict[str, Any]) -> tuple[int, int]:
    return row["span"]["start"]["column"] - 1, row["span"]["end"]["column"] - 1


def test_require_complete_offers_a_name_that_was_tried(gradual: Gradual, write: Write) -> None:
    """Where a size is demanded, a name would be wrong at all others."""
    helps = {}
    for name, text in (
        ("open", "def @f(%x: Tensor[(?, 3), float32], %y: Tensor[(n,), float32]) { (%x, %y) }"),
        ("demanded", "def @f(%x: Tensor[(?, 3), float32]) { %x as Tensor[(7, 3), float32] }"),
        ("head", "def @f(%x: Tensor[(n, ?), float32], %y: Tensor[(4, m), float32]) { add(%x, %y) }"),
    ):
        rows = of_kind(
            gradual("check", write(f"{name}.relay", text), "--require-complete", "--format", "json"), "diagnostic"
        )
        helps[name] = [help["text"] for row in rows for help in row["help"]]
    assert helps == {"open": ["give it a name: writing m for this `?` is accepted"], "demanded": [], "head": []}


def test_require_complete_asks_nothing_of_what_is_refused(gradual: Gradual, write: Write) -> None:
    done = gradual("check", write("a.relay", NEVER + "def @g(%x: Tensor[*, float32]) { %x }"), "--require-complete")
    assert done.code == 1
    assert "E0407" not in done.out


# -------------------------------------------------------------------------------------------------- side by side
@pytest.mark.parametrize("format", ["full", "concise", "json", "sarif", "github", "junit"])
def test_files_checked_side_by_side_are_told_in_order(gradual: Gradual, write: Write, format: str) -> None:
    for name, text in (("a", REFUTED), ("b", PROVED), ("c", RESIDUAL), ("d", NEVER), ("e", "def @f( {")):
        write(f"{name}.relay", text)
    Path("f.relay").write_bytes(b"\xff")
    one, many = (gradual("check", ".", "--format", format, "--jobs", jobs) for jobs in ("1", "3"))
    assert many == one
    assert one.code == 1


def test_troubles_beside_are_troubles(gradual: Gradual, write: Write) -> None:
    write("a.relay", PROVED)
    write("b.relay", PROVED)
    one, many = (gradual("check", ".", "--require-static", "--entry", "@g", "--jobs", jobs) for jobs in ("1", "2"))
    assert (many.code, many.err) == (one.code, one.err) == (2, one.err)
    assert "has no function `@g`" in many.err


# ---------------------------------------------------------------------------------------------------- again and again
def test_watching_checks_again_when_a_file_changes(tmp_path: Path) -> None:
    file, folder = tmp_path / "in" / "a.relay", tmp_path / "in"
    folder.mkdir()
    file.write_text(PROVED)
    command = [sys.executable, "-m", "gradual", "check", "--watch", "--format", "concise", str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, preexec_fn=heard) as child:
        try:
            assert child.stdout is not None
            assert child.stderr is not None
            assert child.stdout.readline() == "proved 2 · residual 0 · refuted 0\n"
            (tmp_path / "b.relay").write_text(NEVER)
            (tmp_path / "b.relay").replace(file)
            assert "error[E0301]" in child.stdout.readline()
            assert child.stdout.readline().endswith("errors 1\n")
            file.unlink()
            endings = "`.relay` or `.rly` or `.onnx` or `.pt2` or `.graphdef` or `.pb`"
            assert f"no {endings} file under" in child.stderr.readline()
            (tmp_path / "b.relay").write_text(PROVED)
            (tmp_path / "b.relay").replace(folder / "b.relay")
            assert child.stdout.readline() == "proved 2 · residual 0 · refuted 0\n"
            child.send_signal(signal.SIGINT)
            assert child.wait(30) == 130
        finally:
            child.kill()


@pytest.mark.parametrize("arguments", [["-"], ["a.relay", "-o", "b.txt"]])
def test_watching_goes_with_files_and_the_screen(gradual: Gradual, write: Write, arguments: list[str]) -> None:
    write("a.relay", PROVED)
    done = gradual("check", "--watch", *arguments)
    assert (done.code, "--watch follows files" in done.err) == (2, True)


def test_what_cannot_be_looked_at_is_told(gradual: Gradual) -> None:
    done = gradual("check", "x" * 300 + ".relay")
    assert (done.code, "error[E0701]: cannot read" in done.err) == (2, True)
