"""A conjunction that stays at rest: what is learnt makes the facts that it touches simpler, once and for good.

    b * s == (if s == 0 then 96 else s) * max(b, 1)   says   s >= 1, b >= 1   and is gone

A question about a goal then meets few facts, and small ones.   [dim.facts.plain]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from gradual.dims.atom import Variable
from gradual.dims.constraint import AtMost, Constraint, Equal, Not, Or
from gradual.dims.lift import lifted
from gradual.dims.simplify import simplified_constraint
from gradual.dims.store import Item, Store, Trail, is_compound, names_in

_NEAR = 256
"""How many facts about a name are looked at again when more is known of it."""
_AGAIN = 64
"""How many facts may become simpler by one new one."""


class Known(Store):
    """The unconditional facts at a point of a program, each as simple as the others make it."""

    def __init__(self, trail: Trail) -> None:
        super().__init__(trail)
        self._again = 0

    def add(self, constraint: Constraint) -> None:
        """Know one more constraint, and say others more simply where it allows that.  [dim.facts.assume]"""
        self._again = _AGAIN
        super().add(constraint)

    def _prepared(self, constraint: Constraint) -> Constraint:
        if not _is_compound(constraint):
            return constraint
        known = self.knowledge
        return lifted(simplified_constraint(constraint, known), known)

    def _followed(self, names: frozenset[Variable]) -> Sequence[Constraint]:
        found: list[Constraint] = []
        for item in self._near(names):
            simpler = self._simplified(item, simplified_constraint) if self._again else []
            self._again -= bool(simpler)
            found.extend(simpler)
        return found

    def _near(self, names: frozenset[Variable]) -> list[Item]:
        """The newest items that mention all the names."""
        indexed: Mapping[Item, None] = min((self.mentioning(name) for name in names), key=len, default={})
        return [item for item in islice(reversed(indexed), _NEAR) if is_compound(item) and names <= names_in(item)]


def _is_compound(constraint: Constraint) -> bool:
    """Whether bounds could simplify a constraint."""
    match constraint:
        case Equal(difference=difference) | AtMost(difference=difference) | Not(part=Equal(difference=difference)):
            return is_compound(difference) or any(side.children for side in constraint.children)
        case Or():
            return True
    return False
