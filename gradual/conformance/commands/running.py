"""The command `run`: every case is sent to an implementation, and the results are reported."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from gradual.conformance.cases.answer import Implementation, NoAnswer
from gradual.conformance.cases.case import Case, Malformed
from gradual.conformance.cases.read import Collection
from gradual.conformance.cases.suite_version import suite_version
from gradual.conformance.commands.reporting import Files, reports
from gradual.conformance.commands.selection import chosen_cases, chosen_of, malformed_of, read_suite
from gradual.conformance.commands.telling import all_told, counted, followed, say
from gradual.conformance.implementations.adapter import Adapter, OneShot
from gradual.conformance.reports.summary import Summary
from gradual.conformance.runner.judge import EVERY, WRITING, Profile
from gradual.conformance.runner.known import Known, read_known, weighed
from gradual.conformance.runner.parallel import Processes, run_by_all
from gradual.conformance.runner.run import Result, by_default
from gradual.interface.input.files import text_of
from gradual.interface.terminal import note
from gradual.resources import folder
from gradual.source import visible

Reference = Callable[[bool], Implementation]
"""Makes the implementation that is tested if no other one is named, with the solver or without."""

Answers = Callable[[Sequence[Case], frozenset[Profile]], Iterator[Result]]
"""Runs cases, and compares what is answered in some profiles."""

PATIENCE = 10
"""How many seconds an answer may take, if nothing else is said."""

SMT = click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")
ADAPTER = click.option("--adapter", metavar="CMD", help="Test this command, which implements the protocol, instead.")


def run_command(reference: Reference | None) -> click.Command:
    """The command; without a reference, it tests other implementations only."""

    @click.command(name="run")
    @chosen_cases
    @ADAPTER
    @click.option(
        "--known", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A list of known failures."
    )
    @click.option(
        "--one-shot",
        metavar="CMD",
        help="Ask this command for verdicts: CMD FILE exits with 0 to accept, with 1 to reject; it cannot skip a case.",
    )
    @click.option(
        "--profile",
        "only",
        type=click.Choice([profile.value for profile in Profile]),
        multiple=True,
        help="Compare only this profile; print and fmt in every case, not only in those about texts.",
    )
    @click.option("--timeout", type=click.IntRange(1, 86400), default=PATIENCE, show_default=True, metavar="SECONDS",
                  help="How long an answer may take.")  # fmt: skip
    @click.option("--jobs", type=click.IntRange(1, 256), default=os.cpu_count, metavar="N",
                  help="How many processes are asked at once; by default one for each core.")  # fmt: skip
    @reports
    @click.option("-v", "--verbose", is_flag=True, help="Name the cases that pass or are skipped too.")
    def command(
        patterns: tuple[str, ...],
        level: str | None,
        spec: Path | None,
        adapter: str | None,
        known: Path | None,
        one_shot: str | None,
        only: tuple[str, ...],
        timeout: int,
        jobs: int,
        verbose: bool,
        no_smt: bool = False,
        **files: Path | None,
    ) -> None:
        """Run every case with an implementation, and compare the results.

        Exit 0 if there is an answer and all answers are as expected, else 1. A case that cannot be read fails, and the
        others are run.
        """
        if (adapter is not None) + (one_shot is not None) + no_smt > 1:
            raise click.UsageError("--adapter, --one-shot and --no-smt exclude each other")
        with ExitStack() as stack:
            name, answers, answered = answers_of(
                stack, adapter, one_shot, timeout, jobs, reference and partial(reference, not no_smt), not patterns
            )
            collection = read_suite(spec)
            malformed = malformed_of(collection, patterns)
            cases = chosen_of(collection, patterns, malformed, level, spec)
            cases = cases if WRITING.intersection(only) else by_default(cases)
            listed = _known(known, collection)
            profiles = compared(only, answered)
            if unknown := [name for name in only if Profile(name) not in answered]:
                note(f"not compared, since the implementation does not name it in its greeting: {', '.join(unknown)}")
            found = all_told(weighed(answers(cases, profiles), listed, profiles), verbose)
            results = list(followed("running cases", found, len(cases)))
        summary = Summary(name, suite_version(spec), level, results, profiles, collection.rules)
        Files(**files).write(summary, only, spec or folder("spec"))
        counted(results, len(cases), profiles, malformed)

    return SMT(command) if reference is not None else command


def compared(only: Sequence[str], answered: frozenset[Profile]) -> frozenset[Profile]:
    """The profiles to compare; places are compared with codes if the implementation has codes."""
    chosen = answered & frozenset(map(Profile, only)) if only else answered
    return chosen | (answered & {Profile.CODES}) if Profile.SPANS in chosen else chosen


def answers_of(
    stack: ExitStack,
    adapter: str | None,
    one_shot: str | None,
    timeout: float,
    jobs: int,
    own: Callable[[], Implementation] | None,
    whole: bool,
) -> tuple[str, Answers, frozenset[Profile]]:
    """Who answers, how cases are run, and the profiles; exit with 2 if a command does not run or greet.

    For the whole suite, processes are started that are ready when the suite has been read.
    """
    if adapter is None and one_shot is None:
        if own is None:
            raise click.UsageError("name the implementation under test by --adapter or --one-shot")
        processes = stack.enter_context(Processes(own, jobs))
        if whole:
            processes.start()
        return "the reference", processes.run, EVERY
    try:
        if one_shot is not None:
            shots = [OneShot(one_shot, timeout) for _ in range(jobs)]
            return one_shot, partial(_by_all, shots, partial(_stop, shots)), frozenset({Profile.VERDICT})
        adapters = [stack.enter_context(Adapter(adapter or "", timeout)) for _ in range(jobs)]
        greeting = adapters[0].greet()
    except (OSError, ValueError, NoAnswer) as trouble:
        note("the command cannot be asked: " + str(trouble).replace("\n", "\n    "))
        raise SystemExit(2) from trouble
    name = visible(f"{greeting.name} {greeting.version}")
    say(name)
    return name, partial(_by_all, adapters, partial(_stop, adapters)), greeting.profiles


def _stop(asked: Sequence[Adapter | OneShot]) -> None:
    for implementation in asked:
        implementation.abort()


def _by_all(
    asked: Sequence[Implementation], stop: Callable[[], None], cases: Sequence[Case], profiles: frozenset[Profile]
) -> Iterator[Result]:
    return run_by_all(cases, asked, profiles, stop)


def _known(path: Path | None, collection: Collection) -> dict[str, Known]:
    if path is None:
        return {}
    ids = {case.id for case in collection.cases} | {problem.case for problem in collection.problems}
    try:
        return read_known(text_of(path).removeprefix("\ufeff"), str(path), ids)
    except (Malformed, UnicodeDecodeError) as malformed:
        note(visible(f"{path}: {malformed}" if isinstance(malformed, UnicodeDecodeError) else str(malformed)))
        raise SystemExit(2) from malformed
