"""Graphs that somebody damaged: their bytes, or what their messages say.

A mutant is a function of a seed and a number, so every finding can be made again.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy

from tests.importers.tensorflow.writing import (
    Function,
    Kind,
    Shape,
    constant,
    field,
    function,
    graph,
    meta_graph,
    node,
    placeholder,
    saved_model,
    signature,
    varint,
)
from tests.material import TF_GRAPHS

Fields = list[tuple[int, "int | bytes"]]
"""A message: its fields in order, each a number or bytes."""

SMALL = 20_000
"""Graphs of fewer bytes are drawn more often."""
EXPORTS = Path(__file__).parent / "data" / "exports.tar.xz"
NUMBERS = 0, 1, 2, 7, 63, 64, 1 << 31, (1 << 31) - 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 2
"""Numbers that are put in the place of others."""


# ------------------------------------------------------------------------------------------------------------ seeds
@cache
def seeds() -> tuple[bytes, ...]:
    """Real graphs, where there are any, those of single operators, and composed ones; small ones more than once."""
    real = [path.read_bytes() for path in sorted(TF_GRAPHS.glob("*.graphdef"))]
    real = [one for one in real if len(one) < 5 * SMALL]
    small = [one for one in real if len(one) < SMALL]
    return (*real, *small, *small, *composed(), *composed(), *_operators())


def _operators() -> Iterator[bytes]:
    """Graphs of single operators."""
    with tarfile.open(EXPORTS) as tar:
        for entry in tar:
            if entry.name.startswith("operators/") and entry.name.endswith(".graphdef"):
                content = tar.extractfile(entry)
                assert content is not None, "it is a file"
                yield content.read()


def composed() -> Iterator[bytes]:
    """Graphs that the real ones have no example of."""
    x = placeholder("x", [None, 3])
    half = [constant("two", numpy.float32(2)), node("RealDiv", "b", "a two:output:0")]
    functions = [function("half", "a", {"r": "b:z:0"}, half), function("same", "a", {"r": "a"}, [])]
    branches = {"then_branch": Function("half"), "else_branch": Function("same")}
    chosen = node("If", "r", "c x", **branches)
    yield graph(x, placeholder("c", [], "bool"), chosen, functions=functions)
    case = node("Case", "r", "i x", branches=[Function("half"), Function("same"), Function("half")])
    yield graph(x, placeholder("i", [], "int32"), case, functions=functions)
    yield saved_model(
        meta_graph(graph(x, node("Neg", "b", "x")), {"serving_default": signature({"x": "x:0"}, {"y": "b:0"})})
    )
    handle = placeholder("w", [], "resource")
    read = node("ReadVariableOp", "v", "w", dtype=Kind("float32"))
    yield graph(handle, x, read, node("MatMul", "y", "x v"))
    yield graph(x, node("VariableV2", "v", shape=Shape([3]), dtype=Kind("float32")), node("AddV2", "y", "x v"))
    yield graph(*_list_nodes())


def _list_nodes() -> Iterator[bytes]:
    """A list that is made, changed and read."""
    yield constant("shape", numpy.array([3], "int32"))
    yield constant("one", numpy.int32(1))
    yield constant("item", numpy.array([1, 2, 3], "float32"))
    yield node("TensorListReserve", "list", "shape one", element_dtype=Kind("float32"))
    yield node("TensorListPushBack", "more", "list item", element_dtype=Kind("float32"))
    yield node("TensorListSetItem", "set", "more one item", element_dtype=Kind("float32"))
    yield node("TensorListPopBack", "popped", "set shape", element_dtype=Kind("float32"))
    yield node("TensorListStack", "stack", "popped shape", element_dtype=Kind("float32"), num_elements=-1)


# -------------------------------------------------------------------------------------------------------------- mutants
def mutant(seed: int, number: int) -> bytes:
    """A damaged graph."""
    random = Random(f"{seed}.{number}")
    data = random.choice(seeds())
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        data = random.choice(WAYS)(random, data)
    return data


def _flipped(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) or 1)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _cut(random: Random, data: bytes) -> bytes:
    return data[: random.randrange(len(data) or 1)]


def _grown(random: Random, data: bytes) -> bytes:
    at, size = random.randrange(len(data) + 1), random.randrange(1, 12)
    return data[:at] + random.choice((random.randbytes(size), data[:size] * 3)) + data[at:]


def _removed(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) or 1)
    return data[:at] + data[at + random.randrange(1, 40) :]


def _edited(random: Random, data: bytes) -> bytes:
    """A message with one of its fields changed, at some depth."""
    return _encoded(_changed(random, _decoded(data) or [], 0))


def _rewired(random: Random, data: bytes) -> bytes:
    """A graph with an input of a node replaced by the name of another node: cycles, other types, other ranks."""
    nodes = [one for number, one in _decoded(data) or () if number == 1 and isinstance(one, bytes)]
    names = [dict(_decoded(one) or ()).get(1) for one in nodes]
    names = [name for name in names if isinstance(name, bytes)] or [b"x"]

    def wired(fields: Fields) -> Fields:
        places = [at for at, (number, _) in enumerate(fields) if number == 3]
        if not places:
            return [*fields, (3, random.choice((b"", b"^")) + random.choice(names))]
        at = random.choice(places)
        name = random.choice((b"", b"", b"^")) + random.choice(names) + random.choice((b"", b":1", b":0", b":output:0"))
        return [*fields[:at], (3, name), *fields[at + 1 :]]

    return _with_node(random, data, wired)


def _renamed(random: Random, data: bytes) -> bytes:
    """A graph with the operator of a node replaced by another's."""
    nodes = [one for number, one in _decoded(data) or () if number == 1 and isinstance(one, bytes)]
    kinds = [one for one in (dict(_decoded(each) or ()).get(2) for each in nodes) if isinstance(one, bytes)]

    def renamed(fields: Fields) -> Fields:
        return [(number, random.choice(kinds) if number == 2 and kinds else value) for number, value in fields]

    return _with_node(random, data, renamed)


def _with_node(random: Random, data: bytes, change: Callable[[Fields], Fields]) -> bytes:
    fields = _decoded(data) or []
    places = [at for at, (number, value) in enumerate(fields) if number == 1 and isinstance(value, bytes)]
    if not places:
        return data
    at = random.choice(places)
    inner = _decoded(fields[at][1])
    return _encoded([*fields[:at], (1, _encoded(change(inner or []))), *fields[at + 1 :]])


def _nested(random: Random, data: bytes) -> bytes:
    """A graph with functions that call one another many times over, or attributes within attributes."""
    depth = random.choice((3, 18, 200))
    if random.random() < 0.5:
        inner = field(3, 1)
        for _ in range(depth * 20):
            inner = field(random.choice((1, 8, 10)), inner)
        return data + graph(field(1, "deep") + field(2, "Const") + field(5, field(1, "value") + field(2, inner)))
    calls = [node(f"f{at + 1}", "b", "a") for at in range(depth)]
    functions = [function(f"f{at}", "a", {"r": "b:r:0"}, [call]) for at, call in enumerate(calls)]
    last = function(f"f{depth}", "a", {"r": "a"}, [])
    return data + graph(node("f0", "deep", random.choice(("x", "deep"))), functions=[*functions, last])


def _changed(random: Random, fields: Fields, depth: int) -> Fields:
    if not fields:
        return [(random.randrange(1, 12), random.choice(NUMBERS))]
    at = random.randrange(len(fields))
    number, value = fields[at]
    inner = _decoded(value)
    if inner and depth < 6 and random.random() < 0.8:
        return [*fields[:at], (number, _encoded(_changed(random, inner, depth + 1))), *fields[at + 1 :]]
    match random.randrange(5):
        case 0:
            return [*fields[:at], *fields[at + 1 :]]
        case 1:
            return [*fields, fields[at]]
        case 2:
            return [*fields[:at], (random.randrange(1, 12), value), *fields[at + 1 :]]
        case 3:
            other = random.choice(fields)
            return [*fields[:at], (number, other[1]), *fields[at + 1 :]]
    new: Any = random.choice(NUMBERS) if isinstance(value, int) else random.choice((b"", value + value, value[::-1]))
    return [*fields[:at], (number, new), *fields[at + 1 :]]


WAYS: Sequence[Callable[[Random, bytes], bytes]] = (
    *(_flipped, _cut, _grown, _removed),
    *(_edited,) * 6,
    *(_rewired,) * 4,
    *(_renamed,) * 2,
    _nested,
)
"""The ways to damage a graph, those that leave more of it intact more often."""


def _decoded(data: int | bytes) -> Fields | None:
    """The fields of a message; None for what is none.  Fields of fixed width are kept as they are, by number 0."""
    if isinstance(data, int):
        return None
    found: Fields = []
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _number(data, at)
            found.append((key >> 3, value))
            continue
        size = {1: 8, 5: 4}.get(kind, -1)
        start = at
        if kind == 2:
            size, start = _number(data, at)
        if size < 0 or start + size > len(data) or not key >> 3:
            return None
        whole = varint(key) + data[at : start + size]
        found.append((key >> 3, data[start : start + size]) if kind == 2 else (0, whole))
        at = start + size
    return found


def _number(data: bytes, at: int) -> tuple[int, int]:
    value, place = 0, 0
    while at < len(data):
        value |= (data[at] & 0x7F) << place
        at, place = at + 1, place + 7
        if data[at - 1] < 0x80:
            break
    return value, at


def _encoded(fields: Fields) -> bytes:
    return b"".join(
        value if number == 0 and isinstance(value, bytes) else field(number, value) for number, value in fields
    )
