"""`gradual clean`: delete the kept results of `gradual check`."""

from __future__ import annotations

from shutil import rmtree

import click

from gradual.interface.terminal import Output, shared
from gradual.source import visible
from gradual.tools.checking.cached import TAG, cache_folder


@click.command()
@shared
def clean(out: Output) -> int:
    """Delete the results that `gradual check` keeps in the folder `.gradual_cache`.

    The folder is beside the configuration (`gradual.toml`, or `[tool.gradual]` in `pyproject.toml`) that holds in the
    working directory, or else in the working directory itself.
    """
    place = cache_folder()
    is_cache = (place / TAG).is_file()
    if is_cache:
        rmtree(place)
    if not out.quiet:
        out.line(f"deleted {visible(str(place))}" if is_cache else f"nothing to delete: no {visible(str(place))}")
    return 0
