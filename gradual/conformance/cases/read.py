"""Reading of cases from Markdown suites and chapters.

In a suite each heading of level 2 is a case; in a chapter each `relay` block below a rule's heading is one, with a name
after the word `relay`.
Anything that cannot be read is a `Problem` and makes its case malformed; nothing is skipped without a report.  A suite
without cases is a problem too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path

from gradual.conformance.cases.case import Case, Fence, Malformed, Problem
from gradual.conformance.cases.expect import cases_of
from gradual.interface.input.files import text_of
from gradual.record import record

RULE = re.compile(r"^`?([a-z]+(?:\.[a-z0-9_-]+)+)`?$")
CASE_ID = re.compile(r"^[a-z0-9_.-]+(/[a-z0-9_.-]+)+$")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$")
_FENCE = re.compile(r"^(`{3,})\s*([^\s`]*)\s*([^`]*?)\s*$")
_NAME = re.compile(r"(?![0-9]+$)[a-z0-9]+(?:-[a-z0-9]+)*")
"""A case's name in a chapter; one of digits only would be a position, which changes when a case is inserted."""
_KEY = re.compile(r"(?<![\w`])([a-z][a-z-]*):((?:[\s,]*`[^`\n]+`)+)")

BLOCKS = (
    *("relay", "types", "checks", "core", "static", "plan", "pass", "after", "left", "run", "fmt", "places"),
    "variants",
)
KEYS = ("rules", "ulps", "limit")
LIMITS = ("nesting", "rank", "size")
"""The limits that a rule leaves to the implementation, by their names in `limit:`."""

ILLUSTRATIONS = ("text", "ebnf", "console", "json", "markdown", "lark")


@record(frozen=False)
class _Section:
    """A heading with the text below it, up to the next heading."""

    level: int
    title: str
    line: int
    prose: list[str] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)


@record
class Collection:
    """All cases and rules of the suites and chapters.

    Attributes:
        cases: every case that can be read.
        rules: every rule named by a chapter's heading, with its position.
        problems: all errors, in the order of files; a case with an error is not among the cases.
    """

    cases: tuple[Case, ...]
    rules: dict[str, Problem]
    problems: tuple[Problem, ...] = ()


@record(frozen=False)
class _Reading:
    """The cases, rules and problems that have been read so far."""

    cases: list[Case] = field(default_factory=list)
    rules: dict[str, Problem] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def complain(self, file: str, line: int, message: str, case: str = "") -> None:
        self.problems.append(Problem(file, line, message, case.partition("#")[0]))


def load(spec: Path) -> Collection:
    """Read all cases and rules in the folder `spec`; raises Malformed if no case can be read.  [conformance.empty]"""
    reading = _Reading()
    suites = sorted(p for p in (spec / "conformance").rglob("*.md") if p.name != "README.md")
    for path in sorted(spec.glob("[0-9]*.md")):
        _chapter(text_of(path), path.relative_to(spec).as_posix(), reading)
    for path in suites:
        _suite(text_of(path), path.relative_to(spec).as_posix(), reading)
    return _finished(reading, str(spec))


def read(suites: dict[str, str], chapters: dict[str, str]) -> Collection:
    """Read the cases and rules of texts given by file name; raises Malformed if no case can be read."""
    reading = _Reading()
    for name, text in chapters.items():
        _chapter(text, name, reading)
    for name, text in suites.items():
        _suite(text, name, reading)
    return _finished(reading, ", ".join((*suites, *chapters)) or "nothing")


def _finished(reading: _Reading, where: str) -> Collection:
    _unique(reading)
    for case in reading.cases:
        for rule in case.rules:
            if rule not in reading.rules:
                reading.complain(case.file, case.line, f"case {case.id} names an unknown rule `{rule}`", case.id)
    if not reading.cases and not reading.problems:
        reading.complain(where, 1, "no conformance case was found [conformance.empty]")
    problems = sorted(reading.problems, key=lambda p: (p.file, p.line))
    malformed = {problem.case for problem in problems}
    cases = tuple(case for case in reading.cases if case.id.partition("#")[0] not in malformed)
    if not cases:
        raise Malformed(problems)
    return Collection(cases, reading.rules, tuple(problems))


def _unique(reading: _Reading) -> None:
    seen: dict[str, Case] = {}
    for case in reading.cases:
        if (earlier := seen.setdefault(case.id, case)) is not case:
            reading.complain(
                case.file, case.line, f"case {case.id} stands also in {earlier.file}:{earlier.line}", case.id
            )


def _suite(text: str, file: str, reading: _Reading) -> None:
    """Read a suite: an optional title with prose, then one case per heading of level 2."""
    before = len(reading.cases)
    for section in _sections(text, file, reading):
        if section.level == 1:
            _no_fences(section, file, reading)
        elif section.level != 2 or not CASE_ID.match(section.title):
            reading.complain(
                file, section.line, f"`{section.title}` is not a case id such as `op/nn.dense/unknown-width`"
            )
        else:
            _suite_case(section, file, reading)
    if len(reading.cases) == before:
        reading.complain(file, 1, "the suite has no case [conformance.empty]")


def _no_fences(section: _Section, file: str, reading: _Reading) -> None:
    for fence in section.fences:
        reading.complain(file, fence.line, "a block stands below no case")


def _suite_case(section: _Section, file: str, reading: _Reading) -> None:
    prose = " ".join(section.prose)
    for key in (key for key, _ in _KEY.findall(prose) if key not in KEYS):
        reading.complain(file, section.line, f"unknown key `{key}:`", section.title)
    for fence in section.fences:
        if fence.language not in BLOCKS:
            reading.complain(file, fence.line - 1, f"unknown block `{fence.language}`", section.title)
        if fence.name:
            reading.complain(file, fence.line - 1, f"a block of a suite has no name: `{fence.name}`", section.title)
    rules = _named("rules", prose)
    if not rules:
        reading.complain(file, section.line, f"case {section.title} names no rules", section.title)
    known = [fence for fence in section.fences if fence.language in BLOCKS]
    _cases(section.title, section.line, rules, known, prose, file, reading)


def _cases(
    id: str, line: int, rules: tuple[str, ...], fences: list[Fence], prose: str, file: str, reading: _Reading
) -> None:
    blocks: dict[str, Fence] = {}
    for fence in fences:
        if blocks.setdefault(fence.language, fence) is not fence:
            reading.complain(file, fence.line - 1, f"a second `{fence.language}` block", id)
    if "relay" not in blocks:
        reading.complain(file, line, f"case {id} has no `relay` block", id)
        return
    ulps = _ulps(prose)
    if ulps is None:
        reading.complain(file, line, f"case {id}: `ulps:` has one number from 1 to 99", id)
        return
    limits = _named("limit", prose)
    for name in limits:
        if name not in LIMITS:
            reading.complain(file, line, f"case {id}: there is no limit `{name}`; they are {', '.join(LIMITS)}", id)
    cases, problems = cases_of(Case(id, file, line, rules, prose=prose, ulps=ulps, limits=limits, fences=blocks))
    reading.cases.extend(cases)
    for number, message in problems:
        reading.complain(file, number, message, id)


def _named(key: str, prose: str) -> tuple[str, ...]:
    """The words in backticks after a key."""
    named = (word for found, words in _KEY.findall(prose) if found == key for word in re.findall(r"`([^`]+)`", words))
    return tuple(dict.fromkeys(named))


def _ulps(prose: str) -> int | None:
    """The number of ulps that a case grants, 0 without the key; None if it is no such number."""
    match _named("ulps", prose):
        case ():
            return 0
        case (text,) if re.fullmatch("[1-9][0-9]?", text):
            return int(text)
    return None


def _chapter(text: str, file: str, reading: _Reading) -> None:
    """Read a chapter: a heading that is a rule's name defines the rule, and each `relay` block below it is a case."""
    for section in _sections(text, file, reading):
        match, prose = RULE.match(section.title), " ".join(section.prose)
        if match:
            _heading(match[1], Problem(file, section.line, match[1]), reading)
        for fence in section.fences:
            if fence.language not in BLOCKS and fence.language not in ILLUSTRATIONS:
                reading.complain(file, fence.line - 1, f"unknown block `{fence.language}`")
        for fences in _programs(section.fences):
            if not match:
                reading.complain(file, fences[0].line - 1, f"a `{fences[0].language}` block belongs to no rule")
                continue
            rules = tuple(dict.fromkeys((match[1], *_named("rules", prose))))
            id = _chapter_id(match[1], fences, file, reading)
            _cases(id, fences[0].line - 1, rules, fences, prose, file, reading)


def _chapter_id(rule: str, fences: list[Fence], file: str, reading: _Reading) -> str:
    """The id of a chapter's case, from the name at its program."""
    program, *others = fences
    id = f"{rule}/{program.name}"
    if not _NAME.fullmatch(program.name):
        message = f"`{program.name}` is not the name of a case, such as `unknown-width`" if program.name else ""
        message = message or "a chapter's program has a name: write ```relay unknown-width"
        reading.complain(file, program.line - 1, message, id)
    for fence in others:
        if fence.name:
            reading.complain(file, fence.line - 1, f"only a program has a name, not `{fence.language}`", id)
    return id


def _heading(rule: str, place: Problem, reading: _Reading) -> None:
    if earlier := reading.rules.get(rule):
        reading.complain(place.file, place.line, f"rule `{rule}` stands also in {earlier.file}:{earlier.line}")
    reading.rules[rule] = place


def _programs(fences: Iterable[Fence]) -> list[list[Fence]]:
    """Each `relay` block with the blocks that follow it."""
    groups: list[list[Fence]] = []
    for fence in (fence for fence in fences if fence.language in BLOCKS):
        if fence.language == "relay" or not groups:
            groups.append([])
        groups[-1].append(fence)
    return groups


def _sections(text: str, file: str, reading: _Reading) -> Iterator[_Section]:
    section = _Section(1, "", 1)
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        if heading := _HEADING.match(line):
            yield section
            section = _Section(len(heading[1]), heading[2], number)
        elif opening := _FENCE.match(line):
            fence, is_closed = _fence(opening, number, lines)
            section.fences.append(fence)
            if not is_closed:
                case = section.title if CASE_ID.match(section.title) else ""
                reading.complain(file, number, "the block is not closed", case)
        else:
            section.prose.append(line.strip())
    yield section


def _fence(opening: re.Match[str], number: int, lines: Iterator[tuple[int, str]]) -> tuple[Fence, bool]:
    """The block that begins here, and whether it ends."""
    inside: list[str] = []
    for _, line in lines:
        if line.rstrip() == opening[1]:
            return Fence(opening[2], number + 1, tuple(inside), opening[3]), True
        inside.append(line)
    return Fence(opening[2], number + 1, tuple(inside), opening[3]), False
