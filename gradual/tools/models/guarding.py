"""Which guards, the conditions that an exporter assumed, a model needs.

A guard is *implied* if it holds for all sizes that the types allow, and *needed* if without it the model has more
errors or residual checks.  Of the others, one that *follows* holds wherever the needed ones hold, and one that is *not
needed* rules out inputs on which the model runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint
from gradual.importers.common.text import Guard, Program
from gradual.limits import Options
from gradual.record import record
from gradual.source import Source
from gradual.verdict import Proved

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SIZE = re.compile(r"L\['(?P<input>\w+)'\](?P<part>(?:\['?\w+'?\])*)\.size\(\)\[(?P<axis>\d+)\]")
"""A size of an input in a guard: `L['x'].size()[0]`, or `L['x']['y'].size()[0]` for a part of an input."""
_WORDS = ("and", "or", "not", "max", "min", "True", "False")

Make = Callable[[Sequence[str]], Program]
"""Imports the model under some conditions."""


class Need(StrEnum):
    """Whether a model needs a guard."""

    IMPLIED = "implied"
    NEEDED = "needed"
    FOLLOWS = "follows"
    NOT_NEEDED = "not needed"
    NOT_READ = "not read"
    NOT_TRIED = "not tried"


@record
class Verdict:
    """A guard and whether it is needed."""

    guard: Guard
    need: Need


def verdicts(name: str, make: Make, options: Options) -> list[Verdict]:
    """Every guard of a model with whether it is needed.

    Guards are removed one after another. First, guards that follow from the remaining ones are removed, beginning with
    the longest. Then the model is checked without each other guard in turn, beginning with the last, up to the limit
    `trials`; the guard is removed for good if there are no more errors and no more checks.
    """
    plain = make([])
    trials = _Trials(name, make, options, options.limits.trials * 10)
    said = list(dict.fromkeys(one.condition for one in plain.guards if one.condition is not None))
    implied = {one for one in said if trials.follows(one, ())}
    kept, needed, given_up = [one for one in said if one not in implied], list[str](), False
    best = trials.cost(kept)
    for one in sorted(kept, key=len, reverse=True):
        if trials.follows(one, rest := [other for other in kept if other != one]):
            kept = rest
    if best is not None and trials.cost([]) != best:
        for one in reversed(kept[:]):
            rest = [other for other in kept if other != one]
            cost = trials.cost(rest)
            given_up |= cost is None
            if cost is not None and cost > best:
                needed.append(one)
            elif cost is not None:
                kept = rest
    needs = dict.fromkeys(said, Need.NOT_TRIED if given_up or best is None else Need.NOT_NEEDED)
    needs |= {one: Need.FOLLOWS for one in said if trials.follows(one, needed)}
    needs |= dict.fromkeys(implied, Need.IMPLIED) | dict.fromkeys(needed, Need.NEEDED)
    return [Verdict(one, Need.NOT_READ if one.condition is None else needs[one.condition]) for one in plain.guards]


class _Trials:
    """Checks a model under conditions, within a budget of characters of its program."""

    def __init__(self, name: str, make: Make, options: Options, budget: int) -> None:
        self._name = name
        self._make = make
        self._options = options
        self._budget = budget
        self._read = dict[str, tuple[Sequence[Constraint], Sequence[Constraint]]]()

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

    def follows(self, condition: str, others: Sequence[str]) -> bool:
        """Whether a condition holds for all sizes at which others hold; sizes are at least 1."""
        positive, goals = self.read(condition)
        facts = Facts()
        for fact in positive:
            facts.assume(fact)
        for other in others:
            for fact in (one for part in self.read(other) for one in part):
                facts.assume(fact)
        decider = Decider(self._options.limits, self._options.smt)
        return bool(goals) and all(isinstance(decider.decide(facts, goal), Proved) for goal in goals)

    def read(self, condition: str) -> tuple[Sequence[Constraint], Sequence[Constraint]]:
        """`(positive, goals)`: that each size in the condition is at least 1, and the constraints that it states.

        Both are empty if the text is not accepted as a condition.
        """
        if condition not in self._read:
            names = [name for name in dict.fromkeys(_NAME.findall(condition)) if name not in _WORDS]
            params = ", ".join(f"%x{index}: Tensor[({name},), bool]" for index, name in enumerate(names))
            found = compile_source(Source(self._name, f"def @main({params}) where {condition} {{ 0 }}"), self._options)
            where = [one for type in found.functions.values() for one in type.where] if found.ok else []
            self._read[condition] = where[: len(names)], where[len(names) :]
        return self._read[condition]


def shown(found: Sequence[Verdict]) -> Iterator[str]:
    """The verdicts as lines, those that matter first."""
    order = list(Need)
    width = max((len(one.need) for one in found), default=0)
    for one in sorted(found, key=lambda one: (one.need is not Need.NEEDED, order.index(one.need))):
        yield f"{one.need:<{width}}  {_said(one.guard)}"


def _said(guard: Guard) -> str:
    """A guard for people: the condition, or what the export says, with sizes as in Python; equal sizes are one name."""
    left, _, right = (guard.condition or "").partition(" == ")
    plain = _SIZE.sub(r"\g<input>\g<part>.shape[\g<axis>]", guard.said)
    return f"{plain}: in the type" if guard.condition and left == right else guard.condition or plain
