"""`gradual conformance`: run the suites, list, show and lint cases, and update their expectations (`bless`)."""

from __future__ import annotations

import difflib
import fnmatch
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn, TypeVar

import click

from gradual.conformance.cases.answer import Implementation, NoAnswer, Outcome, Report
from gradual.conformance.cases.case import Case, Malformed, Problem
from gradual.conformance.cases.code_table import FILE as CODES
from gradual.conformance.cases.code_table import code_table
from gradual.conformance.cases.copied import copied
from gradual.conformance.cases.entries import FILE, entries
from gradual.conformance.cases.read import Collection, load
from gradual.conformance.implementations.adapter import Adapter, OneShot
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.implementations.serve import serve as answer_requests
from gradual.conformance.runner.bless import Refused, blessed, replaced
from gradual.conformance.runner.coverage import Covered, covered
from gradual.conformance.runner.judge import Profile
from gradual.conformance.runner.known import Known, read_known, weighed
from gradual.conformance.runner.run import EVERY, LOST, Class, Result, run, tallied
from gradual.interface.input.files import text_of
from gradual.interface.progress import DISPLAY, progress
from gradual.interface.terminal import note
from gradual.report.paint import plain, shielded
from gradual.resources import folder
from gradual.source import visible

T = TypeVar("T")
PATTERNS = click.argument("patterns", nargs=-1, metavar="[CASE or FILE]…")
SPEC = click.option("--spec", type=click.Path(path_type=Path), default=None, help="The folder of the specification.")
_PATIENCE = 20
"""After this many cases in a row without an answer, the run is aborted."""

SMT = click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")


@click.group(name="conformance")
def conformance() -> None:
    """The specification's conformance suite."""


def _read(spec: Path | None) -> Collection:
    """Load the collection; exit with 2 if no case can be read."""
    try:
        return load(spec or folder("spec"))
    except Malformed as malformed:
        _refuse(malformed.problems, malformed)


def _loaded(spec: Path | None) -> Collection:
    """Load the collection; report all its errors and exit with 2 if there are any."""
    collection = _read(spec)
    if collection.problems:
        _refuse(collection.problems)
    return collection


def _refuse(problems: Sequence[Problem], cause: Exception | None = None) -> NoReturn:
    for problem in problems:
        note(visible(str(problem)))
    note(f"{len(problems)} problems: the suite cannot be run")
    raise SystemExit(2) from cause


def chosen(cases: Sequence[Case], patterns: Sequence[str]) -> list[Case]:
    """The cases whose id or file matches a pattern (all cases if no pattern is given); an error if no case does."""
    fitting = [case for case in cases if _fits(case.id, case.file, patterns)]
    if not fitting:
        raise click.UsageError("no case fits: a run of nothing is a failure [conformance.empty]")
    return fitting


def _fits(id: str, within: str, patterns: Sequence[str]) -> bool:
    """Whether there are no patterns, or one of them matches a case or its file."""
    return not patterns or any(_is_named(id, within, pattern) for pattern in patterns)


def _is_named(id: str, within: str, pattern: str) -> bool:
    file = pattern.removeprefix("./").removeprefix("spec/")
    inside = within == file or within.startswith(file.rstrip("/") + "/")
    return inside or fnmatch.fnmatchcase(id, pattern) or id.startswith(pattern.rstrip("/") + "/")


def _malformed(collection: Collection, patterns: Sequence[str]) -> int:
    """Report the matching cases and files that cannot be read, and count them."""
    found: dict[tuple[str, str], list[Problem]] = {}
    for problem in collection.problems:
        if not problem.case or _fits(problem.case, problem.file, patterns):
            found.setdefault((problem.case or problem.file, problem.file), []).append(problem)
    for (name, file), problems in found.items():
        _say(visible(f"malformed  {name}  ({file}:{problems[0].line})"))
        for problem in problems:
            _say(visible(f"    {problem}"))
    return len(found)


def _chosen_of(collection: Collection, patterns: Sequence[str], malformed: int) -> list[Case]:
    """The matching cases; it is an error if none matches, unless a malformed one does, which was reported already."""
    fits = any(_fits(case.id, case.file, patterns) for case in collection.cases)
    return chosen(collection.cases, patterns) if fits or not malformed else []


@conformance.command(name="run")
@PATTERNS
@SMT
@SPEC
@click.option("--known", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A list of known failures.")
@click.option("--adapter", metavar="CMD", help="Test this command, which implements the protocol, instead.")
@click.option("--one-shot", metavar="CMD", help="Ask this command for verdicts: CMD FILE exits with 0 or 1.")
@click.option(
    "--profile",
    "only",
    type=click.Choice([profile.value for profile in Profile]),
    multiple=True,
    help="Compare only this profile.",
)
@click.option("--timeout", type=click.IntRange(1, 86400), default=10, show_default=True, metavar="SECONDS",
              help="How long an answer may take.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Name the cases that pass too.")
def run_command(
    patterns: tuple[str, ...],
    no_smt: bool,
    spec: Path | None,
    known: Path | None,
    adapter: str | None,
    one_shot: str | None,
    only: tuple[str, ...],
    timeout: int,
    verbose: bool,
) -> None:
    """Run every case with this implementation, or with another one, and compare the results.

    Exit 0 if there is an answer and all answers are as expected, else 1. A case that cannot be read fails, and the
    others are run.
    """
    if (adapter is not None) + (one_shot is not None) + no_smt > 1:
        raise click.UsageError("--adapter, --one-shot and --no-smt exclude each other")
    collection = _read(spec)
    malformed = _malformed(collection, patterns)
    cases, listed = _chosen_of(collection, patterns, malformed), _known(known, collection)
    with ExitStack() as stack:
        implementation, answered = _implementation(stack, adapter, one_shot, timeout, not no_smt)
        profiles = answered & frozenset(map(Profile, only)) if only else answered
        found = _all_told(weighed(run(cases, implementation, profiles), listed, profiles), verbose)
        results = list(_followed("running cases", found, len(cases)))
    _counted(results, len(cases), profiles, malformed)


def _followed(title: str, parts: Iterable[T], total: int) -> Iterator[T]:
    """The parts of a task, each of which is done when it is given."""
    with progress(title, total) as report:
        for done, part in enumerate(parts, 1):
            report(done)
            yield part


def _implementation(
    stack: ExitStack, adapter: str | None, one_shot: str | None, timeout: float, smt: bool
) -> tuple[Implementation, frozenset[Profile]]:
    """The implementation under test and its profiles; exit with 2 if it cannot be run or does not reply to `hello`."""
    if adapter is None and one_shot is None:
        return Reference(smt=smt), EVERY
    try:
        if one_shot is not None:
            return OneShot(one_shot, timeout), frozenset({Profile.VERDICT})
        asked = stack.enter_context(Adapter(adapter or "", timeout))
        greeting = asked.greet()
    except (OSError, ValueError, NoAnswer) as trouble:
        note("the command cannot be asked: " + str(trouble).replace("\n", "\n    "))
        raise SystemExit(2) from trouble
    _say(visible(f"{greeting.name} {greeting.version}"))
    return asked, greeting.profiles


def _all_told(results: Iterable[Result], verbose: bool) -> Iterator[Result]:
    """Report each result, and yield it; stop after many cases in a row without an answer."""
    lost = 0
    for result in results:
        _told(result, verbose)
        yield result
        lost = lost + 1 if result.kind in LOST else 0
        if lost == _PATIENCE:
            _say(f"no answer to {lost} cases in a row: no more are asked for")
            return


def _counted(results: Sequence[Result], wanted: int, profiles: frozenset[Profile], malformed: int) -> NoReturn:
    """Report the totals, and exit."""
    for profile, tally in tallied(results, profiles).items():
        _say(f"{profile.value:8} {tally.passed} of {tally.asked}")
    counts = {kind: sum(result.kind is kind for result in results) for kind in Class}
    asked = f"{len(results)} cases" if len(results) == wanted else f"{len(results)} of {wanted} cases"
    unread = f" · malformed {malformed}" if malformed else ""
    _say(f"{asked}: " + " · ".join(f"{kind.value} {count}" for kind, count in counts.items()) + unread)
    fine = counts[Class.PASS] + counts[Class.KNOWN]
    declined = counts[Class.SKIPPED] + counts[Class.UNSUPPORTED]
    raise SystemExit(0 if fine and fine + declined == wanted and not malformed else 1)


@conformance.command()
@SMT
def serve(no_smt: bool) -> None:
    """Run this implementation as an adapter, which answers the protocol's requests on stdin."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8")
    answer_requests(sys.stdin, sys.stdout, not no_smt)


@conformance.command()
@PATTERNS
@SPEC
def copy(patterns: tuple[str, ...], spec: Path | None) -> None:
    """Print each case with its expectations and its hash as a line of JSON, for other runners."""
    for case in chosen(_loaded(spec).cases, patterns):
        click.echo(copied(case))


def _known(path: Path | None, collection: Collection) -> dict[str, Known]:
    if path is None:
        return {}
    try:
        return read_known(text_of(path).removeprefix("\ufeff"), str(path), _ids(collection))
    except (Malformed, UnicodeDecodeError) as malformed:
        note(visible(f"{path}: {malformed}" if isinstance(malformed, UnicodeDecodeError) else str(malformed)))
        raise SystemExit(2) from malformed


def _ids(collection: Collection) -> set[str]:
    return {case.id for case in collection.cases} | {problem.case for problem in collection.problems}


def _told(result: Result, verbose: bool) -> None:
    case = result.case
    if result.kind not in (Class.PASS, Class.UNSUPPORTED):
        _say(f"{result.kind.value}  {case.id}  ({case.file}:{case.line})")
    elif verbose:
        _say(f"{result.kind.value}  {case.id}")
    for failure in result.failures if result.kind is not Class.KNOWN else ():
        _say(visible(f"    {case.file}:{failure.line}: [{failure.profile.value}] {failure.message}"))
    told = result.kind not in (Class.KNOWN, Class.UNSUPPORTED)
    for line in result.trace.rstrip().splitlines() if told else ():
        _say(visible(f"    {line}"))


def _say(text: str) -> None:
    """Print lines without terminal control characters; text from another process is kept on one line."""
    DISPLAY.hide()
    click.echo(shielded(text, plain))


@conformance.command(name="list")
@PATTERNS
@SPEC
def list_command(patterns: tuple[str, ...], spec: Path | None) -> None:
    """Print each case with the rules that it shows."""
    for case in chosen(_loaded(spec).cases, patterns):
        _say(f"{case.id}  [{' '.join(case.rules)}]")


@conformance.command()
@PATTERNS
@SPEC
def show(patterns: tuple[str, ...], spec: Path | None) -> None:
    """Print cases as they stand in their files."""
    for case in chosen(_loaded(spec).cases, patterns):
        _say(f"## {case.id}\n{case.prose.strip()}\n")
        for fence in case.fences.values():
            _say("\n".join([f"```{fence.language}", *fence.lines, "```"]))


@conformance.command()
@SPEC
def lint(spec: Path | None) -> None:
    """Read every suite and chapter, and count cases and rules."""
    collection = _loaded(spec)
    _say(f"{len(collection.cases)} cases · {len(collection.rules)} rules")


@conformance.command()
@SPEC
@SMT
def coverage(spec: Path | None, no_smt: bool) -> None:
    """Count, for each rule, the cases that name it and the outcomes of its obligations."""
    collection = _loaded(spec)
    results = run(collection.cases, Reference(smt=not no_smt))
    rows = covered(collection, _followed("running cases", results, len(collection.cases)))
    for rule, row in sorted(rows.items()):
        _say(f"{rule:36} {_row(row)}")


def _row(row: Covered) -> str:
    return f"cases {row.cases:3}  proved {row.proved:3}  refuted {row.refuted:3}  residual {row.residual:3}"


@conformance.command(name="entries")
@SPEC
def entries_command(spec: Path | None) -> None:
    """Write the files that are generated from declarations: the chapter of operator entries, and the list of codes."""
    root = spec or folder("spec")
    (root / CODES).write_text(code_table(root), encoding="utf-8")
    (root / FILE).write_text(entries(), encoding="utf-8")


@conformance.command()
@PATTERNS
@SPEC
@click.option("--dry-run", is_flag=True, help="Print the difference only.")
def bless(patterns: tuple[str, ...], spec: Path | None, dry_run: bool) -> None:
    """Rewrite positions, types, checks and values by the results of a run; verdicts and codes are never changed."""
    if os.environ.get("CI"):
        raise click.UsageError("nothing is blessed where CI is set")
    root = spec or folder("spec")
    collection = _read(root)
    malformed = _malformed(collection, patterns)
    cases = _chosen_of(collection, patterns, malformed)
    refused = [case for case in _followed("blessing cases", cases, len(cases)) if not _blessed(case.id, root, dry_run)]
    raise SystemExit(1 if refused or malformed else 0)


def _blessed(id: str, root: Path, dry_run: bool) -> bool:
    """Bless one case, which is read again since earlier ones may have moved it; False if blessing is refused."""
    case = next(case for case in load(root).cases if case.id == id)
    if case.expectation.variant:
        return True
    path = root / case.file
    before = text_of(path)
    try:
        after = replaced(before, case, blessed(case, *_answers(case)))
    except Refused as refused:
        _say(f"{case.file}:{case.line}: {case.id}: {refused}")
        return False
    click.echo(shielded("".join(_difference(before, after, case.file)), plain), nl=False)
    if not dry_run and after != before:
        path.write_text(after, encoding="utf-8")
    return True


def _answers(case: Case) -> tuple[Report, list[Outcome]]:
    """The reference's answers; raises Refused if it crashes."""
    reference = Reference()
    try:
        report = reference.check(case.request)
        calls = case.request.calls if report.accepted else ()
        return report, [reference.run(case.request, call) for call in calls]
    except Exception as crash:
        raise Refused(f"the reference crashes: {crash!r}") from crash


def _difference(before: str, after: str, name: str) -> list[str]:
    return list(difflib.unified_diff(before.splitlines(True), after.splitlines(True), name, name, n=1))
