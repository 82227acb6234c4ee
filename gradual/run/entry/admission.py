"""Compare values from outside with their types, part by part, left to right, depth first.  [run.entry]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Undefined, Variable, constant
from gradual.limits import LIMITS
from gradual.record import record
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Constructed, Value
from gradual.types.declared import Data
from gradual.types.print import shown, shown_extent
from gradual.types.substitution import instantiated
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    Hole,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)


@record
class Piece:
    """A part of an argument with its type.

    Attributes:
        place: its field in words, empty outside of data.
        chosen: the type parameter that was instantiated to this type; empty for a written type.
    """

    value: Value
    type: GradualType
    place: str = ""
    chosen: str = ""


@record(frozen=False)
class Admission:
    """One call from outside.

    Attributes:
        data: the declared types of the program.
        chosen: type parameter -> its instance, taken from its first value.
        fields: (data type, constructor) -> the types of the fields, a memo table.
    """

    data: Mapping[str, Data]
    chosen: dict[TypeVariable, GradualType] = field(default_factory=dict)
    fields: dict[tuple[DataType, str], tuple[GradualType, ...]] = field(default_factory=dict)

    def misfit(self, value: Value, type: GradualType) -> str:
        """In words, how the structure, ranks or dtypes of a value differ from a type; empty if they agree."""
        for piece in self._pieces(value, type):
            wrong = self._wrong(piece)
            if wrong:
                where = f"{piece.place}: " if piece.place else ""
                return where + wrong + (f", for type parameter `{piece.chosen}`" if piece.chosen else "")
        return ""

    def missized(self, value: Value, type: GradualType, sizes: Mapping[Variable, int]) -> str:
        """In words, the first size inside data that differs from its declaration; empty if all agree.

        Sizes outside data are checked by the entry of the function.
        """
        for piece in self._pieces(value, type):
            if piece.place and isinstance(piece.type, TensorType) and isinstance(piece.value, Tensor):
                wrong = next(_missized(piece.value, piece.type, sizes), "")
                if wrong:
                    return f"{piece.place}: {wrong}"
        return ""

    def _pieces(self, value: Value, type: GradualType) -> Iterator[Piece]:
        """A value and its parts, each once; a value whose form differs from its type is given without its parts."""
        waiting = [Piece(value, type)]
        seen: set[tuple[int, GradualType]] = set()
        while waiting:
            piece = waiting.pop()
            match piece:
                case Piece(Constructed() as structure, DataType() as whole) if structure.fields:
                    if (id(structure), whole) in seen:
                        continue
                    seen.add((id(structure), whole))
                    yield piece
                    waiting += reversed(list(self._inside(structure, whole)))
                case Piece(tuple() as parts, TupleType(types), place):
                    yield piece
                    pairs = list(zip(parts, types, strict=False))
                    waiting += [Piece(part, inner, place) for part, inner in reversed(pairs)]
                case Piece(value, TypeVariable() as variable, place) if self._chosen(variable, value) is not None:
                    waiting.append(Piece(value, self.chosen[variable], place, variable.name.split(".")[0]))
                case _:
                    yield piece

    def _inside(self, value: Constructed, type: DataType) -> Iterator[Piece]:
        for index, pair in enumerate(zip(value.fields, self._field_types(type, value.constructor), strict=False)):
            yield Piece(*pair, f"field {index + 1} of `{value.constructor}`")

    def _field_types(self, type: DataType, constructor: str) -> tuple[GradualType, ...]:
        key = type, constructor
        if key not in self.fields:
            declared = self.data[type.name]
            found = declared.constructors.get(constructor)
            chosen = dict(zip(declared.types, type.arguments, strict=True))
            self.fields[key] = tuple(instantiated(part, chosen) for part in found.fields) if found is not None else ()
        return self.fields[key]

    def _chosen(self, variable: TypeVariable, value: Value) -> GradualType | None:
        """The instance of a type parameter: the outermost form of its first value; None if its constructor is unknown.

        The parts of that form are fresh type parameters.
        """
        if variable not in self.chosen:
            form = self._form(variable, value)
            if form is None:
                return None
            self.chosen[variable] = form
        return self.chosen[variable]

    def _form(self, variable: TypeVariable, value: Value) -> GradualType | None:
        match value:
            case Tensor():
                return UnrankedType(value.dtype)
            case Constructed(constructor):
                owner = next((data for data in self.data.values() if constructor in data.constructors), None)
                return DataType(owner.name, _parts(variable, len(owner.types))) if owner is not None else None
            case _:
                return TupleType(_parts(variable, len(value)))

    # ---------------------------------------------------------------------------------- comparison of one part
    def _wrong(self, piece: Piece) -> str:
        match piece.type, piece.value:
            case (TensorType() | UnrankedType()) as type, Tensor() as value:
                return _tensor(value, type)
            case TupleType(fields), tuple() as value:
                return "" if len(value) == len(fields) else f"this is not `{shown(piece.type)}`"
            case DataType() as type, Constructed() as value:
                return self._structure(value, type)
            case FunctionType(), _:
                return "a function cannot be passed from outside"
            case ReferenceType(), _:
                return "a reference cannot be passed from outside"
            case DataType(name), _ if not self.data[name].constructors:
                return f"a value of `{shown(piece.type)}` cannot be passed from outside"
            case TypeVariable(), _:
                return f"{_named(piece.value)} is not a constructor"
            case type, value:
                return f"{_named(value)} is not `{shown(type)}`"

    def _structure(self, value: Constructed, type: DataType) -> str:
        declared = self.data[type.name]
        constructor = declared.constructors.get(value.constructor)
        if not declared.constructors:
            return f"a value of `{shown(type)}` cannot be passed from outside"
        if constructor is None:
            return f"`{value.constructor}` is not a constructor of `{shown(type)}`"
        if len(constructor.fields) != len(value.fields):
            return f"`{value.constructor}` has {len(constructor.fields)} fields, not {len(value.fields)}"
        return ""


def _parts(variable: TypeVariable, count: int) -> tuple[TypeVariable, ...]:
    return tuple(TypeVariable(f"{variable.name}.{index}") for index in range(1, count + 1))


def _tensor(value: Tensor, type: TensorType[Dim | Hole] | UnrankedType) -> str:
    rank = len(value.shape)
    if value.dtype is not type.dtype:
        return f"element type {value.dtype} is not {type.dtype}"
    if max(value.shape, default=0) > LIMITS.size:
        return f"size {max(value.shape)} is above the limit of {LIMITS.size}"
    if isinstance(type, TensorType):
        return "" if rank == len(type.shape) else f"rank {rank} is not rank {len(type.shape)}"
    return "" if rank <= LIMITS.rank else f"rank {rank} is above the limit of {LIMITS.rank}"


def _named(value: Value) -> str:
    match value:
        case Tensor():
            return "a tensor"
        case Constructed(constructor):
            return f"`{constructor}`"
        case _:
            return "a tuple"


def _missized(value: Tensor, type: TensorType[Dim | Hole], sizes: Mapping[Variable, int]) -> Iterator[str]:
    for axis, (size, extent) in enumerate(zip(value.shape, type.shape, strict=True)):
        if isinstance(extent, Hole):
            if not all(_holds(bound, sizes) for bound in extent.bounds(constant(size))):
                yield f"dimension {axis} is {size}, not {shown_extent(extent)}"
            continue
        wanted = _value(extent, sizes)
        if size != wanted:
            is_ = "which has no value here" if wanted is None else f"which is {wanted}"
            yield f"dimension {axis} is {size}, not {extent}" + ("" if extent.value is not None else f", {is_}")


def _value(extent: Dim, sizes: Mapping[Variable, int]) -> int | None:
    try:
        return extent.evaluate(sizes)
    except Undefined:
        return None


def _holds(goal: Constraint, sizes: Mapping[Variable, int]) -> bool:
    try:
        return goal.evaluate(sizes)
    except Undefined:
        return False


def holds_data(type: GradualType) -> bool:
    """Whether a value of the type may contain data, whose sizes the entry checks do not cover."""
    match type:
        case DataType() | TypeVariable():
            return True
        case TupleType(fields):
            return any(map(holds_data, fields))
        case _:
            return False
