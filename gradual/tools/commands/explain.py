"""`gradual explain`: a code's page, a rule's section of the specification, an operator, a word of the glossary."""

from __future__ import annotations

import click

from gradual.codes import KINDS
from gradual.interface.pages import Page, code_facts, explained
from gradual.interface.terminal import Output, shared


@click.command()
@click.argument("words", nargs=-1, metavar="[NAME]")
@shared
def explain(out: Output, words: tuple[str, ...]) -> None:
    """Explain a code such as E0302, a rule such as check.residual, an operator such as nn.dense, or a word.

    Words are those of the language, such as let, and of the glossary, such as residual, or named size. The name of a
    conformance case shows the case. Without a name, all codes are listed.
    """
    what = " ".join(words)
    if not what:
        for code in KINDS:
            facts = code_facts(code)
            out.line(f"{code}  {facts['severity']:<8}  {facts['title']}")
        return
    page = explained(what)
    if not isinstance(page, Page):
        from gradual.interface.reports.explanations import explanation  # loads the operators

        page = explanation(what)
    if not isinstance(page, Page):
        raise click.UsageError(nothing(what, page))
    if out.terminal and out.paint("x", "strong") != "x":
        _pretty(page.text)
    else:
        out.line(page.text)


def nothing(what: str, near: list[str]) -> str:
    """The error for a name that nothing explains."""
    return f"nothing is called `{what}`" + (f"; near: {', '.join(near)}" if near else "")


def _pretty(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text, hyperlinks=False))
