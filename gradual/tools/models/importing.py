"""`gradual import`: a model as a program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from gradual.diagnostic import counted
from gradual.importers.common.text import Program
from gradual.interface.input import npy
from gradual.interface.input.files import Importing
from gradual.interface.input.imported import imported
from gradual.interface.terminal import FILE, Output, Trouble, note, save_bytes, shared
from gradual.tools.models.options import model_options


@click.command("import")
@click.argument("model", type=FILE, metavar="MODEL")
@click.option("--weights", metavar="FILE.npz", help="The file for the weights [default: next to the file of -o].")
@click.option("--open", "opens", is_flag=True, help="Make named sizes unknown: a goal that may fail becomes a check.")
@model_options
@shared
def import_(out: Output, model: str, weights: str | None, opens: bool, importing: Importing) -> int:
    """Print a model of ONNX, PyTorch or TensorFlow as a program; other commands use this program of a model.

    `@main` takes the model's inputs and then its weights, which are written to a NumPy archive; `gradual run` takes
    all of them as '*@FILE.npz'.

    Exit 2 if the model cannot be read, or has nodes that cannot be imported; all such nodes are reported.
    """
    if weights is not None and Path(weights).suffix != ".npz":
        raise click.UsageError("--weights writes an `.npz` file")
    found = imported(model, replace(importing, opens=opens))
    out.program(found.text)
    written: str | None = click.get_current_context().params["output"]
    _weights(out, found, weights or (written and str(Path(written).with_suffix(".npz"))))
    return 0


def _weights(out: Output, found: Program, path: str | None) -> None:
    """Write the weights, if there are any and a file is given for them."""
    if found.weights and path is not None:
        try:
            save_bytes(path, npy.write_archive(found.weights))
        except ValueError as error:
            raise Trouble("E0702", f"`{path}` cannot hold the weights: {error}") from error
    elif found.weights and not out.quiet:
        are = "is" if len(found.weights) == 1 else "are"
        note(f"note: {counted(len(found.weights), 'weight')} {are} not written: --weights FILE.npz")
