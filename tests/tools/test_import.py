"""`gradual import`: what it writes, and where."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random

from onnx import parser

from examples.positions import positions
from gradual.interface.input import npy
from tests.tools.conftest import Gradual

Write = Callable[[str, str], str]

RELU = "<ir_version: 8, opset_import: ['' : 17]> g (float[n] x) => (float[n] y) { y = Relu(x) }"


def written(path: str, text: str = RELU) -> str:
    """A file of the model that a text in ONNX's own notation describes."""
    Path(path).write_bytes(parser.parse_model(text.replace("'", '"')).SerializeToString())
    return path


def test_a_program_goes_to_the_console_or_to_a_file(gradual: Gradual) -> None:
    program = "def @main(%x: Tensor[(n,), float32]) {\n  let %y = nn.relu(%x);\n  %y\n}\n"
    done = gradual("import", written("a.onnx"))
    assert (done.code, done.out, done.err) == (0, program, "")
    assert gradual("import", "a.onnx", "-o", "a.relay").code == 0
    assert Path("a.relay").read_text() == program
    assert not Path("a.npz").exists()


def test_weights_go_beside_the_program(gradual: Gradual) -> None:
    Path("p.onnx").write_bytes(positions().SerializeToString())
    assert gradual("import", "p.onnx", "-o", "out.relay").code == 0
    assert npy.names_in(BytesIO(Path("out.npz").read_bytes())) == ["words", "positions"]
    assert gradual("import", "p.onnx", "--weights", "w.npz", "-o", "out.relay").err == ""
    assert Path("w.npz").read_bytes() == Path("out.npz").read_bytes()


def test_weights_without_a_place_are_told(gradual: Gradual) -> None:
    Path("p.onnx").write_bytes(positions().SerializeToString())
    assert gradual("import", "p.onnx").err == "note: 2 weights are not written: --weights FILE.npz\n"
    assert gradual("import", "p.onnx", "-q").err == ""
    assert gradual("import", "p.onnx", "--weights", "w.txt").code == 2


def test_the_example_is_what_its_script_makes() -> None:
    example = Path(__file__).parents[2] / "examples" / "positions.onnx"
    assert example.read_bytes() == positions().SerializeToString()


def test_a_condition_is_demanded(gradual: Gradual) -> None:
    done = gradual("import", written("a.onnx"), "--where", "n >= 2, n % 2 == 0")
    assert done.lines[0] == "def @main(%x: Tensor[(n,), float32]) where n >= 2, n % 2 == 0 {"
    done = gradual("import", "a.onnx", "--where", "n >=")
    assert done.code == 2 and "`n >=` is not a condition" in done.err


def test_everything_that_stands_in_the_way_is_told(gradual: Gradual) -> None:
    text = RELU.replace("17", "20").replace("y = Relu(x)", "z = RegexFullMatch(x) w = StringNormalizer(x) y = Relu(x)")
    done = gradual("import", written("a.onnx", text))
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "error[E0703]: `a.onnx`: RegexFullMatch `z`: an operator that is not imported",
        "error[E0703]: `a.onnx`: StringNormalizer `w`: an operator that is not imported",
    ]


def test_what_is_no_model_is_told(gradual: Gradual, write: Write) -> None:
    assert gradual("import", "nowhere.onnx").err.startswith("error[E0701]: cannot read `nowhere.onnx`: ")
    for text in ("", "not a model", "\x08\x08"):
        done = gradual("import", write("a.onnx", text))
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("error[E0703]: `a.onnx` is not a")


def test_all_tensors_of_an_archive_are_arguments(gradual: Gradual, write: Write) -> None:
    program = "def @main(%x: Tensor[(2,), int64]) { (%x, %x) }\n"
    program += "def @two(%a: Tensor[(2,), int64], %b: Tensor[(2,), int64], %c: int64) { add(%a, %b) }\n"
    assert gradual("run", write("a.relay", program), "@main([1, 2])", "--save", "w.npz").code == 0
    assert gradual("run", "a.relay", "@two(*@w.npz, 3)").out == "int64 [2, 4]\n"
    done = gradual("run", "a.relay", "@two(*@a.relay, 3)")
    assert (done.code, done.err[:48]) == (2, "error[E0702]: `a.relay` does not hold tensors: i")


def test_a_file_in_which_bytes_are_wrong_is_told_as_one(gradual: Gradual) -> None:
    base, draw = positions().SerializeToString(), Random(5)
    for _ in range(150):
        changed = bytearray(base)
        for _ in range(draw.choice((1, 1, 3))):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        Path("a.onnx").write_bytes(changed)
        done = gradual("import", "a.onnx", "-q")
        assert done.code in (0, 2), done.err
        assert done.code == 0 or done.err.startswith("error[E0703]: `a.onnx`"), done.err


def test_every_command_that_reads_a_program_reads_a_model(gradual: Gradual) -> None:
    Path("p.onnx").write_bytes(positions().SerializeToString())
    assert gradual("import", "p.onnx", "-o", "p.relay").code == 0
    text, model = (gradual("check", "--format", "json", f"p.{form}") for form in ("relay", "onnx"))
    assert model.code == text.code == 1
    for one, other in zip(map(json.loads, model.lines), map(json.loads, text.lines), strict=True):
        assert one["kind"] == other["kind"]
        if one["kind"] == "diagnostic":
            assert one["label"].replace(" of `embedded`", "") == other["label"]
            assert [one[key] for key in ("code", "message", "data")] == [
                other[key] for key in ("code", "message", "data")
            ]
            assert one["span"]["start"] == other["span"]["start"]
            assert one["span"]["origin"]["node"] == "Add `out`"
    written("a.onnx")
    assert gradual("run", "a.onnx", "@main([-1, 2])").out == "float32 [0.0, 2.0]\n"
    assert gradual("core", "a.onnx").code == 0
    done = gradual("fmt", "a.onnx")
    assert done.code == 2 and "`a.onnx` is a model" in done.err
