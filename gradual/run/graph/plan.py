"""The memory plan of a function: every buffer with its symbolic size, its live range and its slot.

Sizes are bytes, rounded up to multiples of `ALIGNMENT`, where possible as formulas over what is known when the function
is entered: its dims, the sizes of its arguments, elements of its integer arguments.   [plan.buffer] [plan.slot]
[plan.peak]
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from gradual.diagnostic import counted
from gradual.dims.term.dim import Dim, constant, product, sum_of
from gradual.record import record
from gradual.source import Span
from gradual.tensors.scalar import TYPECODES
from gradual.types.dtype import DType
from gradual.types.type import OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import numel_of

ALIGNMENT = 64
"""The offset and the size of every buffer are multiples of this many bytes."""

ITEM: Mapping[DType, int] = MappingProxyType({dtype: array(code).itemsize for dtype, code in TYPECODES.items()})
"""Bytes per element: 16-bit floats are stored as float32, already rounded."""


def in_blocks(size: Dim) -> Dim:
    """Round a number of bytes up to a multiple of `ALIGNMENT`.  [plan.buffer]"""
    return (size + (ALIGNMENT - 1)) // ALIGNMENT * ALIGNMENT


def bytes_of(type: TensorType[Dim] | UnrankedType) -> Dim:
    """How many bytes the elements of a tensor take.  [plan.buffer]"""
    if isinstance(type, UnrankedType):
        assert type.origin is not None, "a type that was never opened"
        return numel_of(type.origin) * ITEM[type.dtype]
    return product([ITEM[type.dtype], *type.shape])


def tensors(type: OpenedType, path: str) -> Iterator[tuple[str, TensorType[Dim] | UnrankedType]]:
    """The tensors in a value of a type with their paths, left to right."""
    match type:
        case TensorType() | UnrankedType():
            yield path, type
        case TupleType(fields):
            for index, field in enumerate(fields):
                yield from tensors(field, f"{path}#{index}")


@record(eq=False)
class Buffer:
    """The memory of one tensor that a step makes.

    Attributes:
        path: the value, such as `%3`, or `%3#0` for the first part of a tuple.
        maker: the operator that fills it, or the function that returns it.
        size: its aligned bytes; a formula over the value's own sizes if these are known only when it is filled.
        bound: an upper bound of the size, known on entry; None if there is none.
        first: the step that fills it; last: the last step that reads it, counted from 1 in the order of the text.
        slot: the index of its slot; None if it is allocated only when its size is known.
        handed: whether a called function allocates it.
    """

    path: str
    maker: str
    type: TensorType[Dim] | UnrankedType
    span: Span
    size: Dim
    bound: Dim | None
    first: int
    last: int
    slot: int | None
    handed: bool = False


@record(eq=False)
class Slot:
    """A range of the arena that buffers share over time; another slot may overlap it while none of them is live.

    Attributes:
        size: bytes of its largest buffer; the maximum of several sizes if no proof orders them.
        offset: where the slot begins in the arena.
        holds: the paths of its buffers, in order.
    """

    size: Dim
    offset: Dim
    holds: tuple[str, ...]


@record(eq=False, repr=False)
class Plan:
    """The memory of one function, not counting its arguments, its constants and the functions that it calls.

    Attributes:
        function: its name.
        steps: the number of steps, including the steps in branches.
        buffers: path -> buffer, in the order in which the buffers are filled.
        slots: in the order of their offsets.
        late: the most bytes that are live at once in buffers without a slot.
        calls: the functions that it calls; each has its own plan.
    """

    function: str
    steps: int
    buffers: Mapping[str, Buffer]
    slots: tuple[Slot, ...]
    late: Dim
    calls: tuple[str, ...]

    @property
    def arena(self) -> Dim:
        """Bytes allocated on entry.  Slots of symbolic size lie end to end; slots of constant size may overlap."""
        ends = [slot.offset + slot.size for slot in self.slots]
        numbers = [end.value for end in ends if end.value is not None]
        return constant(max(numbers, default=0)) if len(numbers) == len(ends) else ends[-1]

    @property
    def peak(self) -> Dim:
        """The most bytes allocated at any time.  [plan.peak]"""
        return self.arena + self.late

    @property
    def live(self) -> int | None:
        """The most bytes live at once, a lower bound for any plan; None if a size is not a number."""
        ends: dict[int, int] = {}
        held = most = 0
        for buffer in sorted(self.buffers.values(), key=lambda buffer: buffer.first):
            if buffer.size.value is None:
                return None
            held -= sum(ends.pop(at) for at in [at for at in ends if at < buffer.first])
            held += buffer.size.value
            ends[buffer.last] = ends.get(buffer.last, 0) + buffer.size.value
            most = max(most, held)
        return most

    def at(self, rewritten: Callable[[Dim], Dim]) -> Plan:
        """The plan with every formula rewritten, such as to a number."""
        return replace(
            self,
            buffers={
                path: replace(
                    buffer,
                    size=rewritten(buffer.size),
                    bound=buffer.bound and rewritten(buffer.bound),
                )
                for path, buffer in self.buffers.items()
            },
            slots=tuple(replace(slot, size=rewritten(slot.size), offset=rewritten(slot.offset)) for slot in self.slots),
            late=rewritten(self.late),
        )

    @property
    def total(self) -> Dim:
        """Bytes of all buffers together, as if none shared a slot."""
        return sum_of(buffer.size for buffer in self.buffers.values())

    def __str__(self) -> str:
        counts = counted(len(self.buffers), "buffer"), counted(len(self.slots), "slot"), counted(self.steps, "step")
        return f"{self.function}: {counts[0]} in {counts[1]}, {counts[2]}"

    def __repr__(self) -> str:
        return f"<Plan of {self}, peak {self.peak} bytes>"
