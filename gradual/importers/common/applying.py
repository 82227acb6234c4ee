"""Operations that the translations of operators use in every front end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from gradual.importers.common.builder import Builder, stated
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value, is_named
from gradual.types.dtype import DType
from gradual.types.print import shown_extent
from gradual.types.type import TensorType


class Applying(ABC):
    """A node that is being translated: it applies operators of the language.

    Attributes:
        builder: the program under construction.
    """

    builder: Builder

    @property
    @abstractmethod
    def who(self) -> str:
        """The operator and the node's name for users."""

    def call(self, operator: str, *operands: Value, **attributes: Any) -> Value:
        """Apply an operator of the language."""
        return self.builder.call(operator, *operands, **attributes)

    def like(self, value: float, other: Value) -> Value:
        """A number as a scalar of another value's element type."""
        return self.builder.number(value, other.dtype)

    def demanded(self, value: Value, condition: Value, says: str) -> Value:
        """The value, with an `assert` of a condition unless the condition is known to hold."""
        return self.builder.demanded(value, condition, self.who, says)

    def counted(self, value: Value, count: int) -> list[Value]:
        """The `count` fields of a tuple."""
        return [self.builder.field(value, index) for index in range(count)]

    def extent(self, value: Value, axis: int) -> Value:
        """The size of an axis, as a scalar."""
        known = value.extent(axis)
        if known is not None:
            return self.builder.number(known, DType.INT64)
        sizes = self.call("shape_of", value, dtype=DType.INT64)
        return self.call("take", sizes, self.builder.number(axis, DType.INT64), axis=0)

    def written_size(self, size: Value) -> int | Value:
        """A size for an attribute: a number, a formula of named sizes, or a scalar."""
        known = size.tensor.contents
        if size.elements is not None:
            return int(size.elements.item())
        if known is not None and is_named(known[0]):
            return self.builder.dimension(known[0])
        return size

    def expanded(self, value: Value, axes: Sequence[int]) -> Value:
        """The value with new axes of size 1; `axes` are their positions in the result, not negative."""
        for start, count in runs(sorted(axes)):
            value = self.call("expand_dims", value, axis=start, num_newaxis=count if count > 1 else None)
        return value

    def exactly(self, value: Value, axis: int, size: int | Value) -> Value:
        """The value, cast to a type with a given size at an axis, so that the size is checked."""
        promised, shape = self.builder.dim(size), value.tensor.shape
        if axis >= len(shape):
            raise Unsupported(f"axis {axis} of a tensor of rank {len(shape)}")
        if shape[axis] is promised:
            return value
        extents = [shown_extent(extent) for extent in stated(value.type).shape]
        scalars = [self.builder.named(size, "size")] if isinstance(size, Value) else []

        def text(given: Sequence[str]) -> str:
            extents[axis] = given[1] if scalars else str(size)
            return f"({given[0]} as Tensor[({', '.join(extents)}{',' * (len(extents) == 1)}), {value.dtype}])"

        type = TensorType((*shape[:axis], promised, *shape[axis + 1 :]), value.dtype)
        return Value(type, self.builder.bind([value, *scalars], text))

    def parts(self, x: Value, axis: int, sizes: Sequence[int | Value]) -> list[Value]:
        """Split an axis into parts of the given sizes; that their sum is the size of the axis is checked."""
        if not sizes:
            raise Unsupported("a tensor in no parts")
        *ends, all = accumulate(sizes, self._sum)
        whole = self.exactly(x, axis, all)
        if whole is not x:
            self.builder.named(whole, "whole")
        if not ends:
            return [whole]
        if x.rank == 1 and x.dtype.counts and not any(isinstance(size, Value) for size in sizes):  # vectors are tracked
            return [
                self.call("strided_slice", whole, begin=[low], end=[high]) for low, high in pairwise([0, *ends, all])
            ]
        found = self.builder.named(self.call("split", whole, indices_or_sections=ends, axis=axis), "parts")
        return self.counted(found, len(sizes))

    def _sum(self, one: int | Value, other: int | Value) -> int | Value:
        if isinstance(one, int) and isinstance(other, int):
            return one + other
        scalars = (self.builder.number(size, DType.INT64) if isinstance(size, int) else size for size in (one, other))
        return self.call("add", *scalars)


def runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The runs of consecutive numbers: the first number of each, and its length."""
    start = 0
    for at in range(1, len(numbers) + 1):
        if at == len(numbers) or numbers[at] != numbers[at - 1] + 1:
            yield numbers[start], at - start
            start = at


def positive(axis: int, rank: int) -> int:
    """The axis counted from the front."""
    if not -rank <= axis < max(rank, 1):
        raise Unsupported(f"axis {axis} of a tensor of rank {rank}")
    return axis + rank if axis < 0 else axis
