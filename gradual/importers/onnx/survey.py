"""A survey of a model before its import: which operators are not imported, and how large functions expand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradual.importers.common.refusals import Reason, Unsupported
from gradual.importers.onnx.file.model import Function, Graph, Model, Node
from gradual.importers.onnx.file.schemas import is_explained
from gradual.importers.onnx.importers import IMPORTERS
from gradual.limits import LIMITS

Opsets = Mapping[str, int]


def why_not(node: Node, opsets: Opsets) -> str | None:
    """The reason why a node's operator is not imported; None if it is imported, or defined by the model itself."""
    if node.kind in IMPORTERS or is_explained(*node.kind, opsets.get(node.domain, 1)):
        return None
    if not node.domain:
        return "an operator that is not imported"
    some = any(domain == node.domain for domain, _ in IMPORTERS)
    return f"an operator of the domain {node.domain}{' that is not imported' if some else ''}"


def not_imported(model: Model) -> Iterator[Reason]:
    """Every node whose operator is not imported, including those in inner graphs and in bodies of functions.

    The body of a function is visited once, where it is first applied.
    """
    met: set[tuple[str, str, str]] = set()
    for index, node in enumerate(model.graph.nodes):
        todo = [(node, model.opsets)]
        while todo:
            one, opsets = todo.pop()
            todo.extend((inner, opsets) for inner in reversed(list(_inside(one))))
            function = model.functions.get(one.key)
            if function is None and (says := why_not(one, opsets)) is not None:
                yield Reason(index, one.operator, one.title, says)
            elif function is not None and one.key not in met:
                met.add(one.key)
                todo.extend((inner, {**opsets, **function.opsets}) for inner in reversed(function.nodes))


def _inside(node: Node) -> Iterator[Node]:
    """The nodes of the graphs in a node's attributes, one level deep."""
    for value in node.attributes.values():
        for graph in value if isinstance(value, tuple) else (value,):
            if isinstance(graph, Graph):
                yield from graph.nodes


def all_inside(nodes: Sequence[Node]) -> Iterator[Node]:
    """Some nodes, and the nodes of graphs in their attributes, at any depth."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        todo.extend(_inside(node))


def measured(model: Model) -> None:
    """Raise Unsupported if the functions of a model nest too deep, or expand to too many nodes.

    Each body is measured once, however often it is applied.
    """
    if not model.functions:
        return
    sizes: dict[int, tuple[int, int]] = {}
    nodes, depth = _expanded(model, model.graph.nodes, sizes)
    if depth > LIMITS.nesting:
        raise Unsupported(f"functions that nest deeper than {LIMITS.nesting}")
    if nodes > LIMITS.inlined:
        raise Unsupported(f"functions that expand to {nodes} nodes, above the limit of {LIMITS.inlined}")


def _expanded(model: Model, nodes: Sequence[Node], sizes: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """How many nodes some nodes expand to, and how deeply functions nest in them; callees are measured first."""
    bodies: dict[int, Function] = {}
    stack = [(one, False) for one in _applied(model, nodes)]
    while stack:
        function, done = stack.pop()
        if done:
            sizes[id(function)] = _measure(model, function.nodes, sizes)
        elif id(function) not in bodies:
            bodies[id(function)] = function
            stack.append((function, True))
            stack.extend((inner, False) for inner in _applied(model, function.nodes))
    return _measure(model, nodes, sizes)


def _applied(model: Model, nodes: Sequence[Node]) -> Iterator[Function]:
    for node in all_inside(nodes):
        if (function := model.functions.get(node.key)) is not None:
            yield function


def _measure(model: Model, nodes: Sequence[Node], sizes: Mapping[int, tuple[int, int]]) -> tuple[int, int]:
    """As `_expanded`, with given sizes of callees; a recursive callee is missing in `sizes`, and is refused later."""
    count, depth = 0, 0
    for node in all_inside(nodes):
        function = model.functions.get(node.key)
        inner, below = (0, -1) if function is None else sizes.get(id(function), (0, 0))
        count, depth = count + 1 + inner, max(depth, below + 1)
    return count, depth
