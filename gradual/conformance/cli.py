"""`gradual conformance`: run the suites, list, show and lint cases, and update their expectations (`bless`)."""

from __future__ import annotations

import difflib
import io
import os
import sys
from pathlib import Path

import click

from gradual.conformance.cases.answer import Outcome, Report
from gradual.conformance.cases.case import Case
from gradual.conformance.cases.code_table import FILE as CODES
from gradual.conformance.cases.code_table import code_table
from gradual.conformance.cases.read import load
from gradual.conformance.commands.covering import coverage_command
from gradual.conformance.commands.reading import copy, lint, list_command, show
from gradual.conformance.commands.running import SMT, run_command
from gradual.conformance.commands.selection import PATTERNS, SPEC, chosen_of, malformed_of, read_suite
from gradual.conformance.commands.telling import followed, say
from gradual.conformance.entries.chapter import FILE, entries
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.implementations.serve import serve as answer_requests
from gradual.conformance.runner.bless import Refused, blessed, replaced
from gradual.interface.input.files import text_of
from gradual.report.paint import plain, shielded
from gradual.resources import folder


@click.group(name="conformance")
def conformance() -> None:
    """The specification's conformance suite."""


for shared in (run_command(Reference), list_command, show, copy, lint, coverage_command(Reference)):
    conformance.add_command(shared)


@conformance.command()
@SMT
def serve(no_smt: bool) -> None:
    """Run this implementation as an adapter, which answers the protocol's requests on stdin."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8")
    answer_requests(sys.stdin, sys.stdout, not no_smt)


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
    collection = read_suite(root)
    malformed = malformed_of(collection, patterns)
    cases = chosen_of(collection, patterns, malformed, None, spec)
    refused = [case for case in followed("blessing cases", cases, len(cases)) if not _blessed(case.id, root, dry_run)]
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
        say(f"{case.file}:{case.line}: {case.id}: {refused}")
        return False
    click.echo(shielded("".join(_difference(before, after, case.file)), plain), nl=False)
    if not dry_run and after != before:
        path.write_text(after, encoding="utf-8")
    return True


def _answers(case: Case) -> tuple[Report, list[Outcome], str]:
    """The reference's answers; raises Refused if it crashes."""
    reference = Reference()
    try:
        report = reference.check(case.request)
        calls = case.request.calls if report.accepted else ()
        return report, [reference.run(case.request, call) for call in calls], reference.format(case.request)
    except Exception as crash:
        raise Refused(f"the reference crashes: {crash!r}") from crash


def _difference(before: str, after: str, name: str) -> list[str]:
    return list(difflib.unified_diff(before.splitlines(True), after.splitlines(True), name, name, n=1))
