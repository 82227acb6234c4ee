"""What can be seen at a place of a program under growth, and what is drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from gradual.dims.term.dim import Dim
from gradual.ops.catalogue import CATALOGUE
from gradual.types.dtype import DType
from gradual.types.type import DataType, FunctionType, Hole, ReferenceType, TensorType, TupleType, UnrankedType
from tests.generators.program_terms import (
    UNKNOWN,
    Annotation,
    Arrow,
    Expression,
    Fields,
    Function,
    Item,
    Let,
    Named,
    Size,
    Tensor,
    Text,
    Unranked,
)

CONSTANTS = (0, 1, 1, 2, 3, 4, 6)
GUESSED = 0.55
MIXED = 0.3
"""How often a condition is one of two, of which the other is a boolean of data."""


class Maker(Protocol):
    """What a view asks of the program under growth."""

    random: Random
    strict: bool
    first_order: bool
    callees: list[Function]

    def fresh(self) -> str:
        """A variable that the program does not have yet."""

    def chance(self, probability: float) -> bool:
        """True with a probability."""


@dataclass
class Scope:
    """What may be mentioned at a place.

    Attributes:
        names: variables, oldest first.
        dims: dimension names.
    """

    names: list[str]
    dims: list[str]

    def inner(self) -> Scope:
        """A scope inside this one."""
        return Scope(list(self.names), list(self.dims))


@dataclass
class View:
    """The variables at a place with their types, and what can be made of them."""

    grower: Maker
    scope: Scope
    types: dict[str, Any]
    functions: dict[str, FunctionType] = field(default_factory=dict)

    @property
    def random(self) -> Random:
        """The source of all choices."""
        return self.grower.random

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.grower.chance(probability)

    def of(self, dtype: DType | None, rank: int | None = None) -> list[str]:
        """Variables that hold tensors of an element type and rank."""
        return [
            name
            for name, type in self.types.items()
            if isinstance(type, TensorType)
            and (dtype is None or type.dtype is dtype)
            and (rank is None or type.rank == rank)
        ]

    def floats(self, least: int = 0) -> list[str]:
        """Variables that hold float32 tensors of at least a rank."""
        return [name for name in self.of(DType.FLOAT32) if self.types[name].rank >= least]

    def unranked(self) -> list[str]:
        """Variables that hold float32 tensors of unknown rank."""
        kinds = self.types.items()
        return [name for name, type in kinds if isinstance(type, UnrankedType) and type.dtype is DType.FLOAT32]

    def structures(self, name: str) -> list[str]:
        """Variables that hold values of a declared type."""
        return [held for held, type in self.types.items() if isinstance(type, DataType) and type.name == name]

    def references(self) -> list[str]:
        """Variables that hold references to tensors."""
        return [
            held
            for held, type in self.types.items()
            if isinstance(type, ReferenceType) and isinstance(type.content, TensorType)
        ]

    def vectors(self) -> list[str]:
        """Integer vectors whose elements are tracked."""
        found = [name for dtype in (DType.INT64, DType.INT32) for name in self.of(dtype, 1)]
        return [name for name in found if (self.types[name].shape[0].value or 0) in range(1, 5)]

    def pick(self, names: Sequence[str]) -> str | None:
        """One of the names, the newer ones more often."""
        if not names:
            return None
        return names[-1 - int(len(names) * self.random.random() ** 2)]

    # ------------------------------------------------------------------------------------------------------- sizes
    def size(self) -> str:
        """A dim: a constant, a name, arithmetic on one, or the size of a variable."""
        which = self.random.random()
        named = [(name, axis) for name in self.floats(1) for axis in range(self.types[name].rank)]
        if which < 0.4 or not (self.scope.dims or named):
            return str(self.random.choice(CONSTANTS))
        if self.scope.dims and (which < 0.75 or not named):
            name = self.random.choice(self.scope.dims)
            return self.random.choice((name, name, name, f"{name} + 1", f"2 * {name}", f"{name} // 2"))
        name, axis = self.random.choice(named)
        return f"dim({name}, {axis})"

    def plain(self) -> str:
        """A dim without `//`, which is a comment outside brackets."""
        size = self.size()
        return "2" if "//" in size else size

    def is_written(self, dim: Dim) -> bool:
        """Whether the names in a dim are in scope here: those of another function's type are not."""
        return all(name.is_existential or name.name in self.scope.dims for name in dim.variables())

    def size_of(self, dim: Dim) -> str:
        """A dim that is equal to a given one, as far as it can be written."""
        if dim.value is not None:
            return str(max(dim.value, 0))
        if all(not variable.is_existential and variable.name in self.scope.dims for variable in dim.variables()):
            return str(dim)
        found = [
            f"dim({name}, {axis})"
            for name in self.floats(1)
            for axis, other in enumerate(self.types[name].shape)
            if other is dim
        ]
        return self.random.choice(found) if found else self.size()

    def annotation(self, type: Any, guessed: float = GUESSED) -> Annotation:
        """An annotation for a value of a type: exact, forgetting, or guessed where it knows little."""
        match type:
            case TupleType(fields):
                return Fields(tuple(self.annotation(field, guessed) for field in fields))
            case TensorType(shape, dtype):
                known = dtype is not DType.FLOAT32
                if shape and not known and self.chance(0.08) and not self.grower.strict:
                    return Unranked(str(dtype))
                return Tensor(tuple(self.annotated(dim, guessed, known) for dim in shape), str(dtype))
            case UnrankedType(dtype):
                if self.chance(0.4):
                    return Unranked(str(dtype))
                return Tensor(tuple(self.guess() for _ in range(self.random.choice((1, 2, 2, 3)))), str(dtype))
            case FunctionType(params=params, result=result):
                inside = tuple(self.annotation(param, guessed) for param in params)
                return Arrow(inside, self.annotation(result, guessed))
            case DataType(name, (argument,)):
                return Named(name, self.annotation(argument, guessed))
            case ReferenceType(content):
                return Named("ref", self.annotation(content, guessed))
        raise AssertionError(type)

    def guess(self) -> Size:
        """A dim of an annotation about which nothing is known."""
        if self.chance(0.6) and not self.grower.strict:
            return Size(UNKNOWN)
        return Size(self.size())

    def annotated(self, dim: Dim | Hole, guessed: float = GUESSED, known: bool = False) -> Size:
        """A dim of an annotation; `known` where its length decides what is tracked."""
        if isinstance(dim, Hole) or not self.is_written(dim):
            return self.guess()
        if known and dim.value is not None:
            return Size(str(dim.value), fixed=True)
        if dim.value is None and self.chance(guessed):
            return Size(str(self.random.choice(CONSTANTS)))
        if self.chance(0.3) and not self.grower.strict:
            return Size(UNKNOWN if self.chance(0.85) else f"?{{u. u <= {self.size()}}}")
        return Size(self.size_of(dim) if self.chance(0.9) else self.size())

    def condition(self) -> Condition | None:
        """A condition, None where there is nothing to test."""
        flags = self.of(DType.BOOL, 0)
        which = self.random.random()
        found = self._condition(flags, which)
        if found is None or not flags or which * 64 % 1 >= MIXED:
            return found
        operator = ("logical_and", "logical_or")[int(which * 1024) % 2]
        mixed = f"{operator}({flags[int(which * 4096) % len(flags)]}, {found.text})"
        text = f"logical_not({mixed})" if int(which * 2048) % 2 else mixed
        return Condition(text, found.items, found.tested, found.says)

    def _condition(self, flags: list[str], which: float) -> Condition | None:
        scalars = self.of(DType.INT64, 0) + self.of(DType.INT32, 0)
        value = self.random.choice(CONSTANTS)
        if flags and which < 0.35:
            return Condition(self.random.choice(flags), says=False)
        if scalars and which < 0.5:
            return Condition(f"{self.random.choice(scalars)} {self.random.choice(('==', '<', '>='))} {value}")
        if self.scope.dims and which < 0.65:
            return Condition(f"{self.random.choice(self.scope.dims)} == {value}")
        name = self.pick(self.floats(1))
        if name is None or "take" not in CATALOGUE:
            return None
        sizes, size = self.grower.fresh(), self.grower.fresh()
        axis = self.random.randrange(self.types[name].rank)
        read = [Let(sizes, None, Text(f"shape_of({name})")), Let(size, None, Text(f"take({sizes}, {axis})"))]
        return Condition(f"{size} {self.random.choice(('==', '==', '==', '>', '<='))} {value}", [*read], name)


@dataclass
class Condition:
    """A condition as text.

    Attributes:
        items: what computes it.
        tested: the variable whose size it tests.
        says: whether it says something about a size.
    """

    text: str
    items: list[Item] = field(default_factory=list)
    tested: str | None = None
    says: bool = True


Made = Expression | list[Item] | None
"""An expression, a few items, or None where there are no operands."""

Make = Callable[["View"], Made]

Construct = tuple[Make, int, tuple[str, ...]]
"""What makes it, how often it is drawn, and the operators that it needs."""


def is_data(type: Any) -> bool:
    """Whether a value of the type can be shown outside: there is no function or reference in it."""
    match type:
        case TupleType(fields):
            return all(map(is_data, fields))
        case DataType(_, arguments):
            return all(map(is_data, arguments))
        case _:
            return isinstance(type, TensorType | UnrankedType)


def form(type: Any) -> Any:
    """A type without its sizes."""
    match type:
        case TensorType(shape, dtype):
            return dtype, len(shape)
        case TupleType(fields):
            return tuple(map(form, fields))
        case DataType(name, arguments):
            return name, tuple(map(form, arguments))
        case ReferenceType(content):
            return "ref", form(content)
        case FunctionType(params=params, result=result):
            return "fn", tuple(map(form, params)), form(result)
        case _:
            return None
