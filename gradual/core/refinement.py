"""What a boolean implies about sizes, even if its value is no formula.

`logical_and(%c, dim(%x, 0) == 3)` is no formula over sizes if `%c` is unknown.  If it is true, the size is 3; if it is
false, nothing follows.   [type.if.part]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.constraint import TRUE, Constraint, all_of, any_of, negated
from gradual.limits import LIMITS
from gradual.ops.declaration.facts import Connective
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import GradualType, TensorType


@record
class Implied:
    """What a boolean implies.

    Attributes:
        holds: what follows if it is true.
        fails: what follows if it is false.
    """

    holds: Constraint
    fails: Constraint

    @property
    def exact(self) -> Constraint | None:
        """The formula that the boolean is equal to, if any: then `fails` is the negation of `holds`."""
        return self.holds if negated(self.holds) is self.fails else None


UNKNOWN = Implied(TRUE, TRUE)
"""The implications of a boolean from which nothing about sizes follows."""


def formula(type: object) -> Constraint | None:
    """The constraint that a boolean of this type is equal to; None if no such constraint is known."""
    content = type.contents[0] if isinstance(type, TensorType) and type.contents else None
    return content if isinstance(content, Constraint) else None


def of_value(known: Mapping[str, Implied], name: str, type: object) -> Implied:
    """The implications of a scalar boolean: its element if that is known, else those recorded for it."""
    content = formula(type)
    return Implied(content, negated(content)) if content is not None else known.get(name, UNKNOWN)


def of_result(operator: Operator, type: GradualType, given: Callable[[], Sequence[Implied]]) -> Implied | None:
    """The implications of an operator's scalar result, computed from those of its operands; None if there are none.

    The operands of a scalar result are scalars.  `and` and `or` are monotone, so implications combine by the same
    connective if the result is true, and by its dual if it is false.
    """
    if not isinstance(type, TensorType) or type.shape or type.dtype is not DType.BOOL or type.contents is not None:
        return None
    match operator.connective:
        case None:
            return None
        case Connective.NOT:
            (only,) = given()
            found = Implied(only.fails, only.holds)
        case Connective.SAME:
            (found,) = given()
        case Connective.AND:
            parts = given()
            found = Implied(all_of(*(part.holds for part in parts)), any_of(*(part.fails for part in parts)))
        case Connective.OR:
            parts = given()
            found = Implied(any_of(*(part.holds for part in parts)), all_of(*(part.fails for part in parts)))
    kept = Implied(_small(found.holds), _small(found.fails))
    return None if kept == UNKNOWN else kept


def _small(constraint: Constraint) -> Constraint:
    return TRUE if is_large(constraint, LIMITS.nodes) else constraint
