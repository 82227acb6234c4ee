"""The notebook extension, in IPython's own shell; the example notebook gives the outputs that it shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import gradual
from gradual.tools.notebook import plan_html, tensor_html

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOK = EXAMPLES / "shapes.ipynb"
PROGRAM = 'def @f(%x: Tensor[(n, ?), float32]) { nn.dense(%x, ones(shape=[10, 784], dtype="float32")) }'


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A shell before the extension is loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    (tmp_path / "examples").symlink_to(EXAMPLES)
    InteractiveShell.clear_instance()
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


@pytest.fixture
def shell(plain: InteractiveShell) -> InteractiveShell:
    plain.run_line_magic("load_ext", "gradual")
    return plain


def said(shell: InteractiveShell, cell: str) -> tuple[Any, str]:
    """The value of a cell, and what was printed."""
    with capture_output() as told:
        done = shell.run_cell(cell)
    return done.result, told.stdout + told.stderr


def test_a_cell_is_a_program(shell: InteractiveShell) -> None:
    found, _ = said(shell, f"%%relay net\n{PROGRAM}")
    assert found is shell.user_ns["net"]
    assert found.residual == 1
    assert said(shell, "net.run('@f', [[0.5] * 784]).shape")[0] == (1, 10)
    assert said(shell, f"%%relay\n{PROGRAM}")[0].source.name == "<cell>"


def test_a_file_is_a_program_or_a_model(shell: InteractiveShell) -> None:
    found, _ = said(shell, "%check examples/encoder.pt2 encoder --where 'tokens <= 16' --name ids_1=tokens --no-smt")
    assert found is shell.user_ns["encoder"]
    assert "tokens <= 16" in found.types["@main"]
    assert said(shell, "%check examples/head.relay")[0].residual == 1


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("%check", "the following arguments are required: path"),
        ("%check missing.relay", "cannot read `missing.relay`: No such file or directory"),
        ("%check examples/head.relay 3x", "`3x` is no name of a variable"),
        ("%check examples/head.relay --name x", "--name takes SIZE=NAME"),
        ("%check 'examples", "No closing quotation"),
        ("%%relay a b\ndef @f() { 1 }", "unrecognized arguments: b"),
    ],
)
def test_a_mistake_is_told_without_a_traceback(shell: InteractiveShell, cell: str, says: str) -> None:
    found, told = said(shell, cell)
    assert found is None
    assert told.startswith("UsageError: ") and says in told
    assert "Traceback" not in told


def test_errors_of_a_program_are_its_report(shell: InteractiveShell) -> None:
    found, _ = said(shell, "%%relay\ndef @f(%x: Tensor[(5,), float32]) -> Tensor[(7,), float32] { %x }")
    assert not found.ok and "E0301" in str(found)


def test_tensors_are_tables() -> None:
    html = tensor_html(gradual.Tensor([[1.5] * 20] * 30))
    assert html is not None
    assert html.count("<tr>") == 21 and html.count("1.5") == 240 and "Tensor[(30, 20), float32]" in html
    assert (tensor_html(gradual.Tensor([1, 2])) or "").count("<td") == 2
    assert tensor_html(gradual.Tensor(1.0)) is tensor_html(gradual.Tensor([[[1]]])) is None
    assert tensor_html(gradual.Tensor([], "float32", (0, 3))) is None


def test_plans_are_pictures() -> None:
    found = gradual.check("def @f(%x: Tensor[(64,), float32]) { nn.relu(exp(%x)) }")
    assert (plan_html(found.plan("@f")) or "").startswith("<svg ")
    found = gradual.check("def @f(%x: Tensor[(n,), float32]) { nn.relu(exp(%x)) }")
    assert plan_html(found.plan("@f")) is None


def test_the_example_notebook_shows_what_its_cells_give(plain: InteractiveShell) -> None:
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            value, told = said(plain, "".join(cell["source"]))
            assert outputs(plain, value, told) == cell["outputs"], cell["source"]


def outputs(shell: InteractiveShell, value: object, told: str) -> list[dict[str, Any]]:
    """The outputs of a cell as a notebook holds them."""
    if value is None:
        return [{"name": "stdout", "output_type": "stream", "text": told.splitlines(True)}] if told else []
    data, _ = shell.display_formatter.format(value, include={"text/plain", "text/html"})  # type: ignore[union-attr]
    lines = {kind: text.splitlines(True) for kind, text in sorted(data.items())}
    return [{"data": lines, "execution_count": None, "metadata": {}, "output_type": "execute_result"}]
