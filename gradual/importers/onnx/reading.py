"""Reading ONNX files: the only door to the package `onnx`."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gradual.importers.onnx.model import Extent, Function, Graph, Model, Node, Port, Unreadable, Unsupported
from gradual.limits import LIMITS
from gradual.tensors.foreign import elements_of
from gradual.tensors.index import numel
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType

INSTALL = "pip install 'gradual[onnx]'"

_DTYPES = {
    1: DType.FLOAT32,
    2: DType.UINT8,
    3: DType.INT8,
    4: DType.UINT16,
    5: DType.INT16,
    6: DType.INT32,
    7: DType.INT64,
    9: DType.BOOL,
    10: DType.FLOAT16,
    11: DType.FLOAT64,
    12: DType.UINT32,
    13: DType.UINT64,
    16: DType.BFLOAT16,
}
"""`TensorProto.DataType`, by number."""
_NUMBERS = {dtype: number for number, dtype in _DTYPES.items()}

_NO_NAMES = ("", "?", "-1")
"""What exporters write where a size has no name; equal names are equal sizes."""

_FIELDS = {DType.FLOAT32: "float_data", DType.FLOAT64: "double_data", DType.INT64: "int64_data"}
_FIELDS |= {DType.UINT32: "uint64_data", DType.UINT64: "uint64_data"}
"""Where elements stand that are not raw bytes; the other types have `int32_data`."""


def load(path: str) -> Model:
    """The model in a file, weights in other files included.  Raises Unreadable where there is none.

    Unsupported tells what of it has no place here.
    """
    onnx = _package()
    from google.protobuf.message import DecodeError

    try:
        proto = onnx.load(path, load_external_data=False)
        _affordable(proto, path)
        onnx.load_external_data_for_model(proto, os.path.dirname(path))
        onnx.checker.check_model(path)
    except OSError as error:
        raise Unreadable("E0701", f"cannot read `{path}`: {error.strerror or error}") from error
    except DecodeError as error:
        raise Unreadable("E0703", f"`{path}` is no ONNX model") from error
    except (onnx.checker.ValidationError, UnicodeDecodeError, RuntimeError, ValueError) as error:
        raise Unreadable("E0703", f"`{path}` is no valid ONNX model: {_first_line(error)}") from error
    return model_of(proto)


def _affordable(proto: Any, path: str) -> None:
    """Refuse weights in other files that are too large together, before they are read."""
    whole, folder = 0, os.path.dirname(path)
    for tensor in _tensors(proto):
        written = {entry.key: entry.value for entry in tensor.external_data}
        if "location" in written:
            held = os.path.getsize(os.path.join(folder, written["location"]))
            length = written.get("length", "")
            whole += min(int(length), held) if length.isdecimal() else held
    if whole > LIMITS.file:
        raise Unreadable(
            "E0704", f"the weights of `{path}` have {whole} bytes: the limit `file` is {LIMITS.file} bytes"
        )


def _tensors(proto: Any) -> Iterator[Any]:
    """Every tensor of a model: weights, and attributes of nodes in its graphs and functions."""
    graphs, nodes = [proto.graph], [node for function in proto.functions for node in function.node]
    while graphs or nodes:
        if graphs:
            graph = graphs.pop()
            yield from graph.initializer
            nodes += graph.node
            continue
        for attribute in nodes.pop().attribute:
            yield from (attribute.t, *attribute.tensors)
            graphs += [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _package() -> Any:
    """The package `onnx`, imported when a model is read."""
    try:
        import onnx
    except ImportError as error:
        raise Unreadable("E0703", f"reading ONNX models needs the package onnx: {INSTALL}") from error
    return onnx


def model_of(proto: Any) -> Model:
    """The model of an `onnx.ModelProto`."""
    functions = {(_domain(f.domain), f.name, _overload(f)): _function(f) for f in proto.functions}
    return Model(_graph(proto.graph), _opsets(proto.opset_import), functions)


def _overload(proto: Any) -> str:
    """Which of several functions of one name; older packages know of none."""
    return str(getattr(proto, "overload", ""))


def _opsets(imported: Iterable[Any]) -> Mapping[str, int]:
    return {_domain(opset.domain): opset.version for opset in imported}


def _text(written: str | bytes) -> str:
    """A name; bytes that are no text arrive as such."""
    if isinstance(written, bytes):
        raise Unsupported(f"the name {written!r}, which is not UTF-8")
    return written


def _domain(written: str) -> str:
    return "" if written == "ai.onnx" else _text(written)


def _function(proto: Any) -> Function:
    attributes = {attribute.name: _attribute(attribute) for attribute in proto.attribute_proto}
    attributes |= dict.fromkeys(proto.attribute)
    nodes = tuple(map(_node, proto.node))
    return Function(tuple(proto.input), tuple(proto.output), attributes, nodes, _opsets(proto.opset_import))


def standard_function(node: Node, opset: int, operands: Sequence[Port | None]) -> Function | None:
    """The body by which ONNX itself explains an operator; it may depend on what is known of the operands."""
    defs = _package().defs
    try:
        schema = defs.get_schema(node.operator, opset, "")
    except defs.SchemaError:
        return None
    if schema.deprecated:
        return None
    if schema.has_function:
        body = _function(schema.function_body)
    elif schema.has_context_dependent_function:
        body = _dependent_body(schema, node, operands)
    else:
        return None
    usual = {name: one.default_value for name, one in schema.attributes.items() if one.default_value.name}
    return replace(body, attributes={**body.attributes, **{name: _attribute(one) for name, one in usual.items()}})


def _dependent_body(schema: Any, node: Node, operands: Sequence[Port | None]) -> Function:
    """The body for these operands."""
    onnx = _package()
    proto = onnx.NodeProto(op_type=node.operator, input=node.inputs, output=node.outputs)
    types = [_type_proto(operand).SerializeToString() for operand in operands]
    body = onnx.FunctionProto()
    for name, value in node.attributes.items():
        if name not in schema.attributes or isinstance(value, Graph | Tensor):
            raise Unsupported(f"the attribute {name}")
    try:
        for name, value in node.attributes.items():
            kind = schema.attributes[name].type.value
            proto.attribute.append(onnx.helper.make_attribute(name, value, attr_type=kind))
        body.ParseFromString(schema.get_context_dependent_function(proto.SerializeToString(), types))
    except (RuntimeError, TypeError, ValueError) as error:  # ONNX's words for a node that is not well formed
        raise Unsupported(_first_line(error)) from error
    if not body.node:
        raise Unsupported("operands of which too little is known here")
    return _function(body)


def _type_proto(operand: Port | None) -> Any:
    onnx = _package()
    if operand is None or operand.dtype is None:
        return onnx.TypeProto()
    return onnx.helper.make_tensor_type_proto(_NUMBERS[operand.dtype], operand.shape)


def _graph(proto: Any) -> Graph:
    if proto.sparse_initializer:
        raise Unsupported("sparse initializers")
    initializers = {_text(tensor.name): tensor_of_proto(tensor) for tensor in proto.initializer}
    inputs = tuple(_port(port) for port in proto.input if port.name not in initializers)
    return Graph(proto.name, inputs, tuple(map(_port, proto.output)), initializers, tuple(map(_node, proto.node)))


def _port(proto: Any) -> Port:
    kind, type = proto.type.WhichOneof("value"), proto.type
    sequence = kind == "sequence_type"
    if sequence:
        type = type.sequence_type.elem_type
        kind = type.WhichOneof("value")
    if kind is not None and kind != "tensor_type":
        raise Unsupported(f"`{proto.name}` is neither a tensor nor a sequence of tensors")
    tensor = type.tensor_type
    shape = tuple(map(_extent, tensor.shape.dim)) if tensor.HasField("shape") else None
    dtype = dtype_of(tensor.elem_type, f"`{proto.name}`") if tensor.elem_type else None
    return Port(_text(proto.name), dtype, shape, sequence)


def _extent(proto: Any) -> Extent:
    kind = proto.WhichOneof("value")
    if kind == "dim_value":
        return int(proto.dim_value) if proto.dim_value >= 0 else None
    name = _text(proto.dim_param) if kind == "dim_param" else ""
    return name if name not in _NO_NAMES else None


def dtype_of(number: int, what: str) -> DType:
    """The element type of a `TensorProto.DataType`."""
    if number not in _DTYPES:
        kinds = {value: name.lower() for name, value in _package().TensorProto.DataType.items()}
        name = kinds.get(number, str(number))
        raise Unsupported(f"{what} has elements of type {name}" if number else f"{what} has no element type")
    return _DTYPES[number]


def _node(proto: Any) -> Node:
    attributes = {attribute.name: _attribute(attribute) for attribute in proto.attribute}
    names = tuple(map(_text, proto.input)), tuple(map(_text, proto.output))
    return Node(_text(proto.op_type), _domain(proto.domain), _text(proto.name), *names, attributes, _overload(proto))


def _attribute(proto: Any) -> Any:
    """The value of an attribute; a reference to one of the function around is a `Reference`."""
    if proto.ref_attr_name:
        return Reference(proto.ref_attr_name)
    kinds = _package().AttributeProto
    match proto.type:
        case kinds.FLOAT:
            return proto.f
        case kinds.INT:
            return proto.i
        case kinds.STRING:
            return proto.s.decode(errors="replace")
        case kinds.TENSOR:
            return tensor_of_proto(proto.t)
        case kinds.GRAPH:
            return _graph(proto.g)
        case kinds.FLOATS:
            return tuple(proto.floats)
        case kinds.INTS:
            return tuple(proto.ints)
        case kinds.STRINGS:
            return tuple(text.decode(errors="replace") for text in proto.strings)
        case kinds.TENSORS:
            return tuple(map(tensor_of_proto, proto.tensors))
        case kinds.GRAPHS:
            return tuple(map(_graph, proto.graphs))
    raise Unsupported(f"the attribute {proto.name} of a kind that tensors and numbers are not")


class Reference(str):
    """The name of an attribute of the function in whose body a node stands."""


def tensor_of_proto(proto: Any) -> Tensor:
    """The tensor of an `onnx.TensorProto`."""
    dtype, shape = dtype_of(proto.data_type, f"`{proto.name}`"), tuple(proto.dims)
    elements = _from_bytes(dtype, proto.raw_data) if proto.raw_data else _from_fields(dtype, proto)
    if min(shape, default=0) < 0 or numel(shape) != len(elements):
        raise Unsupported(f"`{proto.name}`: {len(elements)} elements do not fill the shape {shape}")
    if proto.raw_data:
        return tensor_of(shape, dtype, elements)
    try:
        return Tensor(elements, dtype, shape)
    except ValueError as error:
        raise Unsupported(f"`{proto.name}`: {error}") from error


def _from_bytes(dtype: DType, raw: bytes) -> Sequence[Any]:
    """Elements that stand least significant byte first."""
    width = dtype.bits // 8
    if len(raw) % width:
        raise Unsupported(f"{len(raw)} bytes are no whole number of {dtype} elements")
    return elements_of(dtype, raw, sys.byteorder == "big")


def _from_fields(dtype: DType, proto: Any) -> Sequence[Any]:
    held = list(getattr(proto, _FIELDS.get(dtype, "int32_data")))
    if dtype is DType.BOOL:
        return [element != 0 for element in held]
    if dtype is DType.FLOAT16:
        return [struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0] for bits in held]
    return _widened(held) if dtype is DType.BFLOAT16 else held


def _widened(halves: Iterable[int]) -> list[float]:
    """The numbers whose upper 16 bits these are."""
    return [struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF) << 16))[0] for bits in halves]
