"""Live ranges of the buffers of a function.   [plan.life]

Steps are numbered in the order of the text, including the blocks of branches; a buffer is live from the step that
fills it to the last one that reads it.  A projection, a tuple, an ascription and the result of a branch alias the
memory of other values.  A value that may be stored (by a call, a function value, a reference or a data structure) is
live to the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TypeAlias

from gradual.core import terms
from gradual.core.check import Check
from gradual.core.def_use import evaluated, operands, reads
from gradual.core.pattern import Bind, CorePattern
from gradual.dims.term.dim import ContentOf, Dim, Variable
from gradual.record import record
from gradual.run.graph.plan import tensors
from gradual.run.graph.runtime import is_too_large
from gradual.types.type import OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import base_of

Places: TypeAlias = frozenset[str] | tuple["Places", ...]
"""The buffers that may contain a value; for a tuple, by field if known."""

NOWHERE: Places = frozenset()
"""The places of values without a buffer: arguments, constants, functions."""


@record(eq=False)
class Made:
    """A buffer that a step fills; if `handed`, a called function returns it."""

    path: str
    type: TensorType[Dim] | UnrankedType
    handed: bool


@record(eq=False)
class Event:
    """A step with its number, and the buffers that it fills."""

    at: int
    step: terms.Step
    makes: tuple[Made, ...]


@record
class Enter:
    """A block of a branch begins."""


@record
class Leave:
    """A block of a branch ends."""


ENTER, LEAVE = Enter(), Leave()


@record(frozen=False, eq=False)
class Lives:
    """The steps of a function in order, and the last step at which each buffer is read.

    Attributes:
        events: the steps, with the bounds of nested blocks.
        last: path of a buffer -> the last step that reads it.
        calls: the names of the called functions.
    """

    events: list[Event | Enter | Leave] = field(default_factory=list)
    last: dict[str, int] = field(default_factory=dict)
    calls: dict[str, None] = field(default_factory=dict)
    steps: int = 0
    _where: dict[str, Places] = field(default_factory=dict)
    _kept: set[str] = field(default_factory=set)

    def block(self, block: terms.Block) -> Places:
        """Walk a block, and return the buffers of its result."""
        for step in block.steps:
            self._step(step)
        return self._places(block.result)

    def end(self, result: Places) -> None:
        """Keep the result, and all values that may be stored, live to the end."""
        for path in (*leaves(result), *self._kept):
            self.last[path] = self.steps + 1

    # ------------------------------------------------------------------------------------------------------ one step
    def _step(self, step: terms.Step) -> None:
        self.steps += 1
        at = self.steps
        makes = tuple(self._makes(step))
        self.events.append(Event(at, step, makes))
        self._reads(step, at)
        for made in makes:
            self.last[made.path] = at
        match step:
            case terms.If(name, _, then, orelse):
                self._where[name] = merged([self._inside(then), self._inside(orelse)])
            case terms.Match(name, scrutinee, arms):
                given = self._places(scrutinee)
                for arm in arms:
                    self._bind(arm.pattern, given)
                self._where[name] = merged([self._inside(arm.block) for arm in arms])
            case Check() | terms.Assertion():
                pass
            case _:
                self._where[step.name] = self._value(step, makes)

    def _inside(self, block: terms.Block) -> Places:
        self.events.append(ENTER)
        found = self.block(block)
        self.events.append(LEAVE)
        return found

    def _makes(self, step: terms.Step) -> Iterator[Made]:
        """The buffers that a step fills, or that a call returns."""
        match step:
            case terms.Size() if step.dim.value is not None:
                pass
            case terms.Apply() if is_too_large(step):  # the run stops at this step
                pass
            case terms.Apply() | terms.Size():
                yield from (Made(path, type, False) for path, type in tensors(step.type, step.name))
            case terms.Invoke():
                self.calls[step.function] = None
                yield from (Made(path, type, True) for path, type in tensors(step.type, step.name))

    def _reads(self, step: terms.Step, at: int) -> None:
        """Extend the live ranges of what a step reads; what it may store is live to the end."""
        match step:
            case (
                terms.Project()
                | terms.MakeTuple()
                | terms.Rename()
                | terms.Instantiate()
                | terms.Constant()
                | terms.Stop()
                | terms.ReadReference()
                | terms.Size()
            ):
                taken: Iterable[str] = ()
            case terms.Invoke() | terms.Construct() | terms.MakeReference() | terms.WriteReference():
                taken = self._keep(operands(step))
            case terms.Closure() | terms.Convert() | terms.Wrap() | terms.WrapReference():
                taken = self._keep(reads(step))
            case terms.Apply() | terms.If() | terms.Match() | terms.Assertion() | Check():
                taken = operands(step)
        for name in taken:
            self._use(self._places(name), at)
        for variable in elements_read(step):
            base = base_of(variable)
            if base is not None:
                self._use(self._places(base), at)

    def _keep(self, names: Iterable[str]) -> tuple[str, ...]:
        found = tuple(names)
        for name in found:
            self._kept.update(leaves(self._places(name)))
        return found

    def _use(self, places: Places, at: int) -> None:
        for path in leaves(places):
            self.last[path] = max(at, self.last.get(path, 0))

    # ----------------------------------------------------------------------------------------------- buffers of values
    def _places(self, name: str) -> Places:
        return self._where.get(name, NOWHERE)

    def _value(self, step: terms.Step, makes: tuple[Made, ...]) -> Places:
        """The buffers of the value of a step without nested blocks."""
        match step:
            case terms.Apply() | terms.Size() | terms.Invoke():
                return own_places(step.name, step.type, {made.path for made in makes})
            case terms.MakeTuple(_, fields):
                return tuple(map(self._places, fields))
            case terms.Project(_, operand, index):
                return part(self._places(operand), index)
            case terms.Rename(_, operand) | terms.Instantiate(_, operand):
                return self._places(operand)
            case _:
                return NOWHERE

    def _bind(self, pattern: CorePattern, places: Places) -> None:
        """Record the buffers of the variables in a pattern; parts of data are live to the end anyway."""
        match pattern:
            case Bind(str(name)):
                self._where[name] = places
            case Bind():
                pass
            case _:
                for index, field in enumerate(pattern.fields):
                    self._bind(field, part(places, index))


def lives(function: terms.Function) -> Lives:
    """Compute the live ranges of a function.  [plan.life]"""
    found = Lives()
    found.end(found.block(function.body))
    return found


def elements_read(step: terms.Step) -> Iterator[Variable]:
    """The variables of the elements on which the sizes that a step evaluates depend."""
    return (variable for variable in {*evaluated(step)} if isinstance(variable.witness, ContentOf))


def own_places(name: str, type: OpenedType, made: set[str]) -> Places:
    """The buffers of a step's value: one for each tensor."""
    if isinstance(type, TupleType):
        return tuple(own_places(f"{name}#{index}", field, made) for index, field in enumerate(type.fields))
    return frozenset((name,)) if name in made else NOWHERE


def part(places: Places, index: int) -> Places:
    """The buffers of a part of a value."""
    return places[index] if isinstance(places, tuple) else places


def leaves(places: Places) -> Iterator[str]:
    """All buffers of a value."""
    if isinstance(places, tuple):
        for inner in places:
            yield from leaves(inner)
    else:
        yield from places


def merged(all_places: list[Places]) -> Places:
    """The buffers of a value that is one of several: the union, by field if possible."""
    if all_places and all(isinstance(places, tuple) for places in all_places):
        lengths = {len(places) for places in all_places}
        if len(lengths) == 1:
            return tuple(merged([part(places, i) for places in all_places]) for i in range(lengths.pop()))
    return frozenset(path for places in all_places for path in leaves(places))
