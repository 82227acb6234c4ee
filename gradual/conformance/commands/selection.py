"""Which cases a command is about: reading of the suite, patterns, levels; problems are reported."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from gradual.conformance.cases.case import Case, Malformed, Problem
from gradual.conformance.cases.features import features_of
from gradual.conformance.cases.levels import Level, read_levels
from gradual.conformance.cases.read import Collection, load
from gradual.conformance.commands.telling import say
from gradual.interface.terminal import note
from gradual.resources import folder
from gradual.source import visible

Command = TypeVar("Command", bound=Callable[..., Any])
PATTERNS = click.argument("patterns", nargs=-1, metavar="[CASE or FILE]…")
SPEC = click.option(
    "--spec",
    type=click.Path(path_type=Path),
    default=None,
    help="The folder of the specification; by default the installed one.",
)
LEVEL = click.option("--level", metavar="LEVEL", help="Only the cases of this part of the language, such as `core`.")


def chosen_cases(command: Command) -> Command:
    """The parameters of a command about some cases."""
    return PATTERNS(LEVEL(SPEC(command)))


def read_suite(spec: Path | None) -> Collection:
    """Load the collection; exit with 2 if no case can be read."""
    try:
        return load(spec or folder("spec"))
    except Malformed as malformed:
        _refuse(malformed.problems, malformed)


def loaded(spec: Path | None) -> Collection:
    """Load the collection; report all its errors and exit with 2 if there are any."""
    collection = read_suite(spec)
    if collection.problems:
        _refuse(collection.problems)
    return collection


def _refuse(problems: Sequence[Problem], cause: Exception | None = None) -> NoReturn:
    for problem in problems:
        note(visible(str(problem)))
    note(f"{len(problems)} problems: the suite cannot be run")
    raise SystemExit(2) from cause


def chosen(cases: Sequence[Case], patterns: Sequence[str], level: str | None, spec: Path | None) -> list[Case]:
    """The cases of a level whose id or file matches a pattern, if there is one; an error if no case does."""
    within = level_named(level, spec) if level is not None else None
    fitting = [
        case
        for case in cases
        if _fits(case.id, case.file, patterns) and (within is None or within.has(features_of(case.request)))
    ]
    if not fitting:
        raise click.UsageError("no case fits: a run of nothing is a failure [conformance.empty]")
    return fitting


def level_named(name: str, spec: Path | None) -> Level:
    """The level of that name.  [conformance.level]"""
    levels = read_levels(spec or folder("spec"))
    if name not in levels:
        raise click.UsageError(f"there is no level `{visible(name)}`; they are {', '.join(levels)}")
    return levels[name]


def _fits(id: str, within: str, patterns: Sequence[str]) -> bool:
    """Whether there are no patterns, or one of them matches a case or its file."""
    return not patterns or any(_is_named(id, within, pattern) for pattern in patterns)


def _is_named(id: str, within: str, pattern: str) -> bool:
    file = pattern.removeprefix("./").removeprefix("spec/")
    inside = within == file or within.startswith(file.rstrip("/") + "/")
    return inside or fnmatch.fnmatchcase(id, pattern) or id.startswith(pattern.rstrip("/") + "/")


def malformed_of(collection: Collection, patterns: Sequence[str]) -> int:
    """Report the matching cases and files that cannot be read, and count them."""
    found: dict[tuple[str, str], list[Problem]] = {}
    for problem in collection.problems:
        if not problem.case or _fits(problem.case, problem.file, patterns):
            found.setdefault((problem.case or problem.file, problem.file), []).append(problem)
    for (name, file), problems in found.items():
        say(visible(f"malformed  {name}  ({file}:{problems[0].line})"))
        for problem in problems:
            say(visible(f"    {problem}"))
    return len(found)


def chosen_of(
    collection: Collection, patterns: Sequence[str], malformed: int, level: str | None, spec: Path | None
) -> list[Case]:
    """The matching cases; it is an error if none matches, unless a malformed one does, which was reported already."""
    fits = any(_fits(case.id, case.file, patterns) for case in collection.cases)
    return chosen(collection.cases, patterns, level, spec) if fits or not malformed else []
