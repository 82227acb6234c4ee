"""Which value of a checkpoint each variable has.

A SavedModel numbers its objects as the checkpoint does, and lists the objects that each function is called with; other
graphs contain nodes that restore their variables.
Source: `saved_object_graph.proto` and `trackable_object_graph.proto`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gradual.importers.tensorflow.file.schema import Function, Node, Nodes, Source, Text
from gradual.importers.tensorflow.file.wire import Message

_ASSIGNS = ("AssignVariableOp", "Assign")


def bound(nodes: Nodes, objects: Message) -> Iterator[tuple[str, int]]:
    """The variables that are passed to functions: the name of each variable's node, and the number of its object."""
    taken = {name: list(one.numbers(2)) for name, one in objects.entries(2)}
    for node in nodes.values():
        numbers = taken.get(getattr(node.attributes.get("f"), "function", ""), [])
        own = node.inputs[len(node.inputs) - len(numbers) :] if len(numbers) <= len(node.inputs) else ()
        yield from ((one.node, number) for one, number in zip(own, numbers, strict=False))


def restored(nodes: Nodes, functions: Mapping[str, Function]) -> Mapping[str, str]:
    """The variables that a graph restores: name of a variable's node -> name of its value in the checkpoint."""
    found = dict(_assigned(nodes))
    for node in nodes.values():
        for function in _called(node, functions):
            given = dict(zip(function.params, node.inputs, strict=False))
            found |= {given[name].node: key for name, key in _assigned(function.nodes) if name in given}
    return found


def _called(node: Node, functions: Mapping[str, Function]) -> Iterator[Function]:
    """The function that a node calls, if it is one of the library."""
    name = getattr(node.attributes.get("f"), "function", "")
    if name in functions:
        yield functions[name]


def _assigned(nodes: Nodes) -> Iterator[tuple[str, str]]:
    """The variables that some nodes restore: names of their nodes, with the names of their values in the checkpoint."""
    for node in nodes.values():
        if node.operator in _ASSIGNS and len(node.inputs) >= 2:
            handle, value = node.inputs[:2]
            if (name := _restored_name(nodes, value)) is not None:
                yield handle.node, name


def _restored_name(nodes: Nodes, value: Source) -> str | None:
    """The name of a value that is read from the checkpoint, also through identities; None for any other value."""
    for _ in range(len(nodes)):
        node = nodes.get(value.node)
        if node is None or not node.inputs:
            return None
        if node.operator == "RestoreV2" and len(node.inputs) > 1:
            names = texts_of(nodes.get(node.inputs[1].node))
            return names[value.index] if value.index < len(names) else None
        if node.operator != "Identity":
            return None
        value = node.inputs[0]
    return None


def texts_of(node: Node | None) -> tuple[str, ...]:
    """The texts of a constant; empty for any other node."""
    found = node.attributes.get("value") if node is not None else None
    return found.parts if isinstance(found, Text) else ()
