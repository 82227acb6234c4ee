"""ONNX models made by hand, and what ONNX's reference evaluator says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import gradual
from gradual.compilation import Compilation
from gradual.importers.common.refusals import Refused
from gradual.importers.common.sizes.extents import Dims
from gradual.importers.common.text import Program
from gradual.importers.onnx.file.reading import model_of
from gradual.importers.onnx.program import program
from gradual.run.value import Blame, Fault
from tests.importers.node_tests import tensor

TYPES = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "bool": TensorProto.BOOL}
TYPES |= {"int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int32": TensorProto.INT32}
TYPES |= {"float16": TensorProto.FLOAT16}

Shape = Sequence[int | str | None] | None


def node(operator: str, inputs: str, outputs: str, **attributes: Any) -> NodeProto:
    """A node; its inputs and outputs stand in words, and `-` is one that is left out."""
    given = [["" if name == "-" else name for name in names.split()] for names in (inputs, outputs)]
    return helper.make_node(operator, *given, **attributes)


def port(name: str, shape: Shape, dtype: str = "float32") -> Any:
    """An input or output."""
    return helper.make_tensor_value_info(name, TYPES[dtype], shape)


def model(
    nodes: Sequence[NodeProto],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    constants: Mapping[str, Any] | None = None,
    opset: int = 21,
    functions: Sequence[Any] = (),
) -> ModelProto:
    """A model; constants are arrays of NumPy's."""
    initializers = [numpy_helper.from_array(np.asarray(value), name) for name, value in (constants or {}).items()]
    graph = helper.make_graph(list(nodes), "made", list(inputs), list(outputs), initializers)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets, functions=list(functions))


def ones(*shape: int) -> Any:
    """The numbers from 0 on as float32, of a shape."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def whole(*values: int) -> Any:
    """A vector of int64."""
    return np.array(values, dtype=np.int64)


def body(name: str, nodes: Any, inputs: Any, outputs: Any) -> Any:
    """A graph in an attribute of a node."""
    return helper.make_graph(list(nodes), name, inputs, outputs)


def compiled(made: ModelProto) -> tuple[Compilation, Program]:
    """The model as a program, which has to be accepted; its named sizes may be 0."""
    imported = program(model_of(made), empty=names(made))
    compilation = gradual.check(imported.text)
    assert compilation.ok, (imported.text, compilation.diagnostics)
    return compilation, imported


def names(made: ModelProto) -> tuple[str, ...]:
    """The names that a model gives to sizes of its inputs."""
    return Dims(model_of(made).graph.inputs, opens=False).names


def signature(compilation: Compilation) -> str:
    """The type of the model's program, without what is stated of its names."""
    return str(compilation.types["@main"]).split(" where ")[0]


def agrees(made: ModelProto, *arguments: Any) -> Compilation:
    """Run the program of a model and the model itself: they give the same, of the predicted shapes."""
    compilation, imported = compiled(made)
    names = [one.name for one in made.graph.input]
    wanted = ReferenceEvaluator(made).run(None, dict(zip(names, arguments, strict=True)))
    found = compilation.run("@main", *map(tensor, arguments), *imported.weights.values())
    for one, other in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
        expected = tensor(other)
        assert (one.shape, one.dtype) == (expected.shape, expected.dtype)
        assert np.allclose(one.flat(), expected.flat(), rtol=1e-5, atol=1e-6, equal_nan=True)
    return compilation


def given(made: ModelProto, *arguments: Any) -> Any:
    """What the program of a model gives, as an array; a tuple of several."""
    compilation, imported = compiled(made)
    found = compilation.run("@main", *map(tensor, arguments), *imported.weights.values())
    return tuple(map(array, found)) if isinstance(found, tuple) else array(found)


def array(found: gradual.Tensor) -> Any:
    return np.array(found.flat(), str(found.dtype)).reshape(found.shape)


def same(found: Any, wanted: Any) -> bool:
    """Whether an array has the elements and the shape of another."""
    return found.shape == np.shape(wanted) and np.array_equal(found, wanted, equal_nan=True)


def stops(made: ModelProto, *arguments: Any, says: str = "") -> None:
    """The program of a model is accepted, and its run stops."""
    with pytest.raises((Blame, Fault), match=says or None):
        given(made, *arguments)


def refused(made: ModelProto, says: str) -> None:
    with pytest.raises(Refused, match=says):
        program(model_of(made))


def one(operator: str, given: str, inputs: Any, rank: int | None = None, **settings: Any) -> ModelProto:
    """A model of one node, whose inputs have shapes or are constants."""
    attributes = {name: settings.pop(name) for name in list(settings) if name != "opset"}
    ports = [
        port(name, shape, dtype)
        for name, value in inputs.items()
        if (kind := declared(value))
        for shape, dtype in [kind]
    ]
    constants = {name: value for name, value in inputs.items() if declared(value) is None}
    outputs = [port("y", None if rank is None else [None] * rank)]
    return model([node(operator, given, "y", **attributes)], ports, outputs, constants, **settings)


def declared(value: Any) -> tuple[Any, str] | None:
    """The shape and type of an input; None of a constant."""
    if isinstance(value, list):
        return value, "float32"
    return value if isinstance(value, tuple) and isinstance(value[0], list) else None
