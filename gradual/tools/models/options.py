"""Options that are common to the commands that read models."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

_CALLED = re.compile(r"(?P<own>[^=]+)=(?P<name>[A-Za-z_]\w*)", re.ASCII)

named_sizes = click.option(
    "--name", "called", multiple=True, metavar="SIZE=NAME", help="Give this size of a model's inputs another name."
)
"""The option `--name s77=batch`."""

signature = click.option(
    "--signature", default="", metavar="NAME", help="The signature of a SavedModel [default: the one that is served]."
)
"""The option `--signature serving_default`."""


def sizes_called(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of a size's name in the model and its name in the program; raises UsageError for any other text."""
    found: list[tuple[str, str]] = []
    for text in given:
        if (match := _CALLED.fullmatch(text)) is None:
            raise click.UsageError(f"--name takes SIZE=NAME, such as s77=batch, and not `{text}`")
        if (other := dict(found).get(match["own"])) is not None:
            raise click.UsageError(f"--name gives the size `{match['own']}` two names, `{other}` and `{match['name']}`")
        found.append((match["own"], match["name"]))
    return tuple(found)
