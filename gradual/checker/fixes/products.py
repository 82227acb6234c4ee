"""Fixes for the foreign notation `%a @ %b`: the matrix product for operands of their rank.  [syntax.token]"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradual.checker.fixes.suggested import Trials
from gradual.diagnostic import Diagnostic, Edit, Help

PLAIN, BATCHED = "nn.matmul(", "nn.batch_matmul("


def by_rank(found: Sequence[Diagnostic], trials: Trials) -> list[Diagnostic]:
    """Replace a proposed `nn.matmul` by `nn.batch_matmul` in syntax errors if that leaves fewer rank errors."""
    return [_by_rank(one, trials) for one in found]


def _by_rank(error: Diagnostic, trials: Trials) -> Diagnostic:
    if len(error.help) != 1 or not any(PLAIN in edit.text for edit in error.help[0].edits):
        return error
    help = error.help[0]
    edits = tuple(Edit(edit.span, edit.text.replace(PLAIN, BATCHED)) for edit in help.edits)
    plain, batched = (trials.outcome(*some) for some in (help.edits, edits))
    if plain is None or batched is None or _wrong_ranks(batched.places) >= _wrong_ranks(plain.places):
        return error
    return replace(error, help=(Help(help.text.replace(PLAIN, BATCHED), edits, help.safe),))


def _wrong_ranks(places: Sequence[tuple[str, int, int]]) -> int:
    return sum(code == "E0303" for code, _, _ in places)
