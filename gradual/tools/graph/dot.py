"""A graph in the language of Graphviz, with a cluster for each box."""

from __future__ import annotations

from collections.abc import Iterator

from gradual.source import visible
from gradual.tools.graph.boxes import Box, boxes, names
from gradual.tools.graph.flow import Flow, Kind, Mark, Node

FRAMES = {Mark.ERROR: "bold", Mark.CHECK: "dashed"}
"""How the frame of a node with a finding is drawn."""


def dot(flow: Flow) -> str:
    """The graph as a `digraph`."""
    edges = (
        f"  n{value.source} -> n{reader} [label={_quoted(value.shape)}, tooltip={_quoted(names([value]))}];"
        for value, reader in flow.edges
    )
    head = '  node [shape=box, fontname="monospace"];\n  edge [fontname="monospace"];'
    lines = [f"digraph {_quoted(flow.function)} {{", head, *_inside(boxes(flow, False), flow, "  "), *edges, "}"]
    return "\n".join(lines) + "\n"


def _inside(box: Box, flow: Flow, indent: str) -> Iterator[str]:
    """The nodes of a box, and the boxes in it."""
    for part in box.parts:
        match part:
            case int():
                yield f"{indent}n{part} [{_attributes(flow.nodes[part])}];"
            case Box():
                yield f"{indent}subgraph cluster_{part.id} {{"
                yield f"{indent}  label={_quoted(part.title)};"
                yield from _inside(part, flow, indent + "  ")
                yield f"{indent}}}"


def _attributes(node: Node) -> str:
    lines = [node.label, node.name, *([node.said] if node.said else [])]
    style = {Kind.INPUT: ", shape=oval", Kind.RESULT: ", peripheries=2"}.get(node.kind, "")
    style += f", style={FRAMES[node.mark]}" if node.mark is not None else ""
    notes = f", tooltip={_quoted('; '.join(node.notes))}" if node.notes else ""
    return f"label={_quoted(*lines)}{style}{notes}"


def _quoted(*lines: str) -> str:
    """Lines as a string of Graphviz, which reads `\\n` as the end of a line."""
    escaped = (visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
