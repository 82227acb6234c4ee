"""The section of graphs: the data flow of each function, boxes closed; their content waits as text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from gradual.compilation import Compilation
from gradual.diagnostic import counted
from gradual.tools.graph.boxes import Box, boxes, every
from gradual.tools.graph.building import flow_of
from gradual.tools.graph.svg import ARROW, BORDER, SHAPE_STYLE, Drawer, Drawing

GRAPH_STYLE = SHAPE_STYLE

TOOLS = """<div class="tools" hidden>
<label>Search nodes <kbd>/</kbd> <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<button type="button" data-do="next">Next</button>
<output id="hits" aria-live="polite"></output>
<button type="button" data-do="smaller" aria-label="Zoom out">−</button>
<button type="button" data-do="larger" aria-label="Zoom in">+</button>
<button type="button" data-do="fit">Fit</button>
<button type="button" data-do="open">Open all</button>
<button type="button" data-do="close">Close all</button>
</div>
"""


def graphs(compilation: Compilation, first: str | None) -> str:
    """The graph of the function asked for, or else of `@main` or the first one; then those of the others, closed."""
    names = list(compilation.core.functions)
    if not names:
        return "<p>No function could be checked.</p>"
    chosen = first or ("@main" if "@main" in names else names[0])
    names = [chosen, *(name for name in names if name != chosen)]
    hidden = f'<svg class="flow" width="0" height="0" aria-hidden="true" focusable="false">{ARROW}</svg>'
    return TOOLS + hidden + "".join(_graph(compilation, name, f"g{k}") for k, name in enumerate(names))


def _graph(compilation: Compilation, name: str, id: str) -> str:
    flow = flow_of(compilation, name)
    root = boxes(flow, True)
    drawer = Drawer(flow, compilation.source, False, id)
    title = f"{escape(name)}: {counted(len(flow.nodes), 'node')}"
    contents = "".join(_contents(drawer, root))
    inside = f"{_canvas(drawer.content(root), title)}{contents}"
    if id == "g0":
        return f'<figure class="graph"><figcaption>{title}</figcaption>{inside}</figure>\n'
    return f'<details class="graph"><summary>{title}</summary>{inside}</details>\n'


def _canvas(drawing: Drawing, title: str) -> str:
    """The part of the page in which a graph is scrolled."""
    width, height = (side + 2 * BORDER for side in drawing.size)
    view = f"{-BORDER:g} {-BORDER:g} {width:g} {height:g}"
    return (
        f'<div class="canvas" tabindex="0" role="region" aria-label="Data flow of {title}">'
        f'<svg class="flow" width="{width:g}" height="{height:g}" viewBox="{view}">'
        f"{_inside(drawing)}</svg></div>\n"
    )


def _contents(drawer: Drawer, root: Box) -> Iterator[str]:
    """The content of each box but the outermost, as text that is read when the box is opened.

    A browser reads the page in a fraction of the time that it would need for as many elements.
    """
    for box in every(root):
        if box is not root:
            drawing = drawer.content(box)
            yield f'<script type="text/plain" id="{drawer.id}-box{box.id}-in">{_inside(drawing)}</script>\n'


def _inside(drawing: Drawing) -> str:
    return f'<g class="inside" data-size="{drawing.size[0]:g} {drawing.size[1]:g}">\n{drawing.svg}\n</g>'
