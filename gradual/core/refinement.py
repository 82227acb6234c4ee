"""What a boolean says of sizes, whether or not its value is a formula.

`logical_and(%c, dim(%x, 0) == 3)` is no formula of sizes where nothing is known of `%c`.  Where it is true the size is
3 all the same, and where it is false nothing follows.   [type.if.part]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.constraint import TRUE, Constraint, all_of, any_of, negated
from gradual.limits import LIMITS
from gradual.ops.declaration.facts import Connective
from gradual.ops.declaration.operator import Operator
from gradual.types.dtype import DType
from gradual.types.type import GradualType, TensorType


@dataclass(frozen=True, slots=True)
class Implied:
    """What a boolean implies.

    Attributes:
        holds: what is so where it is true.
        fails: what is so where it is false.
    """

    holds: Constraint
    fails: Constraint

    @property
    def exact(self) -> Constraint | None:
        """The formula that it is, if it is one: what holds where it is true fails where it is false."""
        return self.holds if negated(self.holds) is self.fails else None


UNKNOWN = Implied(TRUE, TRUE)
"""Of a boolean that says nothing about sizes."""


def of_value(known: Mapping[str, Implied], name: str, type: object) -> Implied:
    """What a scalar says: its content if that is known, else what it was made from."""
    if isinstance(type, TensorType) and type.contents:
        content = type.contents[0]
        return Implied(content, negated(content)) if isinstance(content, Constraint) else UNKNOWN
    return known.get(name, UNKNOWN)


def of_result(operator: Operator, type: GradualType, given: Callable[[], Sequence[Implied]]) -> Implied | None:
    """What an operator's scalar result says by what its operands say; None if nothing.

    A scalar comes of scalars only.  `and` and `or` are monotone: what follows from their operands' truth follows from
    the same combination, and dually.
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
