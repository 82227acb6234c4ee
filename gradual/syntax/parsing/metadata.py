"""The `#[metadata]` section: TVM's JSON graph with base64 arrays, decoded to the values of `meta[kind][index]`."""

from __future__ import annotations

import binascii
import json
import math
import re
import struct
import sys
from array import array
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from gradual.record import record
from gradual.source import Span
from gradual.syntax.tree import ast

Key = tuple[str, int]
Size = str | int | None | tuple[str, "Size", "Size"]
"""A size in the metadata: a name, a number, None for an unknown size, or an operation on two sizes."""
Leaf = int | float | str | None | tuple["Leaf", ...]
Fields = Mapping[str, Leaf]
"""Attributes in the metadata."""

ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "relay.attrs.AllClassNonMaximumSuppressionAttrs": (),
    "relay.attrs.DFTAttrs": ("inverse",),
    "relay.attrs.DilateAttrs": ("strides",),
    "relay.attrs.DynExpandDimsAttrs": (),
    "relay.attrs.GetValidCountsAttrs": ("score_threshold",),
    "relay.attrs.InitOpAttrs": ("shape",),
    "relay.attrs.NonMaximumSuppressionAttrs": (),
    "relay.attrs.ProposalAttrs": ("ratios", "scales"),
    "relay.attrs.ROIAlignAttrs": ("pooled_size",),
    "relay.attrs.ROIPoolAttrs": ("pooled_size",),
    "relay.attrs.ScanopAttrs": ("axis", "exclusive"),
    "relay.attrs.ScatterElementsAttrs": ("axis", "reduction"),
    "relay.attrs.ScatterNDAttrs": ("mode",),
    "relay.attrs.StftAttrs": (),
    "relay.attrs.TriluAttrs": (),
    "relay.attrs.UniqueAttrs": (),
}
"""Type of attributes that TVM 0.12 prints as a metadata key -> its fields that are nodes; other fields are text.

These types belong to the operators registered without `set_attrs_type` (`src/relay/op`).  A field declared in
`include/tvm/relay/attrs` as `Array`, `Integer`, `Bool` or `String` is a node; an `int` or `double` is text.
"""


class Undecodable(ValueError):
    """A section that is not a graph in TVM's format; the argument says why."""


@record(eq=False)
class Metadata:
    """The decoded values of a section's keys.

    Attributes:
        constants: decoded tensors, and integers.
        sizes: keys whose value is a size.
        attributes: keys whose value is the attributes of an operator, by name.
    """

    constants: dict[Key, ast.MetaTensor | int] = field(default_factory=dict)
    sizes: Mapping[Key, Size] = field(default_factory=dict)
    attributes: Mapping[Key, Fields] = field(default_factory=dict)


NO_METADATA = Metadata()


def decoded(section: str) -> Metadata:
    """Decode the keys of a section's text; kinds other than constants, sizes and attributes are left out.

    Raises:
        Undecodable: the text is no JSON graph, or a constant in it is broken.   [syntax.metadata]
    """
    try:
        return _Graph(json.loads(section)).metadata()
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError, struct.error) as problem:
        raise Undecodable(_reason(problem)) from problem


def _reason(problem: Exception) -> str:
    match problem:
        case json.JSONDecodeError():
            return f"its JSON breaks off at line {problem.lineno} of the section: {problem.msg.lower()}"
        case binascii.Error():
            return "an array in it is not base64"
        case Undecodable():
            return str(problem)
        case RecursionError():
            return "its JSON nests too deeply"
    return "it is not a graph of nodes as TVM writes it"


def placed(size: Size, span: Span) -> ast.Expr:
    """A size of the metadata as an expression at the span of its key."""
    match size:
        case None:
            return ast.Hole(span)
        case int():
            return ast.Number(size, "int32" if -(1 << 31) <= size < 1 << 31 else "int64", False, span)
        case str():
            return ast.Name(size, span)
        case ("min" | "max" as function, left, right):
            return ast.Call(ast.Name(function, span), (placed(left, span), placed(right, span)), (), span)
        case (op, left, right):
            return ast.Infix(op, placed(left, span), placed(right, span), span)


def attributes_at(fields: Fields, span: Span) -> tuple[ast.Attribute, ...]:
    """Attributes of the metadata as if they were written at the span of their key."""
    return tuple(ast.Attribute(name, _value_at(value, span), span) for name, value in fields.items())


def _value_at(value: Leaf, span: Span) -> ast.Expr:
    match value:
        case None:
            return ast.Nothing(span)
        case str():
            return ast.Text(value, span)
        case tuple():
            return ast.Listing(tuple(_value_at(part, span) for part in value), span)
        case float():
            return ast.Number(value, "float64", True, span)
    return ast.Number(value, "int32", False, span)


ARITHMETIC = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "FloorDiv": "//",
    "FloorMod": "%",
    "Min": "min",
    "Max": "max",
}
DEPTH = 100
"""How deep the arithmetic of a size, or a list, may nest in the metadata."""


class _Graph:
    """A JSON graph: nodes that refer to each other by number, and the arrays that they use."""

    def __init__(self, stored: dict[str, Any]) -> None:
        self.root: int = stored["root"]
        self.nodes: list[dict[str, Any]] = stored["nodes"]
        self.arrays: list[str] = stored.get("b64ndarrays", [])
        self.names: dict[int, str] = {}

    def metadata(self) -> Metadata:
        constants: dict[Key, ast.MetaTensor | int] = {}
        sizes: dict[Key, Size] = {}
        attributes: dict[Key, Fields] = {}
        for kind, node in self._kinds():
            for index, entry in enumerate(self._elements(node)):
                if kind in ATTRIBUTES:
                    attributes[kind, index] = self._fields(self.nodes[entry])
                else:
                    self._decode((kind, index), self.nodes[entry], entry, constants, sizes)
        return Metadata(constants, sizes, attributes)

    def _fields(self, node: dict[str, Any]) -> Fields:
        """The attributes of a node: numbers, strings and lists, stored as text or as further nodes."""
        kind = node["type_key"]
        if kind not in ATTRIBUTES:
            raise Undecodable(f"an entry of attributes in it is of kind {kind}")
        nodes = ATTRIBUTES[kind]
        return {
            name: self._leaf(self.nodes[int(held)], DEPTH) if name in nodes else _plain(held)
            for name, held in node["attrs"].items()
            if name != "span"
        }

    def _leaf(self, node: dict[str, Any], depth: int) -> Leaf:
        match node["type_key"]:
            case "":
                return None
            case "IntImm":
                return int(node["attrs"]["value"])
            case "FloatImm":
                return float(node["attrs"]["value"])
            case "runtime.String":
                return str(node["repr_str"])
            case "Array" if depth:
                return tuple(self._leaf(self.nodes[part], depth - 1) for part in node.get("data", ()))
        raise Undecodable(f"an attribute in it is of kind {node['type_key']}")

    def _kinds(self) -> list[tuple[str, int]]:
        table = self.nodes[self.root]
        if table["type_key"] != "Map":
            raise Undecodable("its root is no map from kinds to lists")
        return list(zip(table.get("keys", ()), table.get("data", ()), strict=True))

    def _elements(self, node: int) -> list[int]:
        return list(self.nodes[node].get("data", ()))

    def _decode(
        self, key: Key, node: dict[str, Any], number: int, constants: dict[Key, Any], sizes: dict[Key, Size]
    ) -> None:
        kind = node["type_key"]
        if kind == "relay.Constant":
            tensor = tensor_from(b64decode(self.arrays[int(node["attrs"]["data"])], validate=True))
            if tensor is not None:
                constants[key] = tensor
        elif kind == "IntImm":
            constants[key] = sizes[key] = int(node["attrs"]["value"])
        elif self._is_size(number, DEPTH):
            sizes[key] = self._size(number)

    def _is_size(self, number: int, depth: int) -> bool:
        node = self.nodes[number]
        kind = node["type_key"]
        if kind.startswith("tir.") and kind[4:] in ARITHMETIC and depth:
            return all(self._is_size(int(node["attrs"][side]), depth - 1) for side in "ab")
        return kind in ("IntImm", "tir.Any", "tir.Var", "tir.SizeVar")

    def _size(self, number: int) -> Size:
        node = self.nodes[number]
        match node["type_key"]:
            case "IntImm":
                return int(node["attrs"]["value"])
            case "tir.Any":
                return None
            case "tir.Var" | "tir.SizeVar":
                return self._name(number, node["attrs"])
        sides = (self._size(int(node["attrs"][side])) for side in "ab")
        return (ARITHMETIC[node["type_key"][4:]], *sides)  # type: ignore[return-value]

    def _name(self, number: int, attributes: dict[str, str]) -> str:
        """A valid name for the variable, made from its name in TVM and distinct from all other names."""
        if number not in self.names:
            hint = attributes["name"] if "name" in attributes else self.nodes[int(attributes["name_hint"])]["repr_str"]
            stem = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in hint)
            stem = stem if stem[:1].isalpha() else f"v{stem}"
            taken, name, count = set(self.names.values()), stem, 0
            while name in taken:
                count += 1
                name = f"{stem}_{count}"
            self.names[number] = name
        return self.names[number]


_INTEGER = re.compile(r"-?[0-9]+")
_FLOAT = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?|inf|nan)")


def _plain(text: str) -> int | float | str:
    """The value of a field stored as text: a number as C++ prints it, or else a string."""
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


# ------------------------------------------------------------------------------------------------- arrays
MAGIC = 0xDD5E40F096B4A13F
HEAD = struct.Struct("<QQiii")  # magic, reserved, device type, device number, rank
KIND = struct.Struct("<BBH")  # type code, bits, lanes

CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}


def tensor_from(data: bytes) -> ast.MetaTensor | None:
    """Decode a tensor from TVM's binary form; None for an element type that the language lacks (handles, vectors).

    Raises:
        Undecodable: the bytes are not that form, or are cut short.
    """
    if len(data) < HEAD.size + KIND.size:
        raise Undecodable("an array in it is cut short")
    magic, _, _, _, rank = HEAD.unpack_from(data)
    if magic != MAGIC or not 0 <= rank <= 64:
        raise Undecodable("an array in it does not begin as TVM's arrays do")
    code, bits, lanes = KIND.unpack_from(data, HEAD.size)
    at = HEAD.size + KIND.size
    shape = struct.unpack_from(f"<{rank}q", data, at)
    (size,) = struct.unpack_from("<q", data, at + 8 * rank)
    content = data[at + 8 * rank + 8 :]
    if len(content) != size or min(shape, default=0) < 0:
        raise Undecodable("an array in it is cut short")
    dtype = _dtype(code, bits)
    reader = READERS.get(dtype) if lanes == 1 else None
    return _tensor(dtype, shape, reader(content)) if reader else None


def _dtype(code: int, bits: int) -> str:
    kind = CODES.get(code, "handle")
    return "bool" if kind == "bool" or (kind, bits) == ("uint", 1) else f"{kind}{bits}"


def _tensor(dtype: str, shape: tuple[int, ...], elements: tuple[Any, ...]) -> ast.MetaTensor:
    if len(elements) != math.prod(shape):
        raise Undecodable(f"an array in it has {len(elements)} elements for the shape {shape}")
    return ast.MetaTensor(dtype, shape, elements)


def _native(code: str) -> Callable[[bytes], tuple[Any, ...]]:
    def read(data: bytes) -> tuple[Any, ...]:
        values = array(code)
        values.frombytes(data[: len(data) - len(data) % values.itemsize])
        if sys.byteorder == "big":
            values.byteswap()
        return tuple(values)

    return read


def _halves(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 2}e", data[: len(data) // 2 * 2])


def _brains(data: bytes) -> tuple[float, ...]:
    """bfloat16 is the upper half of float32."""
    wide = b"".join(b"\0\0" + data[at : at + 2] for at in range(0, len(data) - 1, 2))
    return struct.unpack(f"<{len(wide) // 4}f", wide)


def _truths(data: bytes) -> tuple[bool, ...]:
    return tuple(map(bool, data))


READERS: dict[str, Callable[[bytes], tuple[Any, ...]]] = {
    "bool": _truths,
    **{f"int{8 << k}": _native(code) for k, code in enumerate("bhiq")},
    **{f"uint{8 << k}": _native(code) for k, code in enumerate("BHIQ")},
    "float16": _halves,
    "bfloat16": _brains,
    "float32": _native("f"),
    "float64": _native("d"),
}
