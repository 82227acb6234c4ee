"""Facts about operators from ONNX's own schemas: the element types they take, and the bodies that define them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.sizes.ports import Port
from gradual.importers.onnx.file.model import Function, Graph, Node
from gradual.importers.onnx.file.narrow import BITS, KINDS, Kind, Narrow
from gradual.importers.onnx.file.reading import NUMBERS, attribute_of, first_line, function_of, package
from gradual.record import record
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType

_WORDS = {"float": "float32", "double": "float64"}
"""Element types whose name in ONNX's schemas differs from ours."""
_KNOWN = {dtype.value for dtype in DType} | set(map(str, KINDS.values()))


@record
class Parameter:
    """An input as a schema describes it.

    Attributes:
        kinds: the element types that a tensor at this input may have.
        variable: the type variable of the input, if any: all inputs with the same variable have the same type.
    """

    kinds: frozenset[str]
    variable: str | None


@cache
def _schema(domain: str, operator: str, opset: int) -> Any:
    """ONNX's schema of an operator in a version; None if there is none, or it is deprecated."""
    defs = package().defs
    try:
        schema = defs.get_schema(operator, opset, domain)
    except defs.SchemaError:
        return None
    return None if schema.deprecated else schema


@cache
def parameters(domain: str, operator: str, opset: int) -> tuple[Parameter, ...]:
    """The inputs of an operator, the last of which may be variadic; empty for an operator without a schema in ONNX."""
    inputs = () if (schema := _schema(domain, operator, opset)) is None else schema.inputs
    return tuple(Parameter(_kinds(one.types), one.type_str if one.is_homogeneous else None) for one in inputs)


def _kinds(types: Sequence[str]) -> frozenset[str]:
    words = {one.removeprefix("tensor(").removesuffix(")") for one in types}
    return frozenset(_WORDS.get(word, word) for word in words) & _KNOWN


@cache
def admit(domain: str, operator: str, opset: int, kinds: tuple[DType | Kind | None, ...]) -> Mapping[int, int]:
    """The widths of those results of an operator that have elements of fewer than 8 bits, by its schema.

    `kinds` are the element types of the operands, None where one is not known.  Raises Unsupported if the schema does
    not admit the element type of an operand.
    """
    known, bound = parameters(domain, operator, opset), dict[str, str]()
    for at, given in enumerate(kinds if known else ()):
        parameter = known[min(at, len(known) - 1)]
        if given is None or not parameter.kinds:  # not a tensor of known type, or not a tensor input
            continue
        kind = str(given)
        if kind not in parameter.kinds:
            raise Unsupported(f"elements of type {kind}, which version {opset} of the operator does not take")
        if parameter.variable is not None and bound.setdefault(parameter.variable, kind) != kind:
            raise Unsupported(f"elements of types {bound[parameter.variable]} and {kind}, which have to be one")
    results = enumerate(_results(domain, operator, opset))
    return {at: BITS[bound[name]] for at, name in results if bound.get(name) in BITS}


@cache
def _results(domain: str, operator: str, opset: int) -> tuple[str, ...]:
    """The type variables of the outputs of an operator."""
    return () if (schema := _schema(domain, operator, opset)) is None else tuple(one.type_str for one in schema.outputs)


def is_explained(domain: str, operator: str, opset: int) -> bool:
    """Whether ONNX itself defines an operator by a body of other operators."""
    schema = _schema(domain, operator, opset)
    return schema is not None and bool(schema.has_function or schema.has_context_dependent_function)


def standard_function(node: Node, opset: int, operands: Sequence[Port | None]) -> Function:
    """The body of other operators by which ONNX defines an operator; it may depend on the types of the operands."""
    schema = _schema(*node.kind, opset)
    body = function_of(schema.function_body) if schema.has_function else _dependent_body(schema, node, operands)
    usual = {name: one.default_value for name, one in schema.attributes.items() if one.default_value.name}
    return replace(body, attributes={**body.attributes, **{name: attribute_of(one) for name, one in usual.items()}})


def _dependent_body(schema: Any, node: Node, operands: Sequence[Port | None]) -> Function:
    """The body that ONNX generates for operands of these types."""
    onnx = package()
    proto = onnx.NodeProto(op_type=node.operator, input=node.inputs, output=node.outputs)
    types = [_type_proto(operand).SerializeToString() for operand in operands]
    body = onnx.FunctionProto()
    for name, value in node.attributes.items():
        if name not in schema.attributes or isinstance(value, Graph | Tensor | Narrow):
            raise Unsupported(f"the attribute {name}")
    try:
        for name, value in node.attributes.items():
            kind = schema.attributes[name].type.value
            proto.attribute.append(onnx.helper.make_attribute(name, value, attr_type=kind))
        body.ParseFromString(schema.get_context_dependent_function(proto.SerializeToString(), types))
    except (RuntimeError, TypeError, ValueError) as error:  # raised by ONNX for a node that is not well formed
        raise Unsupported(first_line(error)) from error
    if not body.node:
        raise Unsupported("operands of which too little is known here")
    return function_of(body)


def _type_proto(operand: Port | None) -> Any:
    onnx = package()
    if operand is None or not isinstance(operand.dtype, DType):
        return onnx.TypeProto()
    return onnx.helper.make_tensor_type_proto(NUMBERS[operand.dtype], operand.shape)
