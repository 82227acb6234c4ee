"""The table of importers of ATen operators, and `Use`: the call that an importer translates.

Arguments have the names in the operator's schema in `aten/src/ATen/native/native_functions.yaml`; PyTorch does not save
an argument that equals its default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from gradual.importers.common.applying import Applying, positive
from gradual.importers.common.builder import Builder
from gradual.importers.common.refusals import Unread, Unsupported
from gradual.importers.common.sizes.ports import Extent
from gradual.importers.common.values import Value
from gradual.importers.torch.file.schema import Graph, Meta, Name, Node
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import TensorType

Result = Value | Sequence["Value | None"] | None
"""The results of a call: a value, several values, or None for a statement."""
Importer = Callable[["Use"], Result]
Scope = dict[str, Value]
"""Values by their names in the graph."""

IMPORTERS: dict[str, Importer] = {}
"""Operator, such as `aten.linear.default` -> its importer."""

NUMBER = int | float | bool
REQUIRED = object()


def valued(scope: Scope, name: str) -> Value:
    """The value of a name; raises Unsupported for a result that an importer left out."""
    if name not in scope:
        raise Unsupported(f"`{name}`, a result that is not imported")
    return scope[name]


def imports(*names: str) -> Callable[[Importer], Importer]:
    """Declare the importer of some operators."""

    def declared(importer: Importer) -> Importer:
        for name in names:
            IMPORTERS[name] = importer
        return importer

    return declared


class Bodies(Protocol):
    """Imports the graphs inside nodes."""

    def outputs(self, graph: Graph, inputs: Sequence[Value]) -> list[Value]:
        """The values of a graph's outputs; raises Told if a part of it cannot be imported."""
        ...


@record(slots=False)
class Use(Applying):
    """A call, with the values in scope.

    Attributes:
        metas: name -> the export's record of the tensor, for this graph.
        bodies: imports the graphs among the arguments.
        used: the names that are used by nodes or outputs of this graph.
    """

    node: Node
    builder: Builder
    scope: Scope
    metas: Mapping[str, Meta]
    bodies: Bodies
    used: frozenset[str]

    @property
    def who(self) -> str:
        """Operator and name of the node, for messages."""
        return f"{self.node.operator} `{self.node.name}`"

    # ------------------------------------------------------------------------------------------------- arguments
    def given(self, name: str, default: Any = None) -> Any:
        """An argument as it was saved, or its default."""
        found = self.node.arguments.get(name, default)
        if found is REQUIRED:
            raise Unsupported(f"the argument `{name}` is missing")
        if isinstance(found, Unread):
            raise Unsupported(found.says)
        return found

    def value(self, argument: Any) -> Any:
        """An argument with each name replaced by its value."""
        match argument:
            case Name(name):
                return valued(self.scope, name)
            case tuple():
                return tuple(map(self.value, argument))
            case _:
                return argument

    def __getitem__(self, name: str) -> Value:
        """A required tensor."""
        found = self.value(self.given(name, REQUIRED))
        if not isinstance(found, Value):
            raise Unsupported(f"`{name}` is {found!r}, which is no tensor")
        return found

    def optional(self, name: str) -> Value | None:
        """A tensor that may be left out."""
        return None if self.given(name) is None else self[name]

    def tensors(self, name: str) -> list[Value]:
        """A list of at least one tensor."""
        found = self.value(self.given(name, REQUIRED))
        if not isinstance(found, tuple) or not all(isinstance(one, Value) for one in found):
            raise Unsupported(f"`{name}` is no list of tensors")
        if not found:
            raise Unsupported(f"`{name}` is a list of no tensors")
        return list(found)

    def scalar(self, name: str, dtype: DType, default: NUMBER | None = None) -> Value:
        """A number as a scalar of a given type; it is a constant, or computed while the program runs."""
        found = self.value(self.given(name, REQUIRED if default is None else default))
        if isinstance(found, Value):
            return self.as_type(found, dtype)
        return self.builder.number(_of_type(found, dtype), dtype)

    def integer(self, name: str, default: int | None = None) -> int:
        """An integer that has to be a constant, such as an axis."""
        found = self.size(name, default)
        if isinstance(found, Value):
            raise Unsupported(f"`{name}` is computed while the program runs")
        return found

    def size(self, name: str, default: int | None = None) -> int | Value:
        """An integer that may be computed from sizes."""
        return self._size(name, self.value(self.given(name, REQUIRED if default is None else default)))

    def sizes(self, name: str, default: Sequence[int] | None = None) -> list[int | Value]:
        """A list of integers that may be computed from sizes."""
        found = self.value(self.given(name, REQUIRED if default is None else default))
        if not isinstance(found, tuple | list):
            return [self._size(name, found)]
        return [self._size(name, one) for one in found]

    def integers(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """A list of integers that have to be constants."""
        found = self.sizes(name, default)
        if any(isinstance(one, Value) for one in found):
            raise Unsupported(f"`{name}` is computed while the program runs")
        return [one for one in found if isinstance(one, int)]

    def _size(self, name: str, found: Any) -> int | Value:
        if isinstance(found, Value):
            return self.written_size(found)
        if isinstance(found, bool) or not isinstance(found, int):
            raise Unsupported(f"`{name}` is {found!r}, which is no integer")
        return found

    def axis(self, name: str, rank: int, default: int | None = None) -> int:
        """An axis, counted from the front."""
        return positive(self.integer(name, default), rank)

    def axes(self, name: str, rank: int) -> list[int]:
        """Axes, counted from the front; by default all axes."""
        given = self.given(name)
        if given is None or given == ():
            return list(range(rank))
        return [positive(axis, rank) for axis in self.integers(name)]

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean that has to be a constant."""
        found = self.given(name, default)
        if not isinstance(found, bool):
            raise Unsupported(f"`{name}` is computed while the program runs")
        return found

    def only(self, name: str, *supported: Any) -> Any:
        """An argument that is refused unless it has one of some values, the first of which is the default."""
        found = self.given(name, supported[0])
        if found not in supported:
            raise Unsupported(f"{name}={found!r}")
        return found

    # ----------------------------------------------------------------------------------------------------- results
    @property
    def count(self) -> int:
        """The number of results; each recorded element of a result that is a list counts."""
        return sum(len(one) if isinstance(one, tuple) else 1 for one in self.node.outputs)

    def recorded(self, name: str) -> tuple[Extent, ...]:
        """The recorded sizes of a tensor argument."""
        given = self.given(name)
        meta = self.metas.get(given.name) if isinstance(given, Name) else None
        if meta is None:
            raise Unsupported(f"`{name}`, of which the export recorded no sizes")
        return meta.sizes

    def is_used(self, output: int) -> bool:
        """Whether the graph uses a result."""
        return output < len(self.node.outputs) and self.node.outputs[output] in self.used

    def dtype(self, output: int = 0) -> DType:
        """The recorded element type of a result."""
        name = self.node.outputs[output] if output < len(self.node.outputs) else None
        if isinstance(name, tuple):
            name = name[0] if name else None
        meta = self.metas.get(name or "")
        if meta is None:
            raise Unsupported("a result of which the export recorded no element type")
        if meta.dtype is None:
            raise Unsupported(f"a result with elements of type {meta.kind}")
        return meta.dtype

    def as_type(self, value: Value, dtype: DType) -> Value:
        """The value cast to an element type."""
        return value if value.dtype is dtype else self.call("cast", value, dtype=dtype)

    def requested_dtype(self, value: Value) -> Value:
        """The value cast to the argument `dtype`; unchanged if the argument is not given."""
        wanted = self.given("dtype")
        if isinstance(wanted, str):
            raise Unsupported(f"elements of type {wanted}")
        return value if wanted is None else self.as_type(value, wanted)

    def vector(self, sizes: Sequence[int | Value]) -> Value:
        """Sizes as a vector."""
        if not any(isinstance(one, Value) for one in sizes):
            return self.builder.integers([one for one in sizes if isinstance(one, int)])
        scalars = [one if isinstance(one, Value) else self.builder.number(one, DType.INT64) for one in sizes]
        return self.call("stack", self.builder.tuple(scalars), axis=0)


def _of_type(number: Any, dtype: DType) -> NUMBER:
    """The number converted to an element of this type as in PyTorch."""
    if not isinstance(number, int | float):
        raise Unsupported(f"{number!r}, which is no number")
    if dtype is DType.BOOL:
        return bool(number)
    if dtype.is_float:
        return float(number)
    if isinstance(number, float) and not number.is_integer():
        raise Unsupported(f"the number {number} as an element of {dtype}")
    return int(number)


def promoted(values: Sequence[Value]) -> DType:
    """PyTorch's promoted element type: of the highest category; in it, tensors of rank 1 or more take precedence.

    Source: "Tensor Attributes", type promotion, in PyTorch's documentation.
    """
    found = [(value.dtype, isinstance(value.type, TensorType) and value.rank == 0) for value in values]
    if not found:
        raise Unsupported("operands of which none is a tensor")
    highest = max(_category(dtype) for dtype, _ in found)
    ranked = [dtype for dtype, is_scalar in found if not is_scalar]
    if ranked and max(map(_category, ranked)) == highest:
        return _joined([one for one in ranked if _category(one) == highest])
    return _joined([dtype for dtype, _ in found if _category(dtype) == highest])


def _category(dtype: DType) -> int:
    return 2 if dtype.is_float else 0 if dtype is DType.BOOL else 1


def _joined(dtypes: Sequence[DType]) -> DType:
    """The least type of one category that contains all of these types."""
    first, *others = dict.fromkeys(dtypes)
    for other in others:
        first = _pair(first, other)
    return first


def _pair(one: DType, other: DType) -> DType:
    if {one, other} == {DType.FLOAT16, DType.BFLOAT16}:
        return DType.FLOAT32
    wide, narrow = (one, other) if one.bits >= other.bits else (other, one)
    if not wide.is_float and str(wide)[0] == "u" and str(narrow)[0] != "u":
        signed = {8: DType.INT16, 16: DType.INT32, 32: DType.INT64}
        if wide.bits not in signed:
            raise Unsupported(f"{one} and {other} together")
        return signed[wide.bits]
    return wide
