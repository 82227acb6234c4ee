"""The order in which an operator requires what its rules say.   [type.operator]"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from gradual.conformance.entries.applications import variations
from gradual.ops.declaration.operator import IllFormed, Operator

INDICES = "op.index.bounds"
"""What an operator that looks up indices requires last of all; its lookups stand beside its judgement."""

ENTRIES = "op.reshape.code"
"""The rule that states the order of a reshape, which requires something of each entry of a shape, and then of all."""

NOT_REQUIRED = ("op.dyn.twin", "op.layout_transform.factor", "op.strided_slice.clamp", "op.window.padding")
"""Rules that declarations cite and that require nothing: they define a word, or a form of an attribute."""


def in_order(one: Operator) -> list[str]:
    """The rules by which an operator may require something, in the order in which it does.

    The order is that of the judgements on all applications that are found, and between rules that occur in none of
    them together, that of the docstring.
    """
    left = [rule for rule in one.rules if rule not in (*NOT_REQUIRED, INDICES)]
    before = {pair for rules in _sequences(one) for pair in combinations(rules, 2)}
    ordered = list[str]()
    while left:
        first = next((rule for rule in left if not any((other, rule) in before for other in left)), None)
        assert first is not None, f"{one.name} requires {', '.join(left)} in more than one order"
        ordered.append(first)
        left.remove(first)
    return [*ordered, *([INDICES] if one.lookups is not None and INDICES in one.rules else [])]


def sentence(one: Operator) -> str:
    """The line of an entry; empty for fewer than two rules."""
    rules = in_order(one)
    if ENTRIES in rules:
        return f"Required in the order that `{ENTRIES}` states."
    return f"Required in this order: {', '.join(f'`{rule}`' for rule in rules)}." if len(rules) > 1 else ""


def runs(rules: Sequence[str]) -> list[str]:
    """The rules without repetitions that follow each other."""
    return [rule for place, rule in enumerate(rules) if place == 0 or rules[place - 1] != rule]


def _sequences(one: Operator) -> Iterator[list[str]]:
    """The rules of the requirements of each application that is found, in order."""
    for application in variations(one):
        for symbolic in (False, True):
            try:
                yield runs([need.rule for need in application.judged(one, symbolic).needs])
            except IllFormed:
                continue  # an attribute that is a size is refused by its number, or because that is not known
