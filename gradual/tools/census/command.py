"""`gradual census`: thousands of models and programs checked, with one report on all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext

import click

from gradual.diagnostic import counted
from gradual.interface.input.files import MODELS, PROGRAMS, streamed
from gradual.interface.progress import progress
from gradual.interface.reports.json_lines import line
from gradual.interface.terminal import FILE, Output, shared
from gradual.tools.census.cluster import LOCAL, cluster
from gradual.tools.census.journal import Journal, journal_at
from gradual.tools.census.page import page
from gradual.tools.census.running import Engine, here, rows
from gradual.tools.census.totals import Census
from gradual.tools.checking.children import CAN_LIMIT_MEMORY, Bounds
from gradual.tools.checking.results import Outcome

ENDINGS = (*PROGRAMS, *MODELS)
"""The endings of the files that are checked in a folder."""
NAMED = 5
"""How many operators, rules and codes the report on a terminal names."""


@click.command()
@click.argument("paths", type=FILE, nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Check N files in parallel [default: processors]."
)
@click.option(
    "--cluster", "address", metavar="ADDRESS", help="A scheduler of Dask, or `local` to start a cluster here."
)
@click.option("--journal", metavar="FILE", help="Write a row for each file; a later run checks only what has no row.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Seconds for each file.")
@click.option("--memory", type=click.IntRange(min=1), metavar="MB", help="Megabytes for each file, libraries included.")
@click.option("--format", type=click.Choice(["text", "html", "json"]), help="Default: html with `-o`, else text.")
@shared
def census(
    out: Output,
    paths: tuple[str, ...],
    jobs: int | None,
    address: str | None,
    journal: str | None,
    timeout: float | None,
    memory: int | None,
    format: str | None,
) -> None:
    """Check many models and programs, and report on all of them: files, folders with these, SavedModel folders.

    Every file has a row with its outcome, whatever happens to it. The exit code is that of the run, not of the files.
    """
    if memory is not None and not CAN_LIMIT_MEMORY:
        raise click.UsageError("--memory needs Linux, where the memory of another process can be read")
    if jobs is not None and address not in (None, LOCAL):
        raise click.UsageError("a cluster has its own number of processes: --jobs does not go with its address")
    bounds, jobs = Bounds(timeout, memory), jobs or os.cpu_count() or 1
    engine = here(jobs, bounds) if address is None else cluster(address, jobs, bounds)
    with journal_at(journal) if journal is not None else nullcontext() as kept:
        found = _counted(paths, engine, kept, bounds)
    match format or ("html" if out.filed else "text"):
        case "html":
            out.line(page(found))
        case "json":
            out.line(line(found.form()))
        case _:
            for said in _lines(found):
                out.line(said)


def _counted(paths: Sequence[str], engine: Engine, journal: Journal | None, bounds: Bounds) -> Census:
    """Check every file, and add the rows up."""
    found, failed = Census(), 0
    with progress("checking", lambda: sum(1 for _ in streamed(paths, ENDINGS))) as report:
        for row in rows(streamed(paths, ENDINGS), engine, journal, bounds):
            found.add(row)
            failed += row["outcome"] != Outcome.OK
            report(found.all.files, says=f"{failed} not ok")
    return found


def _lines(found: Census) -> Iterator[str]:
    """The report in a few lines."""
    outcomes = " · ".join(f"{name} {count}" for name, count in found.by_outcome().items() if count)
    yield f"{counted(found.all.files, 'file')}: {outcomes or 'none'}"
    yield f"sizes known: {found.all.known} of {found.all.sizes}"
    yield f"proved {found.all.proved} · residual {found.all.residual} · refuted {found.all.refuted}"
    tallies = {"operators not imported": found.operators, "residual checks": found.rules, "errors": found.codes}
    for title, tally in tallies.items():
        ranked = [f"{name} in {counted(files, 'file')}" for name, _, files in tally.ranked()]
        more = [f"{len(ranked) - NAMED} more"] if len(ranked) > NAMED else []
        if ranked:
            yield f"{title}: {', '.join([*ranked[:NAMED], *more])}"
