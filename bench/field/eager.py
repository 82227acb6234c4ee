"""What JAX and PyTorch have in common: a program runs on arrays of symbolic sizes, and sizes are values of Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.field.program import STRUCTURE, Beyond, Code, Declared, Measured, Rejected, Scalar, Size, Value
from gradual.types.dtype import DType

ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
CONDITIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Eager:
    """A target whose tensors are arrays with `shape` and `dtype`; subclasses have the operators."""

    operators: Mapping[str, Callable[..., Any]]

    def array(self, value: Value) -> Any:
        """A written number or a size as an array."""
        raise NotImplementedError

    def dtype(self, dtype: DType) -> Any:
        """The framework's element type.  Raises Beyond if it has none."""
        raise NotImplementedError

    def check(self, condition: Any, says: str) -> None:
        """State that a condition on sizes holds.  Raises what the framework raises if it does not."""
        raise NotImplementedError

    # --------------------------------------------------------------------------------------------- sizes
    def size(self, value: Value, axis: int) -> Size:
        """The size along an axis."""
        return self.array(value).shape[axis]

    def arithmetic(self, op: str, left: Size, right: Size) -> Size:
        """Arithmetic of Python, which the sizes overload."""
        return ARITHMETIC[op](left, right)

    def require(self, op: str, left: Size, right: Size) -> None:
        """A condition on the sizes of arguments."""
        self.check(CONDITIONS[op](left, right), f"a call requires {left} {op} {right}")

    def bound(self, name: str, value: Value, axis: int) -> Size:
        """The size of an argument."""
        array = self.array(value)
        if axis >= array.ndim:
            raise Rejected(f"an argument of rank {array.ndim} has no axis {axis}")
        return array.shape[axis]

    # -------------------------------------------------------------------------------------------- values
    def declared(self, value: Value, declared: Declared, fresh: bool) -> Value:
        """Compare the rank, the element type and the known sizes of a value with a declared type."""
        if isinstance(value, Scalar) and not value.explicit:
            value = Scalar(value.value, declared.dtype if _suits(value, declared.dtype) else value.dtype, True)
        array = self.array(value)
        if array.ndim != len(declared.shape):
            raise Rejected(f"the rank is {array.ndim}, and declared as {len(declared.shape)}")
        if array.dtype != self.dtype(declared.dtype):
            raise Rejected(f"the element type is {array.dtype}, and declared as {declared.dtype}")
        for axis, size in enumerate(declared.shape):
            if size is not None:
                found = array.shape[axis]
                self.check(found == size, f"the size along axis {axis} is {found}, and declared as {size}")
        return array

    def vector(self, elements: Sequence[int], dtype: DType) -> Value:
        """A written vector."""
        raise NotImplementedError

    def apply(self, name: str, operands: Sequence[Value], attributes: Mapping[str, Any]) -> Value:
        """Call the framework's function; numbers beside an array stay numbers of Python."""
        if name == "concatenate":
            return self.operators[name]([self.array(part) for part in operands[0]], **attributes)
        plain = [self._operand(each, operands) for each in operands]
        return self.operators[name](*plain, **attributes)

    def _operand(self, value: Value, beside: Sequence[Value]) -> Any:
        arrays = [each for each in beside if not isinstance(each, Scalar)]
        if isinstance(value, Scalar) and not value.explicit and arrays:
            return value.value
        return self.array(value)

    def result(self, value: Value) -> Any:
        """A result of a function: arrays and tuples of them."""
        return tuple(map(self.result, value)) if isinstance(value, tuple) else self.array(value)

    def alike(self, first: Value, second: Value) -> None:
        """Require that two branches return tuples of the same form.  Raises Beyond."""
        if isinstance(first, tuple) != isinstance(second, tuple):
            raise Beyond("branches whose results are tuples of different forms")


def _suits(value: Scalar, dtype: DType) -> bool:
    return isinstance(value.value, int) and not isinstance(value.value, bool) and dtype.is_integer


# ------------------------------------------------------------------------------------- attributes of operators
def target_shape(shape: Sequence[Size], found: Sequence[Size], allowzero: bool) -> tuple[Size, ...]:
    """The shape of a reshape: 0 keeps the size at its place, and -1 is what remains.

    Raises Beyond for the codes -2, -3 and -4.
    """
    sizes = []
    for place, size in enumerate(shape):
        if isinstance(size, Code) and size < -1:
            raise Beyond("a code of reshape below -1")
        if isinstance(size, Code) and size == 0 and not allowzero:
            if place >= len(found):
                raise Beyond("a 0 of reshape beyond the rank")
            size = found[place]
        sizes.append(int(size) if isinstance(size, Code) else size)
    return tuple(sizes)


def unit_axes(rank: int, axis: int, count: int) -> list[int]:
    """Where `expand_dims` puts its new axes, in the result, which has `rank + count` axes."""
    first = axis if axis >= 0 else rank + 1 + axis
    if not 0 <= first <= rank:
        raise Rejected(f"an array of rank {rank} takes no new axis {axis}")
    return list(range(first, first + count))


def listed(axes: Any) -> tuple[int, ...] | None:
    """Axes as a tuple of plain integers; None and an empty list are all axes."""
    if axes is None or axes == []:
        return None
    every = axes if isinstance(axes, list) else [axes]
    if not all(isinstance(axis, int | Scalar) for axis in every):
        raise Beyond(STRUCTURE)
    return tuple(map(int, every))


def measured(value: Value) -> bool:
    """Whether a value is a size."""
    return isinstance(value, Measured)
