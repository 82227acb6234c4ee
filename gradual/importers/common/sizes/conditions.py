"""The conditions on input sizes in a user's `--where` options, checked before they become part of the program."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from gradual.checker.module import checked
from gradual.checker.program.program import Program
from gradual.diagnostic import Diagnostic, Severity
from gradual.dims.solver.decide import Decider
from gradual.importers.common.refusals import Misused
from gradual.importers.common.sizes.extents import Dims, unknown
from gradual.limits import LIMITS
from gradual.ops.catalogue import CATALOGUE
from gradual.source import NOWHERE, Source
from gradual.syntax.parse import parse

_ARGUMENT = re.compile(r"\b(?:dim|ndim)\(\s*([\w.]+)", re.ASCII)
_NOT_IN_SCOPE, _SYNTAX = "E0206", "E0101"
_BODY = " { () }"


def check_conditions(where: Sequence[str], inputs: Collection[str], types: Sequence[str], dims: Dims) -> None:
    """Raise Misused for the first text that is not a valid condition on the given inputs."""
    params = [f"{name}: {type}" for name, type in zip(inputs, types, strict=True)]
    for text in where if where and _wrong(where, params, dims.clauses) else ():
        if (found := _wrong([text], params, dims.clauses)) is not None:
            raise Misused("where", _without_sign(text, inputs) or _said(text, *found, dims.words))


def _wrong(where: Sequence[str], params: Sequence[str], clauses: Sequence[str]) -> tuple[Source, Diagnostic] | None:
    """The first error in a function that has the conditions as its `where`, with the text; None without errors."""
    head = f"def @main({', '.join(params)}) where {', '.join([*clauses, ''])}"
    source = Source("where", f"{head}{', '.join(where)}{_BODY}")
    surface, found = parse(source)
    if found or len(surface.definitions) != 1:
        return source, found[0] if found else Diagnostic("E0101", "", "it is more than a condition", NOWHERE)
    result = checked(Program(source, surface, CATALOGUE, Decider(LIMITS, smt=False), LIMITS))
    return next(((source, one) for one in result.diagnostics if one.severity is Severity.ERROR), None)


def _without_sign(text: str, inputs: Collection[str]) -> str:
    """The message on a text that names an input without its `%`; empty for any other text."""
    named = [name for name in _ARGUMENT.findall(text) if f"%{name}" in inputs]
    return f"`{text}` is not a condition: write `%{named[0]}` for the input `{named[0]}`" if named else ""


def _said(text: str, source: Source, error: Diagnostic, words: Sequence[str]) -> str:
    """The message on a text that is not a valid condition."""
    if error.code == _NOT_IN_SCOPE:
        return unknown(source.text[error.span.start : error.span.end], words)
    if error.code != _SYNTAX:
        return f"`{text}` is not a condition: {error.message}"
    is_short = error.span.start >= len(source.text) - len(_BODY)
    why = "it ends too early" if is_short else error.help[0].text if error.help else error.message
    return f"`{text}` is not a condition: {why}"
