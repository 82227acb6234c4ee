"""A report as one page of HTML that loads nothing; without scripts all but search, zoom and opening of boxes works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gradual.compilation import Compilation
from gradual.interface.document import Section, document
from gradual.source import visible
from gradual.tools.checking.results import Checked
from gradual.tools.overview.findings import checks, findings
from gradual.tools.overview.graphs import GRAPH_STYLE, graphs
from gradual.tools.overview.memory import memory
from gradual.tools.overview.program import program
from gradual.tools.overview.summary import lead, types


def page(compilation: Compilation, checked: Checked, entry: str | None, bound: Sequence[str]) -> str:
    """The report on a program or a model.

    Args:
        entry: the function whose graph is first and whose memory is shown; None if none of several is chosen.
        bound: numbers for sizes, by which the memory is drawn.
    """
    sections = list(_sections(compilation, checked, entry, bound))
    name = visible(compilation.source.name)
    style, script = (Path(__file__).with_name(f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return document(name, lead(compilation, checked), sections, style + GRAPH_STYLE, script)


def _sections(compilation: Compilation, checked: Checked, entry: str | None, bound: Sequence[str]) -> Iterator[Section]:
    yield Section("Types", types(compilation))
    yield Section("Errors and warnings", findings(compilation.source, checked.diagnostics))
    yield Section("Residual checks", checks(compilation, checked.diagnostics))
    yield Section("Data flow", graphs(compilation, entry))
    if entry is not None and compilation.ok:
        yield Section("Memory in bytes", memory(compilation, entry, bound))
    yield Section("Program", program(compilation, checked.diagnostics))
