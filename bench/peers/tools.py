"""The tools: each reads a model and gives the sizes of its values as text.

ONNX Runtime is imported where it is used: the other tools do without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from onnx import TensorProto, helper
from onnx import load as load_model
from onnx import save as save_model
from onnx.shape_inference import infer_shapes

from gradual.compiler import compile_source
from gradual.importers.onnx.file.reading import load
from gradual.importers.onnx.program import program
from gradual.interface.reports.json_lines import compiled
from gradual.source import Source

Shapes = Mapping[str, Sequence[str | None]]
"""Value of a model -> its sizes, None where nothing is said; a value whose rank is unknown is missing."""

GREATEST = 2**31 - 1
"""ONNX Runtime's usual bound of sizes in its arithmetic."""


def ours(path: str) -> Shapes:
    """The sizes that this tool infers."""
    imported = program(load(path))
    compilation = compile_source(Source(path, imported.text, imported.origins))
    rows = compiled(compilation, annotate=True)
    return {
        row["value"]: row["shape"] for row in rows if row.get("function") == "@main" and {"value", "shape"} <= {*row}
    }


def onnx(path: str) -> Shapes:
    """The sizes that ONNX infers, contents of small vectors included."""
    model = load_model(path)
    return dict(_shapes(infer_shapes(model, data_prop=True)))


def runtime(path: str) -> Shapes:
    """The sizes that ONNX Runtime infers."""
    return _symbolic(path, merges=False)


def merging_runtime(path: str) -> Shapes:
    """The sizes that ONNX Runtime infers where it may presume that two sizes are one (`auto_merge`)."""
    return _symbolic(path, merges=True)


def _symbolic(path: str, merges: bool) -> Shapes:
    inference = import_module("onnxruntime.tools.symbolic_shape_infer").SymbolicShapeInference
    return dict(_shapes(inference.infer_shapes(load_model(path), GREATEST, merges, False, 0)))


def _shapes(model: Any) -> Iterator[tuple[str, list[str | None]]]:
    """The sizes that are written in a model."""
    graph = model.graph
    for port in (*graph.input, *graph.value_info, *graph.output):
        if port.type.HasField("tensor_type") and port.type.tensor_type.HasField("shape"):
            yield port.name, [_size(size) for size in port.type.tensor_type.shape.dim]


def _size(size: Any) -> str | None:
    return str(size.dim_value) if size.HasField("dim_value") else size.dim_param or None


def one_node(folder: str) -> str:
    """The path of a model of one node."""
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "one", ports[:1], ports[1:])
    path = Path(folder, "one.onnx")
    save_model(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)
    return str(path)


TOOLS: Mapping[str, Callable[[str], Shapes]] = {
    "gradual": ours,
    "onnx": onnx,
    "ort": runtime,
    "ort, merging": merging_runtime,
}
"""The tools by the names that the table has for them."""
