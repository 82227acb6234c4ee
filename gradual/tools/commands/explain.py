"""`gradual explain`: a code's page, or a rule's section of the specification."""

from __future__ import annotations

import click

from gradual.interface.pages import Page, explained
from gradual.interface.terminal import Output, shared


@click.command()
@click.argument("what", metavar="CODE or RULE")
@shared
def explain(out: Output, what: str) -> None:
    """Explain a code such as E0302, or a rule such as check.residual."""
    page = explained(what)
    if not isinstance(page, Page):
        raise click.UsageError(f"there is no code or rule `{what}`" + (f"; near: {', '.join(page)}" if page else ""))
    if out.terminal and out.paint("x", "strong") != "x":
        _pretty(page.text)
    else:
        out.line(page.text)


def _pretty(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))
