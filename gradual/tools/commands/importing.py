"""`gradual import`: an ONNX model as a program."""

from __future__ import annotations

from pathlib import Path

import click

from gradual.importers.onnx.model import Unreadable, Unsupported
from gradual.importers.onnx.program import Program, Refused, program
from gradual.importers.onnx.reading import load
from gradual.source import Source
from gradual.syntax.format import formatted
from gradual.syntax.parse import parse
from gradual.tools import npy
from gradual.tools.output import Output, Trouble, save_bytes, shared

UNREADABLE = 2


@click.command("import")
@click.argument("model", metavar="MODEL.onnx")
@click.option("--weights", metavar="FILE.npz", help="Where the weights go [default: beside the file of -o].")
@click.option("--where", metavar="CONDITION", help="What `@main` demands, such as 'seq <= 512'.")
@click.option("--open", "opens", is_flag=True, help="Leave named sizes open: what fails for some becomes a check.")
@shared
def importing(out: Output, model: str, weights: str | None, where: str | None, opens: bool) -> int:
    """Print an ONNX model as a program.

    `@main` takes the model's inputs and then its weights, which go to a file of NumPy's; `gradual run` takes them all
    as '*@FILE.npz'.

    Exit 2 if the model cannot be read, or has something that is not imported: each of it is told.
    """
    if weights is not None and Path(weights).suffix != ".npz":
        raise click.UsageError("--weights writes an `.npz` file")
    try:
        imported = program(load(model), where, opens)
    except Unreadable as trouble:
        raise Trouble(trouble.code, str(trouble)) from trouble
    except (Refused, Unsupported) as refused:
        for reason in refused.args if isinstance(refused, Unsupported) else refused.reasons:
            Trouble("E0703", f"`{model}`: {reason}").show()
        return UNREADABLE
    source = Source(model, imported.text)
    if where is not None and parse(source)[1]:
        raise click.UsageError(f"`{where}` is no condition")
    out.stream.write(formatted(source))
    written: str | None = click.get_current_context().params["output"]
    _weights(out, imported, weights or (written and str(Path(written).with_suffix(".npz"))))
    return 0


def _weights(out: Output, imported: Program, path: str | None) -> None:
    """Write the weights, if there are any and there is a place for them."""
    if imported.weights and path is not None:
        try:
            save_bytes(path, npy.write_archive(imported.weights))
        except ValueError as error:
            raise Trouble("E0702", f"`{path}` cannot hold the weights: {error}") from error
    elif imported.weights and not out.quiet:
        click.echo(f"note: {len(imported.weights)} weights are not written: --weights FILE.npz", err=True)
