"""The intermediate form of a shape function: a list of named integers and needs, then results and buffers.

Every dim and constraint in it is total, and speaks of inputs and of names that are defined before it.
"""

from __future__ import annotations

from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.record import record

ABSENT = -1
"""The number that stands for a size or an offset that is not known before the run."""


@record(eq=False)
class Input:
    """What is given of one tensor among the arguments.

    Attributes:
        path: the tensor as users write it, such as `%x` or `%t.0`.
        shape: the identifier under which its sizes are given, and `sizes` the name of each.
        values: the identifier under which its elements are given, if sizes depend on them, and `elements` their names.
    """

    path: str
    shape: str
    sizes: tuple[Variable, ...]
    values: str
    elements: tuple[Variable, ...]

    @property
    def parts(self) -> tuple[tuple[str, tuple[Variable, ...]], ...]:
        """What is given: each identifier with the names that its numbers have."""
        return ((self.shape, self.sizes), *(((self.values, self.elements),) if self.elements else ()))


@record(eq=False)
class Definition:
    """`name = dim`."""

    name: Variable
    dim: Dim


@record(eq=False)
class Need:
    """What has to hold, or the run ends in blame or in the fault of an `assert`.

    Attributes:
        id: of the check.
        message: what is required, in words.
        place: the file, line and column of the construct that requires it.
        blamed: who is blamed, in words, and where; empty for an `assert`.
    """

    id: str
    holds: Constraint
    message: str
    place: str
    blamed: str

    @property
    def says(self) -> str:
        """Everything about the need in one line."""
        blamed = f"; blamed: {self.blamed}" if self.blamed else ""
        return f"{self.id} at {self.place}: {self.message}{blamed}"


@record
class Undecided:
    """What only the run decides: a check that depends on data, a call that is not written out."""

    says: str
    place: str


@record(eq=False)
class Size:
    """A size of a result.

    Attributes:
        dim: the size, or an upper bound of one that depends on data; None if nothing bounds it.
        exact: whether it is the size.
    """

    dim: Dim | None
    exact: bool


@record(eq=False)
class Result:
    """A tensor of the result, or a part that is no tensor of known rank.

    Attributes:
        path: its place in the result: empty for the result itself, `.0` for a field of a tuple.
        sizes: the sizes of its axes; None for a part that is no tensor of known rank.
        says: the element type; if `sizes` is None, what the part is, in words.
    """

    path: str
    sizes: tuple[Size, ...] | None
    says: str


@record(eq=False)
class Buffer:
    """A buffer of the memory plan.

    Attributes:
        path: the value that it holds.
        maker: the operator that fills it.
        bytes: how many bytes it takes, or an upper bound; None if it is allocated when its size is known.
        offset: where it begins in the arena; None if it is not in it.
        exact: whether it takes these bytes, not fewer.
    """

    path: str
    maker: str
    bytes: Dim | None
    offset: Dim | None
    exact: bool


@record(eq=False)
class ShapeFunction:
    """The shape function of one function.

    Attributes:
        name: an identifier, made of the function's name.
        title: the function, and the file that it is from.
        steps: definitions and needs, in the order in which they are computed.
        arena: bytes of the arena that holds the buffers.
    """

    name: str
    title: str
    inputs: tuple[Input, ...]
    steps: tuple[Definition | Need, ...]
    undecided: tuple[Undecided, ...]
    results: tuple[Result, ...]
    buffers: tuple[Buffer, ...]
    arena: Dim

    @property
    def needs(self) -> tuple[Need, ...]:
        """The needs, in the order in which they are decided."""
        return tuple(step for step in self.steps if isinstance(step, Need))

    @property
    def ends(self) -> tuple[Dim, ...]:
        """The dims of results and buffers."""
        sizes = (size.dim for result in self.results for size in result.sizes or ())
        places = (dim for buffer in self.buffers for dim in (buffer.bytes, buffer.offset))
        return tuple(dim for dim in (*sizes, *places, self.arena) if dim is not None)

    @property
    def read(self) -> frozenset[Variable]:
        """The names that are read."""
        formulas = (step.dim if isinstance(step, Definition) else step.holds for step in self.steps)
        return frozenset().union(*(one.variables() for one in (*formulas, *self.ends)))
