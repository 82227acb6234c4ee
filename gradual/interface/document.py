"""Self-contained pages of HTML: the skeleton, its style for light, dark and print, tables and bars.

Nothing is loaded, and a page without `script` has no scripts.  Colours repeat what the text says.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gradual.diagnostic import counted
from gradual.record import record
from gradual.source import visible

STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1c2024, #e4e7eb); --soft: light-dark(#5a6470, #9aa5b1);
  --line: light-dark(#d5dae0, #3a424c); --ground: light-dark(#ffffff, #14171b); --bar: light-dark(#3468c0, #7da7ee) }
body { background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 2em auto;
  max-width: 62em; padding: 0 1em }
h1 { font-size: 1.6em; margin-bottom: .2em; overflow-wrap: anywhere } h2 { font-size: 1.2em; margin: 2em 0 .4em }
p { max-width: 46em }
a { color: var(--bar) } :focus-visible { outline: 3px solid var(--bar); outline-offset: 2px }
nav ul { display: flex; flex-wrap: wrap; gap: .3em 1.2em; list-style: none; padding: 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
caption { color: var(--soft); padding: .3em 0; text-align: left }
th, td { border-bottom: 1px solid var(--line); padding: .25em .7em .25em 0; text-align: left; vertical-align: top }
th { font-weight: 600 } .number { text-align: right } td.name, th.name { overflow-wrap: anywhere }
td.bar { min-width: 12em; width: 30% } .bar span { background: var(--bar); display: inline-block; height: .8em }
.stack { display: flex; height: .8em; margin-top: .3em } .soft { color: var(--soft) }
"""

PRINT = """
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --ground: #fff }
  body { font-size: 10pt; margin: 0; max-width: none } nav { display: none } tr, h2 { break-inside: avoid }
  h2 { break-after: avoid } .wide { overflow: visible }
  .bar span, .stack span { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
"""


@record
class Section:
    """A part of a page that its navigation leads to: its title, and its content as HTML."""

    title: str
    body: str


@record
class Cell:
    """A cell of a table: text, and `kind` for a number, a name or a bar."""

    html: str
    kind: str = ""


def document(title: str, lead: str, sections: Sequence[Section], style: str = "", script: str = "") -> str:
    """A page: a heading, a paragraph, links to the sections, and the sections.

    Args:
        title: as text.
        lead: what stands between the heading and the links, as HTML.
        style: rules besides those of all pages.
        script: a script that runs when the page has been read.
    """
    links = "".join(f'<li><a href="#s{k}">{escape(one.title)}</a></li>' for k, one in enumerate(sections))
    parts = "".join(
        f'<section aria-labelledby="s{k}"><h2 id="s{k}">{escape(one.title)}</h2>{one.body}</section>\n'
        for k, one in enumerate(sections)
    )
    end = f"<script>\n{script}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{style}{PRINT}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{escape(title)}</h1>\n{lead}\n<nav aria-label="Sections"><ul>{links}</ul></nav>\n{parts}</main>\n'
        f"{end}</body>\n</html>"
    )


# --------------------------------------------------------------------------------------------------------------- tables
def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table with a caption, which is the name of the region that scrolls if it is too wide."""
    if not rows:
        return f'<p class="soft">{caption}: none.</p>'
    kinds = [cell.kind for cell in rows[0]]
    top = "".join(f'<th scope="col" class="{kind}">{head}</th>' for head, kind in zip(heads, kinds, strict=True))
    body = ("".join(f'<td class="{cell.kind}">{cell.html}</td>' for cell in row) for row in rows)
    lines = "".join(f"<tr>{row}</tr>\n" for row in body)
    return (
        f'<div class="wide" role="region" aria-label="{caption}" tabindex="0"><table><caption>{caption}</caption>'
        f"<thead><tr>{top}</tr></thead>\n<tbody>\n{lines}</tbody></table></div>\n"
    )


def name_cell(text: str) -> Cell:
    """A cell with a name."""
    return Cell(escape(visible(text)), "name")


def count_cell(number: int) -> Cell:
    """A cell with a number."""
    return Cell(numbered(number), "number")


def bar_cell(part: float, whole: float, kind: str = "") -> Cell:
    """A cell with a bar."""
    return Cell(bar_of(part, whole, kind), "bar")


def bar_of(part: float, whole: float, kind: str = "") -> str:
    """A bar as wide as the part is of the whole; what it shows is in the text as a number too."""
    width = 100 * part / whole if whole else 0.0
    return f'<span class="{kind}" style="width:{width:.1f}%" aria-hidden="true"></span>'


# -------------------------------------------------------------------------------------------------------------- numbers
def share(part: int, whole: int) -> str:
    """A part of a whole in percent."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def counted_as(number: int, what: str) -> str:
    """A count with its noun, with separators between thousands."""
    return counted(number, what).replace(str(number), numbered(number), 1)


def numbered(number: float, digits: int = 0) -> str:
    """A number with separators between thousands."""
    return f"{number:,.{digits}f}"
