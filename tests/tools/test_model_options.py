"""Options about a model's inputs: conditions add up, a size has one name, what does not fit is told in plain words."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import numpy as np
import pytest

from gradual import Refused, Unreadable, from_torch
from gradual import check as gradual_check
from tests.importers.torch.composing import node, pt2, ref, tensor
from tests.tools.conftest import Gradual


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model with two sizes, `ids_0` and `ids_1`, that come from two inputs, and are added."""
    inputs = {"ids": tensor("s1", "s2"), "mask": tensor("s1", "s2")}
    nodes = [node("aten.add.Tensor", {"y": tensor("s1", "s2")}, self=ref("ids"), other=ref("mask"))]
    return pt2(tmp_path / "block.pt2", inputs=inputs, nodes=nodes, outputs=[ref("y")]).name


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of PyTorch: a program is the path of its archive."""

    def save(exported: object, file: IO[bytes]) -> None:
        file.write(Path(str(exported)).read_bytes())

    fake: Any = SimpleNamespace(export=SimpleNamespace(save=save))
    monkeypatch.setitem(sys.modules, "torch", fake)


def test_conditions_add_up(gradual: Gradual, model: str) -> None:
    both = "--where", "ids_0 <= 4", "--where", "ids_1 <= 16"
    assert "where ids_0 <= 4 and ids_1 <= 16" in gradual("check", model, *both).out
    assert " where ids_0 <= 4, ids_1 <= 16 {" in gradual("import", model, *both).out
    calls = [
        f"@main(float32[{rows}, {columns}], float32[{rows}, {columns}])" for rows, columns in ((4, 16), (5, 1), (1, 17))
    ]
    assert [gradual("run", model, call, *both).code for call in calls] == [0, 3, 3]


@pytest.mark.usefixtures("torch")
def test_conditions_add_up_in_a_notebook(gradual: Gradual, model: str) -> None:
    found = from_torch(model, where=["ids_0 <= 4", "ids_1 <= 16"], empty=["ids_1"])
    assert found.types["@main"].endswith(" where ids_1 >= 0 and ids_0 <= 4 and ids_1 <= 16")
    assert from_torch(model, where="ids_0 <= 4").types["@main"].endswith(" where ids_0 <= 4")


@pytest.mark.usefixtures("torch")
def test_a_finding_has_the_lines_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trace = (
        f'File "{tmp_path}/net.py", line 40, in forward\n    return h(x)\n  File "block.py", line 38, in h\n    x + w'
    )
    inputs = {"x": tensor("n"), "w": tensor("m")}
    nodes = [node("aten.add.Tensor", {"y": tensor("n")}, self=ref("x"), other=ref("w"), trace=trace)]
    found = from_torch(pt2(tmp_path / "m.pt2", inputs=inputs, nodes=nodes, outputs=[ref("y")]))
    (error,) = found.diagnostics
    assert [frame.place for frame in error.frames] == ["net.py:40", "block.py:38"]
    assert error.origin is not None and error.origin.node == "aten.add.Tensor `y`"
    assert str(error).startswith("block.py:38: error[E0302]: shapes do not broadcast together")
    with pytest.raises(ValueError, match=r"cannot run: block\.py:38: error"):
        found.run("@main")
    (error,) = gradual_check("def @f() { %y }").diagnostics
    assert (error.origin, error.frames) == (None, ())


@pytest.mark.usefixtures("torch")
def test_what_is_not_imported_is_refused(tmp_path: Path) -> None:
    nodes = [node("own.f.default", {"y": tensor("n")}, x=ref("x"))]
    archive = pt2(tmp_path / "m.pt2", inputs={"x": tensor("n")}, nodes=nodes, outputs=[ref("y")])
    with pytest.raises(Refused) as caught:
        from_torch(archive)
    assert caught.value.reasons == ("own.f.default `y`: an operator that is not imported",)
    archive.write_bytes(b"PK\x03\x04")
    with pytest.raises(Unreadable):
        from_torch(archive)


@pytest.mark.usefixtures("torch")
def test_a_help_can_be_pasted(gradual: Gradual, tmp_path: Path) -> None:
    inputs = {"x": tensor("n"), "w": tensor("m"), "v": tensor("k")}
    nodes = [
        node("aten.add.Tensor", {"add": tensor("n")}, self=ref("x"), other=ref("w")),
        node("aten.mul.Tensor", {"mul": tensor("n")}, self=ref("x"), other=ref("v")),
    ]
    archive = pt2(tmp_path / "a b.pt2", inputs=inputs, nodes=nodes, outputs=[ref("add"), ref("mul")])
    given = "--name", "n=rows", "--empty", "w_0", "--where", "rows <= 4"
    done = gradual("check", "a b.pt2", *given)
    (line,) = {line for line in done.lines if "help: if" in line}
    assert line.startswith("  = help: if inputs always have `"), line
    words = shlex.split(line.rpartition(": `")[2].removesuffix("`"))
    assert ", for both errors: `" in line
    assert words[:-2] == ["gradual", "check", "a b.pt2", *given]
    assert gradual(*words[1:]).code == 0
    ran = gradual("run", "a b.pt2", "@main()", "--where", "x_0 <= 4")
    assert ": add `--where '" in ran.out
    first, _ = from_torch(archive).diagnostics
    assert re.search(r': `where="[^"]+"`$', first.help[0].text)


def test_a_run_asks_for_the_inputs_by_name(gradual: Gradual, tmp_path: Path) -> None:
    inputs = {"ids": tensor("s1", "s2"), "mask": tensor("s1", "s2")}
    nodes = [
        node("aten.add.Tensor", {"y": tensor("s1", "s2")}, self=ref("ids"), other=ref("mask")),
        node("aten.add.Tensor", {"z": tensor("s1", "s2")}, self=ref("y"), other=ref("p_w")),
    ]
    weights = {"w": np.ones(1, np.float32)}
    pt2(tmp_path / "m.pt2", weights=weights, inputs=inputs, nodes=nodes, outputs=[ref("z")])
    for call, given in (("@main([[1.0]])", 1), ("@main()", 0), ("@main([[1.0]], [[1.0]], [1.0], [1.0])", 4)):
        done = gradual("run", "m.pt2", call)
        assert done.code == 3 and f"`@main` takes 2 inputs: `ids`, `mask`; {given} given" in done.out, done
    assert gradual("run", "m.pt2", "@main([[1.0]], [[2.0]])").out == "float32 [[4.0]]\n"
    done = gradual("run", "m.pt2", "@main(float32[1, 0], float32[1, 0])")
    assert done.code == 3 and "help: if it may be 0: add `--empty ids_1`" in done.out
    assert gradual("run", "m.pt2", "@main(float32[1, 0], float32[1, 0])", "--empty", "ids_1").code == 0


def test_what_is_no_integer_is_refused(gradual: Gradual, write: Callable[[str, str], str]) -> None:
    program = write("a.relay", "def @main(%x: Tensor[(2,), int64]) { %x }")
    assert gradual("run", program, "@main([1, 9])").out == "int64 [1, 9]\n"
    done = gradual("run", program, "@main([1.0, 9.0])")
    assert (done.code, done.err) == (
        2,
        "error[E0702]: the arguments cannot be read: `1.0` is no element of type int64\n",
    )


def test_a_program_of_python_is_to_be_exported(gradual: Gradual, write: Callable[[str, str], str]) -> None:
    done = gradual("check", write("cnn.py", "import torch\n"))
    assert done.code == 2 and done.err.startswith("error[E0703]: `cnn.py` is a Python program: export it first, with")


def test_the_settings_of_a_model_say_that_a_size_that_may_fail_is_an_error(gradual: Gradual, model: str) -> None:
    lines = gradual("check", "--show-config", model, "a.relay").lines
    assert [line for line in lines if line.startswith(("# settings", "rigid"))] == [
        "# settings of block.pt2",
        'rigid = "error"  # default for models',
        "# settings of a.relay",
        'rigid = "warning"  # default',
    ]
    assert 'rigid = "warning"  # command line' in gradual("check", "--show-config", "--rigid", "warning", model).lines


NAMES = "the names are `ids_0`, `ids_1`"


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("where", "mask_1 <= 3", f"`mask_1` names no size of the inputs; {NAMES}"),
        ("where", "ids_0 <=", "`ids_0 <=` is not a condition: it ends too early"),
        ("where", "ids_0 = 3", "`ids_0 = 3` is not a condition: a comparison is written `==`"),
        ("where", "ids_0 + 1", "`ids_0 + 1` is not a condition: this is not a predicate on dimensions"),
        ("where", "True { () } def @f() where True", "is not a condition: it is more than a condition"),
        ("empty", "mask_1", f"`mask_1` names no size of the inputs; {NAMES}"),
    ],
)
@pytest.mark.usefixtures("torch")
def test_what_is_no_condition_or_name_is_told_in_plain_words(
    gradual: Gradual, model: str, option: str, text: str, said: str
) -> None:
    for command in (("check", model), ("import", model), ("run", model, "@main()")):
        done = gradual(*command, f"--{option}", text)
        assert (done.code, done.out) == (2, ""), done
        assert done.err.startswith(f"error[E0703]: `block.pt2`: --{option}: ") and said in done.err
    wanted: dict[str, Any] = {option: [text]}
    with pytest.raises(ValueError) as caught:
        from_torch(model, **wanted)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("ids_0=seq", "ids_1=seq"), "`ids_1` and `ids_0` are two sizes, and cannot both be called `seq`"),
        (("ids_0=ids_1",), "`ids_1` and `ids_0` are two sizes, and cannot both be called `ids_1`"),
        (("ids_0=a", "s1=b"), "`ids_0` and `s1` are one size, which can have one name"),
        (("ids_0=max",), "`max` is a word of the language, and cannot name the size `ids_0`"),
        (("mask_0=a",), f"`mask_0` names no size of the inputs; {NAMES}"),
    ],
)
@pytest.mark.usefixtures("torch")
def test_each_size_has_a_name_of_its_own(gradual: Gradual, model: str, names: tuple[str, ...], said: str) -> None:
    done = gradual("check", model, *(word for name in names for word in ("--name", name)))
    assert (done.code, done.err) == (2, f"error[E0703]: `block.pt2`: --name: {said}\n")
    with pytest.raises(ValueError, match=f"^{said}$".replace("(", r"\(")):
        from_torch(model, names=dict(one.split("=") for one in names))


def test_a_size_has_one_name(gradual: Gradual, model: str) -> None:
    done = gradual("check", model, "--name", "ids_0=a", "--name", "ids_0=b")
    assert done.code == 2 and "--name gives the size `ids_0` two names, `a` and `b`" in done.err
    swapped = gradual("check", model, "--name", "ids_0=ids_1", "--name", "ids_1=ids_0")
    assert "@main : fn (\n  Tensor[(ids_1, ids_0), float32],\n" in swapped.out


def test_the_type_of_a_model_counts_its_weights(gradual: Gradual, tmp_path: Path) -> None:
    nodes = [node("aten.add.Tensor", {"y": tensor("s1", 4)}, self=ref("x"), other=ref("p_w"))]
    weights = {"w": np.zeros(4, np.float32)}
    pt2(tmp_path / "m.pt2", weights=weights, inputs={"x": tensor("s1", 4)}, nodes=nodes, outputs=[ref("y")])
    result = "-> Tensor[(x_0, 4), float32]"
    assert gradual("check", "m.pt2").lines[0] == f"@main : fn (Tensor[(x_0, 4), float32], and 1 weight) {result}"
    entire = f"@main : fn (Tensor[(x_0, 4), float32], Tensor[(4,), float32]) {result}"
    assert gradual("check", "-v", "m.pt2").lines[0] == entire
    assert gradual("-v", "check", "m.pt2").lines[0] == entire
