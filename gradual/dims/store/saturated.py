"""A saturated conjunction: each new fact simplifies the facts that share its atoms.

    b * s == (if s == 0 then 96 else s) * max(b, 1)   is replaced by   s >= 1, b >= 1

A query about a goal then deals with few and small facts.   [dim.facts.plain]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from gradual.dims.bounds.interval import ANY
from gradual.dims.rewrite.lift_ite import lifted
from gradual.dims.rewrite.simplify import simplified_constraint
from gradual.dims.store.items import Item, is_compound, names_in, parts_of
from gradual.dims.store.store import Store
from gradual.dims.term.atom import Variable
from gradual.dims.term.constraint import AtMost, Constraint, Equal, Not, Or, is_total
from gradual.dims.term.dim import Dim, of_atom
from gradual.trail import Trail

_NEAR = 256
"""Limit on the facts about a name that are simplified again for a new fact."""
_AGAIN = 64
"""Limit on the facts that are replaced by simpler ones because of one new fact."""


class Known(Store):
    """The unconditional facts at a program point, each simplified by the others."""

    def __init__(self, trail: Trail) -> None:
        super().__init__(trail)
        self._again = 0
        self._parts: dict[Item, frozenset[Any]] = {}
        self._idle: dict[Variable, Or] = {}
        self._linked: dict[Variable, dict[Item, None]] = {}

    def add(self, constraint: Constraint) -> None:
        """Add a constraint, and simplify others by it.  [dim.facts.assume]"""
        self._again = _AGAIN
        super().add(constraint)

    def _prepared(self, constraint: Constraint) -> Constraint:
        if not _is_compound(constraint):
            return constraint
        known = self.knowledge
        return lifted(simplified_constraint(constraint, known), known)

    def _followed(self, form: Dim) -> Sequence[Constraint]:
        found: list[Constraint] = []
        for item in self._near(form):
            simpler = self._simplified(item, simplified_constraint) if self._again else []
            self._again -= bool(simpler)
            found.extend(simpler or self._positive(item))
        return found

    def _near(self, form: Dim) -> list[Item]:
        """The newest compound items that contain all atoms of a form."""
        indexed: Mapping[Item, None] = min((self.mentioning(name) for name in form.names), key=len, default={})
        atoms = frozenset(form.atoms())
        return [item for item in islice(reversed(indexed), _NEAR) if is_compound(item) and atoms <= self._made_of(item)]

    def _made_of(self, item: Item) -> frozenset[Any]:
        if item not in self._parts:
            self._parts[item] = parts_of(item)
        return self._parts[item]

    # ------------------------------------------------------------------------------------------- idle variables

    def linked(self, name: Variable, definitions: Iterable[Or] = ()) -> Mapping[Item, None]:
        """The items that mention a variable; definitions of idle variables only if they are given.

        A variable is idle while its definition (`_defined`) and bounds are all that is known of it.
        [dim.facts.cone]
        """
        linked = self._linked.get(name)
        if linked is None:
            return self.mentioning(name)
        more = {one for one in definitions if name in one.names}
        return {item: None for item in self.mentioning(name) if item in linked or item in more} if more else linked

    def definitions(self, names: Iterable[Variable]) -> Iterator[Or]:
        """The definitions of idle variables among the names, and of those that the definitions mention in turn."""
        waiting, seen = list(names), set[Variable]()
        for name in waiting:  # grows while it is walked
            if name in self._idle and name not in seen:
                seen.add(name)
                yield self._idle[name]
                waiting += self._idle[name].names

    def _kept(self, constraint: Or) -> Sequence[Constraint]:
        name = None if constraint in self.others else self._defined(constraint)
        if name is None:
            return super()._kept(constraint)
        self._hold(constraint)
        super()._enter(constraint, constraint.names)
        self._trail.put(self._idle, name, constraint)
        for other in constraint.names:
            if other is name and other in self._linked:
                self._trail.put(self._linked[other], constraint, None)
            elif other is not name and other not in self._linked:
                linked = {item: None for item in self.mentioning(other) if item is not constraint}
                self._trail.put(self._linked, other, linked)
        return ()

    def _defined(self, constraint: Or) -> Variable | None:
        """The newest variable of a disjunction, if each part equates it to a dim; None if more is known of it.

        Bounds of it may be known.  One of the dims must be known to be within them, so that the definition can be
        satisfied.
        """
        name = max(constraint.names, key=self._age.__getitem__)
        form = of_atom(name)
        images = [_image(part, form) for part in constraint.parts]
        if None in images or not all(item is form for item in self.mentioning(name)):
            return None
        bounds, of = self.bounds.get(form, ANY), self.estimate.of
        possible = any(image is not None and of(image) | bounds == bounds and is_total(image) for image in images)
        return name if possible else None

    def _enter(self, item: Item, names: Iterable[Variable]) -> None:
        super()._enter(item, names)
        if self._linked:
            for name in names:
                if name in self._linked:
                    self._trail.put(self._linked[name], item, None)
            self._stir(names)

    def _changed(self, form: Dim) -> None:
        self._stir(form.names)

    def _stir(self, names: Iterable[Variable]) -> None:
        """Mark variables as no longer idle: their definitions connect them with other variables from now on."""
        stirred = tuple(self.definitions(names)) if self._idle else ()
        for definition in stirred:
            for name in definition.names:
                if name in self._linked:
                    self._trail.put(self._linked, name, dict(self.linked(name, (definition,))))
                if self._idle.get(name) is definition:
                    self._trail.drop(self._idle, name)

    def _taken(self, item: Item) -> list[Constraint]:
        for name in names_in(item) if self._linked else ():
            if name in self._linked:
                self._trail.drop(self._linked[name], item)
            if self._idle.get(name) is item:
                self._trail.drop(self._idle, name)
        return super()._taken(item)


def _is_compound(constraint: Constraint) -> bool:
    """Whether bounds could simplify a constraint."""
    match constraint:
        case Equal(difference=difference) | AtMost(difference=difference) | Not(part=Equal(difference=difference)):
            return is_compound(difference) or any(side.children for side in constraint.children)
        case Or():
            return True
    return False


def _image(part: Constraint, form: Dim) -> Dim | None:
    """The other side, if the constraint is an equation of the form with a dim that does not mention it."""
    if isinstance(part, Equal) and form in (part.left, part.right):
        image = part.right if part.left is form else part.left
        return None if form.names <= image.names else image
    return None
