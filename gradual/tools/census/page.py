"""The report of a census as one page of HTML: without scripts and without anything that is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import pairwise

from gradual import __version__
from gradual.codes import KINDS
from gradual.interface.document import (
    Cell,
    Section,
    bar_cell,
    bar_of,
    count_cell,
    counted_as,
    document,
    name_cell,
    numbered,
    share,
    table,
)
from gradual.source import visible
from gradual.tools.census.totals import LISTED, SHARES, TIMES, Census, Counts
from gradual.tools.checking.results import Outcome

STYLE = """
:root { --ok: light-dark(#2c7a3d, #7ccf8c); --errors: light-dark(#b3261e, #ff8a80);
  --unreadable: light-dark(#7a5c00, #e0bd55); --unsupported: light-dark(#8a4b9c, #d29be2);
  --timeout: light-dark(#a3520a, #ffab66); --memory: light-dark(#00677a, #6fd6e8);
  --crashed: light-dark(#5a1030, #ff9dbd) }
"""
"""The colours of outcomes, besides the style of all pages."""

MEANINGS = {
    Outcome.OK: "checked, without errors",
    Outcome.ERRORS: "checked, with errors",
    Outcome.UNREADABLE: "no model or program that can be read",
    Outcome.UNSUPPORTED: "a model that is not imported",
    Outcome.TIMEOUT: "not checked within the limit of time",
    Outcome.MEMORY: "not checked within the limit of memory, or the process was killed",
    Outcome.CRASHED: "an error of the tool",
}


def page(census: Census) -> str:
    """The report."""
    sections = [Section(title, "".join(body)) for title, body in _sections(census)]
    colours = "\n".join(f".{outcome} {{ background: var(--{outcome}) }}" for outcome in Outcome)
    title = f"Census of {counted_as(census.all.files, 'file')}"
    return document(title, f"<p>{_summary(census)}</p>", sections, f"{STYLE}{colours}")


def _summary(census: Census) -> str:
    found = census.by_outcome()
    said = ", ".join(f"{name} {numbered(count)}" for name, count in found.items() if count) or "none"
    return (
        f"{said}. {share(census.all.known, census.all.sizes)} of {counted_as(census.all.sizes, 'size')} known. "
        f"{numbered(census.all.cpu, 1)} s of processor time. gradual {__version__}."
    )


def _sections(census: Census) -> Iterator[tuple[str, Iterator[str]]]:
    yield "Outcomes", _outcomes(census)
    yield "Formats", _formats(census)
    yield "Known sizes", _known(census)
    yield "What blocks imports", _blocks(census)
    yield "Residual checks", _rules(census)
    yield "Errors", _codes(census)
    yield "Times", _times(census)
    for outcome in Outcome:
        if outcome in census.unwell:
            yield f"Files: {outcome}", _listed(census, outcome)


# ------------------------------------------------------------------------------------------------------- sections
def _outcomes(census: Census) -> Iterator[str]:
    found = census.by_outcome()
    rows = [
        [
            name_cell(outcome),
            Cell(MEANINGS[outcome]),
            count_cell(found[outcome]),
            bar_cell(found[outcome], census.all.files, outcome),
        ]
        for outcome in sorted(Outcome, key=lambda one: -found[one])
    ]
    yield table("Files by outcome", ["outcome", "meaning", "files", ""], rows)


def _formats(census: Census) -> Iterator[str]:
    heads = ["format", "files", *map(str, Outcome), ""]
    rows = []
    for name, counts in sorted(census.formats.items(), key=lambda one: (-one[1].files, one[0])):
        found = census.outcomes[name]
        spans = (bar_of(found[one], counts.files, one) for one in Outcome if found[one])
        stack = Cell(f'<div class="stack">{"".join(spans)}</div>', "bar")
        rows.append([name_cell(name), count_cell(counts.files), *(count_cell(found[one]) for one in Outcome), stack])
    yield table("Files by format and outcome", heads, rows)


def _known(census: Census) -> Iterator[str]:
    yield (
        "<p>A size of a value is known if it is a formula over the sizes of the inputs. Counted are the values that "
        "accepted programs compute; in a model, those that have names in the model.</p>"
    )
    ranked = sorted(census.formats.items(), key=lambda one: (-one[1].sizes, one[0]))
    rows = [_sizes(name, counts) for name, counts in ranked if counts.sizes]
    yield table("Sizes by format", ["format", "sizes", "known", "share", ""], [*rows, _sizes("all", census.all)])
    names = [f"{100 * k // SHARES} to {100 * (k + 1) // SHARES} %" for k in range(SHARES)] + ["100 %"]
    most = max(census.shares.values(), default=0)
    classes = [(name, census.shares[k]) for k, name in reversed(list(enumerate(names)))]
    rows = [[Cell(name), count_cell(count), bar_cell(count, most)] for name, count in classes]
    yield table("Files by their share of known sizes", ["known", "files", ""], rows)


def _sizes(name: str, counts: Counts) -> list[Cell]:
    known = Cell(share(counts.known, counts.sizes), "number")
    return [
        name_cell(name),
        count_cell(counts.sizes),
        count_cell(counts.known),
        known,
        bar_cell(counts.known, counts.sizes),
    ]


def _blocks(census: Census) -> Iterator[str]:
    yield (
        f"<p>{counted_as(census.blocked, 'model')} not imported, of which {numbered(census.otherwise)} for reasons "
        "that concern no operator. A model may be blocked by several operators.</p>"
    )
    ranked = census.operators.ranked()
    rows = [[name_cell(name), count_cell(files), bar_cell(files, ranked[0][2])] for name, _, files in ranked]
    yield table("Operators by the number of models that they block", ["operator", "models", ""], rows)


def _rules(census: Census) -> Iterator[str]:
    ranked = census.rules.ranked()
    rows = [
        [name_cell(name), count_cell(files), count_cell(times), bar_cell(files, ranked[0][2])]
        for name, times, files in ranked
    ]
    yield table("Residual checks by rule", ["rule", "files", "checks", ""], rows)


def _codes(census: Census) -> Iterator[str]:
    ranked = census.codes.ranked()
    rows = [
        [
            name_cell(code),
            Cell(escape(KINDS[code].title)),
            count_cell(files),
            count_cell(times),
            bar_cell(files, ranked[0][2]),
        ]
        for code, times, files in ranked
    ]
    yield table("Errors by code", ["code", "meaning", "files", "errors", ""], rows)


def _times(census: Census) -> Iterator[str]:
    bounds = [f"{bound:g}" for bound in TIMES]
    names = [f"below {bounds[0]} s", *(f"{a} to {b} s" for a, b in pairwise(bounds))]
    names.append(f"{bounds[-1]} s and more")
    most = max(census.times.values(), default=0)
    classes = [
        [Cell(name), count_cell(census.times[k]), bar_cell(census.times[k], most)] for k, name in enumerate(names)
    ]
    yield table("Files by the time of their check", ["time", "files", ""], classes)
    longest = -census.slowest[0][0] if census.slowest else 0.0
    rows = [
        [name_cell(file), Cell(outcome), Cell(numbered(-late, 2), "number"), bar_cell(-late, longest)]
        for late, file, outcome in census.slowest
    ]
    yield table(f"The slowest files (at most {LISTED})", ["file", "outcome", "seconds", ""], rows)


def _listed(census: Census, outcome: Outcome) -> Iterator[str]:
    count, listed = census.by_outcome()[outcome], census.unwell[outcome]
    more = f"; the journal has all {numbered(count)}" if count > len(listed) else ""
    rows = [[name_cell(file), Cell(escape(visible(says)), "name")] for file, says in listed]
    yield table(f"{escape(MEANINGS[outcome])}{more}", ["file", "first reason"], rows)
