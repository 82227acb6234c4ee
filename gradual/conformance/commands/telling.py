"""The results of a run in lines: each case that did not pass, and the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn, TypeVar

import click

from gradual.conformance.runner.judge import Profile
from gradual.conformance.runner.run import LOST, Class, Result, tallied, verdicts
from gradual.interface.progress import DISPLAY, progress
from gradual.report.paint import plain, shielded
from gradual.source import visible

T = TypeVar("T")
_PATIENCE = 20
"""After this many cases in a row without an answer, the run is aborted."""

_REASONS = 20
"""How many reasons of skipping are listed."""


def say(text: str) -> None:
    """Print lines without terminal control characters; text from another process is kept on one line."""
    DISPLAY.hide()
    click.echo(shielded(text, plain))


def followed(title: str, parts: Iterable[T], total: int) -> Iterator[T]:
    """The parts of a task, each of which is done when it is given."""
    with progress(title, total) as report:
        for done, part in enumerate(parts, 1):
            report(done)
            yield part


def all_told(results: Iterable[Result], verbose: bool) -> Iterator[Result]:
    """Report each result, and yield it; stop after many cases in a row without an answer."""
    lost = 0
    for result in results:
        _told(result, verbose)
        yield result
        lost = lost + 1 if result.kind in LOST else 0
        if lost == _PATIENCE:
            say(f"no answer to {lost} cases in a row: no more are asked for")
            return


def _told(result: Result, verbose: bool) -> None:
    case = result.case
    if result.kind not in (Class.PASS, Class.SKIPPED, Class.UNSUPPORTED):
        say(f"{result.kind.value}  {case.id}  ({case.file}:{case.line})")
    elif verbose:
        say(f"{result.kind.value}  {case.id}")
    for failure in result.failures if result.kind is not Class.KNOWN else ():
        say(visible(f"    {case.file}:{failure.line}: [{failure.profile.value}] {failure.message}"))
    told = result.kind not in (Class.KNOWN, Class.UNSUPPORTED) and (verbose or result.kind is not Class.SKIPPED)
    for line in result.trace.rstrip().splitlines() if told else ():
        say(visible(f"    {line}"))


def counted(results: Sequence[Result], wanted: int, profiles: frozenset[Profile], malformed: int) -> NoReturn:
    """Report the totals, and exit."""
    _reasons(results)
    for profile, tally in tallied(results, profiles).items():
        by_kind = _by_kind(results) if profile is Profile.VERDICT else ""
        say(f"{profile.value:8} {tally.passed} of {tally.answered} answered{by_kind}")
    if results and all(result.kind is Class.UNSUPPORTED for result in results):
        say("nothing was compared: no case has an expectation in the profiles that the implementation answers")
    counts = {kind: sum(result.kind is kind for result in results) for kind in Class}
    asked = f"{len(results)} cases" if len(results) == wanted else f"{len(results)} of {wanted} cases"
    unread = f" · malformed {malformed}" if malformed else ""
    say(f"{asked}: " + " · ".join(f"{kind.value} {count}" for kind, count in counts.items()) + unread)
    raise SystemExit(0 if is_fine(results, wanted) and not malformed else 1)


def _by_kind(results: Sequence[Result]) -> str:
    """In brackets, how many verdicts are right on programs to accept, and how many on programs to reject."""
    words = {True: "to accept", False: "to reject"}
    parts = [f"{words[kind]} {tally.passed} of {tally.answered}" for kind, tally in verdicts(results).items()]
    return f" ({', '.join(parts)})" if parts else ""


def is_fine(results: Sequence[Result], wanted: int) -> bool:
    """Whether something was answered, and every answer is as expected."""
    counts = Counter(result.kind for result in results)
    fine = counts[Class.PASS] + counts[Class.KNOWN]
    return bool(fine) and fine + counts[Class.SKIPPED] + counts[Class.UNSUPPORTED] == wanted


def _reasons(results: Iterable[Result]) -> None:
    """A line for each reason for which cases were skipped, the most frequent first."""
    skipped = (result.trace.splitlines() for result in results if result.kind is Class.SKIPPED)
    counts = Counter(lines[0] if lines else "without a reason" for lines in skipped)
    listed = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    for reason, count in listed[:_REASONS]:
        say(visible(f"skipped {count}: {reason}"))
    if rest := listed[_REASONS:]:
        say(f"skipped {sum(count for _, count in rest)}: for {len(rest)} other reasons, which -v lists")
