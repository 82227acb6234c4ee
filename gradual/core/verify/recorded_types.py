"""Compare the types that core records with those that the verifier judges.  [core.verify]"""

from __future__ import annotations

from fractions import Fraction

from gradual.core.datatypes import is_own, without_contents
from gradual.core.verify import ranks
from gradual.core.verify.environment import Ground
from gradual.dims.term.constraint import Constraint, at_least, equal
from gradual.dims.term.dim import Dim, constant
from gradual.limits import LIMITS
from gradual.record import record
from gradual.types.print import shown
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    NeverType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.types.unpacking import base_of, sizes, tracked_length


@record(frozen=False, eq=False)
class Recorded(Ground):
    """The environment, with the comparison of recorded types."""

    def define(self, name: str, type: OpenedType, numbers: tuple[Fraction, ...] | None = None) -> None:
        """Define a variable at its recorded type."""
        if name in self.types and self.types[name] is not type:
            self.found.append(f"{name} is defined twice")
        if isinstance(type, TensorType) and type.numbers != numbers:
            self.found.append(f"{name}: numbers of what is no constant")
            type = TensorType(type.shape, type.dtype, type.contents)
        known = type.contents if isinstance(type, TensorType) else None
        if known is not None and tracked_length(type, LIMITS.contents) != len(known):
            self.wrong(f"{name}: {len(known)} elements of a {shown(type)}")
            type = without_contents(type)
        self.types[name] = type
        self.implications.pop(name, None)
        ranks.define(self, type, name)
        ranks.seen(self, type)
        for size in sizes(type):
            if size.value is None:
                self.facts.assume(at_least(size, constant(0)))

    def matches(self, judged: GradualType, recorded: OpenedType, path: str, operands: tuple[str, ...] = ()) -> None:
        """Require that a judged type matches the recorded one: equal sizes, and an unknown for every hole."""
        match judged, recorded:
            case TensorType(), TensorType() if len(judged.shape) == len(recorded.shape):
                if judged.dtype is not recorded.dtype:
                    self.found.append(f"{path}: element type {recorded.dtype} instead of {judged.dtype}")
                for axis, (extent, size) in enumerate(zip(judged.shape, recorded.shape, strict=True)):
                    if isinstance(extent, Hole):
                        self._opened(extent, size, path, axis, operands)
                    elif extent is not size and not is_own(size, path, axis):
                        self.prove(equal(extent, size), f"dimension {axis} of {path} is {extent}, recorded as {size}")
            case TupleType(fields), TupleType(others) if len(fields) == len(others):
                for i, (part, other) in enumerate(zip(fields, others, strict=True)):
                    self.matches(part, other, f"{path}#{i}", operands)
            case FunctionType(), FunctionType() if self.stands_for(judged, recorded):
                pass
            case ((DataType() | ReferenceType() | TypeVariable() | NeverType()), _) if self.same(judged, recorded):
                pass
            case TensorType() | UnrankedType(), UnrankedType(origin=str(origin)) if judged.dtype is recorded.dtype:
                if isinstance(judged, TensorType):
                    ranks.recorded(self, judged, origin, path)
                elif origin not in (path, judged.origin):
                    self.wrong(f"{path} is recorded to have the shape of {origin}")
            case _:
                self.differs(path, recorded, judged)

    def _opened(self, hole: Hole, size: Dim, path: str, axis: int, operands: tuple[str, ...]) -> None:
        """Require that a hole has a new unknown or that of an equal earlier application; assume its bounds."""
        key = (hole.key[0], *(operands[i] for i in hole.key[1])) if hole.key else None
        if key in self.shared:
            if self.shared[key] is not size:
                self.wrong(f"dimension {axis} of {path} is {self.shared[key]}, recorded as {size}")
            return
        if not is_own(size, path, axis):
            self.wrong(f"dimension {axis} of {path} is unknown, recorded as {size}")
            return
        if key is not None:
            self.shared[key] = size
        for bound in hole.bounds(size):
            self.facts.assume(bound)

    def readable(self, goal: Constraint, what: str) -> None:
        """Require that the values that the goal's sizes are read from are in scope."""
        for variable in sorted(goal.variables(), key=lambda variable: variable.name):
            base = base_of(variable)
            if base is not None and base not in self.types:
                self.found.append(f"{what} reads {base}, which has no value here")
        ranks.read(self, goal, what)

    def differs(self, path: str, recorded: OpenedType, found: GradualType) -> None:
        """Record a mismatch of types, unless the code is unreachable."""
        self.wrong(f"{path}: {shown(recorded)} instead of {shown(found)}")
