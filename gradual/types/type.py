"""Types, in two readings of one family of classes.

`Type[Dim]` is what the checker works with: every `?` is unpacked to an existential, so each extent is a `Dim`.
`Type[Dim | Hole]` is what people write and what messages show.  The parameter is covariant, so an unpacked
type is a gradual type, while a typing rule, which takes `TensorType[Dim]`, can never be passed a hole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from gradual.dims.term.constraint import Constraint, at_least, at_most
from gradual.dims.term.dim import Dim, Variable
from gradual.record import record
from gradual.types.dtype import DType

E = TypeVar("E", covariant=True)

Content = Dim | Constraint
"""One known element of an integer tensor (a `Dim`) or of a boolean one (a `Constraint`)."""


class Shown:
    """Mixin: `str` of a type is its text as a program would write it."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.shown()

    shown: ClassVar[Callable[[Any], str]]
    """The text of a type; the printer, which is imported later, assigns it."""


@record
class Hole:
    """`?` in place of a dim: the size is unknown, or only a bound of it is known.

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
        """The constraints that this hole puts on the size that fills it."""
        low = (at_least(size, self.low),) if self.low is not None else ()
        high = (at_most(size, self.high),) if self.high is not None else ()
        bound = (self.bound.substitute({self.binder: size}),) if self.bound is not None and self.binder else ()
        return (*low, *high, *bound)

    def shared_by(self, operands: Sequence[object]) -> tuple[object, ...] | None:
        """The key with the operands themselves: holes for which it is equal are one unknown.  [type.open]"""
        return None if self.key is None else (self.key[0], *(operands[index] for index in self.key[1]))


@record
class TensorType(Shown, Generic[E]):
    """A tensor of known rank.

    `contents` are the symbolic elements of an integer or boolean tensor of rank 0, or of rank 1 and known length;
    None if they are not tracked.  `numbers` are the elements of a small constant without contents: floats, or
    integers of higher rank.  Both are in row-major order.
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
    """A type made of others; caches how many parts it has, and the values that unknown shapes in it belong to."""

    __slots__ = ("_parts", "_shapes")

    _parts: int
    _shapes: tuple[str, ...]


@record
class TupleType(Composite, Generic[E]):
    """A tuple."""

    fields: tuple[Type[E], ...]


@record
class FunctionType(Composite):
    """A function: its types keep their `?`, since nothing inside a function type is a value in scope.

    Attributes:
        names: the parameters' variables, which `dim(%x, 0)` and `%n` in `result` and `where` mention.
        binders: the dim parameters, inferred at each call from the arguments.
        where: the constraints that a call must meet.
        types: the type parameters, inferred at each call by matching the arguments.
        order: binders and types in the order of the explicit arguments of an instance `f[d, T]`.
    """

    names: tuple[str, ...]
    params: tuple[Type[Dim | Hole], ...]
    result: Type[Dim | Hole]
    binders: tuple[Variable, ...] = ()
    where: tuple[Constraint, ...] = ()
    types: tuple[TypeVariable, ...] = ()
    order: tuple[Variable | TypeVariable, ...] = field(default=(), compare=False)


@record
class UnrankedType(Shown):
    """`Tensor[*, dtype]`: a tensor of unknown rank.

    Once the type is unpacked, `origin` is the path of the value that its unknown shape belongs to: rank, number of
    elements and sizes are those of this value.  In a type as written, `origin` is None.   [type.unranked]
    """

    dtype: DType
    origin: str | None = None


@record
class DataType(Composite):
    """`List[T]`: a declared type applied to arguments, whose `?` are not unpacked.   [type.data]"""

    name: str
    arguments: tuple[Type[Dim | Hole], ...] = ()


@record
class ReferenceType(Composite):
    """`ref(T)`: a mutable cell; each read unpacks its content to fresh existentials.   [type.reference]"""

    content: Type[Dim | Hole]


@record
class TypeVariable(Shown):
    """A type parameter `A` inside its function, where it is opaque.   [type.parameter]"""

    name: str


@record
class NeverType(Shown):
    """The bottom type `_`, a type argument as in `Nil: List[_]`; it flows into every type.   [type.data]"""


Type = TensorType[E] | TupleType[E] | FunctionType | UnrankedType | DataType | ReferenceType | TypeVariable | NeverType
OpenedType = Type[Dim]
GradualType = Type[Dim | Hole]
