"""The nodes of a model whose operators are not imported: all of them, before the import begins."""

from __future__ import annotations

from collections.abc import Iterator

from gradual.importers.tensorflow.file.schema import Called, Model, Node
from gradual.importers.tensorflow.importers import IMPORTERS
from gradual.importers.tensorflow.order import ordered


def not_imported(model: Model) -> Iterator[tuple[int, Node]]:
    """The needed nodes that no importer translates, each with the index of the main graph's node that contains it."""
    given = {*model.inputs, *model.variables}
    own = ordered(model.nodes, [*(one.node for _, one in model.outputs), *model.runs])
    met: set[str] = set()
    for index, node in enumerate(own):
        todo = [] if node.name in given else [node]
        while todo:
            one = todo.pop()
            if one.operator not in IMPORTERS and one.operator not in model.functions:
                yield index, one
            for name in _functions(one):
                if name in model.functions and name not in met:
                    met.add(name)
                    inner = model.functions[name]
                    todo += reversed(ordered(inner.nodes, [*(one.node for _, one in inner.results), *inner.runs]))


def _functions(node: Node) -> Iterator[str]:
    """The names of functions that a node may call."""
    yield node.operator
    for value in node.attributes.values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Called):
                yield part.function
