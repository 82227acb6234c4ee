"""Where reports on a model point: to the lines of the user's Python program, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.importers.torch.composing import node, number, pt2, ref, tensor
from tests.tools.conftest import Done, Gradual

TRACE = (
    'File "net/model.py", line 40, in forward\n    return self.head(x)\n'
    '  File "site-packages/torch/nn/modules/module.py", line 1751, in _wrapped_call_impl\n    return call(x)\n'
    '  File "net/head.py", line 7, in forward\n    return x[:, : self.n] + w\n'
    '  File "site-packages/torch/nn/functional.py", line 9, in add\n    return f(x)'
)


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model whose sum has operands that differ for some sizes."""
    inputs = {"x": tensor("n", 4), "w": tensor("m", 4), "k": "k"}
    nodes = [
        node("aten.slice.Tensor", {"part": tensor("u0", 4)}, self=ref("x"), dim=0, end=number("k")),
        node("aten.add.Tensor", {"y": tensor("n", 4)}, self=ref("x"), other=ref("w"), trace=TRACE),
    ]
    made = pt2(tmp_path / "net.pt2", inputs=inputs, nodes=nodes, outputs=[ref("y"), ref("part")])
    return made.name


def form_of(done: Done) -> Any:
    return json.loads(done.out)


def test_the_report_shows_the_line_and_names_the_node(gradual: Gradual, model: str) -> None:
    done = gradual("check", model)
    assert done.code == 1
    assert "--> net/head.py:7:5\n" in done.out and "7 |     return x[:, : self.n] + w" in done.out
    assert "the model's node is aten.add.Tensor `y`: y = aten.add.Tensor(self=x, other=w)" in done.out
    assert "site-packages" not in done.out and "let %y" not in done.out


def test_on_request_the_generated_text_is_shown(gradual: Gradual, model: str) -> None:
    done = gradual("check", "-v", model)
    assert "net.pt2:3:" in done.out and "let %y = add(%x, %w);" in done.out


def test_a_line_of_python_is_followed_by_the_name_of_the_model(gradual: Gradual, model: str) -> None:
    first = gradual("check", "--format", "concise", model).lines[0]
    assert first.startswith("net/head.py:7:5: error[E0402]: ") and first.endswith("] in net.pt2")


def test_labels_name_the_operands_and_the_operators_of_the_model(gradual: Gradual, tmp_path: Path) -> None:
    inputs = {"x": tensor("n", "m", 4), "w": tensor("n", "m", 4)}
    joined = {"lanes": tensor("2*n", "2*m", 4)}
    nodes = [
        node("aten.cat.default", {"rows": tensor("2*n", "m", 4)}, tensors=[ref("x"), ref("x")], dim=0),
        node("aten.cat.default", joined, tensors=[ref("rows"), ref("rows")], dim=1, trace=TRACE),
        node("aten.add.Tensor", {"y": tensor("n", "m", 4)}, self=ref("lanes"), other=ref("w"), trace=TRACE),
    ]
    pt2(tmp_path / "m.pt2", inputs=inputs, nodes=nodes, outputs=[ref("y")])
    out = gradual("check", "m.pt2").out
    assert "dimension 0 of `lanes` is 2 * x_0; dimension 1 is 2 * x_1\n" in out
    assert "dimension 0 of `w` is x_0\n" in out and "2 * x_1 is made by `aten.cat.default` here\n" in out


def test_each_object_has_the_node_and_all_frames_of_the_user(gradual: Gradual, model: str) -> None:
    rows = [json.loads(line) for line in gradual("check", "--format", "json", model).lines]
    (row,) = [row for row in rows if row["kind"] == "diagnostic" and row["severity"] == "error"]
    assert row["span"]["origin"] == {
        "node": "aten.add.Tensor `y`",
        "text": "y = aten.add.Tensor(self=x, other=w)",
        "value": "y",
        "module": "",
        "frames": [
            {"file": "net/model.py", "line": 40, "function": "forward", "text": "    return self.head(x)"},
            {"file": "net/head.py", "line": 7, "function": "forward", "text": "    return x[:, : self.n] + w"},
        ],
    }


def test_an_annotation_marks_the_line_of_the_python_program(gradual: Gradual, model: str) -> None:
    (line,) = [one for one in gradual("check", "--format", "github", model).lines if one.startswith("::error")]
    assert line.startswith("::error file=net/head.py,line=7,col=5,endLine=7,endColumn=30,title=E0402 ")


def test_a_result_is_at_the_line_and_at_the_node(gradual: Gradual, model: str) -> None:
    (run,) = form_of(gradual("check", "--format", "sarif", model))["runs"]
    (result,) = [one for one in run["results"] if one["level"] == "error"]
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "net/head.py"},
        "region": {"startLine": 7, "startColumn": 5, "endLine": 7, "endColumn": 30},
    }
    assert place["logicalLocations"] == [{"name": "aten.add.Tensor `y`", "fullyQualifiedName": "y"}]
    assert "fixes" not in result


def test_a_node_without_frames_is_a_place_in_the_model(gradual: Gradual, tmp_path: Path) -> None:
    inputs = {"x": tensor("n"), "w": tensor("m")}
    nodes = [node("aten.add.Tensor", {"y": tensor("n")}, self=ref("x"), other=ref("w"))]
    pt2(tmp_path / "bare.pt2", inputs=inputs, nodes=nodes, outputs=[ref("y")])
    line = gradual("check", "--format", "github", "bare.pt2").lines[0]
    assert line.startswith("::error file=bare.pt2,title=E0302 ")
    (run,) = form_of(gradual("check", "--format", "sarif", "bare.pt2"))["runs"]
    (place,) = run["results"][0]["locations"]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": "bare.pt2"}}
    assert "--> bare.pt2: aten.add.Tensor `y`" in gradual("check", "bare.pt2").out


def test_what_is_not_imported_has_its_line_and_its_module(gradual: Gradual, tmp_path: Path) -> None:
    inputs = {"x": tensor("n")}
    nodes = [node("aten.add_.Tensor", {"z": tensor("n")}, self=ref("x"), other=1, trace=TRACE)] * 2
    nodes[1] = node("aten.add_.Tensor", {"v": tensor("n")}, self=ref("z"), other=1)
    nodes[0].form["metadata"]["nn_module_stack"] = "L__self___net_head,net.head,net.Head"
    pt2(tmp_path / "odd.pt2", inputs=inputs, nodes=nodes, outputs=[ref("v")])
    told = gradual("check", "odd.pt2").err
    assert "`odd.pt2`: aten.add_.Tensor `z` at net/head.py:7 in module `net.head` and 1 more: an operator" in told


def test_a_node_without_frames_is_at_the_line_of_the_nearest_that_it_uses(gradual: Gradual, tmp_path: Path) -> None:
    inputs = {"x": tensor("n"), "w": tensor("m")}
    far, near = (TRACE.replace("line 7", f"line {line}") for line in (1, 2))
    nodes = [
        node("aten.relu.default", {"a": tensor("n")}, self=ref("x"), trace=far),
        node("aten.neg.default", {"b": tensor("n")}, self=ref("a")),
        node("aten.abs.default", {"c": tensor("m")}, self=ref("w"), trace=near),
        node("aten.add.Tensor", {"y": tensor("n")}, self=ref("b"), other=ref("c")),
    ]
    pt2(tmp_path / "bare.pt2", inputs=inputs, nodes=nodes, outputs=[ref("y")])
    done = gradual("check", "bare.pt2")
    assert "--> net/head.py:2:5" in done.out
    assert "note: no line is recorded for this node; that of `c`, which it uses, is shown" in done.out


def test_what_is_not_imported_and_what_is_no_archive_are_errors_of_their_own(gradual: Gradual, tmp_path: Path) -> None:
    inputs = {"x": tensor("n")}
    nodes = [
        node("own.f.default", {"y": tensor("n")}, x=ref("x")),
        node("aten.add_.Tensor", {"z": tensor("n")}, self=ref("y"), other=1),
    ]
    pt2(tmp_path / "odd.pt2", inputs=inputs, nodes=nodes, outputs=[ref("z")])
    done = gradual("check", "odd.pt2")
    assert done.code == 2 and "own.f.default `y`: an operator that is not imported" in done.err
    assert "aten.add_.Tensor `z`: an operator in place; save `exported.run_decompositions({})` instead" in done.err
    (tmp_path / "none.pt2").write_bytes(b"PK\x03\x04")
    assert "E0703" in gradual("check", "none.pt2").err
