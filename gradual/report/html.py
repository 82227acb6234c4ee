"""A report as self-contained HTML, for light or dark notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

_QUOTED = re.compile(r"`([^`]*)`")
_CODE = re.compile(r"\x1b\[([\d;]*)m")
_CLASSES = {
    "1;31": "error",
    "1;33": "warning",
    "1;36": "note",
    "1;32": "help",
    "1;34": "frame",
    "1": "strong",
    "2": "faint",
}
_STYLE = """
.gradual { color: inherit; font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 13px; line-height: 1.35;
  --error: #b3261e; --warning: #8a5300; --note: #00677a; --help: #1b6e2d; --frame: #2f5bb7 }
@media (prefers-color-scheme: dark) { .gradual { --error: #ff8a80; --warning: #ffc16b; --note: #6fd6e8; --help: #82d694;
  --frame: #9dbcff } }
[data-jp-theme-light="true"] .gradual, .vscode-light .gradual { --error: #b3261e; --warning: #8a5300; --note: #00677a;
  --help: #1b6e2d; --frame: #2f5bb7 }
[data-jp-theme-light="false"] .gradual, .vscode-dark .gradual { --error: #ff8a80; --warning: #ffc16b; --note: #6fd6e8;
  --help: #82d694; --frame: #9dbcff }
.gradual pre { background: none; color: inherit; font: inherit; margin: 0; overflow-x: auto; white-space: pre }
.gradual b { font-weight: 600 } .gradual .error { color: var(--error) } .gradual .warning { color: var(--warning) }
.gradual .note { color: var(--note) } .gradual .help { color: var(--help) } .gradual .frame { color: var(--frame) }
.gradual .faint { opacity: .7 } .gradual summary { cursor: pointer; margin-top: .6em }
"""


def page(report: str, more: str = "", said: str = "") -> str:
    """An HTML fragment of a report with terminal colours; `more` is in a closed section with the title `said`."""
    opened = f"<details><summary>{escape(said)}</summary><pre>{coloured(more)}</pre></details>" if more else ""
    return f'<div class="gradual"><style>{_STYLE}</style><pre>{coloured(report)}</pre>{opened}</div>'


def quoted(text: str) -> str:
    """A text as HTML, what is in backquotes as code."""
    return _QUOTED.sub(r"<code>\1</code>", escape(text))


def coloured(painted: str) -> str:
    """A text with terminal colours as HTML, with a CSS class for each colour."""
    return "".join(_pieces(painted))


def _pieces(painted: str) -> Iterator[str]:
    style, pieces = "", _CODE.split(painted)
    for index, piece in enumerate(pieces):
        if index % 2:
            style = _CLASSES.get(piece, "")
        elif piece:
            yield f'<b class="{style}">{escape(piece)}</b>' if style else escape(piece)
