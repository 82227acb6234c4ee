"""The intermediate form of a shape function: a list of named integers and needs, then results and buffers.

Every dim and constraint in the form is total, and mentions only inputs and names that are defined earlier.
"""

from __future__ import annotations

from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.record import record

ABSENT = -1
"""The number that represents a size or an offset that is unknown before the run."""


@record(eq=False)
class Input:
    """The inputs for one tensor among the arguments: its sizes, and its elements if sizes depend on them.

    Attributes:
        path: the tensor as users write it, such as `%x` or `%t.0`.
        shape: the identifier of the vector of sizes; `sizes` has a name for each size.
        values: the identifier of the vector of elements; `elements` has a name for each element.
    """

    path: str
    shape: str
    sizes: tuple[Variable, ...]
    values: str
    elements: tuple[Variable, ...]

    @property
    def parts(self) -> tuple[tuple[str, tuple[Variable, ...]], ...]:
        """The vectors that are inputs: the identifier of each, with the names of its numbers."""
        return ((self.shape, self.sizes), *(((self.values, self.elements),) if self.elements else ()))


@record(eq=False)
class Definition:
    """`name = dim`."""

    name: Variable
    dim: Dim


@record(eq=False)
class Need:
    """A condition without which the run ends in blame, or in the fault of an `assert`.

    Attributes:
        id: the identifier of the check.
        message: the requirement in words.
        place: the file, line and column of the construct that requires it.
        blamed: the blamed party in words, with its places; empty for an `assert`.
    """

    id: str
    holds: Constraint
    message: str
    place: str
    blamed: str

    @property
    def says(self) -> str:
        """The whole description of the need, in one line."""
        blamed = f"; blamed: {self.blamed}" if self.blamed else ""
        return f"{self.id} at {self.place}: {self.message}{blamed}"


@record
class Undecided:
    """A part that only the run decides: a check that depends on data, or a call that is not inlined."""

    says: str
    place: str


@record(eq=False)
class Size:
    """A size of a result.

    Attributes:
        dim: the size, or an upper bound if the size depends on data; None if it has no bound.
        exact: whether `dim` is the size and not only a bound.
    """

    dim: Dim | None
    exact: bool


@record(eq=False)
class Result:
    """A tensor in the result, or a part of the result that is not a tensor of known rank.

    Attributes:
        path: the path in the result: empty for the result itself, `.0` for a field of a tuple.
        sizes: the sizes of the axes; None for a part that is not a tensor of known rank.
        says: the element type; if `sizes` is None, a description of the part.
    """

    path: str
    sizes: tuple[Size, ...] | None
    says: str


@record(eq=False)
class Buffer:
    """A buffer of the memory plan.

    Attributes:
        path: the value in the buffer.
        maker: the operator that computes the value.
        bytes: the size of the buffer in bytes, or an upper bound; None if it has no bound.
        offset: the offset in the arena; None if the buffer is allocated outside of the arena.
        exact: whether `bytes` is the size and not only a bound.
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
        name: an identifier, derived from the function's name.
        title: the function and its file, for comments.
        steps: definitions and needs, in the order in which they are computed.
        arena: the bytes of the arena that contains the buffers.
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
        """The names that are used."""
        formulas = (step.dim if isinstance(step, Definition) else step.holds for step in self.steps)
        return frozenset().union(*(one.variables() for one in (*formulas, *self.ends)))
