"""From a function of core to its data flow.

Steps that only name, bundle or take apart a value are not drawn, and the steps that an importer made for one node of
a model are drawn as that node.  Constants and weights are notes at the nodes that read them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from gradual.compilation import Compilation, room
from gradual.core import terms
from gradual.core.check import Check
from gradual.core.def_use import binds, checks_in, defined, operands
from gradual.core.terms import Block, Function, Step
from gradual.diagnostic import Severity
from gradual.origin import Origin
from gradual.record import record
from gradual.source import Source, Span
from gradual.tools.graph.flow import Flow, Kind, Node, Value, shape_of
from gradual.types.print import shown
from gradual.types.type import OpenedType, TupleType

_NAMED = re.compile(r"`(.*)`$")
"""Matches the name at the end of the words for a node of a model."""


@record(eq=False)
class Parts:
    """The values that a variable consists of, if it is a tuple of drawn values."""

    fields: tuple[Known, ...]


@record(eq=False)
class Hidden:
    """A value that is not drawn, in words."""

    says: str


Known = Value | Parts | Hidden
"""What a variable of core is in the graph."""


def flow_of(compilation: Compilation, name: str) -> Flow:
    """The data flow of a function that was checked, also if the program has errors."""
    function = compilation.core.functions[name]
    building = _Building(compilation.source, compilation.weights if name == "@main" else ())
    with room():
        building.function(function)
    errors = [one for one in compilation.diagnostics if one.severity is Severity.ERROR]
    for found in errors:
        building.report(found.span, found.code)
    return Flow(name, building.nodes, list(building.edges))


class _Building:
    """A graph that grows by one step after another.

    Attributes:
        known: variable -> what it is in the graph.
        waiting: the checks before the next step, which guard it.
        drawn: the node of a model and the groups around it -> the number of the node that is drawn for it.
    """

    def __init__(self, source: Source, weights: Collection[str]) -> None:
        self.source = source
        self.weights = weights
        self.nodes: list[Node] = []
        self.edges: dict[tuple[Value, int], None] = {}
        self.known: dict[str, Known] = {}
        self.waiting: list[Check] = []
        self.drawn: dict[tuple[object, ...], int] = {}

    # ------------------------------------------------------------------------------------------------------ functions
    def function(self, function: Function) -> None:
        """Add a whole function: its parameters, its body, its result."""
        for param in function.params:
            self.parameter(param, (), param.name.lstrip("%") in self.weights or param.name in self.weights)
        self.block(function.body, ())
        result = self.add(Node("result", function.name, (), function.span, Kind.RESULT))
        self.read(function.body.result, result)
        self.guarded(result)

    def parameter(self, param: terms.Param, path: tuple[str, ...], is_weight: bool = False) -> None:
        """Add a parameter; a weight of a model is only a note at the nodes that read it."""
        if is_weight:
            self.known[param.name] = Hidden(f"weight {param.name}: {shown(param.type)}")
            return
        number = self.add(Node("input", self.spelled(param.name, param.span), path, param.span, Kind.INPUT))
        self.known[param.name] = Value(number, param.name, shown(param.type), shape_of(param.type))

    def block(self, block: Block, path: tuple[str, ...]) -> None:
        """Add the steps of a block."""
        for step in block.steps:
            self.step(step, path)

    # ---------------------------------------------------------------------------------------------------------- steps
    def step(self, step: Step, path: tuple[str, ...]) -> None:
        """Add one step, or remember what it names."""
        name = defined(step)
        match step:
            case Check():
                self.waiting.append(step)
            case terms.Constant(type=type):
                self.known[step.name] = Hidden(f"constant {step.name}: {shown(type)}")
            case terms.Size(dim=dim):
                self.known[step.name] = Hidden(f"size {dim}")
            case terms.Rename(operand=operand) | terms.Instantiate(operand=operand) if operand in self.known:
                self.known[step.name] = self.known[operand]
            case terms.MakeTuple(fields=fields) if all(field in self.known for field in fields):
                self.known[step.name] = Parts(tuple(self.known[field] for field in fields))
            case terms.Project(operand=operand, index=index) if isinstance(of := self.known.get(operand), Parts):
                self.known[step.name] = of.fields[index]
            case terms.Project(operand=operand, type=type) if isinstance(of := self.known.get(operand), Value):
                self.known[step.name] = Value(of.source, step.name, shown(type), shape_of(type))
            case terms.If(condition=condition, then=then, orelse=orelse):
                self.branching(step, path, [condition], [("then", then), ("else", orelse)])
            case terms.Match(scrutinee=scrutinee, arms=arms):
                for arm in arms:
                    self.bound(arm, scrutinee)
                blocks = [(f"arm {number}", arm.block) for number, arm in enumerate(arms, 1)]
                self.branching(step, path, [scrutinee], blocks)
            case terms.Closure(function=function):
                inside = (*path, f"fn {step.name}")
                for param in function.params:
                    self.parameter(param, inside)
                self.branching(step, path, [], [("", function.body)])
            case _:
                self.operation(step, path, name)

    def bound(self, arm: terms.Arm, scrutinee: str) -> None:
        """The names that a pattern binds are parts of what is matched."""
        whole = self.known.get(scrutinee)
        for bind in binds(arm.pattern):
            if bind.name is None or whole is None:
                continue
            known = whole
            if isinstance(whole, Value):
                known = Value(whole.source, bind.name, shown(bind.type), shape_of(bind.type))
            self.known[bind.name] = known

    def branching(
        self,
        step: terms.If | terms.Match | terms.Closure,
        path: tuple[str, ...],
        reads: Sequence[str],
        blocks: Sequence[tuple[str, Block]],
    ) -> None:
        """Add a step with blocks: a group with the steps of the blocks, and a node that has their results."""
        kind = {"If": "if", "Match": "match", "Closure": "fn"}[type(step).__name__]
        group = (*path, f"{kind} {step.name}")
        guards, self.waiting = self.waiting, []
        for title, block in blocks:
            self.block(block, (*group, title) if title else group)
        number = self.add(Node(kind, self.spelled(step.name, step.span), group, step.span))
        self.waiting = guards + self.waiting
        self.guarded(number)
        for name in (*reads, *(block.result for _, block in blocks)):
            self.read(name, number)
        self.make(step.name, step.type, number)

    def operation(self, step: Step, path: tuple[str, ...], name: str | None) -> None:
        """Add a step that computes something."""
        origin = self.source.origin(step.span)
        number = self.node_of(step, path, name, origin)
        self.waiting += [check for check in checks_in(Block((step,), name or "")) if check.id]
        self.guarded(number)
        for operand in operands(step):
            self.read(operand, number)
        if isinstance(step, terms.Stop):
            self.nodes[number].notes.append(f"always stops: {step.says}")
        if name is not None and not isinstance(step, Check | terms.Assertion):
            self.make(name, step.type, number)

    def node_of(self, step: Step, path: tuple[str, ...], name: str | None, origin: Origin | None) -> int:
        """The number of the node for a step: a new one, or that of the model's node which it belongs to."""
        if origin is None:
            return self.add(Node(_label(step), name or "", path, step.span))
        place = _placed(path, module_path(origin))
        key = (origin.node, origin.said, place)
        if key not in self.drawn:
            own = _NAMED.search(origin.node)
            label = origin.value or (own[1] if own else origin.node)
            self.drawn[key] = self.add(Node(origin.operator, label, place, step.span))
        return self.drawn[key]

    # ------------------------------------------------------------------------------------------------ nodes and edges
    def add(self, node: Node) -> int:
        """Add a node; the result is its number."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def make(self, name: str, type: OpenedType, number: int) -> None:
        """A variable that a node makes; each part of a tuple is a value of its own."""
        if isinstance(type, TupleType) and type.fields:
            fields = enumerate(type.fields)
            parts = (Value(number, f"{name}.{k}", shown(field), shape_of(field)) for k, field in fields)
            self.known[name] = Parts(tuple(parts))
        else:
            self.known[name] = Value(number, self.spelled_value(name, number), shown(type), shape_of(type))

    def read(self, name: str, number: int) -> None:
        """The node reads a variable; a function of the program is read by its name and has no edge."""
        known = self.known.get(name)
        for one in _leaves(known) if known is not None else ():
            if isinstance(one, Hidden):
                if one.says not in self.nodes[number].notes:
                    self.nodes[number].notes.append(one.says)
            elif one.source != number:
                self.edges[one, number] = None

    def guarded(self, number: int) -> None:
        """The checks that were waiting guard this node."""
        self.nodes[number].checks += [check.id for check in self.waiting if check.id]
        self.waiting = []

    def report(self, span: Span, code: str) -> None:
        """Mark the smallest node whose text contains the beginning of an error."""
        around = [one for one in self.nodes if one.span.start <= span.start < one.span.end and one.kind is Kind.STEP]
        if around:
            min(around, key=lambda one: one.span.end - one.span.start).errors.append(code)

    def spelled(self, name: str, span: Span) -> str:
        """The name of a value, for a model as the model has it."""
        origin = self.source.origin(span)
        return origin.value if origin is not None and origin.value else name

    def spelled_value(self, name: str, number: int) -> str:
        """The name of a value that a node makes: the variable or, of a model, the name of the node."""
        return self.nodes[number].name if self.source.origins is not None else name


def _label(step: Step) -> str:
    match step:
        case terms.Apply(operator=operator):
            return operator.name
        case terms.Invoke(function=function):
            return function
        case terms.Construct(constructor=constructor):
            return constructor
        case terms.Assertion():
            return "assert"
        case terms.MakeReference():
            return "ref"
        case terms.ReadReference():
            return "ref_read"
        case terms.WriteReference():
            return "ref_write"
        case terms.Project(index=index):
            return f".{index}"
        case _:
            return type(step).__name__.lower()


def _leaves(known: Known) -> Iterator[Value | Hidden]:
    if isinstance(known, Parts):
        for field in known.fields:
            yield from _leaves(field)
    else:
        yield known


def module_path(origin: Origin) -> tuple[str, ...]:
    """The groups of a node of a model: its module, or else the folders of its name, as in `layer1/conv`."""
    if origin.module:
        return tuple(part for part in origin.module.split(".") if part)
    own = _NAMED.search(origin.node)
    return tuple(part for part in own[1].split("/")[:-1] if part) if own else ()


def _placed(path: tuple[str, ...], module: tuple[str, ...]) -> tuple[str, ...]:
    """The groups of a node of a model inside a block: those of the block, then those of its own that are not yet in."""
    inside = list(module)
    for part in path:
        if inside and inside[0] == part:
            inside.pop(0)
    return (*path, *inside)
