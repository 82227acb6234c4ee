"""The beginning of a report: the outcome, the types, and how much is proved and known, in words and as bars."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from gradual import __version__
from gradual.compilation import Compilation
from gradual.diagnostic import counted
from gradual.interface.document import bar_of, numbered, share
from gradual.report.known_sizes import known_sizes
from gradual.report.summary import types_shown
from gradual.source import visible
from gradual.tools.checking.results import Checked

SIGNS = {"proved": "✓", "residual": "◇", "refuted": "✗"}
"""The sign of each outcome of a requirement; it is beside every colour that means the outcome."""


def lead(compilation: Compilation, checked: Checked) -> str:
    """The outcome in a sentence, the notes of the import, and the bars."""
    outcome = f"✗ {counted(checked.errors, 'error')}" if checked.errors else "✓ no error"
    notes = "".join(f'<p class="soft">note: {escape(visible(note))}</p>\n' for note in checked.notes)
    bars = "".join(_bars(compilation, checked))
    return f'<p class="outcome"><strong>{outcome}</strong>. gradual {__version__}.</p>\n{notes}{bars}'


def types(compilation: Compilation) -> str:
    """The type of each function."""
    lines = types_shown(compilation.functions, len(compilation.weights), compilation.source.origins is not None)
    if not lines:
        return "<p>No function could be checked.</p>"
    shown = ("\n".join(map(visible, line.splitlines())) for line in lines)  # a long type has several lines
    return "".join(f'<p class="code type">{escape(line)}</p>\n' for line in shown)


def _bars(compilation: Compilation, checked: Checked) -> Iterator[str]:
    counts = {"proved": checked.proved, "residual": checked.residual, "refuted": checked.refuted}
    whole = sum(counts.values())
    words = {"proved": "proved", "residual": "left as run-time checks", "refuted": "refuted"}
    said = " · ".join(f"{SIGNS[kind]} {numbered(count)} {words[kind]}" for kind, count in counts.items())
    spans = "".join(bar_of(count, whole, kind) for kind, count in counts.items() if count)
    yield _bar(f"Requirements on sizes: {share(counts['proved'], whole)} proved", said, spans)
    states = {name: state for name, state in compilation.elaborations.items() if name in compilation.core.functions}
    sizes = known_sizes(compilation.source, compilation.core.functions, states)
    said = f"✓ {numbered(sizes.known)} known · ? {numbered(sizes.total - sizes.known)} known only in a run"
    spans = bar_of(sizes.known, sizes.total, "proved") + bar_of(sizes.total - sizes.known, sizes.total, "residual")
    yield _bar(f"Sizes of values: {share(sizes.known, sizes.total)} known", said, spans if sizes.total else "")


def _bar(title: str, said: str, spans: str) -> str:
    return f'<div class="share"><strong>{title}</strong><br>{said}<div class="stack">{spans}</div></div>\n'
