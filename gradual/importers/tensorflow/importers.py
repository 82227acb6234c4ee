"""The table of importers of TensorFlow's operators, and `Use`: the node that an importer translates.

Inputs are counted and attributes named as in the operator's definition (`tensorflow/core/ops`, and the raw operators
of TensorFlow's documentation).  An operator with several results declares their names, by which functions refer to
them; results that share a name are numbered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from gradual.dims.term.dim import constant
from gradual.importers.common.applying import Applying, positive
from gradual.importers.common.builder import Builder
from gradual.importers.common.refusals import Unread, Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.file.attributes import as_shape
from gradual.importers.tensorflow.file.schema import Called, Node, Text, Variable
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.type import Hole, TensorType, UnrankedType


@record
class Stacked:
    """A list of tensors of one shape, which are the slices of a tensor along its first axis."""

    tensor: Value


Held = Value | Text | Variable | Stacked
"""The representation of a node's result while importing."""
Result = Held | Sequence["Held | None"] | None
"""The results of a node: one, several, or None for a statement."""
Importer = Callable[["Use"], Result]

Kind = TypeVar("Kind")

IMPORTERS: dict[str, Importer] = {}
"""Operator -> its importer."""
PORTS: dict[str, tuple[str, ...]] = {}
"""Operator -> the names of its results, if there are several."""


def imports(*operators: str, results: Sequence[str] = ()) -> Callable[[Importer], Importer]:
    """Declare the importer of some operators, and the names of their results if there are several."""

    def declared(importer: Importer) -> Importer:
        for operator in operators:
            IMPORTERS[operator] = importer
            PORTS[operator] = tuple(results)
        return importer

    return declared


class Bodies(Protocol):
    """Imports functions of the library."""

    def outputs(self, function: str, inputs: Sequence[Held]) -> list[Held]:
        """The results of a function; raises Told if a part of it cannot be imported."""
        ...

    def kept(self, function: str) -> Sequence[bool]:
        """For each result of a function, whether it is the parameter at the same index, unchanged."""
        ...

    def asserts(self, function: str) -> int | None:
        """The index of the parameter that a function asserts, if it does nothing else; None for any other function."""
        ...

    def promised(self, value: Value, rank: int) -> Value | None:
        """Declare the parameter for a variable of unknown rank again, with the rank that a use of the value implies.

        The value is that of the variable or is derived from it (`derived`).  Returns the new parameter; None if the
        value comes from no variable.
        """
        ...

    def derived(self, value: Value, source: Value, less: int) -> None:
        """Record that a value, made from `source`, has `less` axes fewer than `source`; neither rank is known."""
        ...

    def require(self, condition: Value) -> None:
        """Require callers to fulfil a condition, if it has only sizes of inputs, no `//`, and is always evaluated."""
        ...

    def read(self, variable: Variable, dtype: DType) -> Value:
        """The value of a variable, which is a parameter of the program."""
        ...


@record(slots=False)
class Use(Applying):
    """A node with the values of its inputs.

    Attributes:
        bodies: imports functions, and reads variables.
    """

    node: Node
    inputs: tuple[Held, ...]
    builder: Builder
    bodies: Bodies

    @property
    def who(self) -> str:
        """The operator and the node."""
        return f"{self.node.operator} `{self.node.name}`"

    # ---------------------------------------------------------------------------------------------------------- inputs
    def held(self, index: int) -> Held:
        """An input of any kind."""
        if not -len(self.inputs) <= index < len(self.inputs):
            raise Unsupported(f"input {index + 1} is missing")
        return self.inputs[index]

    def __getitem__(self, index: int) -> Value:
        """An input that is a value of the program."""
        found = self.held(index)
        if isinstance(found, Value):
            return found
        if isinstance(found, Variable) and found.is_reference and isinstance(found.dtype, DType):
            return self.bodies.read(found, found.dtype)
        kinds: dict[type, str] = {Text: "a text", Variable: "the handle of a variable", Stacked: "a list"}
        raise Unsupported(f"{kinds[type(found)]} where a tensor has to be")

    def tensors(self, start: int = 0, stop: int | None = None) -> list[Value]:
        """Several inputs in a row, of which there is at least one."""
        if stop is not None and stop > len(self.inputs):
            raise Unsupported(f"input {len(self.inputs) + 1} is missing")
        found = [self[index] for index in range(len(self.inputs))[start:stop]]
        if not found:
            raise Unsupported("no inputs")
        return found

    def ranked(self, index: int, rank: int) -> Value:
        """An input that needs a given rank; if its rank is unknown, it is cast to the rank, so that this is checked."""
        return self.of_rank(self[index], rank)

    def of_rank(self, value: Value, rank: int) -> Value:
        """The value; if its rank is unknown, it is cast to the given rank."""
        if not isinstance(value.type, UnrankedType):
            return value
        return self.cast(value, (None,) * rank)

    def cast(self, value: Value, shape: Sequence[int | None]) -> Value:
        """A value of unknown rank, cast to a type with the sizes that are given."""
        if (variable := self.bodies.promised(value, len(shape))) is not None:
            return variable
        type = TensorType(tuple(Hole() if size is None else constant(size) for size in shape), value.dtype)
        made = self.builder.bind([value], lambda given: f"({given[0]} as {shown(type)})")
        return Value(self.builder.open(type), made)

    def of_shape(self, value: Value, shape: Sequence[int | None] | None) -> Value:
        """The value, cast to a type with the sizes that are given."""
        if shape is None:
            return value
        if isinstance(value.type, UnrankedType):
            value = self.cast(value, shape)
        if value.rank != len(shape):
            raise Unsupported(f"a tensor of rank {value.rank} where one of rank {len(shape)} has to be")
        for axis, size in enumerate(shape):
            value = value if size is None else self.exactly(value, axis, size)
        return value

    def agreeing(self, value: Value, axis: int, other: Value, at: int) -> tuple[Value, Value]:
        """Two values, one of them cast so that an axis of each has the same size; a size of 1 is not broadcast."""
        if value.tensor.shape[axis] is other.tensor.shape[at]:
            return value, other
        known = value.extent(axis)
        if known is not None and other.extent(at) is None:
            return value, self.exactly(other, at, known)
        return self.exactly(value, axis, self.written_size(self.extent(other, at))), other

    def alike(self, value: Value, other: Value) -> tuple[Value, Value]:
        """Two values, cast to the same shape; if neither rank is known, that is asserted instead."""
        if isinstance(value.type, UnrankedType) and isinstance(other.type, UnrankedType):
            shapes = [self.call("shape_of", one, dtype=DType.INT64) for one in (value, other)]
            ranks = [self.extent(shape, 0) for shape in shapes]
            same = self.call("logical_and", self.call("equal", *ranks), self.call("all", self.call("equal", *shapes)))
            return value, self.demanded(other, same, "the tensors have one shape")
        if isinstance(value.type, UnrankedType):
            value = self.of_rank(value, other.rank)
        other = self.of_rank(other, value.rank)
        if other.rank != value.rank:
            raise Unsupported(f"tensors of ranks {value.rank} and {other.rank} where both have to have one shape")
        for axis in range(value.rank):
            value, other = self.agreeing(value, axis, other, axis)
        return value, other

    def axis(self, index: int, value: Value, beyond: int = 0) -> int:
        """An input that is an axis of a value with `beyond` more axes than `value`, counted from the front."""
        return self.axis_of(self.integer(index, "an axis"), value, beyond)

    def axis_of(self, axis: int, value: Value, beyond: int = 0) -> int:
        """An axis of a value, counted from the front; the rank has to be known only if the given axis is negative."""
        if axis >= 0 and isinstance(value.type, UnrankedType):
            return axis
        return positive(axis, value.rank + beyond)

    def integer(self, index: int, what: str) -> int:
        """An input that is one integer, known while importing."""
        numbers = self[index].numbers(what)
        if len(numbers) != 1:
            raise Unsupported(f"{what} that is no single number")
        return numbers[0]

    def pairs(self, index: int) -> list[list[int | Value]]:
        """An input that is a matrix of two columns, as sizes: numbers, or computed from sizes."""
        count = self[index].extent(0)
        if count is None or self[index].extent(1) != 2:
            raise Unsupported("widths that are no matrix of two known columns")
        sizes = self.sizes(self.call("reshape", self[index], newshape=[-1]))
        return [sizes[at : at + 2] for at in range(0, len(sizes), 2)]

    def sizes(self, vector: Value) -> list[int | Value]:
        """The elements of a vector as sizes: numbers, or computed from sizes."""
        count = vector.extent(0)
        if count is None or vector.rank != 1:
            raise Unsupported("sizes whose number is not known here")
        found = [self.builder.element(vector, at) for at in range(count)]
        return [one if isinstance(one, int) else self.written_size(self.as_type(one, DType.INT64)) for one in found]

    # ------------------------------------------------------------------------------------------------------ attributes
    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute, or its default."""
        found = self.node.attributes.get(name, default)
        if isinstance(found, Unread):
            raise Unsupported(f"`{name}`: {found.says}")
        return found

    def flag(self, name: str, default: bool = False) -> bool:
        """An attribute that is a boolean."""
        return bool(self.attribute(name, default))

    def number(self, name: str, default: int | None = None) -> int:
        """An attribute that is an integer."""
        return self._typed(name, default, int, "integer")

    def real(self, name: str, default: float | None = None) -> float:
        """An attribute that is a float."""
        return self._typed(name, default, float, "float")

    def text(self, name: str, default: str | None = None) -> str:
        """An attribute that is a text."""
        return self._typed(name, default, str, "text")

    def only(self, name: str, *supported: Any) -> Any:
        """An attribute of which only some values are supported; the first of them is the default."""
        found = self.attribute(name, supported[0])
        if found not in supported:
            raise Unsupported(f"{name}={found!r}")
        return found

    def dtype(self, name: str, default: DType | None = None) -> DType:
        """An attribute that is an element type."""
        return self._typed(name, default, DType, "element type")

    def integers(self, name: str, default: Sequence[int] = ()) -> list[int]:
        """An attribute that is a list of integers."""
        found = self.attribute(name, tuple(default))
        if not isinstance(found, tuple) or not all(isinstance(one, int) for one in found):
            raise Unsupported(f"{name}={found!r}, which is no list of integers")
        return list(found)

    def shape(self, name: str) -> tuple[int | None, ...] | None:
        """An attribute that is a shape; None if not even the rank is known."""
        found = self.attribute(name)
        if found is not None and as_shape(found) is None:
            raise Unsupported(f"{name}={found!r}, which is no shape")
        return as_shape(found)

    def function(self, name: str) -> str:
        """An attribute that is a function, by its name."""
        return self._typed(name, None, Called, "function").function

    def functions(self, name: str) -> list[str]:
        """An attribute that is a list of functions."""
        found = self.attribute(name, ())
        if not isinstance(found, tuple) or not all(isinstance(one, Called) for one in found):
            raise Unsupported(f"{name} is no list of functions")
        return [one.function for one in found]

    def _typed(self, name: str, default: Any, kind: type[Kind], words: str) -> Kind:
        found = self.attribute(name, default)
        if not isinstance(found, kind):
            raise Unsupported(f"the attribute {name} is no {words}")
        return found

    # --------------------------------------------------------------------------------------------------------- results
    def as_type(self, value: Value, dtype: DType) -> Value:
        """The value with this element type."""
        return value if value.dtype is dtype else self.call("cast", value, dtype=dtype)
