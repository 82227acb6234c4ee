"""A goal at a program point with its connected facts, and the two queries about it.   [dim.facts.cone]"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from gradual.dims.rewrite.readable import lean
from gradual.dims.rewrite.simplify import simplified_constraint
from gradual.dims.solver.small_models import Model
from gradual.dims.store.facts import Cone, Facts
from gradual.dims.term.atom import Variable, bottom_up, names_of
from gradual.dims.term.constraint import TRUE, Constraint, negated
from gradual.dims.term.dim import Dim, of_atom
from gradual.limits import LIMITS


class Question:
    """A goal at a program point, with the facts connected with it."""

    __slots__ = ("_cone", "_order", "facts", "goal", "rewritten")

    def __init__(self, facts: Facts, goal: Constraint, rewritten: Constraint) -> None:
        self.facts = facts
        self.goal = goal
        self.rewritten = lean(rewritten)
        self._cone: Cone | None = None
        self._order: tuple[Variable, ...] | None = None

    @property
    def cone(self) -> Cone:
        """The facts connected with the goal; computed once."""
        if self._cone is None:
            self._cone = self.facts.cone(self.rewritten)
        return self._cone

    @property
    def order(self) -> tuple[Variable, ...]:
        """The variables: those of the goal first, as they occur, then those of the facts."""
        if self._order is None:
            self._order = ordered(occurrences(self.rewritten), self.cone)
        return self._order

    @property
    def plausibility(self) -> list[Constraint]:
        """The constraints to add to the unconditional facts to ask "can the goal hold?".  [dim.decide.plausible]"""
        return [self.rewritten]

    @property
    def failure(self) -> list[Constraint]:
        """The constraints to add to the unconditional facts to ask "can the goal fail?".  [dim.decide.valid]"""
        return [*self.cone.path, negated(self.rewritten)]

    @property
    def told(self) -> tuple[Variable, ...]:
        """The variables that a witness lists: the goal's, and those of earlier goals that fail for some sizes.

        A run at sizes at which an earlier goal fails does not reach this goal.   [dim.witness] [dim.decide.models]
        """
        return tuple(dict.fromkeys(name for goal in (self.goal, *self.facts.failing) for name in as_written(goal)))

    @property
    def surroundings(self) -> tuple[Cone, dict[Variable, Dim]]:
        """The facts that share variables with the witness, and the value of each variable that equations determine.

        Variables that are connected with neither of them are left out.  [dim.facts.cone]
        """
        facts, told = self.facts, self.told
        linked = {name: facts.rewrite(of_atom(name)) for name in told if name in facts.known.solved}
        names = names_of((self.rewritten, *linked.values())).union(told)
        while True:
            cone = facts.about(names)
            names = names | names_of((*cone.known, *cone.path))
            found = facts.known.determined(sorted(names.union(linked)), LIMITS.cone - len(linked))
            images = {name: facts.rewrite(of_atom(name)) for name in found}
            near = {name: image for name, image in images.items() if image.names & names}
            if not near:
                return cone, linked
            linked |= near
            names = names | names_of(near.values())

    def admits(self, model: Model) -> bool:
        """Whether a model of the cone also satisfies the connected facts left out at a limit.  [dim.facts.cone]"""
        return self.cone.whole or self.facts.extended(model, self.rewritten)


def is_evident(facts: Facts, rewritten: Constraint) -> bool:
    """Whether bounds, or bounds and exact quotients, prove a rewritten goal without search.  [dim.facts.multiple]"""
    known = facts.known
    if known.conflict:
        return False
    return known.estimate.holds(rewritten) is True or (
        bool(known.multiples) and simplified_constraint(rewritten, known.knowledge) is TRUE
    )


def occurrences(constraint: Constraint) -> tuple[Variable, ...]:
    """The variables in order of first occurrence."""
    dims = (node for node in bottom_up(constraint) if isinstance(node, Dim))
    atoms = (atom for dim in dims for atom in dim.atoms())
    return tuple(dict.fromkeys(atom for atom in atoms if isinstance(atom, Variable)))


@lru_cache(maxsize=2048)
def as_written(constraint: Constraint) -> tuple[Variable, ...]:
    """The variables in the order of the constraint's text.   [dim.decide.models]"""
    names, text = occurrences(constraint), str(constraint)
    if len(names) < 2:
        return names
    places = {name: re.search(rf"(?<![\w%.]){re.escape(name.name)}(?!\w)", text) for name in names}
    return tuple(sorted(names, key=lambda name: found.start() if (found := places[name]) is not None else len(text)))


def ordered(first: Iterable[Variable], cone: Cone, solved: Iterable[Variable] = ()) -> tuple[Variable, ...]:
    """The variables of a question: the given ones first, then those of the facts and the solved ones."""
    connected = names_of((*cone.known, *cone.path)).union(solved)
    return tuple(dict.fromkeys((*first, *sorted(connected))))
