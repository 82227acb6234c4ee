"""Texts found by name: pages of codes (`spec/errors/`), sections of rules (`spec/*.md`) and of cases, the glossary."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from gradual.codes import KINDS
from gradual.record import record
from gradual.resources import folder

_HEADING = re.compile(r"^(#+)\s+(.*?)\s*$")
_NAME = re.compile(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+")
_TERM = re.compile(r"^\*\*([^*]+)\*\* (.*(?:\n.+)*)", re.MULTILINE)
_OTHER = re.compile(r"(?<!\*)\*([^*]+)\*(?!\*)")
_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
NEAR = 5
"""How many similar names are shown."""
_FRONT = re.compile(r"\A---\n(.*?)\n---\n+", re.DOTALL)


@record
class Page:
    """The text about a code, a rule or another name, in Markdown."""

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


def similar(what: str, names: Iterable[str]) -> list[str]:
    """The names that are spelled similarly, or that have the word."""
    known = list(dict.fromkeys(names))
    having = [name for name in known if what in re.split(r"[ ./_-]", name.lower())]
    return list(dict.fromkeys([*get_close_matches(what, known, n=3), *having]))[:NEAR]


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
        for title, section in _sections(path):
            yield from ((rule, section) for rule in _NAME.findall(title) if not title.startswith("Operator "))


def case_sections() -> Iterator[tuple[str, str]]:
    """Every conformance case of the suite, with its section."""
    for path in sorted((folder("spec") / "conformance").glob("*.md")):
        yield from ((title, section) for title, section in _sections(path) if "/" in title)


def _sections(path: Path) -> Iterator[tuple[str, str]]:
    """Each heading of a page, with the section under it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = list(_headings(lines))
    for index, (at, level, title) in enumerate(heads):
        end = next((later for later, depth, _ in heads[index + 1 :] if depth <= level), len(lines))
        yield title, "\n".join(lines[at:end]).rstrip()


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Line, level and title of each heading outside fenced blocks."""
    fenced = False
    for at, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and (match := _HEADING.match(line)):
            yield at, len(match[1]), match[2]


# ------------------------------------------------------------------------------------------------------- language
def construct(what: str) -> str | None:
    """The section about a word of the language, such as `let`: one that names it in its heading, or else first."""
    sections = [(title, text) for title, text in _sections(folder("docs") / "language.md") if text.startswith("## ")]
    written = re.compile(rf"`{re.escape(what)}\b") if what.isidentifier() else re.compile(re.escape(f"`{what}`"))
    in_heading = (text for title, text in sections if written.search(title) or title.lower() == what.lower())
    return next(in_heading, None) or next((text for _, text in sections if written.search(text)), None)


# ------------------------------------------------------------------------------------------------------- glossary
def glossary() -> dict[str, str]:
    """Every term of the glossary with its paragraph, and every other name that a paragraph gives."""
    text = (folder("docs") / "glossary.md").read_text(encoding="utf-8")
    text = _LINK.sub(lambda match: f"]({posixpath.normpath(f'docs/{match[1]}')}", text)
    terms = {match[1].strip("`").lower(): match[0].rstrip() for match in _TERM.finditer(text)}
    others = {other.lower(): term for term, found in terms.items() for other in _OTHER.findall(found)}
    return {other: terms[term] for other, term in others.items()} | terms


def word(what: str) -> str | None:
    """The paragraph of the glossary about a word, in any case, in the singular or the plural."""
    terms, key = glossary(), " ".join(what.lower().split())
    key = "unknown size" if key in ("?", "unknown") else key
    found = next((terms[name] for name in (key, key.removesuffix("s"), key.removesuffix("es")) if name in terms), None)
    target = re.search(r"^\*\*[^*]+\*\* See \*([^*]+)\*", found or "")
    return f"{found}\n\n{terms[target[1].lower()]}" if target and target[1].lower() in terms else found
