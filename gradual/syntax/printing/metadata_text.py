"""Encoding of constants as a `#[metadata]` section in the format of TVM 0.12; `metadata.decoded` is the inverse."""

from __future__ import annotations

import json
import struct
import sys
from array import array
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from gradual.syntax.parsing.metadata import CODES, HEAD, KIND, MAGIC
from gradual.syntax.tree import ast

_TYPECODES = {f"int{8 << k}": code for k, code in enumerate("bhiq")}
_TYPECODES |= {f"uint{8 << k}": code for k, code in enumerate("BHIQ")} | {"float32": "f", "float64": "d", "bool": "b"}
_KINDS = {kind: code for code, kind in CODES.items()}
_CPU, _FIRST = 1, 0
"""The device type and number that TVM stores with an array."""


def encoded(constants: Sequence[ast.MetaTensor]) -> str:
    """The text of a section in which `meta[relay.Constant][k]` is the k-th constant.   [syntax.metadata]"""
    first = 3
    nodes: list[dict[str, Any]] = [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]},
        {"type_key": "Array", "data": list(range(first, first + len(constants)))},
    ]
    for index in range(len(constants)):
        attributes = {"_checked_type_": "0", "data": str(index), "span": "0", "virtual_device_": "0"}
        nodes.append({"type_key": "relay.Constant", "attrs": attributes})
    arrays = [b64encode(_stored(constant)).decode("ascii") for constant in constants]
    graph = {"root": 1, "nodes": nodes, "b64ndarrays": arrays, "attrs": {"tvm_version": "0.12.0"}}
    return json.dumps(graph, indent=2)


def _stored(constant: ast.MetaTensor) -> bytes:
    """The tensor in TVM's binary form."""
    stem = constant.dtype.rstrip("0123456789")
    bits = 1 if constant.dtype == "bool" else int(constant.dtype.removeprefix(stem))
    content = _content(constant.dtype, constant.elements)
    kind = KIND.pack(_KINDS["uint" if stem == "bool" else stem], bits, 1)
    head = HEAD.pack(MAGIC, 0, _CPU, _FIRST, len(constant.shape)) + kind
    return head + struct.pack(f"<{len(constant.shape)}qq", *constant.shape, len(content)) + content


def _content(dtype: str, elements: Sequence[Any]) -> bytes:
    """The elements, least significant byte first."""
    if dtype == "float16":
        return struct.pack(f"<{len(elements)}e", *elements)
    if dtype == "bfloat16":
        wide = struct.pack(f"<{len(elements)}f", *elements)
        return b"".join(wide[at + 2 : at + 4] for at in range(0, len(wide), 4))
    values = array(_TYPECODES[dtype], elements)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()
