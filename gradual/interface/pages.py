"""Pages of codes (`spec/errors/`) and sections of rules (`spec/*.md`), found by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from gradual.codes import KINDS
from gradual.record import record
from gradual.resources import folder

_HEADING = re.compile(r"^(#+)\s+(.*?)\s*$")
_NAME = re.compile(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n+", re.DOTALL)


@record
class Page:
    """The text about a code or a rule, in Markdown."""

    name: str
    text: str


def explained(what: str) -> Page | list[str]:
    """The page of a code or the section of a rule; otherwise the most similar names."""
    if page := code_page(what.upper()):
        return page
    sections = dict(rule_sections())
    if what in sections:
        return Page(what, sections[what])
    return get_close_matches(what, [*KINDS, *sections], n=3)


# ---------------------------------------------------------------------------------------------------------- codes
def code_page(code: str) -> Page | None:
    """The page of a code under its title and summary."""
    if code not in KINDS:
        return None
    text = _written(code)
    facts = front_matter(text)
    rules = f" Rules: {facts['rules']}." if facts["rules"] else ""
    head = f"# {code}: {facts['title']}\n\n{facts['summary']}\n\nSeverity: {facts['severity']}.{rules}"
    return Page(code, f"{head}\n\n{_FRONT.sub('', text).rstrip()}")


def code_facts(code: str) -> dict[str, str]:
    """The front matter of a code's page: its title, summary, severity, phase and rules."""
    return front_matter(_written(code))


def _written(code: str) -> str:
    return (folder("spec") / "errors" / f"{code}.md").read_text(encoding="utf-8")


def front_matter(text: str) -> dict[str, str]:
    """The `key: value` lines between the two `---` lines at the start of a page."""
    match = _FRONT.match(text)
    pairs = (line.partition(":") for line in match[1].splitlines()) if match else ()
    return {key.strip(): value.strip() for key, _, value in pairs}


# ---------------------------------------------------------------------------------------------------------- rules
def rule_sections() -> Iterator[tuple[str, str]]:
    """Every rule that is named in a heading of the specification, with the section under it."""
    for path in sorted(folder("spec").glob("*.md")):
        yield from _sections(path)


def _sections(path: Path) -> Iterator[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = list(_headings(lines))
    for index, (at, level, title) in enumerate(heads):
        end = next((later for later, depth, _ in heads[index + 1 :] if depth <= level), len(lines))
        for rule in _NAME.findall(title):
            yield rule, "\n".join(lines[at:end]).rstrip()


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Line, level and title of each heading outside fenced blocks."""
    fenced = False
    for at, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and (match := _HEADING.match(line)):
            yield at, len(match[1]), match[2]
