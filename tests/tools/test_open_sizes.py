"""Sizes that a TensorFlow model leaves open: they are at least 1, and helps are conditions on them."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from tests.importers.tensorflow.writing import Function, Shape, constant, field, function, graph, node, placeholder
from tests.tools.conftest import Gradual

X = placeholder("x", [None, 64])
HEADS = graph(
    X,
    constant("heads", numpy.array([12, 8], "int32")),
    constant("zero", numpy.int32(0)),
    node("Shape", "s", "x"),
    constant("first", numpy.array([0], "int32")),
    constant("second", numpy.array([1], "int32")),
    node("StridedSlice", "n", "s first second second"),
    node("ConcatV2", "wanted", "n heads zero", N=2),
    node("Reshape", "y", "x wanted"),
)
ADDED = graph(placeholder("x", [None, 3]), placeholder("mask", [None, 3]), node("AddV2", "y", "x mask"))
HALVED = graph(
    placeholder("x", [1, None, 1, 1]),
    node("MaxPool", "p", "x", ksize=[1, 2, 1, 1], strides=[1, 2, 1, 1], padding="VALID", data_format="NHWC"),
    node("ConcatV2", "y", "p p axis", N=2),
    constant("axis", numpy.int32(1)),
    node("AddV2", "z", "x y"),
)


def test_a_reshape_that_fails_for_all_inputs_with_elements_is_an_error(gradual: Gradual) -> None:
    Path("heads.pb").write_bytes(HEADS)
    done = gradual("check", "heads.pb")
    assert done.code == 1
    assert "error[E0301]: the numbers of elements differ: 64 * dim(%x, 0) is not 96 * dim(%x, 0)" in done.out
    assert gradual("check", "heads.pb", "--empty", "dim(%x,0)").code == 0


def test_an_open_size_is_at_least_1_and_the_type_does_not_show_it(gradual: Gradual) -> None:
    Path("added.pb").write_bytes(ADDED)
    assert gradual("check", "added.pb").lines[0] == (
        "@main : fn (Tensor[(?, 3), float32], Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32]"
    )
    text = gradual("import", "added.pb").out
    assert "where dim(%x, 0) >= 1, dim(%mask, 0) >= 1 {" in text
    assert "where" not in gradual("import", "added.pb", "--open").out


def test_an_empty_input_blames_the_caller_unless_it_is_allowed(gradual: Gradual) -> None:
    Path("added.pb").write_bytes(ADDED)
    call = "@main(float32[0, 3], float32[1, 3])"
    done = gradual("run", "added.pb", call)
    assert done.code == 3 and "entry of `@main` refused: `dim(%x, 0) >= 1` does not hold" in done.err + done.out
    assert "if it may be 0: add `--empty 'dim(%x, 0)'`" in done.err + done.out
    assert gradual("run", "added.pb", call, "--empty", "dim(%x, 0)").out == "float32 []\n"
    own = gradual("run", "added.pb", call, "--empty", "dim(%x, 0)", "--where", "dim(%x, 0) >= 1")
    assert own.code == 3 and "--empty" not in own.err + own.out


def test_only_open_sizes_can_be_allowed_to_be_0(gradual: Gradual) -> None:
    Path("added.pb").write_bytes(ADDED)
    done = gradual("check", "added.pb", "--empty", "dim(%x, 1)")
    assert done.code == 2
    assert "--empty: `dim(%x, 1)` is no open size; they are `dim(%x, 0)`, `dim(%mask, 0)`" in done.err


def test_an_input_without_its_sign_is_told(gradual: Gradual) -> None:
    Path("added.pb").write_bytes(ADDED)
    done = gradual("check", "added.pb", "--where", "dim(mask, 0) == dim(%x, 0)")
    assert done.code == 2
    assert "`dim(mask, 0) == dim(%x, 0)` is not a condition: write `%mask` for the input `mask`" in done.err


@pytest.mark.parametrize(
    ("model", "condition"), [(ADDED, "dim(%x, 0) == dim(%mask, 0)"), (HALVED, "dim(%x, 1) % 2 == 0")]
)
def test_the_help_of_a_residual_check_is_a_condition_that_removes_it(
    gradual: Gradual, model: bytes, condition: str
) -> None:
    Path("m.pb").write_bytes(model)
    done = gradual("check", "m.pb", "--checks")
    assert f"help: if inputs always have `{condition}`: `gradual check m.pb --where '{condition}'`" in done.out
    assert gradual("check", "m.pb", "--where", condition).lines[-1].count("residual 0") == 1


def test_a_promised_shape_is_checked_of_the_input_itself(gradual: Gradual) -> None:
    Path("m.pb").write_bytes(graph(placeholder("x"), node("EnsureShape", "y", "x", shape=Shape([None, 32]))))
    done = gradual("check", "m.pb", "--checks")
    assert "residual check c1: ndim(%x) == 2" in done.out
    assert "residual check c2: dim(%x, 1) == 32" in done.out and "m.pb: EnsureShape `y`" in done.out


def test_functions_that_the_importer_adds_are_not_listed(gradual: Gradual) -> None:
    test = [constant("two", numpy.int32(2)), node("Less", "c", "i two:output:0")]
    turn = [constant("one", numpy.int32(1)), node("AddV2", "s", "i one:output:0")]
    functions = [function("cond", "i", {"r": "c:z:0"}, test), function("body", "i", {"j": "s:z:0"}, turn)]
    loop = node("While", "w", "i", cond=Function("cond"), body=Function("body"))
    Path("m.pb").write_bytes(graph(placeholder("i", [], "int32"), loop, functions=functions))
    assert [line for line in gradual("check", "m.pb").lines if line.startswith("@")] == [
        "@main : fn (int32) -> int32",
    ]


def _frames(*frames: tuple[int, str]) -> bytes:
    """A trace: of each frame the number of its file, and its function."""
    return b"".join(field(1, field(1, file) + field(2, 1) + field(4, name)) for file, name in frames)


@pytest.mark.parametrize(
    ("frames", "place"),
    [
        ([(0, "<module>"), (1, "_trackable_children"), (1, "call")], "m.pb: AddV2 `y`"),
        ([(0, "<module>"), (1, "_trackable_children"), (2, "call"), (1, "add")], "layers.py:1:1"),
        ([(0, "<module>")], "save.py:1:1"),
    ],
)
def test_the_line_that_saves_a_model_is_no_line_of_a_layer(
    gradual: Gradual, frames: list[tuple[int, str]], place: str
) -> None:
    files = [field(1, name) for name in ("save.py", "/lib/python3.11/site-packages/keras/layer.py", "layers.py")]
    trace = field(2, field(1, "y@") + field(2, _frames(*frames)))
    Path("m.pb").write_bytes(ADDED + field(5, b"".join([*files, trace])))
    done = gradual("check", "m.pb", "--checks")
    assert f"--> {place}\n" in done.out
    assert "AddV2 `y`" in done.out


def test_two_sizes_of_an_input_have_one_label(gradual: Gradual) -> None:
    flat = [constant("wanted", numpy.array([-1, 8], "int32")), node("Reshape", "y", "x wanted")]
    Path("m.pb").write_bytes(graph(placeholder("x", [None, None]), *flat))
    given = "the value supplied for parameter `%x` of `@main`"
    assert gradual("check", "m.pb", "--checks").out.split("m.pb: input `x`")[1].count(f" {given}\n  |") == 1
    done = gradual("run", "m.pb", "@main(float32[1, 3])")
    assert done.code == 3 and f"promised by: {given}\n" in done.out + done.err


def test_a_run_that_stops_tells_the_node_beside_the_line(gradual: Gradual) -> None:
    debug = field(5, field(1, "mine.py") + field(2, field(1, "y@") + field(2, _frames((0, "f")))))
    Path("m.pb").write_bytes(graph(placeholder("x"), node("EnsureShape", "y", "x", shape=Shape([None, 32]))) + debug)
    done = gradual("run", "m.pb", "@main(float32[2, 31])")
    assert "--> mine.py:1:1" in done.out + done.err
    assert "the model's node is EnsureShape `y`: y = EnsureShape(x)" in done.out + done.err
