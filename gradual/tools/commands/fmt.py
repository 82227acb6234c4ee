"""`gradual fmt`: the canonical form of programs."""

from __future__ import annotations

from pathlib import Path

import click

from gradual.diagnostic import Diagnostic
from gradual.syntax.format import formatted
from gradual.tools.accepted import show
from gradual.tools.files import Text, texts
from gradual.tools.output import Output, shared


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH or -]…", required=True)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit 1 if something would change.")
@shared
def fmt(out: Output, paths: tuple[str, ...], only_check: bool) -> int:
    """Rewrite programs in their canonical form, comments kept; `-` is read from and written to the console."""
    return max(_one(out, text, only_check) for text in texts(paths))
