"""A function of a program as an ONNX model."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import ModelProto, ValueInfoProto, helper

from bench.field.onnx_operators import OPERATORS
from bench.field.onnx_target import CONDITION, FORMULA, Measure, Onnx, element, flat
from bench.field.program import Beyond, Value
from bench.field.walk import Scope, Walk
from gradual.syntax.tree import ast
from gradual.types.dtype import DType

OPSET, IR_VERSION = 22, 10


def model(function: ast.Fn, functions: Mapping[str, ast.Fn]) -> ModelProto:
    """A function as a model.  Raises Beyond."""
    target = Onnx(OPERATORS)
    walk = Walk(target, functions)
    scope = Scope()
    for clause in function.where:
        _assumed(clause)
    inputs: list[ValueInfoProto] = []
    for param in function.params:
        scope.values[param.name.name] = _input(target, param.annotation, scope, inputs)
    results = [target.node("Identity", target.array(each)) for each in flat(walk.body(function, scope))]
    (frame,) = target.frames
    outputs = [ValueInfoProto(name=name) for name in results]
    graph = helper.make_graph(frame.nodes, "function", inputs, outputs, value_info=frame.declared)
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, ir_version=IR_VERSION, opset_imports=opsets)


def _assumed(clause: object) -> None:
    """A `where` clause of the function itself: that a size is not negative goes without saying in ONNX."""
    match clause:
        case ast.Infix(">=", ast.Name(), ast.Number(0)) | ast.Infix(_, ast.Number(), ast.Number()):
            return
    raise Beyond(CONDITION)


def _input(target: Onnx, type_: ast.Type | None, scope: Scope, inputs: list[ValueInfoProto]) -> Value:
    """The inputs for a parameter."""
    match type_:
        case ast.TupleType(fields):
            return tuple(_input(target, field_, scope, inputs) for field_ in fields)
        case ast.TensorType(shape=shape, dtype=dtype) if shape is not None:
            name = f"input{len(inputs)}"
            found = [_given(size) for size in shape]
            for axis, size in enumerate(shape):
                if isinstance(size, ast.Name):
                    scope.sizes.setdefault(size.name, Measure(name, axis, size.name))
            inputs.append(helper.make_tensor_value_info(name, element(DType(dtype)), found))
            target.noted(name, len(found), DType(dtype))
            return name
    raise Beyond("a parameter without a type")


def _given(size: object) -> int | str | None:
    match size:
        case ast.Number(value):
            return int(value)
        case ast.Name(name):
            return name
        case ast.Hole(bound=None):
            return None
    raise Beyond(FORMULA)
