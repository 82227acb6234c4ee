"""Exports of PyTorch on the command line: names of sizes, guards, runs with the model's own weights."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import numpy as np
import pytest

from gradual import from_torch
from gradual.importers.common.python_frames import user_frames
from gradual.origin import Frame, Origin, Origins
from gradual.report.located import within
from gradual.source import Source, Span
from tests.importers.torch.composing import node, pt2, ref, tensor
from tests.material import EXPORTS, needs_exports
from tests.tools.conftest import Gradual

pytestmark = needs_exports


def test_sizes_are_named_after_input_and_axis_or_as_asked(gradual: Gradual) -> None:
    model = str(EXPORTS / "i181097.pt2")
    assert "fn (Tensor[(5 * y_0,), float32], Tensor[(y_0,), float32])" in gradual("check", model).out
    named = gradual("check", "--name", "s17=rows", model)
    assert "fn (Tensor[(5 * rows,), float32], Tensor[(rows,), float32])" in named.out
    assert gradual("check", "--name", "s17", model).code == 2


def test_a_size_has_its_name_in_the_model_and_that_in_the_program(gradual: Gradual) -> None:
    model, call = str(EXPORTS / "kv_attention.pt2"), "@main(float32[1, 2, 16], float32[1, 0, 16], float32[1, 0, 16])"
    for name in ("s22", "pk_1"):
        assert gradual("run", model, call, "--empty", name).out.startswith("float32 [[["), name
        assert "Tensor[(x_0, past, 16), float32]" in gradual("check", model, "--name", f"{name}=past").out, name
    for option in (("--empty", "pk_9"), ("--name", "pk_9=past")):
        told = gradual("check", model, *option)
        assert (told.code, "`pk_9` names no size of the inputs; the names are `x_0`, `x_1`, `pk_1`" in told.err) == (
            2,
            True,
        )


def test_a_run_may_say_what_its_inputs_meet(gradual: Gradual) -> None:
    model, meets = str(EXPORTS / "positions.pt2"), ("--name", "i_1=seq", "--where", "seq <= 16")
    assert gradual("run", model, "@main(int64[1, 16])").code == 1
    assert gradual("run", model, "@main(int64[1, 16])", *meets).code == 0
    assert (
        "entry of `@main` refused: `seq <= 16` does not hold"
        in gradual("run", model, "@main(int64[1, 17])", *meets).out
    )


def test_a_format_is_recognised_by_content(gradual: Gradual, tmp_path: Path) -> None:
    shutil.copy(EXPORTS / "i181097.pt2", tmp_path / "model")
    assert gradual("check", str(tmp_path / "model")).out.endswith("proved 16 · residual 0 · refuted 0\n")


def test_a_condition_on_the_inputs_is_demanded(gradual: Gradual) -> None:
    model = str(EXPORTS / "positions.pt2")
    refuted = gradual("check", model)
    assert refuted.code == 1
    assert "--> model/zoo.py:67:5" in refuted.out
    assert f"if inputs always have `i_1 <= 16`: `gradual check {model} --where 'i_1 <= 16'`" in refuted.out
    assert gradual("check", "--where", "i_1 <= 16", model).code == 0
    assert gradual("check", "--guards", model).code == 0


def test_a_line_of_python_is_named_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = Frame(str(tmp_path / "model" / "zoo.py"), 3, "forward", "    return x + y")
    source = Source("model.pt2", "x", Origins([0], [Origin("add", "add", frames=(frame,))]))
    names = []
    for folder in (tmp_path, tmp_path.parent, tmp_path / "elsewhere"):
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        names.append(within(source)(Span(0, 1))[0].name)
    assert names == ["model/zoo.py", f"{tmp_path.name}/model/zoo.py", frame.file]


def test_a_cell_of_a_notebook_is_the_user_s_own_code() -> None:
    trace = 'File "{}", line 2, in forward\n    return x + y'
    cells = "<ipython-input-3-0123456789ab>", "/tmp/ipykernel_12/345.py"
    assert [len(user_frames(trace.format(file))) for file in (*cells, "<eval_with_key>.1", "<string>")] == [1, 1, 0, 0]


def test_guards_are_implied_needed_or_not_needed(gradual: Gradual) -> None:
    told = gradual("guards", str(EXPORTS / "i181097.pt2")).out.splitlines()
    assert told[-1] == "6 guards: 3 implied, 3 not needed"
    assert gradual("guards", str(EXPORTS / "item_slice.pt2")).out == "0 guards\n"
    rows = gradual("guards", "--format", "json", str(EXPORTS / "positions.pt2")).out.splitlines()
    verdicts = {row["condition"]: row["verdict"] for row in map(json.loads, rows)}
    assert verdicts == {"i_1 <= 16": "needed", "i_0 >= 2": "not needed", "i_1 >= 2": "not needed"}


def test_of_guards_that_say_the_same_the_one_that_suffices_is_needed(gradual: Gradual, tmp_path: Path) -> None:
    inputs = {"x": tensor("s1", 2), "y": tensor("s1", 2)}
    nodes = [
        node("aten.select.int", {"z": tensor(2)}, self=ref("x"), dim=0, index=3),
        node("aten.add.Tensor", {"w": tensor("s1", 2)}, self=ref("z"), other=ref("y")),
    ]
    guards = [
        "((-2) + L['x'].size()[0]) != 1",
        "(L['x'].size()[0] >= 3) and (2*((-1) + L['x'].size()[0] // 1)*max(1, L['x'].size()[0]) >= 2)",
        "L['y'].size()[0] == L['x'].size()[0]",
        "L['x'].size()[0] != 9",
        "L['x'].stride()[0] == 2",
    ]
    pt2(tmp_path / "m.pt2", inputs=inputs, nodes=nodes, outputs=[ref("w")], guards=guards, ranges={"s1": (4, None)})
    assert gradual("guards", "m.pt2").lines == [
        "needed      x_0 >= 4",
        "implied     y.shape[0] == x.shape[0]: in the type",
        "follows     x_0 - 2 != 1",
        "follows     x_0 >= 3 and 2 * (x_0 // 1 - 1) * max(1, x_0) >= 2",
        "not needed  x_0 != 9",
        "not read    L['x'].stride()[0] == 2",
        "6 guards: 1 implied, 1 needed, 2 follow, 1 not needed, 1 not read",
    ]


def test_rows_of_bindings_have_the_model_s_names(gradual: Gradual) -> None:
    rows = map(
        json.loads, gradual("check", "--format", "json", "--annotate", str(EXPORTS / "llama.pt2")).out.splitlines()
    )
    shapes = {row["value"]: row["shape"] for row in rows if row["kind"] == "binding" and "value" in row}
    assert shapes["linear"] == ["a_0_0", "a_0_1", "16"]
    assert len(shapes) > 100


def test_weights_may_be_left_out_of_a_run(gradual: Gradual, tmp_path: Path) -> None:
    inputs, outputs = (EXPORTS / f"llama.0.{way}.npz" for way in ("in", "out"))
    saved = tmp_path / "out.npy"
    ran = gradual("run", str(EXPORTS / "llama.pt2"), f"@main(*@{inputs})", "--save", str(saved))
    assert ran.code == 0, ran.err
    with np.load(outputs) as wanted:
        np.testing.assert_allclose(np.load(saved), wanted["o0"], rtol=1e-3, atol=1e-4)


def test_a_program_is_checked_where_it_was_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    def save(exported: object, file: IO[bytes]) -> None:
        file.write(Path(str(exported)).read_bytes())

    fake: Any = SimpleNamespace(export=SimpleNamespace(save=save))
    monkeypatch.setitem(sys.modules, "torch", fake)
    found = from_torch(EXPORTS / "i181097.pt2", names={"s17": "rows"})
    assert found.ok
    x, y = np.arange(10, dtype=np.float32), np.ones(2, np.float32)
    results = found.run("@main", x, y)
    assert isinstance(results, tuple)
    np.testing.assert_array_equal(np.array(results[0].tolist()), x[:2] - y)
