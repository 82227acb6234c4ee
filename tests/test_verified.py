"""The verified checker: it is extracted, it answers, and none of its answers is wrong.

The build takes half a minute, so that only `make check` runs these tests.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.material import ROOT

HERE = ROOT / "spec" / "mechanized" / "checker"
needs_tools = pytest.mark.skipif(
    shutil.which("coqc") is None or shutil.which("ocamlopt") is None,
    reason="no coqc or no ocamlopt: the verified checker is not built",
)
pytestmark = [pytest.mark.slow, pytest.mark.rest, needs_tools]

SUITES = ("dims", "calls", "branches", "inference", "functions", "pitfalls", "acceptance", "operators-contracting")
FIRST = """def @first(%x: Tensor[(n, 3), float32], %w: Tensor[(5, 3), float32]) -> Tensor[(n, 5), float32] {
  nn.dense(%x, %w)
}
"""


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extracted checker, built in a folder of its own."""
    place = tmp_path_factory.mktemp("verified")
    done = subprocess.run([str(HERE / "build"), str(place)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return place / "checker"


def said(checker: Path, program: str) -> str:
    """The checker's answer to one program."""
    done = subprocess.run([str(checker)], input=f"{program}\n", capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


def dense(rows: str, result: str) -> str:
    """A definition that applies `nn.dense` to a matrix with these sizes, with float32 as 11."""
    takes = f"(pair (t {rows} 11) (pair (t (5 3) 11) (unit)))"
    body = "(op 1 (dense (11) none) () (cons (var 0) (cons (var 1) (nil))))"
    return f"((def 1 {takes} () {body} (t {result} 11) 2))"


@pytest.mark.parametrize(
    ("rows", "result", "answer"),
    [
        ("((v 0) 3)", "((v 0) 5)", "accepted"),
        ("((v 0) ?)", "((v 0) 5)", "accepted 1"),
        ("((v 0) 4)", "((v 0) 5)", "rejected refuted at 1"),
        ("((v 0) 3)", "(7 5)", "rejected by a counterexample"),
        ("((v 0) ?)", "(7 5)", "accepted 1 2"),
        ("((v 0))", "((v 0) 5)", "rejected ill-formed at 2"),
    ],
    ids=["proved", "left", "refuted", "strict", "gradual", "wrong rank"],
)
def test_the_checker_answers(rows: str, result: str, answer: str, checker: Path) -> None:
    assert said(checker, dense(rows, result)) == answer


def test_what_is_malformed_is_no_answer(checker: Path) -> None:
    assert said(checker, "((def 1").startswith("malformed")
    assert said(checker, "((fun))").startswith("malformed")


def test_no_answer_about_the_suite_is_wrong(checker: Path) -> None:
    adapter = f"{sys.executable} {HERE / 'adapter.py'} {checker}"
    files = [f"conformance/{suite}.md" for suite in SUITES]
    command = [sys.executable, "-m", "gradual", "conformance", "run", "--adapter", adapter, *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)
    last = done.stdout.splitlines()[-1]
    assert done.returncode == 0, done.stdout[-3000:]
    counts = dict(part.strip().rsplit(" ", 1) for part in last.split(": ", 1)[1].split(" · "))
    assert int(counts["pass"]) >= 40, last
    assert {counts[kind] for kind in ("fail", "crash", "timeout", "protocol error")} == {"0"}, last
