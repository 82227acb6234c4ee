"""`gradual guards`: which conditions of a PyTorch export the model needs."""

from __future__ import annotations

from collections.abc import Sequence

import click

from gradual.diagnostic import counted
from gradual.importers.common.text import Program
from gradual.interface.input.files import Importing, model_format
from gradual.interface.input.imported import imported
from gradual.interface.input.settings import settings_for
from gradual.interface.reports import json_lines
from gradual.interface.terminal import FILE, Output, shared
from gradual.tools.models.guarding import Need, Verdict, shown, verdicts
from gradual.tools.models.options import named_sizes, sizes_called


@click.command()
@click.argument("model", type=FILE, metavar="MODEL.pt2")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@named_sizes
@shared
def guards(out: Output, model: str, format: str, called: tuple[str, ...]) -> int:
    """Report which of the conditions on sizes that torch.export recorded are needed by a model.

    A guard is `implied` if it holds for all sizes, and `needed` if without it the model has more errors or residual
    checks. Any other guard is `follows` if it follows from the needed ones, and `not needed` if it only excludes
    inputs on which the model runs. `gradual check --guards` requires all guards.
    """
    if model_format(model) != "torch":
        raise click.UsageError(f"`{model}` is no export of PyTorch: only those have guards")

    def make(conditions: Sequence[str]) -> Program:
        return imported(model, Importing(where=tuple(conditions), called=sizes_called(called)))

    found = verdicts(model, make, settings_for(".").of_models)
    if format == "json":
        for one in found:
            out.line(json_lines.line(_row(one)))
        return 0
    for line in shown(found):
        out.line(line)
    counts = {need: sum(one.need is need for one in found) for need in Need}
    kinds = ", ".join(_counted(count, need) for need, count in counts.items() if count)
    out.line(f"{counted(len(found), 'guard')}{': ' if kinds else ''}{kinds}")
    return 0


def _counted(count: int, need: Need) -> str:
    return f"{count} {'follow' if need is Need.FOLLOWS and count > 1 else need}"


def _row(one: Verdict) -> json_lines.Object:
    return {"kind": "guard", "guard": one.guard.said, "condition": one.guard.condition, "verdict": str(one.need)}
