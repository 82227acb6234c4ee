"""The report of a census as one page of HTML: without scripts and without anything that is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise

from gradual import __version__
from gradual.codes import KINDS
from gradual.diagnostic import counted
from gradual.record import record
from gradual.source import visible
from gradual.tools.census.totals import LISTED, SHARES, TIMES, Census, Counts
from gradual.tools.checking.results import Outcome

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5a6470; --line: #d5dae0; --ground: #ffffff; --bar: #3468c0;
  --ok: #2c7a3d; --errors: #b3261e; --unreadable: #7a5c00; --unsupported: #8a4b9c; --timeout: #a3520a;
  --memory: #00677a; --crashed: #5a1030 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --soft: #9aa5b1; --line: #3a424c; --ground: #14171b;
  --bar: #7da7ee; --ok: #7ccf8c; --errors: #ff8a80; --unreadable: #e0bd55; --unsupported: #d29be2; --timeout: #ffab66;
  --memory: #6fd6e8; --crashed: #ff9dbd } }
body { background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 2em auto;
  max-width: 62em; padding: 0 1em }
h1 { font-size: 1.6em; margin-bottom: .2em } h2 { font-size: 1.2em; margin: 2em 0 .4em } p { max-width: 46em }
a { color: var(--bar) } :focus-visible { outline: 3px solid var(--bar); outline-offset: 2px }
nav ul { display: flex; flex-wrap: wrap; gap: .3em 1.2em; list-style: none; padding: 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
caption { color: var(--soft); padding: .3em 0; text-align: left }
th, td { border-bottom: 1px solid var(--line); padding: .25em .7em .25em 0; text-align: left; vertical-align: top }
th { font-weight: 600 } .number { text-align: right } td.name, th.name { overflow-wrap: anywhere }
td.bar { min-width: 12em; width: 30% } .bar span { background: var(--bar); display: inline-block; height: .8em }
.stack { display: flex; height: .8em; margin-top: .3em } .soft { color: var(--soft) }
OUTCOMES
@media print { :root { --ink: #000; --soft: #444; --line: #bbb; --ground: #fff } body { font-size: 10pt; margin: 0;
  max-width: none } nav { display: none } tr, h2 { break-inside: avoid } h2 { break-after: avoid }
  .wide { overflow: visible } .bar span, .stack span { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
"""

MEANINGS = {
    Outcome.OK: "checked, without errors",
    Outcome.ERRORS: "checked, with errors",
    Outcome.UNREADABLE: "no model or program that can be read",
    Outcome.UNSUPPORTED: "a model that is not imported",
    Outcome.TIMEOUT: "not checked within the limit of time",
    Outcome.MEMORY: "not checked within the limit of memory, or the process was killed",
    Outcome.CRASHED: "an error of the tool",
}


@record
class Cell:
    """A cell of a table: text, and `kind` for a number, a name or a bar."""

    html: str
    kind: str = ""


def page(census: Census) -> str:
    """The report."""
    sections = [(title, "".join(body)) for title, body in _sections(census)]
    links = "".join(f'<li><a href="#s{k}">{escape(title)}</a></li>' for k, (title, _) in enumerate(sections))
    parts = "".join(
        f'<section aria-labelledby="s{k}"><h2 id="s{k}">{escape(title)}</h2>{body}</section>\n'
        for k, (title, body) in enumerate(sections)
    )
    colours = "\n".join(f".{outcome} {{ background: var(--{outcome}) }}" for outcome in Outcome)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Census of {counted(census.all.files, 'file')}</title>\n"
        f"<style>{STYLE.replace('OUTCOMES', colours)}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>Census of {_counted(census.all.files, 'file')}</h1>\n<p>{_summary(census)}</p>\n"
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n{parts}</main>\n</body>\n</html>'
    )


def _summary(census: Census) -> str:
    found = census.by_outcome()
    said = ", ".join(f"{name} {_number(count)}" for name, count in found.items() if count) or "none"
    return (
        f"{said}. {_share(census.all.known, census.all.sizes)} of {_counted(census.all.sizes, 'size')} known. "
        f"{_number(census.all.cpu, 1)} s of processor time. gradual {__version__}."
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
            _name(outcome),
            Cell(MEANINGS[outcome]),
            _count(found[outcome]),
            _bar(found[outcome], census.all.files, outcome),
        ]
        for outcome in sorted(Outcome, key=lambda one: -found[one])
    ]
    yield _table("Files by outcome", ["outcome", "meaning", "files", ""], rows)


def _formats(census: Census) -> Iterator[str]:
    heads = ["format", "files", *map(str, Outcome), ""]
    rows = []
    for name, counts in sorted(census.formats.items(), key=lambda one: (-one[1].files, one[0])):
        found = census.outcomes[name]
        spans = (_span(found[one], counts.files, one) for one in Outcome if found[one])
        stack = Cell(f'<div class="stack">{"".join(spans)}</div>', "bar")
        rows.append([_name(name), _count(counts.files), *(_count(found[one]) for one in Outcome), stack])
    yield _table("Files by format and outcome", heads, rows)


def _known(census: Census) -> Iterator[str]:
    yield (
        "<p>A size of a value is known if it is a formula over the sizes of the inputs. Counted are the values that "
        "accepted programs compute; in a model, those that have names in the model.</p>"
    )
    ranked = sorted(census.formats.items(), key=lambda one: (-one[1].sizes, one[0]))
    rows = [_sizes(name, counts) for name, counts in ranked if counts.sizes]
    yield _table("Sizes by format", ["format", "sizes", "known", "share", ""], [*rows, _sizes("all", census.all)])
    names = [f"{100 * k // SHARES} to {100 * (k + 1) // SHARES} %" for k in range(SHARES)] + ["100 %"]
    most = max(census.shares.values(), default=0)
    classes = [(name, census.shares[k]) for k, name in reversed(list(enumerate(names)))]
    rows = [[Cell(name), _count(count), _bar(count, most)] for name, count in classes]
    yield _table("Files by their share of known sizes", ["known", "files", ""], rows)


def _sizes(name: str, counts: Counts) -> list[Cell]:
    share = Cell(_share(counts.known, counts.sizes), "number")
    return [_name(name), _count(counts.sizes), _count(counts.known), share, _bar(counts.known, counts.sizes)]


def _blocks(census: Census) -> Iterator[str]:
    yield (
        f"<p>{_counted(census.blocked, 'model')} not imported, of which {_number(census.otherwise)} for reasons "
        "that concern no operator. A model may be blocked by several operators.</p>"
    )
    ranked = census.operators.ranked()
    rows = [[_name(name), _count(files), _bar(files, ranked[0][2])] for name, _, files in ranked]
    yield _table("Operators by the number of models that they block", ["operator", "models", ""], rows)


def _rules(census: Census) -> Iterator[str]:
    ranked = census.rules.ranked()
    rows = [[_name(name), _count(files), _count(times), _bar(files, ranked[0][2])] for name, times, files in ranked]
    yield _table("Residual checks by rule", ["rule", "files", "checks", ""], rows)


def _codes(census: Census) -> Iterator[str]:
    ranked = census.codes.ranked()
    rows = [
        [_name(code), Cell(escape(KINDS[code].title)), _count(files), _count(times), _bar(files, ranked[0][2])]
        for code, times, files in ranked
    ]
    yield _table("Errors by code", ["code", "meaning", "files", "errors", ""], rows)


def _times(census: Census) -> Iterator[str]:
    bounds = [f"{bound:g}" for bound in TIMES]
    names = [f"below {bounds[0]} s", *(f"{a} to {b} s" for a, b in pairwise(bounds))]
    names.append(f"{bounds[-1]} s and more")
    most = max(census.times.values(), default=0)
    classes = [[Cell(name), _count(census.times[k]), _bar(census.times[k], most)] for k, name in enumerate(names)]
    yield _table("Files by the time of their check", ["time", "files", ""], classes)
    longest = -census.slowest[0][0] if census.slowest else 0.0
    rows = [
        [_name(file), Cell(outcome), Cell(_number(-late, 2), "number"), _bar(-late, longest)]
        for late, file, outcome in census.slowest
    ]
    yield _table(f"The slowest files (at most {LISTED})", ["file", "outcome", "seconds", ""], rows)


def _listed(census: Census, outcome: Outcome) -> Iterator[str]:
    count, listed = census.by_outcome()[outcome], census.unwell[outcome]
    more = f"; the journal has all {_number(count)}" if count > len(listed) else ""
    rows = [[_name(file), Cell(escape(visible(says)), "name")] for file, says in listed]
    yield _table(f"{escape(MEANINGS[outcome])}{more}", ["file", "first reason"], rows)


# ---------------------------------------------------------------------------------------------------------- parts
def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
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


def _name(text: str) -> Cell:
    return Cell(escape(visible(text)), "name")


def _count(number: int) -> Cell:
    return Cell(_number(number), "number")


def _bar(part: float, whole: float, outcome: str = "") -> Cell:
    return Cell(_span(part, whole, outcome), "bar")


def _span(part: float, whole: float, outcome: str) -> str:
    """A bar as wide as the part is of the whole; what it shows is in the table as a number too."""
    width = 100 * part / whole if whole else 0.0
    return f'<span class="{outcome}" style="width:{width:.1f}%" aria-hidden="true"></span>'


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _counted(number: int, what: str) -> str:
    return counted(number, what).replace(str(number), _number(number), 1)


def _number(number: float, digits: int = 0) -> str:
    return f"{number:,.{digits}f}"
