"""Find what keeps a function from being static, so that the graph runtime refuses it.   [graph.static]

A prepared function is static if all its sizes are numbers, and it has no branches, calls, references, data or residual
checks, except checks that always fail. Anything else is an obstacle, reported with the operators and inputs that it
comes from.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType

from gradual.core import terms
from gradual.core.check import Check
from gradual.core.def_use import blocks, every, operands, variables_in
from gradual.dims.term.dim import ContentOf, Dim, Variable
from gradual.passes.plan.prepare import entry_unknowns
from gradual.record import record
from gradual.source import Span
from gradual.types.print import shown
from gradual.types.type import (
    DataType,
    FunctionType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.types.unpacking import base_of, shapes_unknown, sizes, spelled

_NOWHERE: Mapping[str, Span] = MappingProxyType({})


@record(eq=False)
class Link:
    """An input or an operator on the way to an obstacle."""

    says: str
    span: Span


@record(eq=False)
class Obstacle:
    """Something that is not static.

    Attributes:
        rule: the rule that is not met.
        says: the obstacle in one line.
        label: the words at its source position.
        chain: the steps it comes from, beginning at an input.
        needs: the unknowns that would have to be numbers; empty if no number helps.
    """

    rule: str
    span: Span
    says: str
    label: str
    chain: tuple[Link, ...] = ()
    needs: frozenset[Variable] = frozenset()


def obstacles(function: terms.Function, places: Mapping[str, Span] = _NOWHERE) -> tuple[Obstacle, ...]:
    """All obstacles of a prepared function, in the order of the text.  [graph.static]

    `places`: name of an unknown of a parameter -> its position in the declaration.
    """
    found = [*_Search(function, places).found()]
    return tuple(sorted(found, key=lambda obstacle: (obstacle.span.start, obstacle.span.end)))


@record(frozen=False, eq=False)
class _Search:
    """The search in one function.

    Attributes:
        entry: the unknown sizes of its parameters; each is reported once, not at every step that has it.
        met: the unknowns already reported.
    """

    function: terms.Function
    places: Mapping[str, Span]
    entry: Mapping[Variable, None] = field(init=False)
    met: set[Variable] = field(default_factory=set)
    params: dict[str, terms.Param] = field(init=False)
    makers: dict[str, terms.Step] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.entry = entry_unknowns(self.function)
        self.params = {param.name: param for param in self.function.params}

    def found(self) -> Iterator[Obstacle]:
        """The obstacles of the parameters, then those of the steps in order."""
        for param in self.function.params:
            yield from self._param(param)
        for step in every(self.function.body):
            if not isinstance(step, Check | terms.Assertion):
                self.makers[step.name] = step
            yield from self._step(step)
        yield from self._result()

    # --------------------------------------------------------------------------------------------------- parameters
    def _param(self, param: terms.Param) -> Iterator[Obstacle]:
        """The obstacles in a parameter: unknown sizes and ranks, and parts that are no tensors.

        [graph.static.size] [graph.static.rank]
        """
        for size in sizes(param.type):
            for variable in sorted(size.variables() - self.met):
                self.met.add(variable)
                says = f"the size `{variable.name}` is not known before `{self.function.name}` is called"
                place = self.places.get(variable.name, param.span)
                label = f"`{param.name}` has it"
                yield Obstacle("graph.static.size", place, says, label, (), frozenset((variable,)))
        for path in shapes_unknown(param.type):
            says = f"the rank of `{spelled(path)}` is not known"
            place = self.places.get(f"ndim({spelled(path)})", param.span)
            yield Obstacle("graph.static.rank", place, says, f"`{param.name}` has any rank")
        for rule, what in dict.fromkeys(_strange(param.type)):
            yield Obstacle(rule, param.span, f"`{param.name}` is {what}", f"this is a `{shown(param.type)}`")

    def _result(self) -> Iterator[Obstacle]:
        """The obstacle of a result that is no tensor, unless the step that defines it was reported."""
        maker = self.makers.get(self.function.body.result)
        told = Check | terms.Assertion | terms.Construct | terms.Convert | terms.MakeReference | terms.WrapReference
        if maker is not None and not isinstance(maker, told):
            for rule, what in dict.fromkeys(_strange(maker.type)):
                says = f"`{self.function.name}` gives {what}"
                yield Obstacle(rule, maker.span, says, "its value")

    # -------------------------------------------------------------------------------------------------------- steps
    def _step(self, step: terms.Step) -> Iterator[Obstacle]:
        match step:
            case terms.Apply():
                yield from self._apply(step)
            case terms.Size(_, dim):
                yield from self._unknown(step, dim.variables(), "size")
            case Check(id, goal) if goal.value is None:
                says = f"the residual check {id}, `{step.condition}`, is left to run time"
                yield self._obstacle("graph.static.check", step, says, step.blame.says, goal.variables())
            case terms.If(condition=condition):
                says = "which branch runs depends on data"
                label = f"`{condition}` is not known" if condition.startswith("%") else "its condition is not known"
                yield self._decides(step, condition, says, label)
            case terms.Match(scrutinee=scrutinee):
                says = "which arm runs depends on the value"
                yield self._decides(step, scrutinee, says, f"`{scrutinee}` is matched")
            case terms.Invoke():
                yield self._call(step)
            case terms.MakeReference() | terms.ReadReference() | terms.WriteReference() | terms.WrapReference():
                yield Obstacle("graph.static.reference", step.span, "a reference keeps a value between steps", "here")
            case terms.Construct() | terms.Convert():
                says = "the structure of a data value is known only at run time"
                yield Obstacle("graph.static.structure", step.span, says, f"a `{shown(step.type)}`")

    def _apply(self, step: terms.Apply) -> Iterator[Obstacle]:
        """The obstacles of an operator: a rank, size or attribute that is known only when it runs."""
        if step.accepts is not None or [*shapes_unknown(step.type)]:
            says = f"the rank of an operand or of the result of `{step.operator.name}` is not known"
            bases = (path.split("#")[0] for path in shapes_unknown(step.type))
            origin = (*step.operands, *(base for base in bases if base != step.name))
            label = "its typing rule is applied at run time"
            yield Obstacle("graph.static.rank", step.span, says, label, self._chain(origin))
            return
        open_ = [v for value in step.attributes.values() for v in variables_in(value)]
        open_ += [variable for size in sizes(step.type) for variable in size.variables()]
        yield from self._unknown(step, open_, f"`{step.operator.name}`")

    def _unknown(self, step: terms.Apply | terms.Size, variables: Iterable[Variable], what: str) -> Iterator[Obstacle]:
        """The obstacles for unknown sizes that no earlier step has.  [graph.static.data]"""
        new = sorted({*variables} - self.met - self.entry.keys())
        if not new:
            return
        self.met.update(new)
        own = [variable for variable in new if base_of(variable) == step.name]
        names = ", ".join(f"`{variable.name}`" for variable in new)
        says = f"{what} has a size that depends on data: {names}"
        label = "known only after it has run" if own else "known only when the elements are known"
        origin = {base for v in new if (base := base_of(v)) is not None and base != step.name}
        chain = self._chain(operands(step) or sorted(origin), origin)
        needs = frozenset() if own else frozenset(new)
        yield Obstacle("graph.static.data", step.span, says, label, chain, needs)

    def _decides(self, step: terms.If | terms.Match, on: str, says: str, label: str) -> Obstacle:
        """The obstacle of a branch whose condition is not known before the run.  [graph.static.branch]"""
        known = self._truth(on)
        return Obstacle("graph.static.branch", step.span, says, label, self._chain((on,)), known)

    def _truth(self, name: str) -> frozenset[Variable]:
        """The unknowns in the formula of a condition; empty if it is no formula."""
        maker = self.makers.get(name)
        type = maker.type if maker is not None and not isinstance(maker, Check | terms.Assertion) else None
        if isinstance(type, TensorType) and type.contents:
            return frozenset(variable for content in type.contents for variable in content.variables())
        return frozenset()

    def _call(self, step: terms.Invoke) -> Obstacle:
        """The obstacle of a call that was not inlined: recursion, or an unknown function.  [graph.static.call]"""
        if not step.function.startswith("%"):
            says = f"`{step.function}` is called, and cannot be inlined"
        else:
            says = f"a function value is called: the function that `{step.function}` represents is not known"
        return Obstacle("graph.static.call", step.span, says, "a call", self._chain(step.operands))

    def _obstacle(self, rule: str, step: Check, says: str, label: str, variables: Iterable[Variable]) -> Obstacle:
        """An obstacle with the chain of steps that lead to it.  [graph.static.check]"""
        needs = frozenset(variables)
        origin = [base for variable in sorted(needs) if (base := base_of(variable)) is not None]
        return Obstacle(rule, step.span, says, label, self._chain(origin), needs)

    # ------------------------------------------------------------------------------------------------------- chains
    def _chain(self, names: Iterable[str], origin: Container[str] = ()) -> tuple[Link, ...]:
        """The shortest path to one of `names`: from a value in `origin`, else from a parameter, else from any value."""
        before: dict[str, str] = {}
        start = [*dict.fromkeys(names)]
        reached = self._reached(start, before)
        ends = [name for name in reached if name in origin]
        ends += [name for name in reached if name in self.params]
        return tuple(self._way([*ends, *reached[-1:]][0], before)) if reached else ()

    def _reached(self, start: Iterable[str], before: dict[str, str]) -> list[str]:
        """All values from which some are computed, the nearest first; record in `before` what led to each."""
        reached = [*start]
        seen = {*reached}
        for name in reached:  # grows while it is walked
            for inner in self._sources(name):
                if inner not in seen:
                    seen.add(inner)
                    before[inner] = name
                    reached.append(inner)
        return reached

    def _way(self, name: str, before: Mapping[str, str]) -> Iterator[Link]:
        link = self._link(name)
        if link is not None:
            yield link
        while name in before:
            name = before[name]
            link = self._link(name)
            if link is not None:
                yield link

    def _sources(self, name: str) -> Iterator[str]:
        maker = self.makers.get(name)
        if maker is not None:
            yield from operands(maker)
            yield from (inner.result for inner in blocks(maker) if not isinstance(maker, terms.Closure))

    def _link(self, name: str) -> Link | None:
        if name in self.params:
            return Link(f"parameter `{name}`", self.params[name].span)
        match self.makers.get(name):
            case terms.Apply() as step:
                return Link(f"`{step.operator.name}`", step.span)
            case terms.Invoke() as step:
                return Link(f"the call of `{step.function}`", step.span)
            case terms.If() | terms.Match() as step:
                return Link("the branches", step.span)
            case terms.ReadReference() as step:
                return Link("the content of the reference", step.span)
            case terms.Project() | terms.Rename() | _:
                return None


def _strange(type: OpenedType) -> Iterator[tuple[str, str]]:
    """The parts of a type that are no tensors: the rule that forbids each, and words for it.

    [graph.static.reference] [graph.static.structure]
    """
    match type:
        case TensorType() | UnrankedType():
            pass
        case TupleType(fields):
            for part in fields:
                yield from _strange(part)
        case FunctionType():
            yield "graph.static.call", "a function"
        case ReferenceType():
            yield "graph.static.reference", "a reference"
        case DataType() | TypeVariable():
            yield "graph.static.structure", "a data structure"


def elements_of_parameters(function: terms.Function, variables: Iterable[Variable]) -> Iterator[Variable]:
    """The unknowns that are elements of parameters."""
    names = {param.name for param in function.params}
    yield from (v for v in variables if isinstance(v.witness, ContentOf) and base_of(v) in names)


def open_sizes(function: terms.Function) -> Mapping[Dim, None]:
    """Every size of a function's values that is not a number, once."""
    found: dict[Dim, None] = {}
    for param in function.params:
        found.update((size, None) for size in sizes(param.type) if size.value is None)
    for step in every(function.body):
        if isinstance(step, terms.Apply):
            found.update((size, None) for size in sizes(step.type) if size.value is None)
    return found
