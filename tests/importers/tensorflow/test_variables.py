"""Values of variables in the folder of a SavedModel, and what is said of folders that are damaged."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from gradual.importers.common.refusals import Refused, Unreadable
from gradual.importers.tensorflow.file.reading import load
from gradual.importers.tensorflow.program import program
from gradual.tensors.tensor import Tensor
from tests.importers.tensorflow.comparing import imported
from tests.importers.tensorflow.writing import (
    Function,
    Kind,
    Shape,
    bundle,
    constant,
    field,
    function,
    graph,
    meta_graph,
    node,
    placeholder,
    saved_model,
    signature,
)

W, V = numpy.arange(6, dtype="float32").reshape(3, 2), numpy.array([10, 20], "float32")
X = placeholder("x", [None, 3])
HANDLES = [
    node("VarHandleOp", name, dtype=Kind("float32"), shape=Shape(shape)) for name, shape in (("w", [3, 2]), ("v", [2]))
]
BODY = function(
    "run",
    "x w v",
    {"y": "s:z:0"},
    [
        node("ReadVariableOp", "a", "w", dtype=Kind("float32")),
        node("ReadVariableOp", "b", "v", dtype=Kind("float32")),
        node("MatMul", "m", "x a:value:0"),
        node("AddV2", "s", "m:product:0 b:value:0"),
    ],
)
CALL = node("StatefulPartitionedCall", "call", "x w v", f=Function("run"))
SIGNED = {"serving_default": signature({"x": "x:0"}, {"y": "call:0"})}
RESTORE = function(
    "restore",
    "p w v",
    {},
    [
        constant("names", ["first", "second"]),
        node("RestoreV2", "values", "p names:output:0 names:output:0"),
        node("Identity", "i", "values:tensors:1"),
        node("AssignVariableOp", "set_w", "w values:tensors:0"),
        node("AssignVariableOp", "set_v", "v i:output:0"),
    ],
)
PREFIX = placeholder("prefix", [], "string")


def saved(folder: Path, whole: bytes, objects: bytes = b"") -> Path:
    """Write the graph of a SavedModel."""
    folder.mkdir(exist_ok=True)
    (folder / "saved_model.pb").write_bytes(saved_model(meta_graph(whole, SIGNED) + objects))
    return folder


def ran(folder: Path) -> object:
    one = imported(folder)
    assert one.compilation.ok
    value = one.compilation.run("@main", Tensor(numpy.ones((1, 3), "float32")), *one.imported.weights.values())
    return numpy.array(value).tolist()


def test_values_are_those_of_the_objects_that_functions_are_called_with(tmp_path: Path) -> None:
    bundle(tmp_path / "variables", {"one": W, "other": V}, {3: "one", 5: "other"})
    bound = field(2, field(1, "run") + field(2, field(2, bytes([3, 5]))))
    folder = saved(tmp_path, graph(X, *HANDLES, CALL, functions=[BODY]), field(7, bound))
    assert ran(folder) == [[16, 29]]


def test_values_are_those_that_the_graph_restores(tmp_path: Path) -> None:
    bundle(tmp_path / "variables", {"first": W, "second": V})
    restoring = node("StatefulPartitionedCall", "restoring", "prefix w v", f=Function("restore"))
    folder = saved(tmp_path, graph(X, PREFIX, *HANDLES, CALL, restoring, functions=[BODY, RESTORE]))
    assert ran(folder) == [[16, 29]]


def test_the_graph_of_an_older_version_restores_its_variables_itself(tmp_path: Path) -> None:
    bundle(tmp_path / "variables", {"first": W, "second": V})
    nodes = [
        node("VariableV2", "w", dtype=Kind("float32"), shape=Shape([3, 2])),
        constant("names", ["first"]),
        node("RestoreV2", "values", "prefix names names"),
        node("Assign", "set", "w values"),
        node("MatMul", "call", "x w"),
    ]
    assert ran(saved(tmp_path, graph(X, PREFIX, *nodes))) == [[6, 9]]


def test_a_variable_without_a_value_is_an_input_of_its_shape(tmp_path: Path) -> None:
    one = imported(saved(tmp_path, graph(X, *HANDLES, CALL, functions=[BODY])))
    assert "%w: Tensor[(3, 2), float32], %v: Tensor[(2,), float32]" in one.imported.text
    assert one.imported.notes == (
        "the variable `w` and 1 more are inputs: the file has no values for them; "
        "freeze the graph, so that variables are constants, or give the folder of the SavedModel",
    )


@pytest.mark.parametrize(
    ("at", "says"),
    [
        (slice(-8, None), "the table of its variables has no footer"),
        (slice(0, 30), "an entry of the table of its variables is damaged|a number that does not end|a block"),
        (slice(None, None), "the table of its variables has no footer"),
    ],
)
def test_a_damaged_table_is_told(tmp_path: Path, at: slice, says: str) -> None:
    bundle(tmp_path / "variables", {"first": W})
    index = tmp_path / "variables" / "variables.index"
    data = bytearray(index.read_bytes())
    data[at] = b"\xff" * len(data[at])
    index.write_bytes(data)
    with pytest.raises(Unreadable, match=says):
        load(str(saved(tmp_path, graph(X, *HANDLES, CALL, functions=[BODY]))))


def test_missing_bytes_of_a_variable_are_told_when_they_are_read(tmp_path: Path) -> None:
    bundle(tmp_path / "variables", {"first": W, "second": V})
    restoring = node("StatefulPartitionedCall", "restoring", "prefix w v", f=Function("restore"))
    folder = saved(tmp_path, graph(X, PREFIX, *HANDLES, CALL, restoring, functions=[BODY, RESTORE]))
    data = tmp_path / "variables" / "variables.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:26])
    weights = program(load(str(folder))).weights
    assert weights["w"].tolist() == W.tolist()
    with pytest.raises(Unreadable, match="is too short for `v`"):
        weights["v"]
    data.unlink()
    with pytest.raises(Unreadable, match="cannot read"):
        weights["v"]


def test_a_write_to_a_variable_is_refused(tmp_path: Path) -> None:
    write = node("AssignVariableOp", "write", "w x", dtype=Kind("float32"))
    nodes = [*HANDLES, write, node("Identity", "call", "x ^write")]
    with pytest.raises(Refused, match="AssignVariableOp `write`: a write to a variable, and programs have none"):
        program(load(str(saved(tmp_path, graph(X, *nodes)))))
