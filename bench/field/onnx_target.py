"""Programs as ONNX models: a node for each operator, and the declared types as `value_info` of the values.

The names of a function's sizes are `dim_param`s of the model's inputs, and `?` is a dimension of which nothing is said.
A size in a shape is computed by nodes, as exporters do it.  ONNX has no formulas of sizes in types and no conditions on
sizes; a program that has to state one is beyond it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from onnx import GraphProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper

from bench.field.eager import listed
from bench.field.program import Beyond, Code, Declared, Measured, Scalar, Size, Value
from gradual.types.dtype import DType


@dataclass(frozen=True)
class Measure:
    """A size of a tensor, with the `dim_param` that stands for it in types, if it has one."""

    tensor: str
    axis: int
    label: str | None = None


@dataclass(frozen=True)
class Computed:
    """A size that nodes compute: the name of a vector of one element."""

    vector: str


@dataclass
class Frame:
    """The nodes and the declared values of a graph, or of a branch."""

    nodes: list[NodeProto] = field(default_factory=list)
    declared: list[ValueInfoProto] = field(default_factory=list)


class Onnx:
    """ONNX as a target; a tensor is the name of a value.

    Attributes:
        ranks: the ranks of the inputs and of the values with a declared type.
        floats: those of them that are floats.
    """

    def __init__(self, operators: Mapping[str, Callable[..., str]]) -> None:
        self.operators = operators
        self.frames = [Frame()]
        self.ranks: dict[str, int] = {}
        self.floats: set[str] = set()
        self._names = (f"v{number}" for number in itertools.count())
        self._labels = (f"s{number}" for number in itertools.count())

    # ---------------------------------------------------------------------------------------------- nodes
    def node(self, operator: str, *operands: str, **attributes: Any) -> str:
        """Add a node, and give the name of its result."""
        result = next(self._names)
        self.frames[-1].nodes.append(helper.make_node(operator, list(operands), [result], **attributes))
        return result

    def constant(self, elements: Any, dtype: DType, shape: Sequence[int]) -> str:
        """A constant tensor."""
        tensor = helper.make_tensor("value", element(dtype), list(shape), elements)
        return self.node("Constant", value=tensor)

    def integers(self, *elements: int) -> str:
        """A vector of integers, as attributes of operators are given."""
        return self.constant([int(each) for each in elements], DType.INT64, [len(elements)])

    def array(self, value: Value) -> str:
        """The name of a value."""
        match value:
            case Measured(size):
                return self.node("Squeeze", self.extent(size), self.integers(0))
            case Scalar(number, dtype):
                return self.constant([number], dtype, [])
        name: str = value
        return name

    # ---------------------------------------------------------------------------------------------- sizes
    def extent(self, size: Size) -> str:
        """A size as a vector of one element."""
        match size:
            case int():
                return self.integers(size)
            case Measure(tensor, axis):
                return self.node("Gather", self.node("Shape", tensor), self.integers(axis))
            case Computed(vector):
                return vector
        raise Beyond("an unknown size in a shape")

    def shape(self, sizes: Sequence[Size]) -> str:
        """A shape as a vector."""
        if all(isinstance(size, int) for size in sizes):
            return self.integers(*sizes)
        return self.node("Concat", *map(self.extent, sizes), axis=0)

    def size(self, value: Value, axis: int) -> Size:
        """The size along an axis."""
        return Measure(self.array(value), axis)

    def bound(self, name: str, value: Value, axis: int) -> Size:
        """The size along an axis, with a `dim_param` of its own for the name."""
        return Measure(self.array(value), axis, next(self._labels))

    def arithmetic(self, op: str, left: Size, right: Size) -> Size:
        """The node for an operation."""
        operator = {"+": "Add", "-": "Sub", "*": "Mul", "//": "Div", "%": "Mod"}[op]
        return Computed(self.node(operator, self.extent(left), self.extent(right)))

    def require(self, op: str, left: Size, right: Size) -> None:
        """Nothing in ONNX states a condition on sizes."""
        raise Beyond(CONDITION)

    # --------------------------------------------------------------------------------------------- values
    def declared(self, value: Value, declared: Declared, fresh: bool) -> Value:
        """The value under a new name, with the declared type."""
        if isinstance(value, Scalar) and not value.explicit:
            value = Scalar(value.value, declared.dtype if declared.dtype.is_integer else value.dtype, True)
        result = self.node("Identity", self.array(value))
        shape = [_dimension(size) for size in declared.shape]
        self.frames[-1].declared.append(helper.make_tensor_value_info(result, element(declared.dtype), shape))
        self.noted(result, len(shape), declared.dtype)
        return result

    def noted(self, name: str, rank: int, dtype: DType) -> None:
        """Note what is written of a value."""
        self.ranks[name] = rank
        if dtype.is_float:
            self.floats.add(name)

    def vector(self, elements: Sequence[int], dtype: DType) -> Value:
        """A written vector."""
        return self.constant(list(elements), dtype, [len(elements)])

    def branch(self, condition: Value, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """An `If` node."""
        chosen = self.array(condition)
        bodies, forms = zip(*map(self._body, (then, orelse)), strict=True)
        if forms[0] != forms[1]:
            raise Beyond("branches whose results are tuples of different forms")
        names = [next(self._names) for _ in bodies[0].output]
        self.frames[-1].nodes.append(
            helper.make_node("If", [chosen], names, then_branch=bodies[0], else_branch=bodies[1])
        )
        return _built(forms[0], iter(names))

    def _body(self, computes: Callable[[], Value]) -> tuple[GraphProto, Any]:
        self.frames.append(Frame())
        result = computes()
        names = [self.node("Identity", self.array(each)) for each in flat(result)]
        frame = self.frames.pop()
        outputs = [ValueInfoProto(name=name) for name in names]
        return helper.make_graph(frame.nodes, "branch", [], outputs, value_info=frame.declared), _form(result)

    def apply(self, name: str, operands: Sequence[Value], attributes: Mapping[str, Any]) -> Value:
        """The nodes for an operator."""
        if name == "concatenate":
            return self.operators[name](self, [self.array(part) for part in operands[0]], **attributes)
        return self.operators[name](self, *self._operands(operands), **attributes)

    def _operands(self, operands: Sequence[Value]) -> list[str]:
        """The operands; a number without a suffix is cast to the element type beside it, but no integer to floats."""
        beside = [self.array(each) for each in operands if not isinstance(each, Scalar)]
        return [
            self.node("CastLike", self.array(each), beside[0])
            if isinstance(each, Scalar) and not each.explicit and beside and beside[0] not in self.floats
            else self.array(each)
            for each in operands
        ]


CONDITION = "a where clause: ONNX has no conditions on sizes"
FORMULA = "a formula of sizes in a type: ONNX has numbers and names"


def _dimension(size: Size) -> int | str | None:
    """A size in a type."""
    if size is None or isinstance(size, int):
        return size
    if isinstance(size, Measure) and size.label is not None:
        return size.label
    raise Beyond(FORMULA)


def element(dtype: DType) -> int:
    """ONNX's number of an element type."""
    names = {DType.FLOAT32: "FLOAT", DType.FLOAT64: "DOUBLE"}
    return int(getattr(TensorProto, names.get(dtype, dtype.name)))


# ------------------------------------------------------------------------------------------------------ tuples
def flat(value: Value) -> Iterator[Value]:
    """The tensors of a value, in order."""
    if isinstance(value, tuple):
        for part in value:
            yield from flat(part)
    else:
        yield value


def _form(value: Value) -> Any:
    return tuple(map(_form, value)) if isinstance(value, tuple) else None


def _built(form: Any, names: Iterator[str]) -> Value:
    return tuple(_built(part, names) for part in form) if isinstance(form, tuple) else next(names)


def declared_values(graph: GraphProto) -> Iterator[tuple[str, TypeProto]]:
    """The values of a graph and of its branches that have a type, with the type."""
    for value in graph.value_info:
        yield value.name, value.type
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from declared_values(attribute.g)


def coded_shape(target: Onnx, sizes: Sequence[Size], allowzero: bool) -> str:
    """The shape of a `Reshape`, whose 0 and -1 are those of this language.  Raises Beyond for the other codes."""
    if any(isinstance(size, Code) and size < -1 for size in sizes):
        raise Beyond("a code of reshape below -1")
    return target.shape([int(size) if isinstance(size, Code) else size for size in sizes])


def axes_of(target: Onnx, axes: Any) -> tuple[str, ...]:
    """Axes as an operand, which is missing where all are meant."""
    found = listed(axes)
    return () if found is None else (target.integers(*found),)
