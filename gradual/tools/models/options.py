"""Options that are common to the commands that read models."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from gradual.interface.input.files import Importing, model_format

_CALLED = re.compile(r"(?P<own>[^=]+)=(?P<name>[A-Za-z_]\w*)", re.ASCII)

named_sizes = click.option(
    "--name", "called", multiple=True, metavar="SIZE=NAME", help="Give this size of a model's inputs another name."
)
"""The option `--name s77=batch`."""

_OPTIONS = (
    click.option(
        "--where",
        multiple=True,
        metavar="CONDITION",
        help="A condition that a model's inputs meet, such as 'seq <= 512'.",
    ),
    click.option("--empty", multiple=True, metavar="NAME", help="Allow this named size of a model's inputs to be 0."),
    named_sizes,
    click.option(
        "--signature",
        default="",
        metavar="NAME",
        help="The signature of a SavedModel [default: the one that is served].",
    ),
    click.option("--guards", is_flag=True, help="Require the conditions on input sizes that torch.export assumed."),
)


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of models; the command receives them as an `Importing`, as `importing`."""

    @functools.wraps(function)
    def command(
        *,
        where: tuple[str, ...],
        empty: tuple[str, ...],
        called: tuple[str, ...],
        signature: str,
        guards: bool,
        **arguments: Any,
    ) -> Any:
        importing = Importing(where, False, empty, sizes_called(called), guards, signature=signature)
        file = arguments.get("file")
        if file is not None and importing != Importing() and model_format(file) is None:
            raise click.UsageError(
                f"`{file}` is a program: write conditions into it; the options of models do not apply"
            )
        return function(importing=importing, **arguments)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command


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
