"""Whether an unknown takes part in a definition, so that it is not strict.  [type.strict]"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradual.checker.program.program import Program
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.types.instantiation import is_gradual
from gradual.types.type import DataType, FunctionType, GradualType, ReferenceType, TupleType


class Strictness:
    """What made a definition gradual so far, and which unknowns do not.

    Attributes:
        gradual: whether an unknown takes part that was written as `?` or depends on data.
        joins: unknowns that are one of two known sizes; they make nothing gradual by themselves.
        forgotten: sizes and elements that were too large to be kept as formulas; they make nothing gradual either.
        agreed: types in which sizes that are one of two known ones became `?`; opened, they make nothing gradual.
    """

    def __init__(self, program: Program) -> None:
        self.gradual = False
        self.joins: set[Variable] = set()
        self.forgotten: set[Variable] = set()
        self.agreed: set[DataType | ReferenceType | FunctionType] = set()
        self._program = program

    def wrote(self, type: GradualType) -> None:
        """A type that stands in the definition: one `?` in it is enough, though values agreed on the same type."""
        self.gradual = self.gradual or is_gradual(type)

    def interface(self, name: str) -> FunctionType | None:
        """What a declaration of the file promises: a `?` in it, or an error, is one of the definition that names it."""
        signature = self._program.signatures.get(name)
        if name not in self._program.forgetful:
            self.gradual = self.gradual or signature is None or is_gradual(signature)
        return signature

    def owes(self, goal: Dim | Constraint) -> None:
        """A goal or a size that the definition depends on."""
        self.gradual = self.gradual or self.mentions_unknown(goal)

    def opened(self, type: GradualType) -> None:
        """A value of this type came to be."""
        self.gradual = self.gradual or self.hides_unknown(type)

    def agree(self, type: GradualType) -> None:
        """A type that was made here: what is unknown in it, while nothing else is, is one of several named sizes."""
        if not self.gradual and is_gradual(type):
            self.agreed.update(_holders(type))

    def excuse(self, unknowns: Iterable[Variable]) -> None:
        """These unknowns, which alone made the definition gradual, stand for sizes that were agreed on."""
        self.gradual = False
        self.joins.update(unknowns)

    def forget(self, unknowns: Iterable[Variable]) -> None:
        """These unknowns stand for sizes that were too large to be kept.  [dim.large]"""
        self.forgotten.update(unknowns)

    def only_forgets(self, type: FunctionType) -> bool:
        """Whether what is unknown in the definition's type was too large to be kept, and nothing else."""
        return bool(self.forgotten) and not self.gradual and not self.joins and is_gradual(type)

    def has_forgotten(self, goal: Constraint) -> bool:
        """Whether a goal speaks of a size that was too large to be kept: it is a check, whatever else is known."""
        return not self.forgotten.isdisjoint(goal.variables())

    def hides_unknown(self, type: GradualType) -> bool:
        """Whether an unknown that somebody wrote stands inside data, a function or a reference, to be opened later.

        Types on which named sizes agreed here have none.
        """
        match type:
            case TupleType(fields):
                return any(map(self.hides_unknown, fields))
            case DataType(_, arguments):
                return not self._is_agreed(type) and any(map(self.hides_unknown, arguments))
            case ReferenceType() | FunctionType():
                return not self._is_agreed(type) and is_gradual(type)
            case _:
                return is_gradual(type)

    def _is_agreed(self, type: DataType | ReferenceType | FunctionType) -> bool:
        return bool(self.agreed) and type in self.agreed  # all of a type is looked at to find it

    def mentions_unknown(self, goal: Dim | Constraint) -> bool:
        """Whether an unknown takes part that was written as `?` or depends on data."""
        excused = self.joins | self.forgotten if self.forgotten else self.joins
        return any(variable.is_existential and variable not in excused for variable in goal.variables())


def _holders(type: GradualType) -> Iterator[DataType | ReferenceType | FunctionType]:
    """The data, reference and function types that stand in a type, outside functions."""
    match type:
        case FunctionType():
            yield type
        case DataType(_, parts):
            yield type
            for part in parts:
                yield from _holders(part)
        case TupleType(parts):
            for part in parts:
                yield from _holders(part)
        case ReferenceType(content):
            yield type
            yield from _holders(content)
