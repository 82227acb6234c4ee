"""Whether a definition depends on an unknown, which makes it gradual; otherwise it is strict.  [type.strict]"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradual.checker.program.program import Program
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.types.instantiation import is_gradual
from gradual.types.type import DataType, FunctionType, GradualType, ReferenceType, TupleType


class Strictness:
    """Whether a definition is gradual so far, and the unknowns that do not make it gradual.

    Attributes:
        gradual: whether the definition depends on an unknown that is written as `?` or depends on data.
        joins: unknowns that are one of several known sizes; they do not make the definition gradual.
        forgotten: unknowns for sizes and elements whose formulas are too large to keep; they do not make it gradual.
        agreed: types in which a join of known sizes became `?`; unknowns unpacked from these do not make it gradual.
    """

    def __init__(self, program: Program) -> None:
        self.gradual = False
        self.joins: set[Variable] = set()
        self.forgotten: set[Variable] = set()
        self.agreed: set[DataType | ReferenceType | FunctionType] = set()
        self._program = program

    def wrote(self, type: GradualType) -> None:
        """Note a written type: any `?` in it makes the definition gradual, even if the type is in `agreed`."""
        self.gradual = self.gradual or is_gradual(type)

    def interface(self, name: str) -> FunctionType | None:
        """The signature of a mentioned definition; a `?` or an error in it makes this definition gradual.

        It does not if every `?` in the signature stands for a size whose formula is too large to keep.
        """
        signature = self._program.signatures.get(name)
        if name not in self._program.forgetful:
            self.gradual = self.gradual or signature is None or is_gradual(signature)
        return signature

    def owes(self, goal: Dim | Constraint) -> None:
        """Note a goal or a size: if it mentions an unknown, the definition is gradual."""
        self.gradual = self.gradual or self.mentions_unknown(goal)

    def opened(self, type: GradualType) -> None:
        """Note that a value of this type was unpacked."""
        self.gradual = self.gradual or self.hides_unknown(type)

    def agree(self, type: GradualType) -> None:
        """Note a joined type: if the definition is strict so far, each `?` in it is one of several named sizes."""
        if not self.gradual and is_gradual(type):
            self.agreed.update(_holders(type))

    def excuse(self, unknowns: Iterable[Variable]) -> None:
        """Make the definition strict again: the unknowns that made it gradual are joins of known sizes."""
        self.gradual = False
        self.joins.update(unknowns)

    def forget(self, unknowns: Iterable[Variable]) -> None:
        """Note unknowns for sizes whose formulas are too large to keep.  [dim.large]"""
        self.forgotten.update(unknowns)

    def only_forgets(self, type: FunctionType) -> bool:
        """Whether the unknowns in the definition's type are all for sizes whose formulas are too large to keep."""
        return bool(self.forgotten) and not self.gradual and not self.joins and is_gradual(type)

    def has_forgotten(self, goal: Constraint) -> bool:
        """Whether a goal mentions a size whose formula is too large to keep.

        If it is undecided, such a goal is left as a check, also in a strict definition.
        """
        return not self.forgotten.isdisjoint(goal.variables())

    def hides_unknown(self, type: GradualType) -> bool:
        """Whether a type contains a `?`, also inside data, a function or a reference, where it is unpacked later.

        A `?` in one of the `agreed` types does not count.
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
        return bool(self.agreed) and type in self.agreed  # hashing visits the whole type

    def mentions_unknown(self, goal: Dim | Constraint) -> bool:
        """Whether a goal mentions an unknown that is written as `?` or depends on data."""
        excused = self.joins | self.forgotten if self.forgotten else self.joins
        return any(variable.is_existential and variable not in excused for variable in goal.variables())


def _holders(type: GradualType) -> Iterator[DataType | ReferenceType | FunctionType]:
    """The data, reference and function types that occur in a type, outside functions."""
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
