"""The commands that print cases, or read them only."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from gradual.conformance.cases.copied import copied
from gradual.conformance.cases.levels import read_levels
from gradual.conformance.cases.suite_version import suite_version
from gradual.conformance.commands.selection import SPEC, chosen, chosen_cases, loaded
from gradual.conformance.commands.telling import say
from gradual.resources import folder


@click.command(name="list")
@chosen_cases
@click.option("--rules", "by_rule", is_flag=True, help="Print each rule, with the number of its cases, instead.")
def list_command(patterns: tuple[str, ...], level: str | None, spec: Path | None, by_rule: bool) -> None:
    """Print each case with the rules that it shows."""
    cases = chosen(loaded(spec).cases, patterns, level, spec)
    counts = Counter(rule for case in cases for rule in case.rules)
    for rule in sorted(counts) if by_rule else ():
        say(f"{rule:36} {counts[rule]}")
    for case in () if by_rule else cases:
        say(f"{case.id}  [{' '.join(case.rules)}]")


@click.command()
@chosen_cases
def show(patterns: tuple[str, ...], level: str | None, spec: Path | None) -> None:
    """Print cases as they stand in their files."""
    for case in chosen(loaded(spec).cases, patterns, level, spec):
        say(f"## {case.id}\n{case.prose.strip()}\n")
        for fence in case.fences.values():
            say("\n".join([f"```{fence.language}", *fence.lines, "```"]))


@click.command()
@chosen_cases
def copy(patterns: tuple[str, ...], level: str | None, spec: Path | None) -> None:
    """Print each case with its expectations and its hash as a line of JSON, for other runners."""
    levels = read_levels(spec or folder("spec"))
    for case in chosen(loaded(spec).cases, patterns, level, spec):
        click.echo(copied(case, levels, suite_version(spec)))


@click.command()
@SPEC
def lint(spec: Path | None) -> None:
    """Read every suite and chapter, and count cases and rules."""
    collection = loaded(spec)
    say(f"{len(collection.cases)} cases · {len(collection.rules)} rules")
