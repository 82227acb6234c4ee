"""Merging of diagnostics: one report for all axes of one step, in the words of the source.

`%e / %z` with three axes that do not broadcast is one fault, and one repair fixes it.   [check.strict]
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from gradual.checker.obligations.value_names import worded
from gradual.checker.state.context import Elaboration
from gradual.diagnostic import Diagnostic
from gradual.dims.term.constraint import FALSE
from gradual.source import Span

IN_CALL = "in this call"
"""In an error inside the body of an inlined function literal: the label of the span of the call."""

_CODES = ("E0301", "E0302", "E0402")
_NUMBER = re.compile(r"[0-9]+")
_OWNER = re.compile(r" of `[^`]*`(?= is )")
"""The value that a label is about, in a program made from a model."""
_ROOM = 100
"""Limit on a merged label; above it, the label of the first axis is used."""


def told_together(state: Elaboration) -> None:
    """Merge the diagnostics of a definition that are one fault, and replace generated names in them by source text."""
    groups: defaultdict[Hashable, list[Diagnostic]] = defaultdict(list)
    steps: dict[Hashable, Hashable] = {}
    for found in state.output.diagnostics:
        groups[steps.setdefault(_goal(found), _step(found))].append(found)
    told = {id(found): whole for parts in groups.values() for whole in [_joined(state, parts)] for found in parts}
    state.output.diagnostics = list(
        {id(whole): whole for whole in (told[id(found)] for found in state.output.diagnostics)}.values()
    )
    state.obligations.postponed = [
        replace(one, error=told.get(id(one.error), one.error)) for one in state.obligations.postponed
    ]


def _goal(found: Diagnostic) -> Hashable:
    """The key of what a diagnostic requires there: two requirements with one goal about sizes are one fault."""
    if not _is_owed(found) or found.data["goal"] == str(FALSE):
        return id(found)
    return found.code, found.rule, found.span, _calls(found), found.data["goal"]


def _is_owed(found: Diagnostic) -> bool:
    return found.code in _CODES and "goal" in found.data


def _calls(found: Diagnostic) -> tuple[Span, ...]:
    return tuple(place.span for place in found.related if place.label == IN_CALL)


def _step(found: Diagnostic) -> Hashable:
    """The key of a diagnostic's step: everything but the axis and the sizes."""
    if not _is_owed(found):
        return id(found)
    return found.code, found.rule, found.span, _calls(found), _NUMBER.sub("0", found.message.split(":")[0])


def _labels(labels: Sequence[str]) -> Iterator[str]:
    """The different labels, in order; the name of the value is shown in the first label only."""
    owner = _OWNER.search(labels[0]) if labels else None
    for index, label in enumerate(dict.fromkeys(labels)):
        yield label.replace(owner[0], "", 1) if owner is not None and index else label


def _joined(state: Elaboration, parts: Sequence[Diagnostic]) -> Diagnostic:
    first = parts[0]
    if len(parts) == 1:
        return worded(state, first)
    labels = "; ".join(_labels([part.label for part in parts if part.label]))
    whole = replace(
        first,
        label=labels if len(labels) <= _ROOM else first.label,
        related=tuple(dict.fromkeys(place for part in parts for place in part.related)),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        data={**first.data, "goals": [part.data["goal"] for part in parts]},
    )
    return worded(state, whole)
