"""The report of a checked program: types, diagnostics, and the counts at its end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from gradual.codes import LOST
from gradual.diagnostic import Diagnostic, Severity, counted
from gradual.report import render
from gradual.report.paint import Paint, plain, shielded
from gradual.source import Source
from gradual.syntax.printing.line_breaks import broken_type
from gradual.types.print import shown
from gradual.types.type import FunctionType

_PRESUMED = re.compile(r"dim\(%[^(),]+, [0-9]+\) >= 1").fullmatch
"""Matches the text of a condition that requires a size of an input to be at least 1."""


def in_order(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics in the order in which a person would fix them; those of one kind in the order of evaluation.

    First errors for all sizes, then those that fail for some sizes, then warnings, then residual checks: first the
    notes on unknowns with many checks, then single checks, last the checks that something is not empty.
    """
    return sorted(found, key=lambda one: (_turn(one), one.span.end, -one.span.start))


def _turn(found: Diagnostic) -> int:
    match found.severity:
        case Severity.ERROR:
            return 1 if found.code == "E0302" else 0
        case Severity.WARNING:
            return 2
        case _:
            return 5 if found.data.get("not_empty") else 3 if found.code == LOST else 4


def types_shown(functions: Mapping[str, FunctionType], weights: int = 0, is_model: bool = False) -> list[str]:
    """For each function its name and its type, on one line, or as `gradual fmt` breaks lines that are too long.

    Of a model only `@main` is shown, without the conditions that sizes of its inputs are at least 1; its last
    parameters, the weights, are not listed but counted.
    """
    if is_model:
        functions = {name: _without_presumed(type) for name, type in functions.items() if name == "@main"}
    shown_types = {name: _shown_type(type, weights if name == "@main" else 0) for name, type in functions.items()}
    return [broken_type(f"{name} : {type}") for name, type in shown_types.items()]


def _without_presumed(type: FunctionType) -> FunctionType:
    return replace(type, where=tuple(one for one in type.where if not _PRESUMED(str(one))))


def _shown_type(type: FunctionType, weights: int) -> str:
    """A function's type, in which the last parameters are only counted."""
    entire, params = shown(type), [shown(param) for param in type.params]
    if not 0 < weights <= len(params):
        return entire
    inputs = [*params[: len(params) - weights], f"and {counted(weights, 'weight')}"]
    return entire.replace(f"({', '.join(params)})", f"({', '.join(inputs)})", 1)


def full(source: Source, head: Iterable[str], found: Iterable[Diagnostic], last: str, paint: Paint = plain) -> str:
    """The output of `gradual check` for one program, without the final line feed."""
    locate = render.within(source)
    blocks = ["\n".join(head), *(render.full(one, locate, paint) for one in found), last]
    return shielded("\n\n".join(block for block in blocks if block), paint)
