"""Models of other formats as programs, for every command that reads one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from gradual.importers.common.progress import Progress
from gradual.importers.common.refusals import Misused, Refused, Unreadable, Unsupported
from gradual.importers.common.text import Program
from gradual.interface.input.files import SAVED_MODEL, Importing, is_saved_model, model_format, regular
from gradual.interface.input.foreign import ADVICE
from gradual.interface.progress import progress
from gradual.interface.terminal import Trouble, tell_notes


def _not_imported(path: str, reasons: Sequence[str], operators: Sequence[str] = ()) -> Trouble:
    """The error for a model with unsupported parts; it lists them all."""
    told = [f"`{path}`: {reason}" for reason in reasons]
    return Trouble("E0703", f"`{path}`: {'; '.join(reasons)}", told, operators)


def imported(path: str, importing: Importing) -> Program:
    """Import a model as a program, and print its notes; raises Trouble if it cannot be imported."""
    format = model_format(path) or "onnx"
    if format in ADVICE:
        raise _not_imported(path, [ADVICE[format]])
    try:
        regular(str(Path(path, SAVED_MODEL)) if is_saved_model(path) else path, "file")
        with progress(f"importing {path}") as report:
            found = _IMPORTERS[format](path, importing, report)
    except Unreadable as trouble:
        raise Trouble(trouble.code, str(trouble)) from trouble
    except Misused as wrong:
        raise _not_imported(path, [f"--{wrong.option}: {wrong}"]) from wrong
    except Refused as refused:
        raise _not_imported(path, refused.reasons, refused.operators) from refused
    except Unsupported as reason:
        raise _not_imported(path, [str(reason)]) from reason
    tell_notes(path, found.notes)
    return found


def _from_onnx(path: str, importing: Importing, progress: Progress) -> Program:
    from gradual.importers.onnx.file.reading import load
    from gradual.importers.onnx.program import program

    _no_guards(path, importing)
    _no_signature(path, importing)
    model, settings = load(path), (importing.where, importing.opens, importing.empty)
    return replace(program(model, *settings, dict(importing.called), progress), files=model.files)


def _from_torch(path: str, importing: Importing, progress: Progress) -> Program:
    from gradual.importers.torch.file.reading import load
    from gradual.importers.torch.program import program

    _no_signature(path, importing)
    model, archive = load(path)
    settings = importing.where, importing.opens, importing.empty
    return program(model, archive, *settings, dict(importing.called), importing.guards, progress)


def _from_tensorflow(path: str, importing: Importing, progress: Progress) -> Program:
    from gradual.importers.tensorflow.file.reading import beside, load
    from gradual.importers.tensorflow.program import program

    _no_guards(path, importing)
    model, settings = load(path, importing.signature), (importing.where, importing.opens, importing.empty)
    return replace(program(model, *settings, dict(importing.called), progress), files=beside(path))


def _no_guards(path: str, importing: Importing) -> None:
    if importing.guards:
        raise click.UsageError(f"`{path}` has no guards: --guards is for exports of PyTorch")


def _no_signature(path: str, importing: Importing) -> None:
    if importing.signature:
        raise click.UsageError(f"`{path}` has no signatures: --signature is for models of TensorFlow")


_IMPORTERS: Mapping[str, Callable[[str, Importing, Progress], Program]] = {
    "onnx": _from_onnx,
    "torch": _from_torch,
    "tensorflow": _from_tensorflow,
}
"""Format -> how a model is imported; an importer is loaded when a model of its format is read."""
