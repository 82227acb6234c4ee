"""An exported PyTorch program as a program of the language: `@main` takes its inputs and then its weights.

    program(*load("model.pt2")).text

All nodes that cannot be imported are reported together: after a refused node, the import continues with the recorded
types of its results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from gradual.dims.term.dim import constant
from gradual.gc_paused import collector_paused
from gradual.importers.common.builder import INLINE, Builder
from gradual.importers.common.progress import Progress, unreported
from gradual.importers.common.refusals import Reason, Refused, Told, Unread, Unsupported, grouped
from gradual.importers.common.sizes.conditions import check_conditions
from gradual.importers.common.sizes.extents import Dims
from gradual.importers.common.sizes.ports import Port
from gradual.importers.common.text import Program, Weight
from gradual.importers.common.values import Value
from gradual.importers.torch.file.archive import Archive
from gradual.importers.torch.file.declarations import misfit
from gradual.importers.torch.file.schema import Graph, Meta, Model, Name, Node, Stored
from gradual.importers.torch.file.weights import weight
from gradual.importers.torch.guards import guards
from gradual.importers.torch.importers import IMPORTERS, Scope, Use, valued
from gradual.importers.torch.networks import (
    attention,
    convolutions,
    normalizations,
    padding,
    pools,
    products,
    recurrent,
    resizing,
)
from gradual.importers.torch.operators import (
    activations,
    control,
    creating,
    cutting,
    elementwise,
    indexing,
    losses,
    reductions,
    scalars,
    scattering,
    shapes,
    sorting,
)
from gradual.importers.torch.refused import reason
from gradual.limits import LIMITS
from gradual.origin import Origin
from gradual.tensors.index import numel
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType
from gradual.types.unpacking import opened

FAMILIES = (
    *(activations, control, creating, cutting, elementwise, indexing, losses, reductions, scalars, scattering, shapes),
    *(sorting, attention, convolutions, normalizations, padding, pools, products, recurrent, resizing),
)
"""The modules whose importers are in `IMPORTERS`."""

NEAR = 1 << 16
"""The greatest number of elements in the storage of a constant whose elements are read while importing."""


@collector_paused()
def program(
    model: Model,
    archive: Archive,
    where: Sequence[str] = (),
    opens: bool = False,
    empty: Sequence[str] = (),
    called: Mapping[str, str] | None = None,
    demands: bool = False,
    progress: Progress = unreported,
) -> Program:
    """The program of an export.

    Args:
        where: conditions that `@main` requires.
        opens: whether each size of the inputs is a separate unknown.
        empty: the named sizes that may be 0; all others are at least 1.
        called: PyTorch's symbol of a size, or input and axis -> a name, such as `{"s77": "batch"}`.
        demands: whether `@main` requires those guards of the export that the language can express.

    Raises Refused with all reasons that prevent the import, and Misused if an option does not fit the model.
    """
    try:
        return _Import(model, archive, opens, called or {}, progress).program(where, empty, demands)
    except Unsupported as error:
        raise Refused([str(error)]) from error


class _Import:
    """The state of an import.

    Attributes:
        reasons: for each node that cannot be imported, the reason.
        index: the index of the current node in the program's main graph.
        operations: how many nodes have been imported.
    """

    def __init__(
        self, model: Model, archive: Archive, opens: bool, called: Mapping[str, str], progress: Progress
    ) -> None:
        self.model = model
        self.archive = archive
        self.builder = Builder()
        self.reasons: list[Reason] = []
        self.ports = [self.port(name) for name in model.user_inputs if name is not None]
        self.dims = Dims(self.ports, opens, called, named(self.ports))
        self.index = 0
        self.operations = 0
        self.progress = progress

    def port(self, name: str) -> Port:
        """An input as the export recorded it: a tensor, or a number."""
        if name in self.model.graph.numbers:
            return Port(name, self.model.graph.numbers[name], ())
        meta = self.model.graph.tensors[name]
        return Port(name, meta.dtype or Unread(f"`{name}` has elements of type {meta.kind}"), meta.sizes)

    def program(self, where: Sequence[str], empty: Sequence[str], demands: bool) -> Program:
        """The program; raises Refused with all reasons that prevent the import."""
        self.builder.positive = self.dims.positive(empty)
        scope: Scope = {}
        for says in self.model.reasons:
            self.tell(says)
        inputs, types = self.inputs(scope)
        check_conditions(where, inputs, types, self.dims)
        for name, (own, stored) in self.model.stored.items():
            scope[name] = self.builder.record(self.stored(own, stored), name)
        try:
            body = self.body(scope)
        except Told:
            raise Refused(grouped(self.reasons)) from None
        clauses = [*self.dims.empty(empty), *self.dims.clauses, *where]
        found = guards(self.model, self.dims)
        if demands:
            clauses += [one.condition for one in found if one.condition is not None]
        notes = [*self.dims.notes, *self.notes()]
        return replace(self.builder.program(inputs, types, clauses, body, notes), guards=found)

    def notes(self) -> Iterator[str]:
        """Notes on parts that the program omits: writes to buffers and inputs, and outputs that are texts."""
        for name in self.model.writes:
            yield f"the model writes to `{name}`, and the program does not"
        if any(isinstance(one, str) for one in self.results()):
            yield "the model gives texts among its outputs, and the program does not"

    def results(self) -> list[Any]:
        """The outputs for callers."""
        return [self.model.graph.outputs[index] for index in self.model.user_outputs]

    def inputs(self, scope: Scope) -> tuple[dict[str, Origin], list[str]]:
        """The parameters and their types as text; their values are added to the scope."""
        inputs, types = dict[str, Origin](), list[str]()
        for port in self.ports:
            name = self.builder.names.fresh(port.name)
            written, type = self.dims.type(port)
            scope[port.name] = self.builder.input(name, opened(type, f"%{name}", lambda *_: None)[0])
            inputs[f"%{name}"] = Origin(f"input `{port.name}`", f"{port.name}: {written}", port.name)
            types.append(written)
        return inputs, types

    def stored(self, name: str, stored: Stored) -> Value:
        """A parameter, buffer or constant; a small tensor of integers, or any tensor of rank 0, becomes a literal."""
        if stored.dtype is None:
            self.tell(f"`{name}` has elements of a type that programs do not have")
            return self.builder.input(name, TensorType(tuple(map(constant, stored.shape)), DType.FLOAT32))
        is_small = numel(stored.shape) <= INLINE and (not stored.dtype.is_float or not stored.shape)
        if is_small and stored.path is not None and stored.reach <= NEAR:
            return self.builder.constant(weight(self.archive, name, stored))
        return self.builder.weight(name, Weight(stored.shape, stored.dtype, lambda: weight(self.archive, name, stored)))

    def body(self, scope: Scope) -> str:
        """The body of `@main`; raises Told if any node cannot be imported."""
        graph = self.model.graph
        self.nodes(graph, scope, True)
        outputs = list[Value]()
        for one in self.results():
            try:
                outputs += [] if one is None or isinstance(one, str) else [self.output(one, scope)]
            except Unsupported as error:
                self.tell(str(error))
        if not outputs:
            self.tell("the program has no outputs")
        if self.reasons:
            raise Told
        result = outputs[0] if len(outputs) == 1 else self.builder.tuple(outputs)
        return self.builder.body(self.builder.block, result)

    def output(self, form: Any, scope: Scope) -> Value:
        """A result: the value of a name, or a number."""
        match form:
            case Name(name):
                return valued(scope, name)
            case bool():
                return self.builder.number(form, DType.BOOL)
            case int():
                return self.builder.number(form, DType.INT64)
            case float():
                return self.builder.number(form, DType.FLOAT64)
        raise Unsupported("an output that is neither a tensor nor a number")

    def outputs(self, graph: Graph, inputs: Sequence[Value]) -> list[Value]:
        """The values of the outputs of a graph inside a node."""
        if len(graph.inputs) != len(inputs):
            raise Unsupported(f"a graph of {len(graph.inputs)} inputs that is given {len(inputs)}")
        scope = {name: value for name, value in zip(graph.inputs, inputs, strict=True) if name is not None}
        before = len(self.reasons)
        self.nodes(graph, scope, False)
        if len(self.reasons) > before:
            raise Told
        return [self.output(one, scope) for one in graph.outputs if one is not None]

    def nodes(self, graph: Graph, scope: Scope, is_own: bool) -> None:
        """Bind the results of every node; the results of a refused node become placeholders of their recorded types."""
        outer = self.builder.node
        used = frozenset(_used(graph))
        for index, node in enumerate(graph.nodes):
            if is_own:
                self.index = index
                self.progress(index, len(graph.nodes))
            self.count()
            self.builder.node = origin_of(node)
            try:
                self.bind(node, scope, graph, used)
            except Unsupported as error:
                self.tell(str(error), node)
                self.stand_in(node, scope, graph)
            except Told:
                self.stand_in(node, scope, graph)
        self.builder.node = outer

    def count(self) -> None:
        """Count a node; a node in a loop's body counts at each import of the body."""
        self.operations += 1
        if self.operations > LIMITS.operations:
            raise Refused([f"more nodes are to be imported than the limit `operations`, {LIMITS.operations}"])

    def bind(self, node: Node, scope: Scope, graph: Graph, used: frozenset[str]) -> None:
        """Bind the results of a node to their names."""
        importer = IMPORTERS.get(node.operator)
        if importer is None:
            raise Unsupported(reason(node.operator))
        for argument in node.positional:
            if isinstance(argument, Unread):
                raise Unsupported(argument.says)
        if wrong := misfit(node):
            raise Unsupported(wrong)
        given = importer(Use(node, self.builder, scope, graph.tensors, self, used))
        values = [given] if isinstance(given, Value) else list(given or ())
        for name, value in zip_longest(_results(node), values):
            if name is not None and value is not None:
                scope[name] = self.builder.record(value, name)

    def stand_in(self, node: Node, scope: Scope, graph: Graph) -> None:
        """Bind the results of a refused node to placeholders of the types that the export recorded."""
        for name in _results(node):
            if name is not None:
                meta = graph.tensors.get(name, Meta(DType.INT64, ()))
                sizes = tuple(constant(one) if isinstance(one, int) else Hole() for one in meta.sizes)
                scope[name] = self.builder.stand_in(TensorType(sizes, meta.dtype or DType.FLOAT32))

    def tell(self, says: str, node: Node | None = None) -> None:
        """Record a reason that prevents the import."""
        if node is None:
            self.reasons.append(Reason(self.index, "", "", says))
            return
        line = f" at {node.frames[-1].place}" if node.frames else ""
        module = f" in module `{node.module}`" if node.module else ""
        self.reasons.append(Reason(self.index, node.operator, node.name, says, place=line + module))


def named(ports: Sequence[Port]) -> dict[str, str]:
    """Symbol of PyTorch -> a name from the first input and axis with that size, such as `x_0`."""
    found: dict[str, str] = {}
    for port in ports:
        for axis, size in enumerate(port.shape or ()):
            if isinstance(size, str) and size.isidentifier():
                found.setdefault(size, f"{port.name}_{axis}")
    return found


def _used(graph: Graph) -> Iterator[str]:
    """The names that are arguments of a graph's nodes, or its outputs."""
    todo: list[Any] = [graph.outputs, *((node.positional, tuple(node.arguments.values())) for node in graph.nodes)]
    while todo:
        match todo.pop():
            case Name(name):
                yield name
            case tuple() as parts:
                todo += parts


def _results(node: Node) -> list[str | None]:
    """The names of a node's results, including the elements of lists."""
    found: list[str | None] = []
    for output in node.outputs:
        found += output if isinstance(output, tuple) else [output]
    return found


def origin_of(node: Node) -> Origin:
    """The origin of the results of a node; its text is the call as PyTorch prints it."""
    arguments = [_shown(one) for one in node.positional]
    arguments += [f"{name}={_shown(one)}" for name, one in node.arguments.items()]
    results = ", ".join(name for name in _results(node) if name is not None)
    said = f"{node.operator}({', '.join(arguments)})"
    return Origin(
        f"{node.operator} `{node.name}`",
        f"{results} = {said}" if results else said,
        module=node.module,
        frames=node.frames,
        lent=node.lent,
    )


def _shown(argument: Any) -> str:
    match argument:
        case Name(name):
            return name
        case tuple():
            return f"[{', '.join(map(_shown, argument))}]"
        case Graph():
            return "graph"
        case DType() | str():
            return str(argument)
        case _:
            return repr(argument)
