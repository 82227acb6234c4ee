"""`gradual shape-function`: what is printed, what it says of `gradual alloc`, and what is refused."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.importers.models import model, node, ones, port
from tests.material import ROOT
from tests.shape_functions.forms import COMPILER, FLAGS, needs_compiler
from tests.tools.conftest import Gradual

Write = Callable[[str, str], str]

CHAIN = """def @main(%x: Tensor[(n, 16), float32], %y: Tensor[(?,), float32]) {
  let %a = exp(%x);
  let %b = negative(%a);
  (tanh(%b), %y as Tensor[(3,), float32])
}
"""


def module(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {"__name__": "shapes"}
    exec(compile(text, "shapes.py", "exec"), found)
    return found


def test_a_program_of_the_language_checks_and_asserts(gradual: Gradual, write: Write) -> None:
    done = gradual("shape-function", write("a.relay", CHAIN), "--lang", "relay", "-o", "shapes.relay")
    assert (done.code, done.out, done.err) == (0, "", "")
    checked = gradual("check", "shapes.relay")
    assert (checked.code, checked.lines[-1]) == (0, "proved 4 · residual 3 · refuted 0")
    given = [{"dtype": "int64", "shape": [len(one)], "data": one} for one in ([5, 16], [3])]
    Path("given.json").write_text(json.dumps(given))
    ran = gradual("run", "shapes.relay", "--entry", "@a_shapes", "--args", "given.json", "--format", "json")
    shapes, offsets, sizes, arena = json.loads(ran.out)["value"]["tuple"]
    assert [one["data"] for one in shapes["tuple"]] == [[5, 16], [3]]
    assert (offsets["data"], sizes["data"], arena["data"]) == ([0, 320, 0], [320, 320, 320], [640])
    given[1]["data"] = [4]
    Path("given.json").write_text(json.dumps(given))
    failed = gradual("run", "shapes.relay", "--entry", "@a_shapes", "--args", "given.json")
    assert failed.code == 1
    assert "c1 at a.relay:4:14: dimension 0 of the cast does not fit; required: dim(%y, 0) == 3" in failed.out


def test_a_module_of_python_gives_shapes_or_tells_the_need(gradual: Gradual, write: Write) -> None:
    found = module(gradual("shape-function", write("a.relay", CHAIN), "--lang", "python").out)
    assert found["shapes"]((5, 16), (3,)) == (((5, 16), (3,)), ((0, 320), (320, 320), (0, 320)), 640)
    assert found["BUFFERS"] == (("%a", "exp", True), ("%b", "negative", True), ("%_1", "tanh", True))
    with pytest.raises(found["NeedFails"]) as failed:
        found["shapes"]((5, 16), (4,))
    assert str(failed.value) == (
        "c1 at a.relay:4:14: dimension 0 of the cast does not fit; required: dim(%y, 0) == 3, by rule type.cast"
    )
    assert failed.value.need.blamed == "the cast, in `@main`"


def test_it_says_what_the_plan_says(gradual: Gradual, write: Write) -> None:
    path = write("a.relay", CHAIN)
    rows = [json.loads(line) for line in gradual("alloc", path, "--format", "json", "--bind", "n=7").lines]
    slots = [row["offset"] for row in rows if row["kind"] == "slot"]
    planned = tuple((slots[row["slot"]], row["bytes"]) for row in rows if row["kind"] == "buffer")
    found = module(gradual("shape-function", path, "--lang", "python").out)["shapes"]((7, 16), (3,))
    assert (found.buffers, found.arena) == (planned, rows[0]["peak"])


def test_a_model_is_taken_without_its_weights(gradual: Gradual, tmp_path: Path) -> None:
    multiplied = node("MatMul", "x w", "y")
    made = model([multiplied], [port("x", ("n", 3))], [port("y", ("n", 4))], {"w": ones(3, 4)})
    (tmp_path / "model.onnx").write_bytes(made.SerializeToString())
    done = gradual("shape-function", "model.onnx", "--lang", "python")
    assert module(done.out)["shapes"]((5, 3)).results == ((5, 4),)
    done = gradual("shape-function", "model.onnx", "--lang", "c")
    assert done.code == 0 and "static inline int model_shapes(const model_inputs *in, model_outputs *out) {" in done.out


@pytest.mark.parametrize(
    ("text", "words", "code", "says"),
    [
        (CHAIN, ["--lang", "rust"], 2, "'rust' is not one of 'relay', 'python', 'c'"),
        (CHAIN, [], 2, "Missing option '--lang'"),
        (CHAIN, ["--lang", "c", "--entry", "@f"], 2, "has no function `@f`; it has @main"),
        ("def @main(%x: Tensor[*, int8]) { %x }", ["--lang", "c"], 2, "`%x` of `@main` has any rank"),
        ("def @main(%x: int8) { %y }", ["--lang", "c"], 1, ""),
    ],
)
def test_what_it_refuses(gradual: Gradual, write: Write, text: str, words: list[str], code: int, says: str) -> None:
    done = gradual("shape-function", write("a.relay", text), *words)
    assert done.code == code and says in done.err
    assert "unknown variable `%y`" in done.out if code == 1 else done.out == ""


@needs_compiler
@pytest.mark.parametrize(
    ("width", "says"), [("784", "(100, 10) in 4032 bytes\n"), ("783", "contracted dimensions differ")]
)
def test_the_program_of_c_that_is_shown_prints_what_is_said(
    gradual: Gradual, tmp_path: Path, width: str, says: str
) -> None:
    page = (ROOT / "docs" / "how-to" / "compute-shapes-elsewhere.md").read_text("utf-8")
    _, _, program = page.partition("```c\n")
    (tmp_path / "main.c").write_text(program.partition("```")[0].replace("100, 784", f"100, {width}"))
    gradual("shape-function", str(ROOT / "examples" / "head.relay"), "--lang", "c", "-o", "head.h")
    command = [COMPILER or "", *FLAGS, "-o", "main", "main.c"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    ran = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert says in ran.stdout and ran.stdout.strip().removeprefix(f"{ROOT}/") in page
