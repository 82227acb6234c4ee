"""The command `coverage`: for each rule, the cases that name it and what became of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from gradual.conformance.cases.read import Collection
from gradual.conformance.commands.running import ADAPTER, PATIENCE, SMT, Reference, answers_of
from gradual.conformance.commands.selection import SPEC, loaded
from gradual.conformance.commands.telling import followed, say
from gradual.conformance.runner.coverage import Covered, Passed, covered, passed_by_rule
from gradual.conformance.runner.run import Result, by_default


def coverage_command(reference: Reference | None) -> click.Command:
    """The command; without a reference, it counts the answers of other implementations only."""
    help = "For each rule, count the cases that an implementation answered, and passed."
    if reference is not None:
        help = (
            "Count, for each rule, the cases that name it and the outcomes of its obligations.\n\n"
            "With --adapter: the cases that another implementation answered, and passed."
        )

    @click.command(name="coverage", help=help)
    @SPEC
    @ADAPTER
    def command(spec: Path | None, adapter: str | None, no_smt: bool = False) -> None:
        with ExitStack() as stack:
            own = reference and partial(reference, not no_smt)
            _, answers, profiles = answers_of(stack, adapter, None, PATIENCE, os.cpu_count() or 1, own, whole=True)
            collection = loaded(spec)
            results = followed("running cases", answers(by_default(collection.cases), profiles), len(collection.cases))
            for rule, row in sorted(_rows(collection, results, adapter is None).items()):
                say(f"{rule:36} {row}")

    return SMT(command) if reference is not None else command


def _rows(collection: Collection, results: Iterable[Result], by_reference: bool) -> dict[str, str]:
    """The row of each rule: obligations of the reference, or answers of another implementation."""
    if by_reference:
        return {rule: _obligations(row) for rule, row in covered(collection, results).items()}
    return {rule: _answers(row) for rule, row in passed_by_rule(collection.rules, results).items()}


def _obligations(row: Covered) -> str:
    return f"cases {row.cases:3}  proved {row.proved:3}  refuted {row.refuted:3}  residual {row.residual:3}"


def _answers(row: Passed) -> str:
    return f"passed {row.passed:3} of {row.answered:3} answered, {row.cases:3} cases"
