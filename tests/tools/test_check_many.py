"""`gradual check` over many files: each has its row, in order, whatever happens to another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from gradual.interface.input.files import Absent, Text
from gradual.limits import Options
from gradual.source import Source
from gradual.tools.checking import checking_many
from gradual.tools.checking.checking_many import checked_all
from gradual.tools.checking.results import Outcome, Wanted
from tests.tools.conftest import Done, Gradual
from tests.tools.test_check import NEVER, PROVED, RESIDUAL, of_kind


def model(operator: str, domain: str = "") -> bytes:
    """A model of one operator."""
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3]) for name in "xy"]
    nodes = [helper.make_node(operator, ["x"], ["y"], domain=domain)]
    opsets = [helper.make_opsetid("", 17), *([helper.make_opsetid(domain, 1)] if domain else [])]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:])
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())


FILES: dict[str, tuple[bytes | None, Outcome]] = {
    "proved.relay": (PROVED.encode(), Outcome.OK),
    "residual.relay": (RESIDUAL.encode(), Outcome.OK),
    "refuted.relay": (NEVER.encode(), Outcome.ERRORS),
    "syntax.relay": (b"def @f( {", Outcome.ERRORS),
    "bytes.relay": (b"\xff\xfe", Outcome.ERRORS),
    "missing.relay": (None, Outcome.UNREADABLE),
    "missing.onnx": (None, Outcome.UNREADABLE),
    "good.onnx": (model("Relu"), Outcome.OK),
    "junk.onnx": (b"no model", Outcome.UNREADABLE),
    "empty.onnx": (b"", Outcome.UNREADABLE),
    "unknown.onnx": (model("Unheard", "com.microsoft"), Outcome.UNSUPPORTED),
}
WORST = {Outcome.OK: 0, Outcome.ERRORS: 1, Outcome.UNREADABLE: 2, Outcome.UNSUPPORTED: 2}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, (data, _) in FILES.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
    return tmp_path


def rows(done: Done) -> list[dict[str, Any]]:
    """The rows of a report, all of which are JSON."""
    return [json.loads(line) for line in done.lines]


def by_file(done: Done) -> list[list[dict[str, Any]]]:
    """The rows up to each file's own, without the summary."""
    found: list[list[dict[str, Any]]] = [[]]
    for row in rows(done)[:-1]:
        found[-1].append(row)
        if row["kind"] == "file":
            found.append([])
    return found[:-1]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.sampled_from(list(FILES)), min_size=2, max_size=6, unique=True))
def test_each_of_several_files_is_told_as_if_it_were_alone(gradual: Gradual, files: Path, names: list[str]) -> None:
    done = gradual("check", "--format", "json", *names)
    blocks = by_file(done)
    assert [block[-1]["file"] for block in blocks] == names
    assert [block[-1]["outcome"] for block in blocks] == [FILES[name][1] for name in names]
    for name, block in zip(names, blocks, strict=True):
        alone = gradual("check", "--format", "json", name)
        if FILES[name][1] in (Outcome.OK, Outcome.ERRORS):
            assert block[:-1] == rows(alone)[:-1]
        else:
            assert alone.code == 2 and alone.out == ""
            said = [line for line in alone.err.splitlines() if line]
            assert said == [f"error[{row['code']}]: {row['message']}" for row in block[:-1]]
            assert set(said) <= set(done.err.splitlines())
    summary = rows(done)[-1]
    for count in ("proved", "residual", "refuted", "errors"):
        assert summary[count] == sum(block[-1][count] for block in blocks)
    assert summary["errors"] == sum(row.get("severity") == "error" for row in rows(done))
    assert summary.get("unchecked", 0) == sum(WORST[FILES[name][1]] == 2 for name in names)
    assert done.code == max(WORST[FILES[name][1]] for name in names)


@pytest.mark.parametrize("format", ["full", "concise", "json", "sarif", "github", "junit"])
def test_every_format_tells_every_file_side_by_side_as_one_by_one(gradual: Gradual, files: Path, format: str) -> None:
    one, many = (gradual("check", *FILES, "--format", format, "--jobs", jobs) for jobs in ("1", "3"))
    assert many == one
    assert one.code == 2
    for name, (_, outcome) in FILES.items():
        if outcome is not Outcome.OK or format in ("full", "json", "junit"):
            assert name in one.out, name
    if format in ("full", "concise", "github"):
        assert one.lines[-1].endswith("· not checked 5")


def test_a_folder_stands_for_its_programs_and_models(gradual: Gradual, files: Path) -> None:
    (files / "in" / ".hidden").mkdir(parents=True)
    for place in ("in/z.onnx", "in/.hidden/a.onnx", "in/x.txt"):
        (files / place).write_bytes(model("Relu"))
    (files / "in" / "a.relay").write_text(PROVED)
    done = gradual("check", "in", "--format", "json")
    assert [block[-1]["file"] for block in by_file(done)] == ["in/a.relay", "in/z.onnx"]
    (files / "empty").mkdir()
    done = gradual("check", "empty", "in", "nowhere", "--format", "json")
    outcomes = [(block[-1]["file"], block[-1]["outcome"]) for block in by_file(done)]
    assert outcomes == [("empty", "unreadable"), ("in/a.relay", "ok"), ("in/z.onnx", "ok"), ("nowhere", "unreadable")]


def test_a_function_that_some_lack_ends_no_run(gradual: Gradual, files: Path) -> None:
    (files / "g.relay").write_text("def @g(%x: Tensor[(3,), float32]) { %x }\n")
    done = gradual("check", "proved.relay", "g.relay", "--require-static", "--entry", "@g", "--format", "json")
    assert [block[-1]["outcome"] for block in by_file(done)] == ["unreadable", "ok"]
    assert "`proved.relay` has no function `@g`; it has @f" in done.err and done.code == 2


def test_standard_input_is_one_of_several(gradual: Gradual, files: Path) -> None:
    for jobs in ("1", "2"):
        done = gradual("check", "-", "proved.relay", "--format", "json", "--jobs", jobs, stdin=NEVER)
        assert [block[-1]["file"] for block in by_file(done)] == ["<stdin>", "proved.relay"]
        assert done.code == 1


# ---------------------------------------------------------------------------------------------- what ends a process
WANTED = Wanted("json", False, False, None, Options())


def text(name: str) -> Text:
    return Text(Source(name, PROVED), None)


class Deadly(Text):
    """A text that ends the process that is given it."""

    def __reduce__(self) -> tuple[Callable[[int], Any], tuple[int]]:
        return os._exit, (1,)


def test_a_file_that_ends_its_process_costs_no_other_its_row() -> None:
    units = [text(f"{k}") for k in range(12)]
    units[3] = Deadly(Source("3", ""), None)
    units[7] = Deadly(Source("7", ""), None)
    found = list(checked_all([(unit, WANTED) for unit in units], 2))
    assert [one.source.name for one in found] == [str(k) for k in range(12)]
    assert [k for k, one in enumerate(found) if one.outcome is Outcome.MEMORY] == [3, 7]
    assert all(one.outcome is Outcome.OK for k, one in enumerate(found) if k not in (3, 7))


@pytest.mark.parametrize(
    ("error", "outcome", "code"),
    [(MemoryError, Outcome.MEMORY, "E0704"), (ZeroDivisionError, Outcome.CRASHED, "E0900")],
)
def test_a_fault_costs_no_other_its_row(
    gradual: Gradual, files: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception], outcome: Outcome, code: str
) -> None:
    real = checking_many.result_of

    def checked(unit: Any, wanted: Wanted) -> Any:
        if unit == "residual.relay":
            raise error
        return real(unit, wanted)

    monkeypatch.setattr(checking_many, "result_of", checked)
    done = gradual("check", "residual.relay", "proved.relay", "--format", "json")
    assert [block[-1]["outcome"] for block in by_file(done)] == [outcome, "ok"]
    assert rows(done)[0]["code"] == code and code in done.err
    assert done.code == outcome.exit_code
    assert ("Traceback" in done.err) is (outcome is Outcome.CRASHED)


def test_a_place_that_cannot_be_looked_at_is_a_row() -> None:
    (found,) = checked_all([(Absent("p", "cannot read `p`: Permission denied"), WANTED)], 1)
    assert (found.outcome, found.diagnostics[0].message) == (Outcome.UNREADABLE, "cannot read `p`: Permission denied")


@pytest.mark.slow
def test_models_are_imported_in_the_workers(files: Path) -> None:
    code = (
        "import sys; from gradual.tools.cli import entry; entry(['check', *sys.argv[1:]]); print('onnx' in sys.modules)"
    )
    command = [sys.executable, "-c", f"if __name__ == '__main__':\n    {code}"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    assert onnx.__version__
    for jobs, here in (("2", "False"), ("1", "True")):
        arguments = [*command, "--jobs", jobs, "good.onnx", "unknown.onnx"]
        done = subprocess.run(arguments, cwd=files, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.splitlines()[-1] == here, done.stderr


def test_what_fails_for_a_named_size_is_an_error_in_a_model(gradual: Gradual, files: Path) -> None:
    """Though a size of the model is unknown: nobody wrote it to postpone anything."""
    shapes = {"x": ["n"], "y": ["m"], "z": [None], "a": [None], "b": [None]}
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    nodes = [helper.make_node("Add", ["x", "y"], ["a"]), helper.make_node("Relu", ["z"], ["b"])]
    graph = helper.make_graph(nodes, "g", ports[:3], ports[3:])
    opsets = [helper.make_opsetid("", 17)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    (files / "open.onnx").write_bytes(made)
    said = {}
    for options in ((), ("--rigid", "warning")):
        done = gradual("check", "open.onnx", "--format", "json", *options)
        said[options] = done.code, [row["severity"] for row in of_kind(done, "diagnostic")]
    assert said == {(): (1, ["error"]), ("--rigid", "warning"): (0, ["warning"])}
