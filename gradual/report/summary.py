"""The report of a checked program: types, diagnostics, and the counts at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gradual.diagnostic import Diagnostic
from gradual.report import render
from gradual.report.paint import Paint, plain, shielded
from gradual.source import Source


def totals(proved: int, residual: int, refuted: int, errors: int) -> str:
    """`proved 14 · residual 3 · refuted 0`, and the number of errors, the refuted ones among them, if there are any."""
    counts = [f"proved {proved}", f"residual {residual}", f"refuted {refuted}"]
    return " · ".join([*counts, *([f"errors {errors}"] if errors else [])])


def types_shown(types: Mapping[str, str]) -> list[str]:
    """A line for each function: its name and its type."""
    return [f"{name} : {type}" for name, type in types.items()]


def full(source: Source, head: Iterable[str], found: Iterable[Diagnostic], last: str, paint: Paint = plain) -> str:
    """What `gradual check` prints of one program, without the line feed at its end."""
    locate = render.within(source)
    blocks = ["\n".join(head), *(render.full(one, locate, paint) for one in found), last]
    return shielded("\n\n".join(block for block in blocks if block), paint)
