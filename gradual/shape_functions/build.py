"""The shape function of a function in core, from the types and checks of core and from the memory plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

from gradual.core.check import Blame, Check, Site
from gradual.core.terms import Function, Module
from gradual.dims.solver.decide import Decider
from gradual.dims.term.atom import named
from gradual.dims.term.constraint import TRUE, Constraint, any_of, negated
from gradual.dims.term.dim import ContentOf, Dim, Kind, SizeOf, Variable, Witness, constant, ite, of_atom
from gradual.limits import LIMITS
from gradual.passes.plan.prepare import cut, ready
from gradual.passes.plan.slots import planned
from gradual.record import record
from gradual.run.graph.plan import tensors
from gradual.run.value import demanded
from gradual.shape_functions.flattening import Flattening
from gradual.shape_functions.form import (
    ABSENT,
    Buffer,
    Definition,
    Input,
    Need,
    Result,
    ShapeFunction,
    Size,
    Undecided,
)
from gradual.shape_functions.identifiers import Identifiers, identifier
from gradual.shape_functions.walk import Walk
from gradual.source import Span
from gradual.tensors.tensor import Tensor
from gradual.types.print import shown
from gradual.types.type import (
    DataType,
    FunctionType,
    GradualType,
    NeverType,
    OpenedType,
    ReferenceType,
    TensorType,
    TupleType,
    TypeVariable,
    UnrankedType,
)
from gradual.types.unpacking import spelled, tracked_length


class Refused(Exception):
    """Raised for a function that has no shape function; the message gives the reason, and what to do."""


@record(eq=False)
class Subject:
    """A function, and what messages need to name it.

    Attributes:
        file: the name of the function's file.
        place: span -> file, line and column as text.
        weights: the weights that a model contains, which are the arguments for its last parameters; they are no inputs.
    """

    module: Module
    entry: str
    file: str
    place: Callable[[Span], str]
    weights: Sequence[Tensor] = ()


def shape_function(subject: Subject, decider: Decider) -> ShapeFunction:
    """The shape function of the entry.  Raises Refused."""
    declared = subject.module.functions[subject.entry]
    for param in declared.params:
        _accepted(declared, param.name, param.written)
    prepared = cut(ready(subject.module, subject.entry, decider))
    return _Builder(subject, declared, prepared).built()


def _accepted(function: Function, path: str, type: GradualType) -> None:
    """Refuse a parameter whose sizes are not a fixed number of integers."""
    match type:
        case TensorType():
            pass
        case TupleType(fields):
            for index, part in enumerate(fields):
                _accepted(function, f"{path}#{index}", part)
        case UnrankedType():
            raise Refused(
                f"`{spelled(path)}` of `{function.name}` has any rank, and a shape function takes a number of sizes; "
                f"write its rank, as in `Tensor[(?, ?), {type.dtype}]`"
            )
        case _:
            raise Refused(
                f"`{spelled(path)}` of `{function.name}` is {_kind(type)}, whose sizes are no fixed number of integers"
            )


def _kind(type: GradualType) -> str:
    match type:
        case DataType():
            return f"a `{shown(type)}`"
        case FunctionType():
            return "a function"
        case ReferenceType():
            return "a reference"
        case TypeVariable(name):
            return f"of the type parameter `{name}`"
        case _:
            return f"a `{shown(type)}`"


@record(frozen=False, eq=False)
class _Inputs:
    """The inputs of a shape function, with a name for each size and element.

    Attributes:
        known: size or element of an argument -> its name, or its number if the argument is a weight of the model.
    """

    identifiers: Identifiers
    weights: Sequence[Tensor]
    known: dict[Witness, Dim] = field(default_factory=dict)

    def of(self, function: Function) -> tuple[Input, ...]:
        """The inputs of a function, one for each tensor among its parameters."""
        count = len(function.params) - len(self.weights)
        for param, weight in zip(function.params[count:], self.weights, strict=True):
            self._weight(param.name, weight)
        given = [part for param in function.params[:count] for part in tensors(param.type, param.name)]
        return tuple(self._input(path, type) for path, type in given if isinstance(type, TensorType))

    def _weight(self, name: str, weight: Tensor) -> None:
        for axis, size in enumerate(weight.shape):
            self.known[SizeOf(name, axis)] = constant(size)
        length = weight.size if len(weight.shape) < 2 and weight.dtype.is_integer else 0
        for place in range(length if length <= LIMITS.contents else 0):
            self.known[ContentOf(name, (place,) if weight.shape else ())] = constant(weight.elements[place])

    def _input(self, path: str, type: TensorType[Dim]) -> Input:
        base = path.lstrip("%")
        shape = self.identifiers.fresh(f"{base}_shape")
        sizes = tuple(self._name(SizeOf(path, axis), f"{base}_{axis}") for axis in range(type.rank))
        values = self.identifiers.fresh(f"{base}_elements")
        places = [(k,) if type.rank else () for k in range(tracked_length(type, LIMITS.contents, read=True) or 0)]
        elements = [self._name(ContentOf(path, place), f"{base}_at_{k}") for k, place in enumerate(places)]
        return Input(spelled(path), shape, sizes, values, tuple(elements))

    def _name(self, witness: Witness, wanted: str) -> Variable:
        name = named(self.identifiers.fresh(wanted), Kind.RIGID, None)
        self.known[witness] = of_atom(name)
        return name


class _Builder:
    """One shape function under construction."""

    def __init__(self, subject: Subject, declared: Function, prepared: Function) -> None:
        self.subject = subject
        self.declared = declared
        self.walk = Walk(prepared)
        self.plan = planned(prepared)
        identifiers = Identifiers()
        inputs = _Inputs(identifiers, subject.weights)
        self.inputs = inputs.of(declared)
        self.flat = Flattening(identifiers, inputs.known, {**dict(prepared.binders), **dict(declared.binders)})

    def built(self) -> ShapeFunction:
        """The shape function; needs come first, so that no formula of a result is computed after a need fails."""
        for check in self.declared.entry:
            self._need(TRUE, check.goal, check)
        for found in self.walk.checks:
            self._need(found.guard, found.goal, found.check)
        results = tuple(self._results())
        offsets, arena = self._memory()
        buffers = tuple(self._buffers(offsets))
        return _pruned(
            ShapeFunction(
                _called(self.declared.name, self.subject.file),
                f"`{self.declared.name}` of {self.subject.file}",
                self.inputs,
                tuple(self.flat.steps),
                tuple(Undecided(left.says, self.subject.place(left.span)) for left in self.walk.left),
                results,
                buffers,
                arena,
            )
        )

    # ---------------------------------------------------------------------------------------------------------- needs
    def _need(self, guard: Constraint, goal: Constraint, check: Check) -> None:
        holds = any_of(negated(self.flat.verdict(guard).holds), self.flat.verdict(goal).holds)
        if holds is not TRUE:
            label = check.blame
            message = f"{label.says}; required: {demanded(label, check)}, by rule {label.rule}"
            blamed = "" if label.site is Site.ASSERT else self._blamed(label)
            self.flat.steps.append(Need(check.id, holds, message, self.subject.place(label.span), blamed))

    def _blamed(self, label: Blame) -> str:
        """The blamed party, and its places in the source if they differ from the place of the construct."""
        places = [self.subject.place(span) for span in label.blames if span != label.span]
        return f"{label.blamed}, {', '.join(dict.fromkeys(places))}" if places else label.blamed

    # -------------------------------------------------------------------------------------------------------- results
    def _results(self) -> Iterator[Result]:
        type = self.walk.result
        if type is None or isinstance(type, NeverType):
            yield Result("", None, "nothing: no run ends in a value")
        else:
            yield from self._parts(type, "")

    def _parts(self, type: OpenedType, path: str) -> Iterator[Result]:
        match type:
            case TensorType(shape, dtype):
                yield Result(path, tuple(self._size(self.walk.size(dim)) for dim in shape), str(dtype))
            case TupleType(fields):
                for index, part in enumerate(fields):
                    yield from self._parts(part, f"{path}.{index}")
            case UnrankedType(dtype):
                yield Result(path, None, f"{dtype} of a rank that only the run decides")
            case _:
                yield Result(path, None, _kind(type))

    def _size(self, size: Size) -> Size:
        return size if size.dim is None else Size(self._value(size.dim), size.exact)

    def _value(self, dim: Dim) -> Dim:
        """A dim over the defined names; `ABSENT` where it has no value, since a run stops before it there."""
        found = self.flat.number(dim)
        if found.defined is TRUE:
            return found.value
        return self.flat.named("t", ite(found.defined, found.value, constant(ABSENT)))

    # -------------------------------------------------------------------------------------------------------- buffers
    def _buffers(self, offsets: Sequence[Dim]) -> Iterator[Buffer]:
        for buffer in self.plan.buffers.values():
            size = self.walk.read(buffer.size)
            taken = buffer.bound if buffer.bound is not None else size
            offset = offsets[buffer.slot] if buffer.slot is not None else None
            found = self._value(taken) if taken is not None else None
            yield Buffer(spelled(buffer.path), buffer.maker, found, offset, size is not None)

    def _memory(self) -> tuple[Sequence[Dim], Dim]:
        """The offset of each slot, a number or the end of the slot before it; and the bytes of the arena."""
        found: list[Dim] = []
        end = constant(0)
        for number, slot in enumerate(self.plan.slots):
            begin = slot.offset if slot.offset.value is not None else self.flat.named(f"offset_{number}", end)
            found.append(begin)
            end = begin + self.flat.named(f"slot_{number}", self._value(slot.size))
        arena = self.plan.arena
        return found, arena if arena.value is not None else self.flat.named("arena", end)


def _pruned(made: ShapeFunction) -> ShapeFunction:
    """The shape function without unused definitions and unused elements of inputs."""
    read = {name for dim in made.ends for name in dim.variables()}
    steps: list[Definition | Need] = []
    for step in reversed(made.steps):
        if isinstance(step, Need) or step.name in read:
            read |= (step.holds if isinstance(step, Need) else step.dim).variables()
            steps.append(step)
    inputs = (given if not read.isdisjoint(given.elements) else replace(given, elements=()) for given in made.inputs)
    return replace(made, steps=tuple(reversed(steps)), inputs=tuple(inputs))


def _called(function: str, file: str) -> str:
    """An identifier for a function: its own name, or for `@main` the name of the file."""
    own = function.lstrip("@")
    return identifier(own if own != "main" else Path(file).stem)
