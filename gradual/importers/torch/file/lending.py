"""Frames for nodes that have none in the export: such a node takes the frames of the nearest node that it uses.

`run_decompositions` removes the frames of some nodes, for example of those that replace in-place operators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gradual.importers.torch.file.schema import Name, Node


def with_frames(nodes: Sequence[Node]) -> Iterator[Node]:
    """The nodes of a graph in order; each has frames if the node itself, or one that it depends on, has any."""
    known: dict[str, tuple[int, Node]] = {}
    for node in nodes:
        distance, lender = 0, node
        if not node.frames:
            used = [known[name] for name in _names((node.positional, *node.arguments.values())) if name in known]
            distance, lender = min(used, key=lambda one: one[0], default=(0, node))
        if lender.frames:
            known |= dict.fromkeys(_results(node), (distance + 1, lender))
        yield node if lender is node else replace(node, frames=lender.frames, lent=lender.name)


def _names(argument: Any) -> Iterator[str]:
    match argument:
        case Name(name):
            yield name
        case tuple():
            for one in argument:
                yield from _names(one)


def _results(node: Node) -> Iterator[str]:
    for output in node.outputs:
        yield from [output] if isinstance(output, str) else output or ()
