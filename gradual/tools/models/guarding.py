"""Which guards, the conditions that an exporter assumed, a model needs.

A guard is *implied* if it holds for all sizes that the types allow, *needed* if without it the model has more errors or
residual checks, and *not needed* otherwise: then it only rules out inputs on which the model runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gradual.compilation import Compilation, Options
from gradual.compiler import compile_source
from gradual.dims.store.facts import Facts
from gradual.importers.common.text import Guard, Program
from gradual.source import Source
from gradual.verdict import Proved

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_WORDS = ("and", "or", "not", "max", "min", "True", "False")

Make = Callable[[Sequence[str]], Program]
"""Imports the model under some conditions."""


class Need(StrEnum):
    """Whether a model needs a guard."""

    IMPLIED = "implied"
    NEEDED = "needed"
    NOT_NEEDED = "not needed"
    NOT_READ = "not read"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A guard and whether it is needed."""

    guard: Guard
    need: Need


def verdicts(name: str, make: Make, options: Options) -> list[Verdict]:
    """Every guard of a model with whether it is needed.

    Guards are left out one after another, the last first; those without which nothing gets worse stay left out. The
    model is checked again for each of them, as far as the limit `trials` allows.
    """
    plain = make([])
    trials = _Trials(name, make, options, options.limits.trials * 10)
    said = list(dict.fromkeys(one.condition for one in plain.guards if one.condition is not None))
    implied = {one for one in said if trials.is_implied(one)}
    kept, needed, given_up = [one for one in said if one not in implied], set[str](), False
    best = trials.cost(kept)
    if best is not None and trials.cost([]) != best:
        for one in reversed(kept[:]):
            rest = [other for other in kept if other != one]
            cost = trials.cost(rest)
            given_up |= cost is None
            if cost is not None and cost > best:
                needed.add(one)
            elif cost is not None:
                kept = rest
    return [Verdict(one, _need(one, implied, needed, given_up or best is None)) for one in plain.guards]


def _need(guard: Guard, implied: set[str], needed: set[str], given_up: bool) -> Need:
    if guard.condition is None:
        return Need.NOT_READ
    if guard.condition in implied:
        return Need.IMPLIED
    return Need.NEEDED if guard.condition in needed else Need.NOT_TRIED if given_up else Need.NOT_NEEDED


class _Trials:
    """Checks a model under conditions, within a budget of characters of its program."""

    def __init__(self, name: str, make: Make, options: Options, budget: int) -> None:
        self._name = name
        self._make = make
        self._options = options
        self._budget = budget

    def compiled(self, conditions: Sequence[str]) -> Compilation:
        """The model under conditions, without helps."""
        found = self._make(conditions)
        self._budget -= len(found.text)
        return compile_source(Source(self._name, found.text, found.origins), self._options)

    def cost(self, conditions: Sequence[str]) -> tuple[int, int] | None:
        """The numbers of errors and of residual checks; None if the budget is used up."""
        if self._budget < 0:
            return None
        found = self.compiled(conditions)
        return found.errors, found.residual

    def is_implied(self, condition: str) -> bool:
        """Whether a condition holds for all sizes, which are at least 1."""
        names = [name for name in dict.fromkeys(_NAME.findall(condition)) if name not in _WORDS]
        params = ", ".join(f"%x{index}: Tensor[({name},), bool]" for index, name in enumerate(names))
        found = compile_source(Source(self._name, f"def @main({params}) where {condition} {{ 0 }}"), self._options)
        facts = Facts()
        positive, goals = [], []
        for type in found.functions.values():
            positive, goals = [*type.where[: len(names)]], [*type.where[len(names) :]]
        for fact in positive:
            facts.assume(fact)
        decider = found.decider()
        return found.ok and all(isinstance(decider.decide(facts, goal), Proved) for goal in goals)


def shown(found: Sequence[Verdict]) -> Iterator[str]:
    """The verdicts as lines, those that matter first."""
    order = list(Need)
    width = max((len(one.need) for one in found), default=0)
    for one in sorted(found, key=lambda one: (one.need is not Need.NEEDED, order.index(one.need))):
        yield f"{one.need:<{width}}  {one.guard.condition or one.guard.said}"
