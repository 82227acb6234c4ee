"""The facts at a program point.

Equations become substitutions where a variable can be solved, inequalities become bounds of primitive forms, the
rest are disequations and disjunctions; facts are indexed by variable, so that a goal costs only the facts connected
with it.
Every change is on a trail: a branch takes a mark and rolls back to it.   [dim.facts]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from gradual.dims.bounds.interval import ANY
from gradual.dims.rewrite.simplify import Knowledge
from gradual.dims.store.items import Item, names_in, within
from gradual.dims.store.saturated import Known
from gradual.dims.store.store import N
from gradual.dims.store.unconstrained import can_be_chosen
from gradual.dims.term.atom import names_of
from gradual.dims.term.constraint import FALSE, And, Constraint, Or
from gradual.dims.term.dim import Dim, Variable, of_atom
from gradual.dims.term.evaluation import satisfied
from gradual.limits import LIMITS
from gradual.trail import Trail
from gradual.verdict import Proved, Unknown, Verdict


class Mark(NamedTuple):
    """A point to roll back to: the lengths of the two trails."""

    known: int
    length: int


class Cone(NamedTuple):
    """The facts connected with a goal.

    Attributes:
        known: the unconditional facts.
        path: the facts from conditions on the path.
        whole: whether these are all the connected facts; if not, some were left out at a limit.
    """

    known: tuple[Constraint, ...]
    path: tuple[Constraint, ...]
    whole: bool


class Facts:
    """The facts at a program point: unconditional ones, and the conditions of the path to it.  [dim.facts]"""

    def __init__(self) -> None:
        self._trail, self._knowing = Trail(), Trail()
        self._known = Known(self._knowing)
        self._path: dict[Constraint, None] = {}
        self._unsure: dict[Constraint, None] = {}
        self._reached: dict[str, int] = {}

    @property
    def known(self) -> Known:
        """The store of the unconditional facts."""
        return self._known

    @property
    def path(self) -> tuple[Constraint, ...]:
        """The path facts as passed to `suppose`, in order."""
        return tuple(self._path)

    def assume(self, constraint: Constraint) -> None:
        """Add an unconditional fact, used for plausibility and for proofs.  [dim.facts.assume]"""
        self._known.add(constraint)

    def suppose(self, constraint: Constraint) -> None:
        """Add a fact of this path, used for proofs and never for plausibility.  [dim.facts.suppose]"""
        for part in constraint.parts if isinstance(constraint, And) else (constraint,):
            if part not in self._path and part.value is not True:
                self._trail.put(self._path, part, None)

    @property
    def failing(self) -> tuple[Constraint, ...]:
        """Accepted goals that fail for some sizes; a counterexample has to satisfy them.  Only a subclass has any."""
        return ()

    @property
    def is_sure(self) -> bool:
        """Whether the solver could decide each condition of the path; if not, the point may be unreachable."""
        return not self._unsure

    def leave_open(self, condition: Constraint) -> None:
        """Record that the solver could not decide whether a supposed condition can hold."""
        self._trail.put(self._unsure, condition, None)

    def learn(self, goal: Constraint, verdict: Verdict) -> None:
        """Add a goal that was accepted, proved or checked at run time: it holds from here on.  [dim.facts.learn]

        A goal not shown to be satisfiable becomes a path fact only, so that the unconditional facts stay satisfiable.
        """
        match verdict:
            case Proved(plausible=True) | Unknown(plausible=True):
                if self._known.estimate.holds(self.rewrite(goal)) is not True:
                    self.assume(goal)
            case Unknown():
                self.suppose(goal)
                self.leave_open(goal)

    def store(self) -> Facts:
        """These facts themselves: unlike `DeferredFacts`, they are processed when they are added."""
        return self

    def mark(self) -> Mark:
        """The present point, for `rollback`."""
        return Mark(self._knowing.mark(), self._trail.mark())

    def rollback(self, mark: Mark) -> None:
        """Forget everything assumed or supposed since the mark."""
        self._knowing.undo(mark.known)
        self._trail.undo(mark.length)

    def rewrite(self, node: N) -> N:
        """The dim or constraint rewritten by the unconditional equations.  [dim.facts.rewrite]"""
        return self._known.rewritten(node)

    def told(self, goal: Constraint) -> Knowledge:
        """What may simplify a goal that keeps its names, of which the equations solve some.  [check.residual]

        Of a name that is solved to another one, what is known of that one is known; else the bounds of its solution.
        """
        images = {name: self.rewrite(of_atom(name)) for name in goal.names}
        solved = {name: image for name, image in images.items() if image is not of_atom(name)}
        if not solved:
            return self._known.knowledge
        near = Known(Trail())
        for fact in self.cone(self.rewrite(goal)).known:
            near.add(fact)
        for name, image in solved.items():
            for fact in self._said_of(name, image):
                near.add(fact)
        return near.knowledge

    def _said_of(self, name: Variable, image: Dim) -> Iterator[Constraint]:
        """What is known of a solved name, in place of its solution."""
        yield from within(of_atom(name), self._known.estimate.of(image))
        same = next(iter(image.names)) if len(image.names) == 1 else None
        if same is not None and image is of_atom(same):
            for item in self._known.mentioning(same):
                for fact in self._known.constraints_of(item):
                    yield fact.substitute({same: of_atom(name)})

    def cone(self, goal: Constraint | Dim, room: int = LIMITS.cone) -> Cone:
        """The facts connected with the variables of a rewritten goal, nearest first.  [dim.facts.cone]"""
        return self.about(goal.names, room)

    def about(self, names: frozenset[Variable], room: int = LIMITS.cone) -> Cone:
        """The facts connected with some variables that are not solved, nearest first.  [dim.facts.cone]"""
        if self._known.conflict:
            return Cone((FALSE,), (), True)
        search = _Search(self._known, [self.rewrite(part) for part in self._path], room)
        return search.run(names)

    @property
    def is_reached(self) -> bool:
        """Whether the path is known to be satisfiable, and no unconditional fact was added since that was found."""
        return not self._path or self._reached.get("known") == self._knowing.mark()

    def reach(self) -> None:
        """Record that the path is satisfiable together with the present facts."""
        self._trail.put(self._reached, "known", self._knowing.mark())

    def can_meet(self, constraint: Constraint, *, path: bool = False) -> bool:
        """Whether a variable of which only bounds are known can be chosen so that a rewritten constraint holds.

        If so, the constraint is satisfiable together with the unconditional facts, which are satisfiable by themselves.
        With `path`, it is so together with the path facts too, provided that the path is reachable.
        """
        if self._known.conflict:
            return False
        elsewhere = names_of(map(self.rewrite, self._path)) if path else frozenset()
        return any(
            can_be_chosen(name, constraint, self._known)
            for name in constraint.names - elsewhere
            if all(item is of_atom(name) for item in self._known.linked(name))
        )

    def extended(self, model: Mapping[Variable, int], goal: Constraint) -> bool:
        """Whether a model of a cone, extended by the least values for other variables, satisfies a larger cone.

        [dim.facts.cone]
        """
        known, path, whole = self.cone(goal, LIMITS.component)
        env = {name: self._least(name) for fact in (*known, *path) for name in fact.names} | dict(model)
        return whole and satisfied((*known, *path), env)

    def _least(self, name: Variable) -> int:
        interval = self._known.bounds.get(of_atom(name), ANY)
        return max(interval.low or 0, 0) if interval.high is None else min(max(interval.low or 0, 0), interval.high)


class _Search:
    """Breadth-first search over the facts from some variables."""

    def __init__(self, known: Known, path: list[Constraint], room: int) -> None:
        self._room = room
        self._known = known
        self._path = path
        self._parts: dict[Variable, list[Constraint]] = {}
        for part in path:
            for name in part.names:
                self._parts.setdefault(name, []).append(part)
        self._found: dict[Item, None] = {}
        self._whole = True
        self._defined: tuple[Or, ...] = ()

    def run(self, names: frozenset[Variable]) -> Cone:
        queue = sorted(names)
        reached = set(queue)
        on_path = dict.fromkeys(part for part in self._path if not part.names)
        self._defined = tuple(self._known.definitions(self._parts))
        for name in queue:  # grows while it is walked
            for met in (*self._unconditional(name, reached), *self._conditional(name, on_path)):
                queue.extend(sorted(met - reached))
                reached |= met
        known = (fact for item in self._found for fact in self._known.constraints_of(item))
        return Cone(tuple(known), tuple(on_path), self._whole)

    def _unconditional(self, name: Variable, reached: set[Variable]) -> list[frozenset[Variable]]:
        """Add the items that mention a variable, up to the limit; return the variables of each."""
        items = self._known.linked(name, self._defined)
        near = list(islice(reversed(items), self._room * 4)) if len(items) > self._room else list(items)
        fresh = [item for item in near if item not in self._found]
        fresh.sort(key=lambda item: not names_in(item) <= reached)  # stable: items without new variables come first
        room = self._room - len(self._found)
        self._whole = self._whole and len(fresh) <= room and len(near) == len(items)
        self._found.update(dict.fromkeys(fresh[:room]))
        return [names_in(item) for item in fresh[:room]]

    def _conditional(self, name: Variable, on_path: dict[Constraint, None]) -> list[frozenset[Variable]]:
        connected = [part for part in self._parts.get(name, ()) if part not in on_path]
        on_path.update(dict.fromkeys(connected))
        return [part.names for part in connected]
