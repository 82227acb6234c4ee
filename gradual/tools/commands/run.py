"""`gradual run`: run a call, and print its value, or who is blamed for a failed check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from gradual.compilation import Compilation
from gradual.diagnostic import Diagnostic
from gradual.interface.input import arguments
from gradual.interface.input.files import Importing
from gradual.interface.reports import json_lines
from gradual.interface.reports.accepted import compiled, show
from gradual.interface.reports.json_values import value_line
from gradual.interface.terminal import FILE, Output, Trouble, save_bytes, shared
from gradual.limits import Options
from gradual.run.value import Blame, Fault, NotStatic
from gradual.tensors.arrays.numpy_library import numpy
from gradual.tensors.value import Value, shown_value
from gradual.tools.models.options import model_options
from gradual.types.type import FunctionType

BLAMED, FAILED = 3, 1
SAVED = (".json", ".npy", ".npz")
"""The endings of the files that `--save` can write."""


@click.command()
@click.argument("file", type=FILE)
@click.argument("call", required=False, metavar="['@f(…)']")
@click.option("--entry", metavar="@NAME", help="The function to call with --args (default @main).")
@click.option("--args", "path", metavar="FILE.json", help="A JSON list of values.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the elements that are drawn.")
@click.option("--runtime", type=click.Choice(["vm", "graph"]), default="vm", show_default=True)
@click.option("--fast", is_flag=True, help="Compute with NumPy, with the same bits; the package must be installed.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--save", metavar="FILE", help="Also write the value to a .json, .npy or .npz file.")
@click.option("--no-smt", is_flag=True, help="Do not use Z3: decide with the built-in procedures only.")
@model_options
@shared
def run(
    out: Output,
    file: str,
    call: str | None,
    entry: str | None,
    path: str | None,
    seed: int,
    runtime: str,
    fast: bool,
    format: str,
    save: str | None,
    no_smt: bool,
    importing: Importing,
) -> int:
    """Run a call such as '@f(float32[5, 784], 3, [1, 2], @x.npy)'; float32[5, 784] is a random tensor.

    Files of arguments are .json, .npy or .npz; @x.npz:name takes one tensor of an archive. A path with a comma is in
    double quotes, @"a, b.npy". The weights of a model, which are its last parameters, may be left out.

    The graph runtime runs only functions whose sizes are all known; unknown sizes are reported, with exit 1. Exit 3 if
    a check fails and blames a party, 1 if the program has errors or stops with a fault.
    """
    if call is not None and (entry is not None or path is not None):
        raise click.UsageError("give either a call or --entry and --args")
    if save is not None and Path(save).suffix not in SAVED:
        raise click.UsageError("--save writes `.json`, `.npy` or `.npz` files")
    if save is not None and save == click.get_current_context().params["output"]:
        raise click.UsageError("--save and -o name one file")
    if fast:
        _require_numpy()
    compilation, found = compiled(file, Options(smt=not no_smt), replace(importing, runs=True))
    if found:
        return _refused(out, compilation, found, format)
    name, given = _called(compilation, file, call, entry, path, seed)
    try:
        call_ = partial(compilation.run, name, runtime=runtime, fast=fast)
        if runtime == "graph":
            compilation.graph(name)
    except NotStatic as refused:
        return _refused(out, compilation, refused.diagnostics, format)
    return _outcome(out, compilation, call_, given, format, save)


def _require_numpy() -> None:
    try:
        numpy()
    except ImportError as error:
        raise click.UsageError(f"--fast cannot be used: {error}") from error


def _refused(out: Output, compilation: Compilation, found: Sequence[Diagnostic], format: str) -> int:
    """Report why a run does not start."""
    if format == "json":
        out.line(json_lines.line(json_lines.rejected(compilation.source, found)))
    else:
        show(out, compilation.source, found)
    return FAILED


def _called(
    compilation: Compilation, file: str, call: str | None, entry: str | None, path: str | None, seed: int
) -> tuple[str, list[Value]]:
    """The function and its arguments; raises Trouble if they cannot be read."""
    functions = compilation.functions
    if call is None:
        name = entry or "@main"
        return _known(functions, file, name), arguments.list_from_file(path) if path else []
    try:
        name, written = arguments.read_call(call)
        name = _known(functions, file, name)
        return name, arguments.values(written, functions[name].params, seed, compilation.core.data)
    except ValueError as error:
        raise Trouble("E0702", f"the arguments cannot be read: {error}") from error


def _known(functions: Mapping[str, FunctionType], file: str, name: str) -> str:
    if name not in functions:
        raise click.UsageError(f"`{file}` has no function `{name}`; it has {', '.join(functions) or 'none'}")
    return name


def _outcome(
    out: Output,
    compilation: Compilation,
    call: Callable[..., Value],
    given: Sequence[Value],
    format: str,
    save: str | None,
) -> int:
    """Run, write the outcome, and return the exit code."""
    source, as_json = compilation.source, format == "json"
    try:
        value = call(*given)
    except Blame as blame:
        if as_json:
            out.line(json_lines.line(json_lines.blame(source, blame)))
        else:
            show(out, source, [blame.diagnostic])
        return BLAMED
    except Fault as fault:
        if as_json:
            out.line(json_lines.line(json_lines.fault(source, fault)))
        else:
            show(out, source, [fault.diagnostic])
        return FAILED
    out.line(value_line(value) if as_json else shown_value(value))
    if save is not None:
        from gradual.interface.reports.saving import saved

        save_bytes(save, saved(value, save))
    return 0
