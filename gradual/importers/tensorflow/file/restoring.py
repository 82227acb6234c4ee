"""Which variable has which value of a checkpoint: the graph itself says so, where it restores them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gradual.importers.tensorflow.file.schema import Function, Node, Nodes, Source, Text

_ASSIGNS = ("AssignVariableOp", "Assign")


def restored(nodes: Nodes, functions: Mapping[str, Function]) -> Mapping[str, str]:
    """The names in the checkpoint of the variables that a graph restores, by the names of their nodes."""
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
    """The variables that some nodes assign, with the names of what they assign in the checkpoint."""
    for node in nodes.values():
        if node.operator in _ASSIGNS and len(node.inputs) >= 2:
            handle, value = node.inputs[:2]
            if (name := _restored_name(nodes, value)) is not None:
                yield handle.node, name


def _restored_name(nodes: Nodes, value: Source) -> str | None:
    """The name in the checkpoint of a value that is read from it, seen through identities; None for another value."""
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
    """The texts of a constant; none of anything else."""
    found = node.attributes.get("value") if node is not None else None
    return found.parts if isinstance(found, Text) else ()
