"""Single nodes of ONNX drawn at random: with rare attributes, versions and places, over sizes that may be 0 and 1.

A family of operators draws a `Made`: the node, its inputs as arrays, and which of them models mostly have as constants.
What is drawn need not be valid: ONNX Runtime says whether it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, ValueInfoProto, defs, helper, numpy_helper

NEWEST = 22
"""The newest version of ONNX's operators that is drawn; kernels for later ones are few."""

SIZES = (0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5)
FLOATS = ("float32",) * 6 + ("float64", "float16")
NUMBERS = (*FLOATS, "int64", "int64", "int32", "int8", "uint8")


@dataclass(frozen=True)
class Setting:
    """An input that is a constant in most models: axes, a shape, a threshold.

    Attributes:
        fixed: the share in which it is one.
    """

    value: Any
    fixed: float = 0.6


Input = Any
"""An array, a `Setting`, or None for an optional input that is left out."""


@dataclass(frozen=True)
class Made:
    """A node before it is part of a model.

    Attributes:
        outputs: how many outputs it gives, named `y0` and so on.
        behind: nodes that take its outputs, and the names that the model then gives.
        beside: what only they take, named `b0` and so on.
    """

    operator: str
    inputs: Sequence[Input]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: int = 1
    behind: Sequence[Any] = ()
    gives: Sequence[str] = ()
    beside: Sequence[Input] = ()


Family = Callable[["Draw"], Made]

FAMILIES: dict[str, Family] = {}
"""What draws a node, by operator; the name of one that is not ONNX's own begins with its domain."""


def draws(*operators: str) -> Callable[[Family], Family]:
    """Declare what draws the nodes of some operators."""

    def declared(family: Family) -> Family:
        for operator in operators:
            FAMILIES[operator] = family
        return family

    return declared


class Draw:
    """Choices for one node.

    Attributes:
        operator: of which a node is drawn.
        opset: the version of ONNX's operators for which it is drawn.
    """

    def __init__(self, random: Random, operator: str) -> None:
        self.random = random
        self.operator = operator
        self.opset = self._opset()

    def _opset(self) -> int:
        """Mostly the newest version, sometimes one that an operator had before."""
        since = versions(self.operator)
        if self.rarely(0.7):
            return NEWEST
        at = self.random.randrange(len(since))
        return self.random.randint(since[at], since[at + 1] - 1 if at + 1 < len(since) else NEWEST)

    def rarely(self, share: float = 0.15) -> bool:
        """True in a share of all cases."""
        return self.random.random() < share

    def one(self, *choices: Any) -> Any:
        """One of some values."""
        return self.random.choice(choices)

    def whole(self, low: int, high: int) -> int:
        """An integer between two, both included."""
        return self.random.randint(low, high)

    def size(self) -> int:
        """The size of an axis."""
        return self.random.choice(SIZES)

    def shape(self, low: int = 0, high: int = 4) -> tuple[int, ...]:
        """A shape of a rank between two."""
        return tuple(self.size() for _ in range(self.whole(low, high)))

    def array(self, shape: Sequence[int], dtype: str = "float32", odd: float = 0.05) -> Any:
        """Elements of a type; in a share of all arrays some are infinite, NaN, or the bounds of the type."""
        count = int(np.prod(shape, dtype=np.int64))
        if dtype == "bool":
            return np.array([self.random.random() < 0.5 for _ in range(count)], np.bool_).reshape(shape)
        low, high = (0, 6) if dtype.startswith("u") else (-5, 5)
        if dtype.startswith("float"):
            found = [self.whole(2 * low, 2 * high) / 2 for _ in range(count)]
            rare: Sequence[Any] = (float("inf"), float("-inf"), float("nan"), -0.0)
        else:
            found = [self.whole(low, high) for _ in range(count)]
            rare = (np.iinfo(dtype).min, np.iinfo(dtype).max)
        if found and self.rarely(odd):
            found[self.random.randrange(count)] = self.random.choice(rare)
        return np.array(found, dtype).reshape(shape)

    def broadcast(self, shape: Sequence[int]) -> tuple[int, ...]:
        """A shape that broadcasts with another, mostly."""
        kept = [1 if self.rarely(0.25) else size for size in shape[self.whole(0, len(shape)) :]]
        if kept and self.rarely(0.04):
            kept[self.random.randrange(len(kept))] = self.size()
        return tuple([self.size() for _ in range(self.whole(0, 1) * self.rarely(0.2))] + kept)

    def axis(self, rank: int, beyond: float = 0.03) -> int:
        """An axis counted from either end, rarely one that is not there."""
        if rank == 0 or self.rarely(beyond):
            return self.whole(-rank - 1, rank + 1)
        return self.whole(-rank, rank - 1)

    def axes(self, rank: int) -> list[int]:
        """Some axes, each counted from either end."""
        chosen = self.random.sample(range(rank), self.whole(0, rank))
        found = [axis - rank if self.rarely(0.3) else axis for axis in chosen]
        return [*found, self.axis(rank)] if self.rarely(0.04) else found

    def given(self, **attributes: Any) -> dict[str, Any]:
        """Attributes of which each is left out in half of all cases, and always where it is None."""
        return {name: value for name, value in attributes.items() if value is not None and self.rarely(0.5)}

    def number(self, value: Any, dtype: str = "int64") -> Any:
        """A scalar, rarely as a vector of one element."""
        return np.array([value] if self.rarely(0.15) else value, dtype)


def ints(*values: int) -> Any:
    """A vector of integers."""
    return np.array(values, np.int64)


@cache
def versions(operator: str) -> list[int]:
    """The versions of ONNX's operators, from 7 on, in which an operator changed; one that is not ONNX's has one."""
    changed = {
        one.since_version for one in defs.get_all_schemas_with_history() if (one.name, one.domain) == (operator, "")
    }
    if not changed:
        return [NEWEST]
    first = max((version for version in changed if version <= 7), default=min(changed))
    return [max(first, 7), *sorted(version for version in changed if max(first, 7) < version <= NEWEST)]


@dataclass(frozen=True)
class Drawn:
    """A model of one node, and what it is given.

    Attributes:
        feed: the arrays of its inputs, by name.
    """

    model: ModelProto
    feed: Mapping[str, Any]
    says: str


def drawn(seed: int, operator: str | None = None) -> Drawn:
    """The model of a number; of one operator, or of any."""
    random = Random(seed)
    chosen = random.choice(sorted(FAMILIES))
    draw = Draw(random, operator or chosen)
    return _model(draw, FAMILIES[draw.operator](draw))


def _model(draw: Draw, made: Made) -> Drawn:
    """The node as a model: its settings are mostly constants, and sizes of inputs are sometimes not declared."""
    names = ["" if value is None else f"x{at}" for at, value in enumerate(made.inputs)]
    while names and not names[-1]:
        names.pop()
    opens = draw.rarely(0.4)
    feed, inputs, constants, told = {}, [], [], []
    beside = [f"b{at}" for at in range(len(made.beside))]
    for name, value in zip([*names, *beside], [*made.inputs[: len(names)], *made.beside], strict=True):
        if value is None:
            told.append("-")
            continue
        array = np.asarray(value.value if isinstance(value, Setting) else value)
        fixed = draw.rarely(value.fixed if isinstance(value, Setting) else 0.03)
        told.append(described(array, fixed or array.size <= 4))
        if fixed:
            constants.append(numpy_helper.from_array(array, name))
            continue
        sizes = [None if opens and draw.rarely(0.6) else size for size in array.shape]
        feed[name] = array
        inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), sizes))
        told[-1] += "" if sizes == list(array.shape) else f" as {sizes}"
    results = [f"y{at}" for at in range(made.outputs)]
    domain, _, name = made.operator.rpartition(".")
    node = helper.make_node(name, names, results, domain=domain)
    for name, value in made.attributes.items():  # an empty list tells no type
        kind = AttributeProto.INTS if value == [] else None
        node.attribute.append(helper.make_attribute(name, value, attr_type=kind))
    outputs = [ValueInfoProto(name=name) for name in made.gives or results]
    graph = helper.make_graph([node, *made.behind], "drawn", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", draw.opset), *([helper.make_opsetid(domain, 1)] if domain else [])]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    says = f"{made.operator}-{draw.opset}({', '.join(told)}) {dict(made.attributes)}"
    return Drawn(model, feed, says + "".join(f" {one.op_type}" for one in made.behind))


def described(array: Any, elements: bool) -> str:
    """An array in words."""
    shape = ",".join(map(str, array.shape))
    return f"{array.dtype}[{shape}]" + (f"={array.tolist()}" if elements and array.size <= 12 else "")
