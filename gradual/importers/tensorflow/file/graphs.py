"""Graphs and functions.

Field numbers are those of `graph.proto`, `node_def.proto`, `function.proto` and `op_def.proto` of TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from gradual.importers.tensorflow.file.attributes import attribute
from gradual.importers.tensorflow.file.schema import Function, Node, Nodes, Source
from gradual.importers.tensorflow.file.traces import Traces
from gradual.importers.tensorflow.file.wire import Malformed, Message
from gradual.origin import Frame


def nodes_of(graph: Message, traces: Traces) -> Nodes:
    """The nodes of a `GraphDef`."""
    return _by_name(_node(one, numbered, traces.of) for one in graph.messages(1))


def functions_of(graph: Message, traces: Traces) -> Mapping[str, Function]:
    """The functions of a `GraphDef`."""
    return {one.name: one for one in (_function(proto, traces) for proto in graph.message(2).messages(1))}


def _by_name(nodes: Iterable[Node]) -> Nodes:
    found: dict[str, Node] = {}
    for node in nodes:
        if node.name in found:
            raise Malformed(f"two nodes `{node.name}`")
        found[node.name] = node
    return found


def _node(proto: Message, read: Callable[[str], Source], traced: Callable[[str], tuple[Frame, ...]]) -> Node:
    given = list(proto.texts(3))
    return Node(
        proto.text(2),
        proto.text(1),
        tuple(read(one) for one in given if not one.startswith("^")),
        tuple(one[1:] for one in given if one.startswith("^")),
        dict(_attributes(proto)),
        traced(proto.text(1)),
    )


def _attributes(proto: Message) -> Iterator[tuple[str, Any]]:
    """The attributes of a node; those whose names begin with `_` are internal to TensorFlow, and left out."""
    for entry in proto.messages(5):
        if not (name := entry.text(1)).startswith("_"):
            yield name, attribute(entry.message(2))


def numbered(written: str) -> Source:
    """A result as graphs write it: `name` or `name:1`."""
    name, _, index = written.partition(":")
    return Source(name, "", _index(index or "0", written))


def _named(written: str) -> Source:
    """A result as functions write it: `param`, or `name:output:0`."""
    name, _, rest = written.partition(":")
    port, _, index = rest.partition(":")
    return Source(name, port, _index(index or "0", written))


def _index(text: str, written: str) -> int:
    if not text.isdecimal() or len(text) > 6:
        raise Malformed(f"the input `{written[:80]}`")
    return int(text)


def _function(proto: Message, traces: Traces) -> Function:
    signature = proto.message(1)
    traced = partial(traces.of, function=signature.text(1))
    given = {one.text(1): one.text(2) for one in proto.messages(4)}
    runs = [one.text(2) for one in proto.messages(6)]
    return Function(
        signature.text(1),
        tuple(one.text(1) for one in signature.messages(2)),
        tuple(_results([one.text(1) for one in signature.messages(3)], given)),
        _by_name(_node(one, _named, traced) for one in proto.messages(3)),
        tuple(runs),
    )


def _results(names: Iterable[str], given: Mapping[str, str]) -> Iterator[tuple[str, Source]]:
    for name in names:
        if name not in given:
            raise Malformed(f"a function without its result `{name}`")
        yield name, _named(given[name])
