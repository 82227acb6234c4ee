"""`gradual ops`: the operators."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import click

from gradual.ops.catalogue import CATALOGUE
from gradual.ops.operator import Operator
from gradual.tools.operators import entry, form
from gradual.tools.output import Output, shared
from gradual.tools.report_json import line


@click.command()
@click.argument("name", required=False)
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@shared
def ops(out: Output, name: str | None, format: str) -> None:
    """All operators, a line each; with a NAME, that one's entry."""
    chosen = [named(name)] if name else sorted(_all(), key=lambda operator: operator.name)
    if format == "json":
        rows = [line(form(operator)) for operator in chosen]
    else:
        rows = [entry(chosen[0])] if name else table(chosen)
    for row in rows:
        out.line(row)


def named(name: str) -> Operator:
    """The operator of a name or alias; a usage error tells what is near."""
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


def _all() -> list[Operator]:
    return [operator for name, operator in CATALOGUE.items() if name == operator.name]
