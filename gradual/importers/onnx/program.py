"""A model as a program: `@main` takes the model's inputs and then its weights, and returns its outputs.

    program(load("model.onnx")).text

All nodes that cannot be imported are reported together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from gradual.dims.term.dim import constant
from gradual.gc_paused import collector_paused
from gradual.importers.common import lists
from gradual.importers.common.builder import Builder
from gradual.importers.common.progress import Progress, unreported
from gradual.importers.common.refusals import Reason, Refused, Told, Unread, Unsupported, grouped
from gradual.importers.common.sizes.conditions import check_conditions
from gradual.importers.common.sizes.extents import Dims
from gradual.importers.common.sizes.ports import Port
from gradual.importers.common.text import Program
from gradual.importers.common.values import TENSORS, Value
from gradual.importers.onnx.file.model import Function, Graph, Model, Node
from gradual.importers.onnx.file.narrow import Kind
from gradual.importers.onnx.file.reading import Reference
from gradual.importers.onnx.file.schemas import admit, standard_function
from gradual.importers.onnx.importers import IMPORTERS, Results, Scope, Use, held
from gradual.importers.onnx.microsoft import (
    activations,
    attention,
    blocked,
    normalizations,
    products,
    quantized,
    rotations,
)
from gradual.importers.onnx.ml import ensembles, features, linear, vectors
from gradual.importers.onnx.operators import (
    control,
    elementwise,
    indexing,
    networks,
    optionals,
    padding,
    quantization,
    recurrent,
    reductions,
    sequences,
    shapes,
)
from gradual.importers.onnx.operators import random as drawing
from gradual.importers.onnx.origins import origin_of
from gradual.importers.onnx.signals import columns, pools, resizing, sampling, spectra
from gradual.importers.onnx.survey import measured, not_imported, why_not
from gradual.origin import Origin
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.type import Hole, TensorType, UnrankedType
from gradual.types.unpacking import opened

FAMILIES = (
    *(control, drawing, elementwise, indexing, networks, optionals, padding, quantization, recurrent, reductions),
    *(sequences, shapes, columns, pools, resizing, sampling, spectra),
    *(activations, attention, blocked, normalizations, products, quantized, rotations),
    *(ensembles, features, linear, vectors),
)
"""The modules whose importers are in `IMPORTERS`."""

SCALARS_ARE_UNKNOWN = "tf2onnx"
"""A converter that declares an input as a scalar if it does not know the rank of the input."""


@collector_paused()
def program(
    model: Model,
    where: Sequence[str] = (),
    opens: bool = False,
    empty: Sequence[str] = (),
    called: Mapping[str, str] | None = None,
    progress: Progress = unreported,
) -> Program:
    """The program of a model, in which `@main` requires the conditions `where`.

    With `opens`, each named size of an input becomes `?`.  Named sizes are at least 1; those in `empty` may be 0.
    Raises Refused with all reasons that prevent the import, and Misused if an option does not fit the model.
    """
    if model.producer == SCALARS_ARE_UNKNOWN and any(port.shape == () for port in model.graph.inputs):
        try:
            found = program(_without_ranks(model), where, opens, empty, called, progress)
        except Refused:  # report the error of the model as declared
            pass
        else:
            return replace(found, notes=(*found.notes, "an input that is written as a scalar may be of any rank"))
    try:
        return _Import(model, opens, called, progress).program(where, empty)
    except Unsupported as error:
        raise Refused([str(error)]) from error


def _without_ranks(model: Model) -> Model:
    """The model with each input of rank 0 replaced by one of unknown rank."""
    ports = tuple(replace(port, shape=None) if port.shape == () else port for port in model.graph.inputs)
    return replace(model, graph=replace(model.graph, inputs=ports), producer="")


class _Import:
    """The state of an import.

    Attributes:
        reasons: for each node that cannot be imported, the reason.
        around: the functions whose bodies are being imported, each with the node that applies it.
        index: the index of the current node in the model's main graph.
        left_out: name of a result that is refused if it is used -> the reason.
        notes: messages for users about parts that are translated in a way that they may not expect.
    """

    def __init__(self, model: Model, opens: bool, called: Mapping[str, str] | None, progress: Progress) -> None:
        self.model = model
        self.builder = Builder()
        self.reasons: list[Reason] = []
        self.dims = Dims(model.graph.inputs, opens, called)
        self.around: list[tuple[Function, Node]] = []
        self.index = 0
        self.left_out: dict[str, str] = {}
        self.notes: list[str] = []
        self.progress = progress

    def program(self, where: Sequence[str], empty: Sequence[str]) -> Program:
        """The program; raises Refused with all reasons that prevent the import."""
        measured(self.model)
        self.builder.positive = self.dims.positive(empty)
        scope: Scope = {}
        inputs, types = {}, list[str]()
        for name, origin, type in self.inputs(scope):
            inputs[name] = origin
            types.append(type)
        if not self.reasons:
            check_conditions(where, inputs, types, self.dims)
        try:
            body = self.body(scope)
        except Told:
            raise Refused(self.told()) from None
        clauses = [*self.dims.empty(empty), *self.dims.clauses, *where]
        return self.builder.program(inputs, types, clauses, body, (*self.dims.notes, *self.notes))

    def inputs(self, scope: Scope) -> Iterator[tuple[str, Origin, str]]:
        """The parameters with their types as text; their values are added to the scope."""
        for port in self.model.graph.inputs:
            name = self.builder.names.fresh(port.name or "input")
            try:
                written, type = self.dims.type(port)
            except Unsupported as reason:
                self.tell(str(reason))
                continue
            if port.sequence:
                type = lists.of(self.builder, type)
            if port.optional:
                type = lists.optional_of(self.builder, type)
            written = written if port.is_tensor else shown(type)
            scope[port.name] = self.builder.input(name, opened(type, f"%{name}", lambda *_: None)[0])
            origin = Origin(f"input `{port.name}`", f"{port.name}: {written}", port.name)
            yield f"%{name}", origin, written

    def body(self, scope: Scope) -> str:
        """The body of `@main`; raises Told if any node cannot be imported."""
        outputs = self.outputs(self.model.graph, scope, self.model.opsets)
        if self.reasons:
            raise Told
        if not outputs:
            self.tell("the model has no outputs")
            raise Told
        result = outputs[0] if len(outputs) == 1 else self.builder.tuple(outputs)
        return self.builder.body(self.builder.block, result)

    def told(self) -> list[Reason]:
        """All reasons, in the order of the model, with every operator of the model that is not imported."""
        unknown = list(not_imported(self.model))
        known = {(one.operator, one.says) for one in unknown}
        others = [one for one in self.reasons if (one.operator, one.says) not in known]
        return grouped([*unknown, *others])

    def tell(self, says: str, node: Node | None = None) -> None:
        """Record a reason; inside a function's body it is reported for the node that applies the function."""
        if node is not None and self.around and why_not(node, self.model.opsets) != says:
            says = "".join(f"{_title(one)}: " for _, one in self.around[1:]) + f"{_title(node)}: {says}"
            node = self.around[0][1]
        operator, title = ("", "") if node is None else (node.operator, node.title)
        self.reasons.append(Reason(self.index, operator, title, says))

    def note(self, says: str) -> None:
        """Add a message for users."""
        self.notes.append(says)

    def outputs(self, graph: Graph, scope: Scope, opsets: Mapping[str, int]) -> list[Value]:
        """The values of a graph's outputs; raises Told if an output cannot be imported."""
        for name, tensor in graph.initializers.items():
            if isinstance(tensor, Unread):
                self.tell(tensor.says)
            elif name:
                scope[name] = held(self.builder, tensor, name)
        self.nodes(graph.nodes, scope, opsets, graph is self.model.graph)
        missing = [name for name in graph.outputs if name not in scope]
        for name in missing:
            if name in self.left_out:
                self.tell(f"output `{name}`: {self.left_out[name]}")
        if missing and not self.reasons:
            self.tell(f"output `{missing[0]}`: no node gives it")
        if missing:
            raise Told
        outputs = [scope.get(name) for name in graph.outputs]
        return [value for value in outputs if value is not None]

    def nodes(self, nodes: Sequence[Node], scope: Scope, opsets: Mapping[str, int], counts: bool = False) -> None:
        """Bind the results of every node; report a node that is not imported, and skip nodes that depend on it."""
        outer = self.builder.node
        for index, node in enumerate(nodes):
            if counts:
                self.index = index
                self.progress(index, len(nodes))
            inputs = tuple(map(scope.get, node.inputs))
            if None in inputs and (absent := [name for name in node.inputs if name and name not in scope]):
                if (says := self.left_out.get(absent[0])) is not None:
                    self.tell(f"`{absent[0]}`: {says}", node)
                elif not self.reasons:
                    self.tell(f"no node before it gives `{absent[0]}`", node)
                continue
            try:
                if not self.around:
                    self.builder.node = origin_of(node)
                self.bind(node, inputs, scope, opsets)
            except Unsupported as error:
                self.tell(str(error), node)
                self.stand_in(node, scope)
            except Told:
                self.stand_in(node, scope)
        self.builder.node = outer

    def stand_in(self, node: Node, scope: Scope) -> None:
        """Bind the results of a refused node to placeholders of the declared types, so that later nodes are checked."""
        for name in node.outputs if not self.around else ():
            port = self.model.graph.declared.get(name)
            if port is not None and isinstance(port.dtype, DType) and port.shape is not None and port.is_tensor:
                sizes = tuple(constant(one) if isinstance(one, int) else Hole() for one in port.shape)
                scope[name] = self.builder.stand_in(TensorType(sizes, port.dtype))

    def bind(self, node: Node, inputs: tuple[Value | None, ...], scope: Scope, opsets: Mapping[str, int]) -> None:
        """Bind the results of a node to the names of its outputs."""
        values = self.applied(node, inputs, scope, opsets)
        for name, value in zip_longest(node.outputs, values[: len(node.outputs)]):
            match value:
                case _ if not name:
                    pass
                case Value():
                    scope[name] = self.builder.named(value, name) if self.around else self.builder.record(value, name)
                case Unread(says):
                    self.left_out[name] = says
                case _:
                    raise Unsupported(f"its output `{name}`")

    def applied(self, node: Node, inputs: tuple[Value | None, ...], scope: Scope, opsets: Mapping[str, int]) -> Results:
        """The results of a node, by its importer or by the body that the model or ONNX defines for its operator."""
        own = self.model.functions.get(node.key) if self.model.functions else None
        kind, opset = node.kind, opsets.get(node.domain, 1)
        if own is None and kind not in IMPORTERS and (says := why_not(node, opsets)) is not None:
            raise Unsupported(says)
        for part in node.attributes.values():
            if isinstance(part, Unread):
                raise Unsupported(part.says)
        if own is not None:
            return self.inlined(own, node, inputs, opsets)
        widths = admit(*kind, opset, tuple(map(_kind, inputs)))
        if kind in IMPORTERS:
            given = IMPORTERS[kind](Use(node, inputs, self.builder, self.model, opsets, scope, self))
        else:
            body = standard_function(node, opset, [*map(_port, node.inputs, inputs)])
            given = self.inlined(body, node, inputs, opsets)
        values = [given] if isinstance(given, Value) else given
        return _narrowed(values, widths) if widths else values

    def inlined(
        self, function: Function, node: Node, inputs: Sequence[Value | None], opsets: Mapping[str, int]
    ) -> Sequence[Value | None]:
        """The results of an operator that is defined by a body."""
        if any(function is one for one, _ in self.around):
            raise Unsupported("an operator whose body asks for itself")
        scope: Scope = dict(zip_longest(function.inputs, inputs[: len(function.inputs)]))
        attributes, before = {**function.attributes, **node.attributes}, len(self.reasons)
        self.around.append((function, node))
        self.nodes([_placed(inner, attributes) for inner in function.nodes], scope, {**opsets, **function.opsets})
        self.around.pop()
        if len(self.reasons) > before:
            raise Told
        return [scope.get(name) for name in function.outputs]


def _placed(node: Node, attributes: Mapping[str, object]) -> Node:
    """A node of a function's body, with references to attributes replaced by the attributes of the application."""
    chosen: dict[str, object] = {}
    for key, value in node.attributes.items():
        if isinstance(value, Reference):
            chosen[key] = attributes.get(value)
        elif isinstance(value, Graph):
            chosen[key] = replace(value, nodes=tuple(_placed(inner, attributes) for inner in value.nodes))
        else:
            chosen[key] = value
    return replace(node, attributes={key: value for key, value in chosen.items() if value is not None})


def _port(name: str, value: Value | None) -> Port | None:
    """An operand in the form for ONNX's own type inference: its element type, and its sizes that are numbers."""
    if value is None or not isinstance(value.type, TensorType | UnrankedType):
        return None
    shape = [size.value for size in value.type.shape] if isinstance(value.type, TensorType) else None
    return Port(name, value.dtype, None if shape is None else tuple(shape))


def _kind(value: Value | None) -> DType | Kind | None:
    """The model's element type of an operand; None if it is not a tensor."""
    if value is None or not isinstance(value.type, TENSORS):
        return None
    dtype = value.type.dtype
    return dtype if value.bits is None else Kind(dtype, value.bits)


def _narrowed(values: Results, widths: Mapping[int, int]) -> Results:
    """The results of a node; those whose elements have fewer than 8 bits in the model are marked with the width."""
    return [
        replace(value, bits=widths[at]) if isinstance(value, Value) and at in widths else value
        for at, value in enumerate(values)
    ]


def _title(node: Node) -> str:
    return f"{node.operator} `{node.title}`"
