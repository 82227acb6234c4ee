"""A graph as SVG: nodes with their operators and findings, shapes below the parts that make them, boxes in boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from gradual.diagnostic import counted
from gradual.record import record
from gradual.source import Source, visible
from gradual.tools.graph.boxes import Box, Part, Port, boxes, inner, names
from gradual.tools.graph.flow import Flow, Kind, Mark, Value
from gradual.tools.graph.layers import Layout, Point, Size, layout

CHARACTER, LINE, EDGE = 6.7, 14.0, 8.0
"""The width of a character, the height of a line, and the distance of the text from the edge of its part."""
LONGEST = 34
"""The most characters of a line; a longer one is cut, and is complete in the title that is shown for it."""
SHAPES = 2
"""How many shapes are written below a part."""
BORDER, HEADER = 16.0, 24.0
"""The distance of the content of an open box from its border, and the height of its title."""

STYLE = """
.flow { --ink: #1c2024; --soft: #5a6470; --line: #8b95a1; --ground: #ffffff; --fill: #eef3fb; --group: #f6f3ea;
  --error: #b3261e; --check: #8a5300 }
DARK { .flow { --ink: #e4e7eb; --soft: #9aa5b1; --line: #6b7684; --ground: #14171b; --fill: #1f2a3a; --group: #2a271e;
  --error: #ff8a80; --check: #ffc16b } }
"""
"""The colours of a file that stands alone; in a page they are those of the page."""

SHAPE_STYLE = """
.flow { background: var(--ground); font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.flow text { fill: var(--ink) } .flow .soft, .flow .shapes text { fill: var(--soft) } .flow .title { font-weight: 600 }
.flow rect { fill: var(--fill); stroke: var(--line) } .flow .input rect, .flow .port rect { fill: var(--ground) }
.flow .box > .head rect { fill: var(--group) } .flow .result rect { stroke-width: 2 }
.flow .check > * > rect, .flow .check > rect { stroke: var(--check); stroke-width: 2; stroke-dasharray: 5 3 }
.flow .error > * > rect, .flow .error > rect { stroke: var(--error); stroke-width: 3.5 }
.flow .found { font-weight: 600 } .flow .check .found { fill: var(--check) } .flow .error .found { fill: var(--error) }
.flow .edge { fill: none; stroke: var(--line) } .flow marker path { fill: var(--line) }
.flow .shapes text { paint-order: stroke; stroke: var(--ground); stroke-width: 4px; text-anchor: middle }
"""

ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 6 6" refX="5.5" refY="3" markerWidth="6" markerHeight="6" '
    'orient="auto-start-reverse"><path d="M0 0 6 3 0 6z"/></marker></defs>'
)


@record(eq=False)
class Drawing:
    """The content of a box: its size, and the elements of SVG."""

    size: Size
    svg: str


@record(eq=False)
class Drawer:
    """Draws the boxes of a graph.

    Attributes:
        opened: whether boxes are drawn with their content; otherwise with a summary of it.
        id: the start of the ids of parts in a page, where nodes link to their lines; empty in a file of its own.
    """

    flow: Flow
    source: Source
    opened: bool
    id: str = ""

    def content(self, box: Box) -> Drawing:
        """The parts of a box and the edges between them."""
        inside = {part.id: self.content(part) for part in inner(box)} if self.opened else {}
        shapes = [_shapes(self.leaving(box, at)) for at in range(len(box.parts))]
        sizes = [self.size(part, inside) for part in box.parts]
        enter = {at for at, part in enumerate(box.parts) if isinstance(part, Port) and part.enters}
        leave = {at for at, part in enumerate(box.parts) if isinstance(part, Port) and not part.enters}
        placed = layout(sizes, box.edges, enter, leave, [_extent(lines) for lines in shapes])
        edges = (_edge(route, *ends, placed) + self.flowing(box, ends) for ends, route in placed.routes.items())
        parts = (
            self.part(part, placed.places[at], sizes[at], inside) + _below(shapes[at], sizes[at]) + "</g>"
            for at, part in enumerate(box.parts)
        )
        low = max(
            (y + size[1] + len(lines) * LINE for (_, y), size, lines in zip(placed.places, sizes, shapes, strict=True)),
            default=0.0,
        )
        return Drawing((placed.size[0], max(placed.size[1], low)), "\n".join((*edges, *parts)))

    def flowing(self, box: Box, ends: tuple[int, int]) -> str:
        """The end of an edge, with the values that flow along it."""
        return f"<title>{escape(visible(names(box.edges[ends]), _LINES))}</title></path>"

    def leaving(self, box: Box, at: int) -> list[Value]:
        """The values that a part gives to others, in order."""
        part = box.parts[at]
        if isinstance(part, Port) and not part.enters:
            return []
        return list(
            dict.fromkeys(value for (source, _), values in box.edges.items() if source == at for value in values)
        )

    # ----------------------------------------------------------------------------------------------------------- parts
    def size(self, part: Part, inside: dict[int, Drawing]) -> Size:
        """The size of a part as it is drawn."""
        if isinstance(part, Box) and part.id in inside:
            width, height = inside[part.id].size
            title = len(_cut(part.title)) * CHARACTER
            return max(width, title) + 2 * BORDER, height + HEADER + 2 * BORDER
        lines = self.lines(part)
        widest = max(len(line) for line, _ in lines)
        return round(widest * CHARACTER + 2 * EDGE, 1), len(lines) * LINE + EDGE

    def lines(self, part: Part) -> list[tuple[str, str]]:
        """The lines of a part, each with its class."""
        if isinstance(part, Port):
            return [(_cut(part.title), "soft")]
        if isinstance(part, Box):
            return [(_cut(part.title), "title"), (counted(part.size, "node"), "soft"), *_found(part)]
        node = self.flow.nodes[part]
        found = [(_cut(node.said), "found")] if node.said else []
        return [(_cut(node.label), "title"), (_cut(node.name, True), "soft"), *found]

    def part(self, part: Part, place: Point, size: Size, inside: dict[int, Drawing]) -> str:
        """A part at its place; its group is still open."""
        start = f'<g class="{self.kind(part)}" transform="translate({place[0]:g},{place[1]:g})"{self.named(part)}'
        body = f'<rect width="{size[0]:g}" height="{size[1]:g}" rx="{10 if isinstance(part, Port) else 3}"/>'
        if isinstance(part, Box) and part.id in inside:
            title = f'<text class="title" x="{BORDER:g}" y="{HEADER - 6:g}">{_text(_cut(part.title))}</text>'
            content = f'<g transform="translate({BORDER:g},{HEADER + BORDER / 2:g})">\n{inside[part.id].svg}\n</g>'
            return f'{start}><g class="head">{body}{title}</g>{content}'
        body += "".join(
            f'<text class="{kind}" x="{EDGE:g}" y="{EDGE / 2 + (at + 1) * LINE - 4:g}">{_text(line)}</text>'
            for at, (line, kind) in enumerate(self.lines(part))
        )
        title = f"<title>{escape(visible(self.told(part), _LINES))}</title>"
        if isinstance(part, Box):
            return f'{start}><g class="head">{title}{body}</g>'
        if not self.id or not isinstance(part, int):
            return f"{start}>{title}{body}"
        line = self.source.position(self.flow.nodes[part].span.start).line
        return f'{start}><a href="#L{line}">{title}{body}</a>'

    def kind(self, part: Part) -> str:
        """The classes of a part."""
        if isinstance(part, Port):
            return "part port"
        if isinstance(part, Box):
            marks = [mark for mark in Mark if part.found[mark]]
            return " ".join(["part box", *marks[:1]])
        node = self.flow.nodes[part]
        return " ".join(["part", node.kind, *([node.mark] if node.mark is not None else [])])

    def named(self, part: Part) -> str:
        """The id of a node or a box, if it is in a page."""
        if not self.id or isinstance(part, Port):
            return ""
        return f' id="{self.id}-{f"box{part.id}" if isinstance(part, Box) else f"node{part}"}"'

    def told(self, part: Part) -> str:
        """All that is known about a part, for its title."""
        if isinstance(part, Port):
            return names(part.values)
        if isinstance(part, Box):
            return f"{part.title}: {counted(part.size, 'node')}" + (f"\n{names(part.out)}" if part.out else "")
        node = self.flow.nodes[part]
        head = f"{node.label} {node.name}" if node.kind is not Kind.RESULT else f"result of {node.name}"
        return "\n".join([head, *node.notes, *([node.said] if node.said else [])])


def picture(flow: Flow, source: Source) -> str:
    """The whole graph as a file of SVG, with all boxes open."""
    drawing = Drawer(flow, source, True).content(boxes(flow, False))
    width, height = drawing.size[0] + 2 * BORDER, drawing.size[1] + 2 * BORDER
    dark = STYLE.replace("DARK", "@media (prefers-color-scheme: dark)")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="flow" role="img" width="{width:g}" height="{height:g}" '
        f'viewBox="{-BORDER:g} {-BORDER:g} {width:g} {height:g}">\n'
        f"<title>{escape(f'Data flow of {flow.function}: {_nodes(flow)}')}</title>\n"
        f"<style>{dark}{SHAPE_STYLE}</style>\n{ARROW}\n{drawing.svg}\n</svg>\n"
    )


def _nodes(flow: Flow) -> str:
    return counted(len(flow.nodes), "node")


# ---------------------------------------------------------------------------------------------------------------- words
_LINES = "\n"


def _text(line: str) -> str:
    return escape(visible(line))


def _cut(text: str, end: bool = False) -> str:
    """A line that is not too long; of a name with folders the end is kept."""
    if len(text) <= LONGEST:
        return text
    return "…" + text[1 - LONGEST :] if end else text[: LONGEST - 1] + "…"


def _found(box: Box) -> Iterator[tuple[str, str]]:
    """What was found in a closed box."""
    said = [f"{mark.sign} {counted(box.found[mark], f'node with {word}')}" for mark, word in _WITH if box.found[mark]]
    yield from ((one.replace("node with errors", "error").replace("nodes with", "with"), "found") for one in said[:1])


_WITH = ((Mark.ERROR, "errors"), (Mark.CHECK, "checks"))


def _shapes(values: Sequence[Value]) -> list[str]:
    """The lines below a part: the shapes of what it gives to others, each shape once."""
    shapes = list(dict.fromkeys(value.shape for value in values))
    more = [f"and {len(shapes) - SHAPES} more"] if len(shapes) > SHAPES else []
    return [*map(_cut, shapes[:SHAPES]), *more]


def _extent(lines: Sequence[str]) -> Size:
    return max((len(line) for line in lines), default=0) * CHARACTER, len(lines) * LINE


def _below(lines: Sequence[str], size: Size) -> str:
    if not lines:
        return ""
    texts = (f'<text y="{(at + 1) * LINE:g}">{_text(line)}</text>' for at, line in enumerate(lines))
    return f'<g class="shapes" transform="translate({size[0] / 2:g},{size[1]:g})">{"".join(texts)}</g>'


# ---------------------------------------------------------------------------------------------------------------- edges
def _edge(route: Sequence[Point], source: int, target: int, placed: Layout) -> str:
    """The beginning of an edge: a curve from layer to layer; the arrow of a turned edge is at its upper end.

    Its upper and lower part are named by their places in the box.
    """
    turned = placed.places[source][1] > placed.places[target][1]
    upper, lower = (target, source) if turned else (source, target)
    marker = f'marker-{"start" if turned else "end"}="url(#arrow)"'
    return f'<path class="edge" data-ends="{upper} {lower}" {marker} d="{curve(route)}">'


def curve(points: Sequence[Point]) -> str:
    """A path through points: straight lines inside layers and curves between them."""
    (x, y), *rest = points
    words = [f"M{x:g} {y:g}"]
    for number, (to, down) in enumerate(rest):
        half = (y + down) / 2
        words.append(f"C{x:g} {half:g} {to:g} {half:g} {to:g} {down:g}" if number % 2 else f"V{down:g}")
        x, y = to, down
    return "".join(words)
