"""Types, in two readings of one family of classes.

`Type[Dim]` is what the checker holds: every `?` has been opened, so each extent is a `Dim`.
`Type[Dim | Hole]` is what people write and what an interface shows.  The parameter is covariant, so an opened
type is a gradual type, while a judgement, which takes `TensorType[Dim]`, can never be handed a hole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from gradual.dims.term.constraint import Constraint, at_least, at_most
from gradual.dims.term.dim import Dim, Variable
from gradual.types.dtype import DType

E = TypeVar("E", covariant=True)

Content = Dim | Constraint
"""One known element of an integer tensor (a `Dim`) or of a boolean one (a `Constraint`)."""


class Shown:
    """What `str` shows as a program would write it."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.shown()

    shown: ClassVar[Callable[[Any], str]]
    """The text of a type, which is written in a later file."""


@dataclass(frozen=True, slots=True)
class Hole:
    """`?` where a dim may stand: nothing is known, or only a bound.

    As written, `?{u. p}` keeps its `binder` u and its `bound` p.
    In an operator's result a hole is a size that depends on data: `low <= u <= high`, and two results with equal
    `key` share one unknown (the language is pure).  `key` is `(label, operand indices)`; None shares nothing.
    """

    low: Dim | None = None
    high: Dim | None = None
    key: tuple[str, tuple[int, ...]] | None = None
    binder: Variable | None = None
    bound: Constraint | None = None

    def bounds(self, size: Dim) -> tuple[Constraint, ...]:
        """What is known of a size in this place."""
        low = (at_least(size, self.low),) if self.low is not None else ()
        high = (at_most(size, self.high),) if self.high is not None else ()
        bound = (self.bound.substitute({self.binder: size}),) if self.bound is not None and self.binder else ()
        return (*low, *high, *bound)


@dataclass(frozen=True, slots=True)
class TensorType(Shown, Generic[E]):
    """A tensor of known rank.

    `contents` are the elements in row-major order of an integer or boolean tensor of rank 0, or of rank 1 and
    known length, where they are known; None where nothing is.  `numbers` are those of a small constant that has no
    contents: floats, or integers of higher rank.
    """

    shape: tuple[E, ...]
    dtype: DType
    contents: tuple[Content, ...] | None = None
    numbers: tuple[Fraction, ...] | None = None

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)


class Composite(Shown):
    """A type made of others, of which what was found of all its parts is kept: whoever builds on it asks again."""

    __slots__ = ("_parts", "_shapes")

    _parts: int
    _shapes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TupleType(Composite, Generic[E]):
    """A tuple."""

    fields: tuple[Type[E], ...]


@dataclass(frozen=True, slots=True)
class FunctionType(Composite):
    """A function: its types are as written, since nothing inside a function type is a value in scope.

    Attributes:
        names: the parameters' variables; `dim(%x, 0)` and `%n` in `result` and `where` speak of these.
        binders: the dims that each call chooses, by measuring its arguments.
        where: what a call owes.
        types: the types that each call chooses, by matching its arguments.
        order: binders and types in the order in which an instance `f[d, T]` gives them.
    """

    names: tuple[str, ...]
    params: tuple[Type[Dim | Hole], ...]
    result: Type[Dim | Hole]
    binders: tuple[Variable, ...] = ()
    where: tuple[Constraint, ...] = ()
    types: tuple[TypeVariable, ...] = ()
    order: tuple[Variable | TypeVariable, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class UnrankedType(Shown):
    """`Tensor[*, dtype]`: a tensor of unknown rank.

    Opened, its rank, its number of elements and its sizes are those of the value at the path `origin`: two values of
    one origin have one shape.  As written, `origin` is None.   [type.unranked]
    """

    dtype: DType
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class DataType(Composite):
    """`List[T]`: a declared type at its arguments, in which no unknown is opened.   [type.data]"""

    name: str
    arguments: tuple[Type[Dim | Hole], ...] = ()


@dataclass(frozen=True, slots=True)
class ReferenceType(Composite):
    """`ref(T)`: a cell; what it holds is opened anew each time it is read.   [type.reference]"""

    content: Type[Dim | Hole]


@dataclass(frozen=True, slots=True)
class TypeVariable(Shown):
    """A type parameter `A` inside its function: nothing is known of its values.   [type.parameter]"""

    name: str


@dataclass(frozen=True, slots=True)
class NeverType(Shown):
    """The type argument of which there is no value, as in `Nil: List[_]`; it flows into every type.   [type.data]"""


Type = TensorType[E] | TupleType[E] | FunctionType | UnrankedType | DataType | ReferenceType | TypeVariable | NeverType
OpenedType = Type[Dim]
GradualType = Type[Dim | Hole]
