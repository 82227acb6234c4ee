"""An exported PyTorch program as plain values, under the names of `torch/_export/serde/schema.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradual.importers.common.sizes.ports import Extent
from gradual.origin import Frame
from gradual.types.dtype import DType


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a value, in a place where a node takes one."""

    name: str


@dataclass(frozen=True, slots=True)
class Meta:
    """What the export recorded of a tensor.

    Attributes:
        dtype: None for an element type that the language has not, whose name `kind` is.
    """

    dtype: DType | None
    sizes: tuple[Extent, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor in the archive.

    Attributes:
        path: the file with its bytes; None for one that is pickled.
        strides: how many elements apart neighbours along each axis are.
        offset: the element of the storage at which the tensor begins.
    """

    path: str | None
    dtype: DType | None
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    @property
    def reach(self) -> int:
        """How many elements of the storage there are up to the last one of the tensor."""
        if 0 in self.shape:
            return 0
        return self.offset + 1 + sum((length - 1) * step for length, step in zip(self.shape, self.strides, strict=True))


@dataclass(frozen=True, slots=True)
class Node:
    """A call.

    Attributes:
        target: of what, such as `torch.ops.aten.linear.default`.
        positional: arguments without a name, as those of `torch.cond` are.
        arguments: by name: numbers, texts, `Name`, `Graph`, dtypes, None, and tuples of these.
        outputs: the names of its results; a tuple for a list of tensors, None for one that is not used.
        module: the path of the module around it.
        frames: the user's own frames.
    """

    name: str
    target: str
    positional: tuple[Any, ...]
    arguments: Mapping[str, Any]
    outputs: tuple[str | tuple[str, ...] | None, ...]
    module: str = ""
    frames: tuple[Frame, ...] = ()

    @property
    def operator(self) -> str:
        """The target without what all have in common: `aten.linear.default`."""
        return self.target.removeprefix("torch.ops.")


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph: the program's own, or one that a node takes.

    Attributes:
        inputs: the names of its parameters; None for one that is a constant.
        outputs: `Name`, constants and None.
        tensors: what was recorded of its tensors, by name.
        integers: sizes that were recorded of its integers, by name.
        numbers: the types of those parameters that are numbers.
    """

    inputs: tuple[str | None, ...]
    outputs: tuple[Any, ...]
    nodes: tuple[Node, ...]
    tensors: Mapping[str, Meta]
    integers: Mapping[str, Extent] = field(default_factory=dict)
    numbers: Mapping[str, DType] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Model:
    """An exported program.

    Attributes:
        user_inputs: the names of the inputs that callers give, in order; None for one that is a constant.
        stored: input name -> the name and the place of the parameter, buffer or constant that it is.
        user_outputs: which outputs of the graph are the program's results, by index.
        ranges: symbol, as text -> its least and greatest value; None where there is no bound.
        guards: the conditions that the export assumed, as Python expressions.
        version: of PyTorch.
        reasons: what of the inputs stands in the way of an import.
        writes: the buffers, parameters and inputs that the program writes to.
    """

    graph: Graph
    user_inputs: tuple[str | None, ...]
    stored: Mapping[str, tuple[str, Stored]]
    user_outputs: tuple[int, ...]
    ranges: Mapping[str, tuple[int | None, int | None]]
    guards: tuple[str, ...] = ()
    version: str = ""
    reasons: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
