"""A TensorFlow graph as a program of the language: `@main` takes its inputs, then its variables, then its constants.

    program(load("model.graphdef")).text

Only what the results need is imported, with the nodes that control edges put before it.  Everything that cannot be
imported is reported at once: after a refused node, the import goes on with the nodes that do not need it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from gradual.dims.term.dim import SizeOf
from gradual.gc_paused import collector_paused
from gradual.importers.common.builder import Builder
from gradual.importers.common.progress import Progress, unreported
from gradual.importers.common.refusals import Reason, Refused, Told, Unsupported, grouped
from gradual.importers.common.sizes.conditions import check_conditions
from gradual.importers.common.sizes.extents import Dims
from gradual.importers.common.sizes.ports import Port
from gradual.importers.common.text import Program
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.elements import activations, bits, codes, colours, special
from gradual.importers.tensorflow.file.bundle import weight
from gradual.importers.tensorflow.file.schema import Function, Model, Node, Nodes, Source, Variable
from gradual.importers.tensorflow.importers import IMPORTERS, PORTS, Held, Result, Use
from gradual.importers.tensorflow.open_sizes import not_empty
from gradual.importers.tensorflow.operators import (
    control,
    elementwise,
    images,
    indexing,
    networks,
    plumbing,
    products,
    reductions,
    shapes,
    slices,
    tensor_lists,
)
from gradual.importers.tensorflow.order import ordered
from gradual.importers.tensorflow.refused import reason
from gradual.importers.tensorflow.selecting import creating, diagonals, layouts, ordering, ragged, scattering, sparse
from gradual.importers.tensorflow.signals import (
    averaging,
    blocks,
    detections,
    normalizations,
    patches,
    recurrent,
    resizing,
    transposed,
)
from gradual.importers.tensorflow.survey import not_imported
from gradual.importers.tensorflow.unranked import normalizing, several, with_ranks
from gradual.limits import LIMITS
from gradual.origin import Origin
from gradual.types.dtype import DType
from gradual.types.type import UnrankedType
from gradual.types.unpacking import opened

FAMILIES = (
    control,
    elementwise,
    images,
    indexing,
    networks,
    plumbing,
    products,
    reductions,
    shapes,
    slices,
    tensor_lists,
    *(activations, bits, codes, colours, special),
    *(creating, diagonals, layouts, ordering, ragged, scattering, sparse),
    *(averaging, blocks, detections, normalizations, patches, recurrent, resizing, transposed),
)
"""The modules whose importers are in `IMPORTERS`."""

Scope = dict[str, Sequence[Held | None]]
"""The results of nodes, and parameters, by name."""


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

    `opens`, `empty` and `called` are as for ONNX models.  A variable without a recorded rank has the rank at which it
    is first used.  Raises Refused with all reasons, Misused if an option does not fit the model.
    """
    vectors = normalizing(model)
    model = with_ranks(model, dict.fromkeys(vectors, 1))
    while True:
        attempt = _Import(model, opens, called or {}, progress)
        attempt.vectors = vectors
        try:
            found = attempt.program(where, empty)
        except Unsupported as error:
            raise Refused([str(error)]) from error
        except Refused:
            if not attempt.ranks:
                raise
        else:
            if not attempt.is_late:
                return found
        model = with_ranks(model, attempt.ranks)


class _Import:
    """An import under way.

    Attributes:
        opens: whether nothing is required of the open sizes of inputs.
        reasons: why nodes cannot be imported.
        around: the functions whose bodies are being imported.
        index: the index of the node of the main graph that is being imported.
        operations: how many nodes have been imported.
        vectors: the variables that are taken for vectors, as parameters of batch normalizations.
        ranks: name of a variable of unknown rank -> the rank at which it is used.
        is_late: whether such a variable was used before its rank was known; then the import is repeated.
        handed: value of unknown rank -> how many times it was an input of a node.
        sources: value of unknown rank -> the value that it is made from, and how many more axes the latter has.
        refined: parameter of unknown rank for a variable -> the parameter with the rank at which it is used.
        parameters: name of a variable whose value is not saved -> its parameter.
        weights: name of a variable whose value is saved -> its parameter.
        taken: the names of the parameters for inputs.
        clauses: the conditions that the graph asserts of the sizes of its inputs, each marked with its node.
        main: the body of `@main`.
    """

    def __init__(self, model: Model, opens: bool, called: Mapping[str, str], progress: Progress) -> None:
        self.model = model
        self.builder = Builder()
        self.reasons: list[Reason] = []
        self.dims = Dims(list(model.inputs.values()), opens, called)
        self.opens = opens
        self.around: list[str] = []
        self.index = 0
        self.operations = 0
        self.vectors: Sequence[str] = ()
        self.ranks: dict[str, int] = {}
        self.is_late = False
        self.handed: Counter[Value] = Counter()
        self.refined: dict[Value, Value] = {}
        self.sources: dict[Value, tuple[Value, int]] = {}
        self.parameters: dict[str, tuple[Value, Origin, str]] = {}
        self.weights: dict[str, Value] = {}
        self.clauses: dict[str, str] = {}
        self.taken: frozenset[str] = frozenset()
        self.main = self.builder.block
        self.progress = progress

    def program(self, where: Sequence[str], empty: Sequence[str]) -> Program:
        """The program; raises Refused with all reasons against the import."""
        scope: Scope = {name: (variable,) for name, variable in self.model.variables.items()}
        inputs, types = self.inputs(scope)
        self.taken = frozenset(inputs)
        if not self.reasons:
            check_conditions(where, inputs, types, self.dims)
        open = dict(zip(inputs, self.model.inputs.values(), strict=False))
        positive = [self.builder.marks.around(one, inputs[name]) for name, one in not_empty(open, empty, self.opens)]
        try:
            body = self.body(scope)
        except Told:
            raise Refused(grouped(self.reasons)) from None
        for name in self.model.variables:
            if name in self.parameters:
                value, origin, type = self.parameters[name]
                inputs[str(value.origin)] = origin
                types.append(type)
        clauses = [*self.dims.clauses, *positive, *where, *self.clauses.values()]
        return self.builder.program(inputs, types, clauses, body, [*self.dims.notes, *self.notes()])

    def notes(self) -> Iterator[str]:
        """Notes on variables whose values are not in the file, and on those that are taken for vectors."""
        without = [name for name in self.model.variables if name in self.parameters]
        if without:
            given = "is an input: the file has no value for it", "are inputs: the file has no values for them"
            advice = "freeze the graph, so that variables are constants, or give the folder of the SavedModel"
            yield f"{several(without, *given)}; {advice}"
        if self.vectors:
            given = "is taken for a vector, as a parameter", "are taken for vectors, as parameters"
            yield f"{several(self.vectors, *given)} of a batch normalization"

    def inputs(self, scope: Scope) -> tuple[dict[str, Origin], list[str]]:
        """The parameters and their types as text; their values are added to the scope."""
        inputs, types = dict[str, Origin](), list[str]()
        for node, port in self.model.inputs.items():
            try:
                value, written = self.input(port)
            except Unsupported as error:
                self.tell(str(error))
                continue
            scope[node] = (value,)
            inputs[str(value.origin)] = Origin(f"input `{port.name}`", f"{port.name}: {written}", port.name)
            types.append(written)
        return inputs, types

    def input(self, port: Port, name: str = "") -> tuple[Value, str]:
        """The value of a parameter, by its name in the program if it has one, and its type as text."""
        written, type = self.dims.type(port)
        name = name or self.builder.names.fresh(port.name)
        return self.builder.input(name, opened(type, f"%{name}", lambda *_: None)[0]), written

    def read(self, variable: Variable, dtype: DType) -> Value:
        """The value of a variable, which is a parameter of the program."""
        if variable.stored is not None:
            if variable.name not in self.weights:
                found = weight(variable.name, variable.stored)
                self.weights[variable.name] = self.builder.weight(variable.name, found)
            return self.weights[variable.name]
        if variable.name not in self.parameters:
            self.declare(Port(variable.name, variable.dtype or dtype, variable.shape))
        return self.parameters[variable.name][0]

    def declare(self, port: Port, name: str = "") -> Value:
        """The parameter for a variable, by its name in the program if it has one."""
        value, written = self.input(port, name)
        origin = Origin(f"variable `{port.name}`", f"{port.name}: {written}", port.name)
        self.parameters[port.name] = value, origin, written
        return value

    def promised(self, value: Value, rank: int) -> Value | None:
        """Declare the parameter for a variable of unknown rank again, with the rank that a use of the value implies.

        If the value is derived from the variable by removing axes, the rank of the variable is greater by their number,
        and the import has to be repeated.  Returns the new parameter; None if the value comes from no variable.
        """
        while value in self.sources:
            value, less = self.sources[value]
            rank, self.is_late = rank + less, True
        for name, (parameter, _, _) in self.parameters.items():
            if value is parameter:
                self.ranks[name] = rank
                self.is_late |= self.handed[value] > 1
                self.refined[value] = self.declare(Port(name, value.dtype, (None,) * rank), str(value.origin)[1:])
                return self.refined[value]
        return None

    def derived(self, value: Value, source: Value, less: int) -> None:
        """Record that a value, made from `source`, has `less` axes fewer than `source`; neither rank is known."""
        self.sources[value] = source, less

    def require(self, condition: Value) -> None:
        """Require callers to fulfil a condition, if it has only sizes of inputs, no `//`, and is always evaluated."""
        goal = condition.goal
        if goal is None or self.builder.block is not self.main or "//" in str(goal):
            return
        witnesses = [name.witness for name in goal.variables()]
        if witnesses and all(isinstance(one, SizeOf) and one.value in self.taken for one in witnesses):
            self.clauses.setdefault(str(goal), self.builder.marks.around(str(goal), self.builder.node))

    def body(self, scope: Scope) -> str:
        """The body of `@main`; raises Told if anything prevents the import."""
        self.survey()
        if not self.model.outputs:
            self.tell("the graph has no results")
        sources = [source for _, source in self.model.outputs]
        found = self.results(self.model.nodes, sources, self.model.runs, scope)
        outputs = list[Value]()
        for (name, _), one in zip(self.model.outputs, found, strict=False):
            if isinstance(one, Value):
                outputs.append(one)
            else:
                self.tell(f"the result `{name}` is no tensor")
        if self.reasons:
            raise Told
        result = outputs[0] if len(outputs) == 1 else self.builder.tuple(outputs)
        return self.builder.body(self.builder.block, result)

    def survey(self) -> None:
        """Record the operators that are not imported, also those in functions."""
        for index, node in not_imported(self.model):
            self.index = index
            self.tell(reason(node.operator), node)

    # ----------------------------------------------------------------------------------------------------------- nodes
    def results(self, nodes: Nodes, wanted: Sequence[Source], runs: Sequence[str], scope: Scope) -> list[Held]:
        """The values of some results of nodes, after all that they need; raises Told if one of the nodes is refused."""
        outer, is_own = self.builder.node, not self.around
        order = ordered(nodes, [*(one.node for one in wanted), *runs])
        for index, node in enumerate(order):
            if is_own:
                self.index = index
                self.progress(index, len(order))
            if node.name not in scope:
                self.count()
                self.builder.node = node.origin
                self.attempt(node, nodes, scope)
        self.builder.node = outer
        return [self.result(one, nodes, scope) for one in wanted]

    def count(self) -> None:
        """Count a node; a node in a function counts each time that it is imported."""
        self.operations += 1
        if self.operations > LIMITS.operations:
            raise Refused([f"more nodes are to be imported than the limit `operations`, {LIMITS.operations}"])

    def attempt(self, node: Node, nodes: Nodes, scope: Scope) -> None:
        """Bind the results of a node, or record why that is not possible."""
        try:
            self.bind(node, nodes, scope)
        except Unsupported as error:
            self.tell(str(error), node)
        except Told:
            pass

    def bind(self, node: Node, nodes: Nodes, scope: Scope) -> None:
        """Bind the results of a node."""
        inputs = tuple(self.result(source, nodes, scope) for source in node.inputs)
        given = self.applied(Use(node, inputs, self.builder, self))
        values = [given] if isinstance(given, Held) else list(given or ())
        for index, value in enumerate(values):
            if isinstance(value, Value):
                values[index] = self.builder.record(value, f"{node.name}:{index}" if index else node.name)
        scope[node.name] = values

    def applied(self, use: Use) -> Result:
        """The results of a node, by its importer, or by the function that its operator names."""
        if use.node.operator in self.model.functions:
            return self.outputs(use.node.operator, use.inputs)
        if use.node.operator not in IMPORTERS:
            raise Told  # the survey has recorded the reason
        return IMPORTERS[use.node.operator](use)

    def result(self, source: Source, nodes: Nodes, scope: Scope) -> Held:
        """A result of a node; raises Told if the node is refused."""
        if source.node not in scope:
            if source.node in nodes and self.reasons:
                raise Told
            raise Unsupported(f"no node gives `{source}`")
        found, index = scope[source.node], source.index
        if source.port and source.node in nodes:
            names = self.ports(nodes[source.node].operator)
            index += names.index(source.port) if source.port in names else 0
        held = found[index] if index < len(found) else None
        if held is None:
            raise Unsupported(f"`{source}`, a result that is not imported")
        if not isinstance(held, Value) or not isinstance(held.type, UnrankedType):
            return held
        self.handed[held] += 1
        return self.refined.get(held, held)

    def ports(self, operator: str) -> Sequence[str]:
        """The names of an operator's results, if it has several."""
        if operator in self.model.functions:
            return [name for name, _ in self.model.functions[operator].results]
        return PORTS.get(operator, ())

    # ------------------------------------------------------------------------------------------------------- functions
    def function(self, name: str) -> Function:
        """A function of the library."""
        if name not in self.model.functions:
            raise Unsupported(f"the function `{name}`, which the library has not")
        return self.model.functions[name]

    def outputs(self, function: str, inputs: Sequence[Held]) -> list[Held]:
        """The results of a function; raises Told if a part of it cannot be imported."""
        called = self.function(function)
        if function in self.around:
            raise Unsupported(f"the function `{function}`, which calls itself")
        if len(self.around) >= LIMITS.graphs:
            raise Unsupported(f"functions that nest deeper than the limit `graphs`, {LIMITS.graphs}")
        if len(called.params) != len(inputs):
            raise Unsupported(f"the function `{function}` of {len(called.params)} inputs that is given {len(inputs)}")
        scope: Scope = {name: (value,) for name, value in zip(called.params, inputs, strict=True)}
        before = len(self.reasons)
        self.around.append(function)
        try:
            found = self.results(called.nodes, [source for _, source in called.results], called.runs, scope)
        finally:
            self.around.pop()
        if len(self.reasons) > before:
            raise Told
        return found

    def kept(self, function: str) -> Sequence[bool]:
        """For each result of a function, whether it is the parameter at the same index, unchanged."""
        return self.function(function).kept

    def asserts(self, function: str) -> int | None:
        """The index of the parameter that a function asserts, if it does nothing else; None for any other function."""
        return self.function(function).asserts

    def tell(self, says: str, node: Node | None = None) -> None:
        """Record a reason against the import."""
        operator, name = ("", "") if node is None else (node.operator, node.name)
        line = f" at {node.frames[-1].place}" if node is not None and node.frames else ""
        self.reasons.append(Reason(self.index, operator, name, says, place=line))
