"""Reading ONNX files: the only module that imports the package `onnx`."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gradual.gc_paused import collector_paused
from gradual.importers.common.refusals import Unread, Unreadable, Unsupported
from gradual.importers.common.sizes.ports import Extent, Port
from gradual.importers.onnx.file.model import Function, Graph, Model, Node
from gradual.importers.onnx.file.narrow import KINDS, Kind, Narrow, unpacked
from gradual.limits import LIMITS
from gradual.tensors.exchange.array_protocols import elements_of
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
NUMBERS = {dtype: number for number, dtype in _DTYPES.items()}

LOCATION = b"location"
"""The key, in a tensor that is in another file, of the name of that file."""

_NO_NAMES = ("", "?", "-1")
"""Texts that exporters write for a size without a name; taken as names, they would wrongly make sizes equal."""

INITIALIZERS_APART = 4
"""The first version of the format in which initializers need not be listed as inputs too."""

EARLIER = {"LayerNormalization"}
"""Operators that ONNX Runtime had before ONNX adopted them: its optimizer writes them into models of older versions."""

UNKNOWN = "unknown.operators"
"""The domain to which operators unknown to ONNX's checker are moved before it runs."""

_FIELDS = {DType.FLOAT32: "float_data", DType.FLOAT64: "double_data", DType.INT64: "int64_data"}
_FIELDS |= {DType.UINT32: "uint64_data", DType.UINT64: "uint64_data"}
"""The field with the elements of a tensor without raw bytes; other element types use `int32_data`."""


@collector_paused()
def load(path: str) -> Model:
    """Read the model in a file, including weights that are stored in other files.

    Raises Unreadable if the file contains no model, and Unsupported for a part that `Model` cannot represent.
    """
    onnx = package()
    from google.protobuf.message import DecodeError

    try:
        proto, has_others = _parsed(path)
        files = _affordable(proto, path) if has_others else ()
        if has_others:
            onnx.load_external_data_for_model(proto, os.path.dirname(path))
        return replace(read(proto), files=files)
    except OSError as error:
        raise Unreadable("E0701", f"cannot read `{path}`: {error.strerror or error}") from error
    except DecodeError as error:
        raise Unreadable("E0703", f"`{path}` is not an ONNX model") from error
    except (onnx.checker.ValidationError, UnicodeDecodeError, RuntimeError, ValueError) as error:
        raise Unreadable("E0703", f"`{path}` is not a valid ONNX model: {first_line(error)}") from error


def _parsed(path: str) -> tuple[Any, bool]:
    """The `onnx.ModelProto` in a file, and whether some of its tensors may be in other files."""
    with open(path, "rb") as stream:
        held = stream.read()
    return package().load_model_from_string(held), LOCATION in held


def read(proto: Any) -> Model:
    """The model of an `onnx.ModelProto`; if ONNX's own checker rejects the model, the checker's error is raised."""
    checker = package().checker
    try:
        checker.check_model(_outline(proto, proto.graph.node))
    except checker.ValidationError:
        nodes = tuple(map(_node, proto.graph.node))
        outline = _outline(proto, [proto.graph.node[at] for at in _order(nodes)])
        _set_unknown_apart(outline)
        checker.check_model(outline)
    return model_of(proto)


def _affordable(proto: Any, path: str) -> tuple[str, ...]:
    """The other files with weights; refused if the total size of these exceeds the limit, before they are read."""
    whole, folder, files = 0, os.path.dirname(path), dict[str, None]()
    for tensor in _tensors(proto):
        written = {entry.key: entry.value for entry in tensor.external_data}
        if "location" in written:
            file = os.path.join(folder, written["location"])
            files[file], held = None, os.path.getsize(file)
            length = written.get("length", "")
            whole += min(int(length), held) if length.isdecimal() else held
    if whole > LIMITS.file:
        raise Unreadable(
            "E0704", f"the weights of `{path}` have {whole} bytes: the limit `file` is {LIMITS.file} bytes"
        )
    return tuple(files)


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


def _set_unknown_apart(outline: Any) -> None:
    """Move operators unknown to ONNX to another domain, so that the import, not ONNX's checker, reports them."""
    defs = package().defs
    known = {schema.name for schema in defs.get_all_schemas_with_history() if not schema.domain} - EARLIER
    todo, moved = list(outline.graph.node), False
    while todo:
        node = todo.pop()
        if node.op_type and node.op_type not in known and not _domain(node.domain):
            node.domain, moved = UNKNOWN, True
        for attribute in node.attribute:
            todo += [inner for graph in [attribute.g, *attribute.graphs] for inner in graph.node]
    if moved:
        outline.opset_import.add(domain=UNKNOWN, version=1)


def _outline(proto: Any, nodes: Iterable[Any]) -> Any:
    """A copy of a model with additions that ONNX's checker requires and runtimes do not: graph name, types of outputs.

    Weights have no elements in the copy: their elements are checked when they are read.
    """
    onnx = package()
    graph = onnx.GraphProto(name=proto.graph.name or "graph", sparse_initializer=proto.graph.sparse_initializer)
    graph.input.extend(proto.graph.input)
    graph.output.extend(onnx.ValueInfoProto(name=port.name) for port in proto.graph.output)
    graph.node.extend(nodes)
    names = dict.fromkeys(tensor.name for tensor in proto.graph.initializer)
    graph.initializer.extend(onnx.TensorProto(name=name, data_type=1, dims=[0]) for name in names)
    for port in graph.output:
        port.type.tensor_type.elem_type = 1
    for port in [*graph.output, *graph.input]:
        if port.type.WhichOneof("value") == "tensor_type":
            port.type.tensor_type.shape.SetInParent()
    outline = onnx.ModelProto(graph=graph, opset_import=proto.opset_import, functions=proto.functions)
    if proto.HasField("ir_version"):
        outline.ir_version = max(proto.ir_version, INITIALIZERS_APART)
    return outline


def _order(nodes: Sequence[Node]) -> Sequence[int]:
    """The indices of nodes in topological order; an edge that closes a cycle is ignored."""
    makers = {name: at for at, node in enumerate(nodes) for name in node.outputs if name}
    if all(makers.get(name, -1) < at for at, node in enumerate(nodes) for name in _taken(node)):
        return range(len(nodes))
    before = [[makers[name] for name in dict.fromkeys(_taken(node)) if name in makers] for node in nodes]
    order: list[int] = []
    met = [False] * len(nodes)
    stack = [(at, False) for at in reversed(range(len(nodes)))]
    while stack:
        at, done = stack.pop()
        if done:
            order.append(at)
        elif not met[at]:
            met[at] = True
            stack.append((at, True))
            stack.extend((one, False) for one in reversed(before[at]) if not met[one])
    return order


def _taken(node: Node) -> Iterator[str]:
    """The names of values that a node uses: its inputs, and the free names of graphs in its attributes."""
    yield from node.inputs
    for value in node.attributes.values():
        for graph in value if isinstance(value, tuple) else (value,):
            if isinstance(graph, Graph):
                own = {port.name for port in graph.inputs} | set(graph.initializers)
                own |= {name for inner in graph.nodes for name in inner.outputs}
                yield from (name for inner in graph.nodes for name in _taken(inner) if name not in own)
                yield from (name for name in graph.outputs if name not in own)


def first_line(error: Exception) -> str:
    """An exception's message on one line."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def package() -> Any:
    """The package `onnx`, imported when a model is read."""
    try:
        import onnx
    except ImportError as error:
        raise Unreadable("E0703", f"reading ONNX models needs the package onnx: {INSTALL}") from error
    return onnx


def model_of(proto: Any) -> Model:
    """The model of an `onnx.ModelProto`."""
    functions = {(_domain(f.domain), f.name, _overload(f)): function_of(f) for f in proto.functions}
    return Model(_graph(proto.graph), _opsets(proto.opset_import), functions, proto.producer_name)


def _overload(proto: Any) -> str:
    """The overload of a function; older versions of the package `onnx` have no such field."""
    return str(getattr(proto, "overload", ""))


def _opsets(imported: Iterable[Any]) -> Mapping[str, int]:
    return {_domain(opset.domain): opset.version for opset in imported}


def _text(written: str | bytes) -> str:
    """A name; protobuf returns bytes if it is not UTF-8."""
    if isinstance(written, bytes):
        raise Unsupported(f"the name {written!r}, which is not UTF-8")
    return written


def _texts(written: Iterable[str | bytes]) -> tuple[str, ...]:
    """Names, as `_text`."""
    return tuple([_text(one) if isinstance(one, bytes) else one for one in written])


def _domain(written: str) -> str:
    return "" if written == "ai.onnx" else _text(written)


def function_of(proto: Any) -> Function:
    """The function of an `onnx.FunctionProto`."""
    attributes = {attribute.name: attribute_of(attribute) for attribute in proto.attribute_proto}
    attributes |= dict.fromkeys(proto.attribute)
    nodes = tuple(map(_node, proto.node))
    return Function(tuple(proto.input), tuple(proto.output), attributes, nodes, _opsets(proto.opset_import))


def _graph(proto: Any) -> Graph:
    initializers: dict[str, Tensor | Narrow | Unread] = {
        _text(one.name): _or_unread(tensor_of_proto, one) for one in proto.initializer
    }
    for sparse in proto.sparse_initializer:
        initializers[_text(sparse.values.name)] = Unread(f"`{sparse.values.name}` is a sparse initializer")
    inputs = tuple(_port(port) for port in proto.input if port.name not in initializers)
    outputs = tuple(_text(port.name) for port in proto.output)
    nodes = tuple(map(_node, proto.node))
    declared = {port.name: _port(port) for port in proto.value_info}
    return Graph(proto.name, inputs, outputs, initializers, tuple(nodes[at] for at in _order(nodes)), declared)


def _or_unread(read: Callable[[Any], Any], proto: Any) -> Any:
    """The result of `read`, or `Unread` with the error of `read`: an unused part must not prevent the import."""
    try:
        return read(proto)
    except Unsupported as reason:
        return Unread(str(reason))


def _port(proto: Any) -> Port:
    return port_of(_text(proto.name), proto.type)


def port_of(name: str, type: Any) -> Port:
    """The declared type of a value: a tensor, a sequence of tensors, or an optional tensor or sequence."""
    optional = type.WhichOneof("value") == "optional_type"
    type = type.optional_type.elem_type if optional else type
    sequence = type.WhichOneof("value") == "sequence_type"
    type = type.sequence_type.elem_type if sequence else type
    if type.WhichOneof("value") not in (None, "tensor_type"):
        says = f"`{name}` is neither a tensor nor a sequence of tensors"
        return Port(name, Unread(says), None, sequence, optional)
    tensor = type.tensor_type
    shape = tuple(map(_extent, tensor.shape.dim)) if tensor.HasField("shape") else None
    dtype = _or_unread(partial(dtype_of, what=f"`{name}`"), tensor.elem_type) if tensor.elem_type else None
    return Port(name, dtype, shape, sequence, optional)


def _extent(proto: Any) -> Extent:
    kind = proto.WhichOneof("value")
    if kind == "dim_value":
        return int(proto.dim_value) if proto.dim_value >= 0 else None
    name = _text(proto.dim_param) if kind == "dim_param" else ""
    return name if name not in _NO_NAMES else None


def dtype_of(number: int, what: str) -> DType:
    """The element type of a `TensorProto.DataType`."""
    if number not in _DTYPES:
        kinds = {value: name.lower() for name, value in package().TensorProto.DataType.items()}
        name = kinds.get(number, str(number))
        raise Unsupported(f"{what} has elements of type {name}" if number else f"{what} has no element type")
    return _DTYPES[number]


def element_type(number: int, what: str) -> DType | Kind:
    """The element type of a `TensorProto.DataType`, which may have fewer than 8 bits."""
    return KINDS.get(number) or dtype_of(number, what)


def _node(proto: Any) -> Node:
    attributes = {attribute.name: _or_unread(attribute_of, attribute) for attribute in proto.attribute}
    names = _texts(proto.input), _texts(proto.output)
    metadata = {entry.key: entry.value for entry in getattr(proto, "metadata_props", ())}
    kind = _text(proto.op_type), _domain(proto.domain), _text(proto.name)
    return Node(*kind, *names, attributes, _overload(proto), metadata)


def attribute_of(proto: Any) -> Any:
    """The value of an attribute; a `Reference` if it refers to an attribute of the enclosing function."""
    if proto.ref_attr_name:
        return Reference(proto.ref_attr_name)
    if (value := _VALUES.get(proto.type)) is None:
        raise Unsupported(f"the attribute {proto.name} of a kind that tensors and numbers are not")
    return value(proto)


class Reference(str):
    """The name of an attribute of the function whose body contains the node."""


def tensor_of_proto(proto: Any) -> Tensor | Narrow:
    """The tensor of an `onnx.TensorProto`."""
    if (kind := KINDS.get(proto.data_type)) is not None:
        held = proto.raw_data or [part & 0xFF for part in proto.int32_data]
        return unpacked(kind, held, tuple(proto.dims), proto.name)
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
    """The elements in little-endian bytes."""
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
    """The float32 numbers with these upper 16 bits and zeros below (bfloat16 to float32)."""
    return [struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF) << 16))[0] for bits in halves]


_VALUES: Mapping[int, Callable[[Any], Any]] = {
    1: lambda proto: proto.f,
    2: lambda proto: proto.i,
    3: lambda proto: proto.s.decode(errors="replace"),
    4: lambda proto: tensor_of_proto(proto.t),
    5: lambda proto: _graph(proto.g),
    6: lambda proto: tuple(proto.floats),
    7: lambda proto: tuple(proto.ints),
    8: lambda proto: tuple(text.decode(errors="replace") for text in proto.strings),
    9: lambda proto: tuple(map(tensor_of_proto, proto.tensors)),
    10: lambda proto: tuple(map(_graph, proto.graphs)),
    13: lambda proto: port_of(proto.name, proto.tp),
}
"""The value of an attribute, by its `AttributeProto.AttributeType`."""
