"""What is known at a point of a program.

Equations become substitutions where a variable can be solved, inequalities become bounds of primitive forms, the
rest is kept as it is; everything is found by variable, so that a goal pays only for the facts it is connected with.
Every change is on a trail: a branch marks, and rolls back.   [dim.facts]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from gradual.dims.constraint import (
    FALSE,
    And,
    AtMost,
    Constraint,
    Equal,
    Not,
    Or,
    Truth,
    at_most,
    differs,
    equal,
)
from gradual.dims.dim import Dim, FloorDiv, Variable, constant, of_atom, polynomial
from gradual.dims.interval import ANY, Estimate, Interval, canonical, judged, primitive
from gradual.dims.lift import lifted
from gradual.dims.simplify import Knowledge, Replacement, replacement_of, simplified_constraint, simplified_dim
from gradual.limits import LIMITS
from gradual.verdict import Proved, Unknown, Verdict

N = TypeVar("N", Dim, Constraint)
Item = Any
"""A form (dim) with bounds, `(difference,)` that is not 0, or a disjunction."""

_ABSENT = object()


class Trail:
    """Changes to dictionaries, undone in reverse order."""

    __slots__ = ("_changes",)

    def __init__(self) -> None:
        self._changes: list[tuple[dict[Any, Any], Any, Any]] = []

    def __len__(self) -> int:
        return len(self._changes)

    def put(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Set `table[key]`."""
        self._changes.append((table, key, table.get(key, _ABSENT)))
        table[key] = value

    def drop(self, table: dict[Any, Any], key: Any) -> None:
        """Remove `table[key]` if it is there."""
        if key in table:
            self._changes.append((table, key, table.pop(key)))

    def undo(self, length: int) -> None:
        """Go back to when the trail was that long."""
        while len(self._changes) > length:
            table, key, old = self._changes.pop()
            if old is _ABSENT:
                del table[key]
            else:
                table[key] = old


class Store:
    """A conjunction of constraints, taken apart.

    Attributes:
        solved: variables and what they are; an image may mention variables solved later.
        bounds: of primitive forms.
        apart: canonical differences known not to be 0.
        others: the disjunctions, in order.
        replacements: what divisibilities say about quotients.
        conflict: set once the conjunction is known to hold nowhere.
    """

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self.solved: dict[Variable, Dim] = {}
        self.bounds: dict[Dim, Interval] = {}
        self.apart: dict[Dim, None] = {}
        self.others: dict[Or, None] = {}
        self.replacements: dict[FloorDiv, Replacement] = {}
        self._source: dict[Dim, FloorDiv] = {}
        self._index: dict[Variable, dict[Item, None]] = {}
        self._age: dict[Variable, int] = {}
        self._state: dict[str, bool] = {}

    @property
    def conflict(self) -> bool:
        """Whether the conjunction is known to hold nowhere."""
        return "conflict" in self._state

    @property
    def knowledge(self) -> Knowledge:
        """What simplification may use."""
        return Knowledge(Estimate(self.bounds), self.replacements, self.apart)

    def add(self, constraint: Constraint) -> None:
        """Know one more constraint.  [dim.facts.assume]"""
        pending = [constraint]
        while pending and not self.conflict:
            pending.extend(reversed(self._absorbed(lifted(self.rewritten(pending.pop())))))

    def _absorbed(self, constraint: Constraint) -> Sequence[Constraint]:
        """Take in a rewritten constraint; what has to be looked at again comes back."""
        self._meet(constraint.names)
        match constraint:
            case AtMost(difference=difference):
                return self._bounded(difference, Interval(0, None))
            case Equal():
                return self._equated(constraint)
            case And(parts=parts):
                return parts
            case Not(part=Equal(difference=difference)):
                return self._separated(canonical(difference))
            case Truth(holds=holds):
                return () if holds else self._contradicted()
            case Or():
                return self._kept(constraint)

    def _meet(self, names: frozenset[Variable]) -> None:
        fresh = [name for name in names if name not in self._age]
        for name in sorted(fresh) if len(fresh) > 1 else fresh:
            self._trail.put(self._age, name, len(self._age))

    def _enter(self, item: Item, names: Iterable[Variable]) -> None:
        for name in names:
            if name not in self._index:
                self._trail.put(self._index, name, {})
            self._trail.put(self._index[name], item, None)

    def _contradicted(self) -> Sequence[Constraint]:
        self._trail.put(self._state, "conflict", True)
        return ()

    def _kept(self, constraint: Or) -> Sequence[Constraint]:
        if constraint not in self.others:
            self._trail.put(self.others, constraint, None)
            self._enter(constraint, constraint.names)
        return ()

    def _bounded(self, difference: Dim, interval: Interval) -> Sequence[Constraint]:
        """Know that a difference is inside an interval.  [dim.facts.bound]"""
        form, scale, offset = primitive(difference)
        old = self.bounds.get(form, ANY)
        new = self._trimmed(form, old & _solved_for(interval, scale, offset))
        if new == old:
            return ()
        if new.is_empty:
            return (FALSE,)
        if form not in self.bounds:
            self._enter(form, form.names)
        self._trail.put(self.bounds, form, new)
        return (equal(form, new.value),) if new.value is not None and old.value is None else ()

    def _trimmed(self, form: Dim, interval: Interval) -> Interval:
        """The interval without ends that the form is known not to reach."""
        low, high = interval.low, interval.high
        while low is not None and form - low in self.apart and (high is None or low <= high):
            low += 1
        while high is not None and form - high in self.apart and (low is None or low <= high):
            high -= 1
        return Interval(low, high)

    def _separated(self, difference: Dim) -> Sequence[Constraint]:
        if difference in self.apart:
            return ()
        self._trail.put(self.apart, difference, None)
        self._enter((difference,), difference.names)
        form, _, _ = primitive(difference)
        return _within(form, self._trimmed(form, self.bounds[form])) if form in self.bounds else ()

    def _equated(self, constraint: Equal) -> Sequence[Constraint]:
        form, scale, offset = primitive(constraint.difference)
        difference = form + offset // scale
        if difference in self.apart or offset % scale:
            return (FALSE,)
        found = self._solution(difference)
        if found is not None:
            return self._eliminated(*found)
        replacement = replacement_of(difference)
        if form not in self._source and replacement is not None and replacement[0] not in self.replacements:
            self._trail.put(self.replacements, *replacement)
            self._trail.put(self._source, form, replacement[0])
        return [again for again in self._bounded(difference, Interval(0, 0)) if again is FALSE]

    def _solution(self, difference: Dim) -> tuple[Variable, Dim] | None:
        """The variable to solve for, ghosts first and then the newest, and what it is.  [dim.facts.solve]"""
        candidates = [
            (atom.is_ghost, self._age[atom], atom, coefficient)
            for (atom, *more), coefficient in (term for term in difference.terms if term[0])
            if not more and abs(coefficient) == 1 and isinstance(atom, Variable) and _occurs_once(atom, difference)
        ]
        if not candidates:
            return None
        _, _, name, coefficient = max(candidates, key=lambda candidate: candidate[:2])
        return name, of_atom(name) - difference * coefficient

    def _eliminated(self, name: Variable, image: Dim) -> list[Constraint]:
        """Replace a variable everywhere: facts that mention it come back to be rewritten."""
        self._trail.put(self.solved, name, image)
        again: list[Constraint] = []
        for item in list(self._index.get(name, ())):
            again.extend(self._taken(item))
        return again

    def _taken(self, item: Item) -> list[Constraint]:
        """Remove an item and return it as constraints."""
        facts = list(self.constraints_of(item))
        for name in _names(item):
            self._trail.drop(self._index[name], item)
        if isinstance(item, Dim):
            self._trail.drop(self.bounds, item)
            self._drop_replacement(item)
        elif isinstance(item, tuple):
            self._trail.drop(self.apart, item[0])
        else:
            self._trail.drop(self.others, item)
        return facts

    def _drop_replacement(self, form: Dim) -> None:
        if form in self._source:
            self._trail.drop(self.replacements, self._source[form])
            self._trail.drop(self._source, form)

    def constraints_of(self, item: Item) -> Iterable[Constraint]:
        """What an item says."""
        if isinstance(item, Dim):
            return _within(item, self.bounds[item])
        return (differs(item[0], 0),) if isinstance(item, tuple) else (item,)

    def mentioning(self, name: Variable) -> Mapping[Item, None]:
        """The items that mention a variable, oldest first."""
        return self._index.get(name, {})

    def rewritten(self, node: N) -> N:
        """The dim or constraint under the equations.  [dim.facts.rewrite]"""
        while not self.solved.keys().isdisjoint(node.names):
            node = node.substitute({name: self._image(name) for name in node.names if name in self.solved})
        if not self.replacements:
            return node
        known = Knowledge(Estimate({}), self.replacements)
        return simplified_dim(node, known) if isinstance(node, Dim) else simplified_constraint(node, known)

    def _image(self, name: Variable) -> Dim:
        """What a solved variable is, in variables that are not solved."""
        image = self.solved[name]
        if self.solved.keys().isdisjoint(image.names):
            return image
        while not self.solved.keys().isdisjoint(image.names):
            image = image.substitute({name: self.solved[name] for name in image.names if name in self.solved})
        self._trail.put(self.solved, name, image)
        return image


def _solved_for(interval: Interval, scale: int, offset: int) -> Interval:
    """The integers `x` with `scale * x + offset` inside the interval."""
    low = None if interval.low is None else interval.low - offset
    high = None if interval.high is None else interval.high - offset
    if scale < 0:
        low, high, scale = None if high is None else -high, None if low is None else -low, -scale
    return Interval(None if low is None else -(-low // scale), None if high is None else high // scale)


def _within(form: Dim, interval: Interval) -> tuple[Constraint, ...]:
    """That a form is inside an interval, with negative terms on the other side."""
    plus, minus = form, constant(0)
    if len(form.terms) > 1:
        plus = polynomial({monomial: coefficient for monomial, coefficient in form.terms if coefficient > 0})
        minus = plus - form
    if interval.value is not None:
        return (equal(plus + max(-interval.value, 0), minus + max(interval.value, 0)),)
    low = () if interval.low is None else (at_most(minus + interval.low, plus),)
    return low if interval.high is None else (*low, at_most(plus, minus + interval.high))


def _occurs_once(name: Variable, dim: Dim) -> bool:
    return sum(name in atom.names for monomial, _ in dim.terms for atom in monomial) == 1


# ------------------------------------------------------------------------------------------------- facts


class Mark(NamedTuple):
    """A point to roll back to."""

    length: int


class Cone(NamedTuple):
    """The facts connected with a goal.

    Attributes:
        known: unconditional ones.
        path: those learnt from conditions.
        whole: whether none was left out for want of room.
    """

    known: tuple[Constraint, ...]
    path: tuple[Constraint, ...]
    whole: bool


class Facts:
    """What is known at a point: unconditionally, and on the path of conditions that leads there.  [dim.facts]"""

    def __init__(self) -> None:
        self._trail = Trail()
        self._known = Store(self._trail)
        self._path: dict[Constraint, None] = {}

    @property
    def known(self) -> Store:
        """The unconditional facts, taken apart."""
        return self._known

    @property
    def path(self) -> tuple[Constraint, ...]:
        """The path facts as they were supposed, in order."""
        return tuple(self._path)

    def assume(self, constraint: Constraint) -> None:
        """Know a constraint unconditionally: for plausibility and for proofs.  [dim.facts.assume]"""
        self._known.add(constraint)

    def suppose(self, constraint: Constraint) -> None:
        """Know a constraint on this path only: for proofs, never for plausibility.  [dim.facts.suppose]"""
        for part in constraint.parts if isinstance(constraint, And) else (constraint,):
            if part not in self._path and part.value is not True:
                self._trail.put(self._path, part, None)

    def learn(self, goal: Constraint, verdict: Verdict) -> None:
        """Know a goal that was accepted, proved or not: it holds from here on.  [dim.facts.learn]

        A goal that nobody could show to be possible is known for proofs only, so that the facts stay satisfiable.
        """
        match verdict:
            case Proved(plausible=True) | Unknown(plausible=True):
                if judged(self.rewrite(goal), self._known.bounds) is not True:
                    self.assume(goal)
            case Unknown():
                self.suppose(goal)

    def mark(self) -> Mark:
        """The present point, for `rollback`."""
        return Mark(len(self._trail))

    def rollback(self, mark: Mark) -> None:
        """Forget everything assumed or supposed since the mark."""
        self._trail.undo(mark.length)

    def rewrite(self, node: N) -> N:
        """The dim or constraint under the unconditional equations.  [dim.facts.rewrite]"""
        return self._known.rewritten(node)

    def cone(self, goal: Constraint | Dim) -> Cone:
        """The facts connected with the variables of a rewritten goal, nearest first.  [dim.facts.cone]"""
        if self._known.conflict:
            return Cone((FALSE,), (), True)
        search = _Search(self._known, [self.rewrite(part) for part in self._path])
        return search.run(goal)


class _Search:
    """A walk over facts, breadth first from a goal's variables."""

    def __init__(self, known: Store, path: list[Constraint]) -> None:
        self._known = known
        self._path = path
        self._found: dict[Item, None] = {}
        self._whole = True

    def run(self, goal: Constraint | Dim) -> Cone:
        queue = sorted(goal.names)
        reached = set(queue)
        on_path = [part for part in self._path if not part.names]
        for name in queue:  # grows while it is walked
            for names in (*self._unconditional(name, reached), *self._conditional(name, on_path)):
                queue.extend(sorted(names - reached))
                reached |= names
        known = (fact for item in self._found for fact in self._known.constraints_of(item))
        return Cone(tuple(known), tuple(on_path), self._whole)

    def _unconditional(self, name: Variable, reached: set[Variable]) -> list[frozenset[Variable]]:
        """Take in the items that mention a variable; hubs and long chains are cut off."""
        items = self._known.mentioning(name)
        near = list(islice(reversed(items), LIMITS.cone * 4)) if len(items) > LIMITS.cone else list(items)
        fresh = [item for item in near if item not in self._found]
        fresh.sort(key=lambda item: not _names(item) <= reached)  # stable: what adds no variable comes first
        room = LIMITS.cone - len(self._found)
        self._whole = self._whole and len(fresh) <= room and len(near) == len(items)
        self._found.update(dict.fromkeys(fresh[:room]))
        return [_names(item) for item in fresh[:room]]

    def _conditional(self, name: Variable, on_path: list[Constraint]) -> list[frozenset[Variable]]:
        connected = [part for part in self._path if name in part.names and part not in on_path]
        on_path.extend(connected)
        return [part.names for part in connected]


def _names(item: Item) -> frozenset[Variable]:
    names: frozenset[Variable] = item[0].names if isinstance(item, tuple) else item.names
    return names
