"""The order in which nodes are imported: each after its inputs and the nodes with control edges to it."""

from __future__ import annotations

from collections.abc import Iterable

from gradual.importers.common.refusals import Unsupported
from gradual.importers.tensorflow.file.schema import Node, Nodes


def ordered(nodes: Nodes, wanted: Iterable[str]) -> list[Node]:
    """The wanted nodes and all that they need, in topological order; names of parameters are skipped.

    Raises Unsupported for a cycle, which only the loops of TensorFlow 1 have.
    """
    order: list[Node] = []
    is_done: dict[str, bool] = {}
    stack = [(name, False) for name in reversed(list(wanted))]
    while stack:
        name, is_left = stack.pop()
        if is_left:
            is_done[name] = True
            order.append(nodes[name])
        elif name in nodes and name not in is_done:
            is_done[name] = False
            stack.append((name, True))
            stack += [(one, False) for one in reversed(nodes[name].before) if not is_done.get(one)]
        elif is_done.get(name) is False:
            raise Unsupported(f"a cycle through `{name}`; freeze the graph with functional loops (`tf.function`)")
    return order
