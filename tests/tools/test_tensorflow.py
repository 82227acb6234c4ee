"""Commands that read TensorFlow's graphs and SavedModels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.tensorflow.writing import (
    graph,
    meta_graph,
    node,
    placeholder,
    saved_model,
    signature,
)
from tests.tools.conftest import Gradual

NEGATED = graph(placeholder("x", [None, 2]), node("Neg", "y", "x"), node("Abs", "z", "x"))
SIGNED = {
    "serving_default": signature({"x": "x:0"}, {"y": "y:0"}),
    "other": signature({"x": "x:0"}, {"z": "z:0"}),
}


def _saved(folder: str) -> str:
    Path(folder, "variables").mkdir(parents=True)
    Path(folder, "saved_model.pb").write_bytes(saved_model(meta_graph(NEGATED, SIGNED)))
    Path(folder, "fingerprint.pb").write_bytes(b"\x08\x01")
    return folder


def test_a_graph_is_known_by_its_name_and_by_its_content(gradual: Gradual) -> None:
    for name in ("a.graphdef", "a.pb", "graph"):
        Path(name).write_bytes(NEGATED)
        done = gradual("check", name)
        assert done.code == 0 and "@main : fn (Tensor[(?, 2), float32]) -> (" in done.out, name


def test_a_saved_model_is_its_folder(gradual: Gradual) -> None:
    folder = _saved("models/a")
    assert gradual("run", folder, "@main([[1.0, 2.0]])").out == "float32 [[-1.0, -2.0]]\n"
    assert gradual("run", folder, "--signature", "other", "@main([[-1.0, 2.0]])").out == "float32 [[1.0, 2.0]]\n"
    assert "def @main(%x: Tensor[(?, ?), float32])" in gradual("import", folder).out


def test_a_folder_of_models_is_checked_model_by_model(gradual: Gradual) -> None:
    _saved("models/a")
    Path("models/b.graphdef").write_bytes(NEGATED)
    done = gradual("check", "models", "--format", "concise")
    assert done.code == 0 and done.err == ""


def test_signatures_are_those_of_saved_models(gradual: Gradual) -> None:
    done = gradual("check", _saved("a"), "--signature", "none")
    assert done.code == 2 and "--signature: `none` names no signature; the signatures are `other`" in done.err
    Path("a.graphdef").write_bytes(NEGATED)
    assert "a graph by itself has no signatures" in gradual("check", "a.graphdef", "--signature", "x").err
    assert "has no guards" in gradual("check", "a.graphdef", "--guards").err


def test_a_damaged_graph_is_told_in_words(gradual: Gradual) -> None:
    Path("a.pb").write_bytes(b"\x0a\xff\xff")
    done = gradual("check", "a.pb")
    assert done.code == 2 and "`a.pb` is not a TensorFlow model: a number that does not end" in done.err


KERAS, SAVE = b"PK\x03\x04" + bytes(26) + b"metadata.json", "write a SavedModel of the model, `model.export(FOLDER)`"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.keras", b"PK\x03\x04", f"a Keras file; {SAVE}"),
        ("a", KERAS, f"a Keras file; {SAVE}"),
        ("a.h5", b"\x89HDF\r\n\x1a\n", f"an HDF5 file, as Keras writes models and weights; {SAVE}"),
        ("a", b"\x1c\0\0\0TFL3\0\0", "a TensorFlow Lite file; give the SavedModel that it was converted from"),
        ("a.pbtxt", b"versions {}", "a text GraphDef; write it with `as_text=False`"),
        ("a.pb", b'node {\n  name: "x"\n', "a text GraphDef; write it with `as_text=False`"),
    ],
)
def test_files_of_other_formats_are_told_with_what_to_write_instead(
    gradual: Gradual, name: str, content: bytes, says: str
) -> None:
    Path(name).write_bytes(content)
    done = gradual("check", name)
    assert done.code == 2 and done.err.startswith(f"error[E0703]: `{name}`: {says}")
