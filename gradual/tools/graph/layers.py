"""The layout of a graph in layers from top to bottom, as of Sugiyama, Tagawa and Toda (1981).

Edges against the order of the text are turned around; each part gets the layer below those that it reads; an edge over
several layers passes a bend in each layer between; parts of a layer are ordered by the means of their neighbours; and
their coordinates are the ones nearest to these means that keep the distances (isotonic regression, by pooling
adjacent violators).  The result depends on the arguments alone.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import field
from itertools import pairwise

from gradual.record import record

ACROSS, DOWN = 22.0, 34.0
"""The distances between neighbours of a layer, and between layers."""
SWEEPS = 4
"""How often layers are ordered, and parts are moved, from top to bottom and back."""
BEND = 6.0
"""The width that is kept free for an edge which passes a layer."""

Point = tuple[float, float]
Size = tuple[float, float]


@record(eq=False)
class Layout:
    """Where the parts of a graph are.

    Attributes:
        places: the upper left corner of each part.
        routes: edge -> its points: the lower edge of the part above, then the lower edge of its layer, then for each
            layer between its upper and lower edge, at last the upper edge of the part below.
    """

    size: Size
    places: Sequence[Point]
    routes: dict[tuple[int, int], list[Point]]


@record(frozen=False, eq=False)
class _Layered:
    """A graph in which each edge leads to the next layer; parts from `count` on are bends.

    Attributes:
        above: part -> the parts of the layer above that it is connected with; below: those of the layer below.
        chains: edge of the given graph -> the parts that it passes, from its upper end to its lower end.
    """

    count: int
    layer: list[int]
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)
    chains: dict[tuple[int, int], list[int]] = field(default_factory=dict)


def layout(
    sizes: Sequence[Size],
    edges: Collection[tuple[int, int]],
    first: Collection[int] = (),
    last: Collection[int] = (),
    labels: Sequence[Size] = (),
) -> Layout:
    """Place parts of the given sizes.

    Args:
        first: the parts of the first layer, which no edge leads to.
        last: the parts of the last layer, which no edge starts from.
        labels: for each part, the size of the label that is centred below it.
    """
    ordered = sorted({edge for edge in edges if edge[0] != edge[1]})
    graph = _layered(len(sizes), _layers(len(sizes), ordered, first, last), ordered)
    rows = _rows(graph)
    labels = labels or [(0.0, 0.0)] * len(sizes)
    widths = [max(size[0], label[0]) for size, label in zip(sizes, labels, strict=True)]
    widths += [BEND] * (len(graph.layer) - len(sizes))
    centres = _centres(graph, rows, widths)
    tops, bottoms = _heights(rows, sizes, labels)
    places = [(centres[part] - size[0] / 2, tops[graph.layer[part]]) for part, size in enumerate(sizes)]
    width = max((centres[part] + widths[part] / 2 for part in range(len(widths))), default=0.0)
    routes = {edge: _route(graph, chain, centres, tops, bottoms, places, sizes) for edge, chain in graph.chains.items()}
    _spread(graph, routes, sizes)
    return Layout((width, bottoms[-1] if bottoms else 0.0), places, routes)


# --------------------------------------------------------------------------------------------------------------- layers
def _layers(count: int, edges: Sequence[tuple[int, int]], first: Collection[int], last: Collection[int]) -> list[int]:
    """The layer of each part: one below the lowest that it reads; a part that reads nothing is above its readers."""
    rank = _ranks(count, edges)
    downward = sorted(
        (pair if rank[pair[0]] < rank[pair[1]] else pair[::-1] for pair in edges), key=lambda e: rank[e[0]]
    )
    layer = [0] * count
    for source, target in downward:
        layer[target] = max(layer[target], layer[source] + 1)
    _lowered(layer, downward, first)
    if first and any(layer[part] == 0 for part in range(count) if part not in first):
        layer = [0 if part in first else depth + 1 for part, depth in enumerate(layer)]
    end = max((depth + (part not in last) for part, depth in enumerate(layer)), default=0)
    return [end if part in last else depth for part, depth in enumerate(layer)]


def _lowered(layer: list[int], downward: Sequence[tuple[int, int]], fixed: Collection[int]) -> None:
    """Move parts down to their readers where this makes no edges longer in sum, the lowest parts first."""
    readers, reads = defaultdict[int, list[int]](list), Counter(target for _, target in downward)
    for source, target in downward:
        readers[source].append(target)
    for part in sorted(readers, key=lambda one: -layer[one]):
        if part not in fixed and reads[part] <= len(readers[part]):
            layer[part] = min(layer[reader] for reader in readers[part]) - 1


def _ranks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """A topological order; in a cycle the part that is first in the text comes first."""
    missing, readers = [0] * count, [list[int]() for _ in range(count)]
    for source, target in edges:
        missing[target] += 1
        readers[source].append(target)
    rank, ready, left = [-1] * count, [part for part in range(count) if not missing[part]], 0
    heapq.heapify(ready)
    for number in range(count):
        if not ready:
            left = next(part for part in range(left, count) if rank[part] < 0)
            ready.append(left)
        part = heapq.heappop(ready)
        rank[part] = number
        for reader in readers[part]:
            missing[reader] -= 1
            if not missing[reader] and rank[reader] < 0:
                heapq.heappush(ready, reader)
    return rank


def _layered(count: int, layer: list[int], edges: Sequence[tuple[int, int]]) -> _Layered:
    """The graph with bends; the edges that leave one part share their bends."""
    graph = _Layered(count, list(layer), [[] for _ in range(count)], [[] for _ in range(count)])
    bends: dict[tuple[int, int], int] = {}
    for source, target in edges:
        upper, lower = (source, target) if layer[source] < layer[target] else (target, source)
        chain = [upper]
        for depth in range(layer[upper] + 1, layer[lower]):
            if (upper, depth) not in bends:
                bends[upper, depth] = len(graph.layer)
                graph.layer.append(depth)
                graph.above.append([chain[-1]])
                graph.below.append([])
                graph.below[chain[-1]].append(bends[upper, depth])
            chain.append(bends[upper, depth])
        graph.below[chain[-1]].append(lower)
        graph.above[lower].append(chain[-1])
        graph.chains[source, target] = [*chain, lower]
    return graph


# ---------------------------------------------------------------------------------------------------------------- order
def _rows(graph: _Layered) -> list[list[int]]:
    """The parts of each layer from left to right."""
    rows: list[list[int]] = [[] for _ in range(max(graph.layer, default=-1) + 1)]
    for part, depth in enumerate(graph.layer):
        rows[depth].append(part)
    at = [0.0] * len(graph.layer)
    for row in rows:
        for place, part in enumerate(row):
            at[part] = place / len(row)
    for sweep in range(2 * SWEEPS):
        near = graph.below if sweep % 2 else graph.above
        for row in reversed(rows) if sweep % 2 else rows:
            mean = {
                part: sum(at[one] for one in near[part]) / len(near[part]) if near[part] else at[part] for part in row
            }
            row.sort(key=lambda part: (mean[part], at[part], part))
            for place, part in enumerate(row):
                at[part] = (place + 0.5) / len(row)
    return rows


# ---------------------------------------------------------------------------------------------------------- coordinates
def _centres(graph: _Layered, rows: Sequence[Sequence[int]], widths: Sequence[float]) -> list[float]:
    """The horizontal centre of each part; the leftmost edge is 0."""
    centres = [0.0] * len(widths)
    for row in rows:
        for part, centre in zip(
            row, _packed([0.0] * len(row), [widths[part] for part in row], [1.0] * len(row)), strict=True
        ):
            centres[part] = centre
    for sweep in range(2 * SWEEPS + 1):
        for row in reversed(rows) if sweep % 2 else rows:
            wanted, weights = [], []
            for part in row:
                near = graph.below[part] if sweep % 2 else graph.above[part]
                near = near or graph.below[part] or graph.above[part]
                wanted.append(sum(centres[one] for one in near) / len(near) if near else centres[part])
                weights.append(4.0 if part >= graph.count else 1.0)
            for part, centre in zip(row, _packed(wanted, [widths[part] for part in row], weights), strict=True):
                centres[part] = centre
    left = min((centre - width / 2 for centre, width in zip(centres, widths, strict=True)), default=0.0)
    return [round(centre - left, 1) for centre in centres]


def _packed(wanted: Sequence[float], widths: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The centres nearest to the wanted ones, by weighted squares, at which neighbours do not touch."""
    shift = [0.0]
    for left, right in pairwise(widths):
        shift.append(shift[-1] + (left + right) / 2 + ACROSS)
    pools: list[tuple[float, float, int]] = []
    for place, weight, moved in zip(wanted, weights, shift, strict=False):
        mean, mass, count = place - moved, weight, 1
        while pools and pools[-1][0] >= mean:
            before, heavy, many = pools.pop()
            mean, mass, count = (before * heavy + mean * mass) / (heavy + mass), heavy + mass, many + count
        pools.append((mean, mass, count))
    found = [mean for mean, _, count in pools for _ in range(count)]
    return [place + moved for place, moved in zip(found, shift, strict=False)]


def _heights(
    rows: Sequence[Sequence[int]], sizes: Sequence[Size], labels: Sequence[Size]
) -> tuple[list[float], list[float]]:
    """The upper and the lower edge of each layer; the labels of its parts are between it and the next one."""
    tops, bottoms, y = list[float](), list[float](), 0.0
    for row in rows:
        parts = [part for part in row if part < len(sizes)]
        tops.append(y)
        bottoms.append(y + max((sizes[part][1] for part in parts), default=0.0))
        y = bottoms[-1] + DOWN + max((labels[part][1] for part in parts), default=0.0)
    return tops, bottoms


def _route(
    graph: _Layered,
    chain: Sequence[int],
    centres: Sequence[float],
    tops: Sequence[float],
    bottoms: Sequence[float],
    places: Sequence[Point],
    sizes: Sequence[Size],
) -> list[Point]:
    """The points of an edge."""
    upper, *bends, lower = chain
    points = [(centres[upper], places[upper][1] + sizes[upper][1]), (centres[upper], bottoms[graph.layer[upper]])]
    for bend in bends:
        points += [(centres[bend], tops[graph.layer[bend]]), (centres[bend], bottoms[graph.layer[bend]])]
    return [*points, (centres[lower], places[lower][1])]


def _spread(graph: _Layered, routes: dict[tuple[int, int], list[Point]], sizes: Sequence[Size]) -> None:
    """Spread the ends of the edges that lead to one part over the middle of its upper edge, without crossings."""
    ends: dict[int, list[list[Point]]] = {}
    for edge, chain in graph.chains.items():
        ends.setdefault(chain[-1], []).append(routes[edge])
    for part, many in ends.items():
        many.sort(key=lambda route: route[-2])
        for place, route in enumerate(many, 1):
            share = place / (len(many) + 1) - 0.5
            route[-1] = (round(route[-1][0] + 0.7 * share * sizes[part][0], 1), route[-1][1])
