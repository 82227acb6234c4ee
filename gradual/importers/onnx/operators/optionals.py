"""Operators on optional values."""

from __future__ import annotations

from typing import Any

from gradual.dims.term.dim import constant
from gradual.importers.common import lists
from gradual.importers.common.refusals import Unread, Unsupported
from gradual.importers.common.sizes.ports import Extent, Port
from gradual.importers.common.values import Value
from gradual.importers.onnx.importers import Use, imports
from gradual.types.dtype import DType
from gradual.types.type import DataType, Hole, NeverType, TensorType, UnrankedType

PRESENT = "Some"
"""The constructor of a present value."""


@imports("Optional")
def optional(use: Use) -> Value:
    """An optional value: present, or absent with a given type."""
    given = use.optional(0)
    if given is None:
        type = lists.optional_of(use.builder, _declared(use, use.required("type")))
        return Value(type, use.builder.bind([], lambda _: "None"))
    one = lists.as_list(use.builder, given) if lists.is_sequence(given) else given
    type = lists.optional_of(use.builder, lists.held(one))
    return Value(type, use.builder.bind([one], lambda text: f"{PRESENT}({text[0]})", PRESENT))


def _declared(use: Use, port: Port) -> Any:
    """The type in an attribute; a size that is not a number becomes `?`."""
    if isinstance(port.dtype, Unread) or port.dtype is None:
        raise Unsupported("a type without element type" if port.dtype is None else port.dtype.says)
    tensor: Any = UnrankedType(port.dtype)
    if port.shape is not None:
        tensor = TensorType(tuple(map(_extent, port.shape)), port.dtype)
    return lists.of(use.builder, tensor) if port.sequence else tensor


def _extent(size: Extent) -> Any:
    return constant(size) if isinstance(size, int) else Hole()


@imports("OptionalHasElement")
def has_element(use: Use) -> Value:
    """Whether an optional value is present; true for a value that is not optional."""
    given = use.optional(0)
    if given is None or not lists.is_optional(given) or given.made_by(PRESENT):
        return use.builder.number(given is not None, DType.BOOL)
    return lists.applied(use.builder, "@has_element", TensorType((), DType.BOOL), given)


@imports("OptionalGetElement")
def element(use: Use) -> Value:
    """The value inside an optional one, which has to be present."""
    given = use[0]
    if not lists.is_optional(given):
        return given
    if known := given.made_by(PRESENT):
        return known[0]
    (type,) = given.type.arguments if isinstance(given.type, DataType) else (NeverType(),)
    return lists.applied(use.builder, "@element", type, given)
