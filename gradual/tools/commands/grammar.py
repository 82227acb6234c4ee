"""`gradual grammar`: the grammar of the language."""

from __future__ import annotations

import click

from gradual.interface.terminal import Output, shared
from gradual.resources import folder


@click.command()
@shared
def grammar(out: Output) -> None:
    """The grammar that the parser reads, in Lark's notation."""
    out.line((folder("grammar") / "gradual.lark").read_text(encoding="utf-8").rstrip("\n"))
