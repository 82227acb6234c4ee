"""The groups of a graph as boxes in boxes, each with the edges between its own parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import pairwise

from gradual.diagnostic import counted
from gradual.record import record
from gradual.tools.graph.flow import Flow, Kind, Mark, Value

FULL, RUN = 48, 24
"""A box with more than `FULL` parts is divided into runs of at most `RUN` parts, in the order of the text."""
INPUTS = 12
"""The most inputs that are all drawn in the outermost box."""
PORTS = 6
"""How many values a box shows one by one where they enter or leave it; more of them are one port."""


@record(eq=False)
class Port:
    """A place at the border of a box, where values enter it or leave it."""

    values: tuple[Value, ...]
    enters: bool

    @property
    def title(self) -> str:
        """The name of the value, or how many there are."""
        return self.values[0].name if len(self.values) == 1 else counted(len(self.values), "value")


@record(frozen=False, eq=False)
class Box:
    """A group of nodes.

    Attributes:
        id: a number that no other box of the graph has.
        title: its name inside the box that contains it.
        parts: in the order of the text: numbers of nodes, boxes, ports.
        edges: pairs of places in `parts` -> the values that flow between these parts.
        out: the values that leave the box, in the order of the text.
        size: how many nodes are inside, at any depth.
        found: how many nodes inside have a mark of each kind.
    """

    id: int
    title: str
    parts: list[Part] = field(default_factory=list)
    edges: dict[tuple[int, int], list[Value]] = field(default_factory=dict)
    out: list[Value] = field(default_factory=list)
    size: int = 0
    found: Counter[Mark] = field(default_factory=Counter)


Part = int | Box | Port


def boxes(flow: Flow, divided: bool) -> Box:
    """The outermost box of a graph; `divided` if a box with many parts is divided into runs of them."""
    root = Box(0, flow.function)
    made: dict[tuple[str, ...], Box] = {(): root}
    beside = _beside(flow)
    for number in sorted(range(len(flow.nodes)), key=lambda one: (beside.get(one, one), one)):
        _box(flow.nodes[beside.get(number, number)].path, made).parts.append(number)
    _dissolve(root, flow)
    if divided:
        _divide(root, len(made))
    _connect(root, flow)
    return root


def _beside(flow: Flow) -> dict[int, int]:
    """Input -> the node beside which it is drawn: of many inputs, each but the first that has a single reader.

    These are weights that a model takes as inputs.
    """
    inputs = [number for number, node in enumerate(flow.nodes) if node.kind is Kind.INPUT and not node.path]
    readers: dict[int, set[int]] = {}
    for value, reader in flow.edges:
        readers.setdefault(value.source, set()).add(reader)
    several = inputs[1:] if len(inputs) > INPUTS else []
    return {number: min(readers[number]) for number in several if len(readers.get(number, ())) == 1}


def _box(path: tuple[str, ...], made: dict[tuple[str, ...], Box]) -> Box:
    """The box of a path; it and those around it are made if they are missing."""
    for depth in range(1, len(path) + 1):
        if path[:depth] not in made:
            made[path[:depth]] = Box(len(made), path[depth - 1])
            made[path[: depth - 1]].parts.append(made[path[:depth]])
    return made[path]


def inner(box: Box) -> list[Box]:
    """The boxes that are parts of a box."""
    return [part for part in box.parts if isinstance(part, Box)]


def every(box: Box) -> Iterator[Box]:
    """A box and all boxes in it; a box comes after those inside it."""
    waiting, found = [box], []
    while waiting:
        found.append(waiting.pop())
        waiting += inner(found[-1])
    return reversed(found)


# ------------------------------------------------------------------------------------------------------------ structure
def _dissolve(root: Box, flow: Flow) -> None:
    """Take out boxes that group nothing: the only one at the top, and one that contains a single part.

    The title of such a box is kept in the title of its part.
    """
    while len(only := inner(root)) == 1 and len(only[0].parts) > 1:
        at = root.parts.index(only[0])
        root.parts[at : at + 1] = only[0].parts
    for box in every(root):
        for at, part in enumerate(box.parts):
            if isinstance(part, Box) and len(part.parts) == 1:
                (inside,) = part.parts
                if isinstance(inside, Box):
                    inside.title = f"{part.title}/{inside.title}"
                elif isinstance(inside, int):
                    flow.nodes[inside].label = f"{part.title}: {flow.nodes[inside].label}"
                box.parts[at] = inside


def _divide(root: Box, fresh: int) -> None:
    """Divide boxes with many parts into runs, and these into runs of runs, until no box has many."""
    for box in every(root):
        spans = [(place, place) for place in range(1, len(box.parts) + 1)]  # of each part, in the order of the text
        while len(box.parts) > FULL:
            runs, joined = list[Part](), []
            for start in range(0, len(box.parts), RUN):
                joined.append((spans[start][0], spans[start : start + RUN][-1][1]))
                title = f"parts {joined[-1][0]} to {joined[-1][1]}"
                runs.append(Box(fresh, title, box.parts[start : start + RUN]))
                fresh += 1
            box.parts, spans = runs, joined


# ---------------------------------------------------------------------------------------------------------------- edges
def _connect(root: Box, flow: Flow) -> None:
    """Add ports, and the edges between the parts of each box; count what is in them."""
    around = _around(root)
    _count(root, flow)
    crossing: dict[int, tuple[dict[Value, None], dict[Value, None]]] = {box.id: ({}, {}) for box in every(root)}
    inside: dict[int, dict[tuple[object, object], dict[Value, None]]] = {box.id: {} for box in every(root)}
    for value, reader in flow.edges:
        up, down = _chain(value.source, around), _chain(reader, around)
        while len(up) > 1 and len(down) > 1 and up[-2] is down[-2]:
            up.pop()
            down.pop()
        for part, box in pairwise(up[:-1]):
            crossing[_id(box)][1][value] = None
            inside[_id(box)].setdefault((part, ("out", value)), {})[value] = None
        for part, box in pairwise(down[:-1]):
            crossing[_id(box)][0][value] = None
            inside[_id(box)].setdefault((("in", value), part), {})[value] = None
        inside[_id(up[-1])].setdefault((up[-2], down[-2]), {})[value] = None
    for box in every(root):
        enters, leaves = crossing[box.id]
        _finish(box, list(enters), list(leaves), inside[box.id])


def _finish(
    box: Box,
    enters: list[Value],
    leaves: list[Value],
    inside: dict[tuple[object, object], dict[Value, None]],
) -> None:
    """Add the ports of a box, and its edges by places."""
    place: dict[object, int] = {(part if isinstance(part, int) else id(part)): at for at, part in enumerate(box.parts)}
    for way, values in (("in", enters), ("out", leaves)):
        for some in [[one] for one in values] if len(values) <= PORTS else [values]:
            place |= {(way, value): len(box.parts) for value in some}
            box.parts.append(Port(tuple(some), way == "in"))
    box.out = leaves
    for (source, target), values_ in inside.items():
        pair = place[_key(source)], place[_key(target)]
        known = box.edges.setdefault(pair, [])
        known += [value for value in values_ if value not in known]


def _key(part: object) -> object:
    return id(part) if isinstance(part, Box) else part


def _id(box: object) -> int:
    assert isinstance(box, Box), box
    return box.id


def _around(root: Box) -> dict[object, Box]:
    """Part -> the box that contains it."""
    return {_key(part): box for box in every(root) for part in box.parts}


def _chain(node: int, around: dict[object, Box]) -> list[object]:
    """A node and the boxes around it, the outermost last."""
    chain: list[object] = [node]
    while (box := around.get(_key(chain[-1]))) is not None:
        chain.append(box)
    return chain


def _count(root: Box, flow: Flow) -> None:
    for box in every(root):
        for part in box.parts:
            if isinstance(part, Box):
                box.size += part.size
                box.found += part.found
            elif isinstance(part, int):
                box.size += 1
                box.found.update([mark] if (mark := flow.nodes[part].mark) is not None else [])


def names(values: Sequence[Value]) -> str:
    """Values with their types, one on each line."""
    return "\n".join(f"{value.name}: {value.type}" for value in values)
