"""`gradual conformance`: run the suites, list and show cases, lint them, bless their places and values."""

from __future__ import annotations

import difflib
import fnmatch
import os
from collections.abc import Sequence
from pathlib import Path

import click

from gradual.resources import folder
from gradual.tools.conformance.answer import Outcome, Report
from gradual.tools.conformance.bless import Refused, blessed, replaced
from gradual.tools.conformance.case import Case, Malformed
from gradual.tools.conformance.coverage import Covered, covered
from gradual.tools.conformance.entries import FILE, entries, shared_rules
from gradual.tools.conformance.known import Known, read_known, weighed
from gradual.tools.conformance.read import Collection, load
from gradual.tools.conformance.reference import Reference
from gradual.tools.conformance.run import Class, Result, run, tallied

PATTERNS = click.argument("patterns", nargs=-1, metavar="[CASE or FILE]…")
SPEC = click.option("--spec", type=click.Path(path_type=Path), default=None, help="The folder of the specification.")
SMT = click.option("--no-smt", is_flag=True, help="Answer with the normative rungs only.")


@click.group(name="conformance")
def conformance() -> None:
    """The specification's conformance suite."""


def _loaded(spec: Path | None) -> Collection:
    """The collection, or exit 2 with everything that is wrong with it."""
    try:
        return load(spec or folder("spec"))
    except Malformed as malformed:
        for problem in malformed.problems:
            click.echo(f"{problem}", err=True)
        click.echo(f"{len(malformed.problems)} problems: the suite cannot be run", err=True)
        raise SystemExit(2) from malformed


def chosen(cases: Sequence[Case], patterns: Sequence[str]) -> list[Case]:
    """The cases whose id or file fits one of the patterns (all without patterns); nothing at all is an error."""
    fitting = [case for case in cases if not patterns or any(_fits(case, pattern) for pattern in patterns)]
    if not fitting:
        raise click.UsageError("no case fits: a run of nothing is a failure [conformance.empty]")
    return fitting


def _fits(case: Case, pattern: str) -> bool:
    file = pattern.removeprefix("./").removeprefix("spec/")
    inside = case.file == file or case.file.startswith(file.rstrip("/") + "/")
    return inside or fnmatch.fnmatchcase(case.id, pattern) or case.id.startswith(pattern.rstrip("/") + "/")


@conformance.command(name="run")
@PATTERNS
@SMT
@SPEC
@click.option("--known", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A list of known failures.")
@click.option("-v", "--verbose", is_flag=True, help="Name the cases that pass too.")
def run_command(patterns: tuple[str, ...], no_smt: bool, spec: Path | None, known: Path | None, verbose: bool) -> None:
    """Put every case to this implementation and compare."""
    collection = _loaded(spec)
    listed = _known(known, collection)
    results = []
    for result in weighed(run(chosen(collection.cases, patterns), Reference(smt=not no_smt)), listed):
        results.append(result)
        _told(result, verbose)
    for profile, tally in tallied(results).items():
        click.echo(f"{profile.value:8} {tally.passed} of {tally.asked}")
    counts = {kind: sum(r.kind is kind for r in results) for kind in Class}
    click.echo(f"{len(results)} cases: " + " · ".join(f"{kind.value} {count}" for kind, count in counts.items()))
    raise SystemExit(0 if counts[Class.PASS] + counts[Class.KNOWN] == len(results) else 1)


def _known(path: Path | None, collection: Collection) -> dict[str, Known]:
    if path is None:
        return {}
    try:
        return read_known(path.read_text(encoding="utf-8"), str(path), {case.id for case in collection.cases})
    except Malformed as malformed:
        click.echo(str(malformed), err=True)
        raise SystemExit(2) from malformed


def _told(result: Result, verbose: bool) -> None:
    case = result.case
    if result.kind is not Class.PASS:
        click.echo(f"{result.kind.value}  {case.id}  ({case.file}:{case.line})")
    elif verbose:
        click.echo(f"pass  {case.id}")
    for failure in result.failures if result.kind is not Class.KNOWN else ():
        click.echo(f"    {case.file}:{failure.line}: [{failure.profile.value}] {failure.message}")
    for line in () if result.kind is Class.KNOWN else result.trace.rstrip().splitlines():
        click.echo(f"    {line}")


@conformance.command(name="list")
@PATTERNS
@SPEC
def list_command(patterns: tuple[str, ...], spec: Path | None) -> None:
    """Print each case with the rules that it shows."""
    for case in chosen(_loaded(spec).cases, patterns):
        click.echo(f"{case.id}  [{' '.join(case.rules)}]")


@conformance.command()
@PATTERNS
@SPEC
def show(patterns: tuple[str, ...], spec: Path | None) -> None:
    """Print cases as they stand in their files."""
    for case in chosen(_loaded(spec).cases, patterns):
        click.echo(f"## {case.id}\n{case.prose.strip()}\n")
        for fence in case.fences.values():
            click.echo("\n".join([f"```{fence.language}", *fence.lines, "```"]))


@conformance.command()
@SPEC
def lint(spec: Path | None) -> None:
    """Read every suite and chapter, and count cases and rules."""
    collection = _loaded(spec)
    click.echo(f"{len(collection.cases)} cases · {len(collection.rules)} rules")


@conformance.command()
@SPEC
@SMT
def coverage(spec: Path | None, no_smt: bool) -> None:
    """For each rule: how many cases name it, and how its obligations were seen to end."""
    collection = _loaded(spec)
    rows = covered(collection, run(collection.cases, Reference(smt=not no_smt)))
    for rule, row in sorted(rows.items()):
        click.echo(f"{rule:36} {_row(row)}")


def _row(row: Covered) -> str:
    return f"cases {row.cases:3}  proved {row.proved:3}  refuted {row.refuted:3}  residual {row.residual:3}"


@conformance.command(name="entries")
@SPEC
def entries_command(spec: Path | None) -> None:
    """Write the chapter of operators' entries from their declarations."""
    root = spec or folder("spec")
    (root / FILE).write_text(entries(shared_rules(root)), encoding="utf-8")


@conformance.command()
@PATTERNS
@SPEC
@click.option("--dry-run", is_flag=True, help="Print the difference only.")
def bless(patterns: tuple[str, ...], spec: Path | None, dry_run: bool) -> None:
    """Rewrite places, types, checks and values from the answers; a verdict or a code is never changed."""
    if os.environ.get("CI"):
        raise click.UsageError("nothing is blessed where CI is set")
    root = spec or folder("spec")
    refused = [case for case in chosen(_loaded(root).cases, patterns) if not _blessed(case.id, root, dry_run)]
    raise SystemExit(1 if refused else 0)


def _blessed(id: str, root: Path, dry_run: bool) -> bool:
    """Bless one case, read afresh: an earlier one may have moved it.  False if its author has to change it."""
    case = next(case for case in load(root).cases if case.id == id)
    if case.expectation.variant:
        return True
    path = root / case.file
    before = path.read_text(encoding="utf-8")
    try:
        after = replaced(before, case, blessed(case, *_answers(case)))
    except Refused as refused:
        click.echo(f"{case.file}:{case.line}: {case.id}: {refused}")
        return False
    click.echo("".join(_difference(before, after, case.file)), nl=False)
    if not dry_run and after != before:
        path.write_text(after, encoding="utf-8")
    return True


def _answers(case: Case) -> tuple[Report, list[Outcome]]:
    """The reference's answers; Refused where it crashes."""
    reference = Reference()
    try:
        report = reference.check(case.request)
        calls = case.request.calls if report.accepted else ()
        return report, [reference.run(case.request, call) for call in calls]
    except Exception as crash:
        raise Refused(f"the reference crashes: {crash!r}") from crash


def _difference(before: str, after: str, name: str) -> list[str]:
    return list(difflib.unified_diff(before.splitlines(True), after.splitlines(True), name, name, n=1))
