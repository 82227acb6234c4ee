"""`gradual ops`: the operators."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import click

from gradual.interface.reports.facets import facets
from gradual.interface.reports.json_lines import line
from gradual.interface.reports.operators import entry, form
from gradual.interface.terminal import Output, shared
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import Operator
from gradual.ops.other.not_supported import listed


@click.command()
@click.argument("name", required=False, metavar="[NAME or FAMILY]")
@click.option("--facets", "by_facets", is_flag=True, help="A table of the implemented parts of each operator.")
@click.option("--refused", is_flag=True, help="The operators of Relay that are not supported, with reasons.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@shared
def ops(out: Output, name: str | None, by_facets: bool, refused: bool, format: str) -> None:
    """List all operators, those of a family or of a prefix such as `nn`, or show the entry of one."""
    if refused:
        for row in _refusals(format):
            out.line(row)
        return
    several = sorted(_listed(name), key=lambda operator: operator.name)
    chosen = several or [named(name or "")]
    if format == "json":
        rows = [line(form(operator) | ({"facets": facets(operator)} if by_facets else {})) for operator in chosen]
    elif by_facets:
        rows = columns([["operator", *facets(chosen[0])], *([one.name, *facets(one).values()] for one in chosen)])
    else:
        rows = table(several) if several else [entry(chosen[0])]
    for row in rows:
        out.line(row)


def named(name: str) -> Operator:
    """The operator of a name or alias; the usage error for an unknown name lists similar ones."""
    if name not in CATALOGUE:
        near = get_close_matches(name, CATALOGUE, n=3)
        raise click.UsageError(f"there is no operator `{name}`" + (f"; near: {', '.join(near)}" if near else ""))
    return CATALOGUE[name]


def table(operators: Sequence[Operator]) -> list[str]:
    """Name, family and summary in columns."""
    names = max(len(operator.name) for operator in operators)
    families = max(len(operator.family) for operator in operators)
    return [
        f"{operator.name:<{names}}  {operator.family:<{families}}  {' '.join(operator.summary.split())}".rstrip()
        for operator in operators
    ]


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of words in columns, each as wide as its widest word."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{word:<{width}}" for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _refusals(format: str) -> list[str]:
    rows = sorted(listed())
    if format == "json":
        return [line({"kind": "refused", "name": name, "reason": why}) for name, why in rows]
    return columns(rows)


def _listed(name: str | None) -> list[Operator]:
    """All operators, or those of a family or of a prefix; empty if that is the name of one operator."""
    every = [operator for known, operator in CATALOGUE.items() if known == operator.name]
    if name in CATALOGUE:
        return []
    return [one for one in every if name is None or name == one.family or one.name.startswith(f"{name.rstrip('.')}.")]
