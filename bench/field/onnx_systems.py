"""What ONNX and ONNX Runtime say of a model: `onnx.shape_inference`, and the runtime's symbolic shape inference."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from onnx import ModelProto, TypeProto
from onnx.shape_inference import infer_shapes

from bench.field.onnx_model import model
from bench.field.onnx_target import declared_values
from bench.field.program import Beyond, Rejected
from gradual.syntax.tree import ast

GREATEST = 2**31 - 1
"""ONNX Runtime's usual bound of sizes in its arithmetic."""


def onnx(function: ast.Fn, functions: Mapping[str, ast.Fn]) -> Sequence[str]:
    """Infer with all that ONNX can check.  Raises Beyond, and what ONNX raises."""
    made = model(function, functions)
    _compared(made, infer_shapes(made, check_type=True, strict_mode=True, data_prop=True))
    return ()


def runtime(function: ast.Fn, functions: Mapping[str, ast.Fn]) -> Sequence[str]:
    """Infer with symbols.  Raises Beyond, what ONNX Runtime raises, and Rejected if it contradicts a declared type."""
    tools: Any = import_module("onnxruntime.tools.symbolic_shape_infer")
    logging.getLogger(tools.__name__).setLevel(logging.CRITICAL)
    made = model(function, functions)
    try:
        found = tools.SymbolicShapeInference.infer_shapes(made, GREATEST, False, False, 0)
    except Exception as raised:  # the class that the tool raises here is `Exception` itself
        if str(raised) == "Incomplete symbolic shape inference":
            raise Beyond("the inference of ONNX Runtime ends incomplete") from raised
        raise
    _compared(made, found)
    return ()


def _compared(made: ModelProto, found: ModelProto) -> None:
    """Compare the types that were declared with those that were inferred.  Raises Rejected."""
    inferred = dict(declared_values(found.graph))
    for name, declared in declared_values(made.graph):
        if name in inferred:
            _agree(name, declared, inferred[name])


def _agree(name: str, declared: TypeProto, inferred: TypeProto) -> None:
    one, other = declared.tensor_type, inferred.tensor_type
    if 0 not in (one.elem_type, other.elem_type) and one.elem_type != other.elem_type:
        raise Rejected(f"the element type {other.elem_type} is declared as {one.elem_type}")
    if not other.HasField("shape"):
        return
    if len(one.shape.dim) != len(other.shape.dim):
        raise Rejected(f"the rank {len(other.shape.dim)} is declared as {len(one.shape.dim)}")
    for axis, (size, found) in enumerate(zip(one.shape.dim, other.shape.dim, strict=True)):
        if size.HasField("dim_value") and found.HasField("dim_value") and size.dim_value != found.dim_value:
            raise Rejected(f"the size {found.dim_value} along axis {axis} is declared as {size.dim_value}")
