"""An exported PyTorch program as plain values, under the names of `torch/_export/serde/schema.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from gradual.importers.common.sizes.ports import Extent
from gradual.origin import Frame
from gradual.record import record
from gradual.types.dtype import DType


@record
class Name:
    """The name of a value, as an argument of a node."""

    name: str


@record
class Meta:
    """The export's record of a tensor.

    Attributes:
        dtype: the element type; None if the language does not have it, and then `kind` is its name.
    """

    dtype: DType | None
    sizes: tuple[Extent, ...]
    kind: str = ""


@record
class Stored:
    """A tensor in the archive.

    Attributes:
        path: the file with its bytes; None if it is pickled.
        strides: the distance in elements between neighbours along each axis.
        offset: the index in the storage of the tensor's first element.
    """

    path: str | None
    dtype: DType | None
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    @property
    def reach(self) -> int:
        """The number of elements of the storage up to and including the tensor's last element."""
        if 0 in self.shape:
            return 0
        return self.offset + 1 + sum((length - 1) * step for length, step in zip(self.shape, self.strides, strict=True))


@record
class Node:
    """A call.

    Attributes:
        target: the operator that is called, such as `torch.ops.aten.linear.default`.
        positional: the arguments without a name, such as those of `torch.cond`.
        arguments: the other arguments by name: numbers, texts, `Name`, `Graph`, dtypes, None, and tuples of these.
        outputs: the names of the results; a tuple for a list of tensors, None for a result that is not used.
        module: the path of the module that contains the node.
        frames: the frames of the user's own code.
        lent: the node that the frames were taken from, if none are recorded for this one.
    """

    name: str
    target: str
    positional: tuple[Any, ...]
    arguments: Mapping[str, Any]
    outputs: tuple[str | tuple[str, ...] | None, ...]
    module: str = ""
    frames: tuple[Frame, ...] = ()
    lent: str = ""

    @property
    def operator(self) -> str:
        """The target without the common prefix `torch.ops.`: `aten.linear.default`."""
        return self.target.removeprefix("torch.ops.")


@record
class Graph:
    """A graph: the main graph of the program, or an argument of a node.

    Attributes:
        inputs: the names of the graph's parameters; None for a constant parameter.
        outputs: `Name`, constants and None.
        tensors: name -> the record of the tensor.
        integers: name of an integer -> the recorded size that it equals.
        numbers: name of a parameter that is a number -> its type.
    """

    inputs: tuple[str | None, ...]
    outputs: tuple[Any, ...]
    nodes: tuple[Node, ...]
    tensors: Mapping[str, Meta]
    integers: Mapping[str, Extent] = field(default_factory=dict)
    numbers: Mapping[str, DType] = field(default_factory=dict)


@record
class Model:
    """An exported program.

    Attributes:
        user_inputs: the names of the inputs that callers pass, in order; None for a constant.
        stored: input name -> name and tensor of the parameter, buffer or constant that is passed there.
        user_outputs: the indices of those outputs of the graph that are the program's results.
        ranges: symbol, as text -> its least and greatest value; None if there is no bound.
        guards: the conditions that the export assumed, as Python expressions.
        version: the version of PyTorch.
        reasons: the reasons why some inputs prevent an import.
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
