"""The names that a function binds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gradual.core.def_use import defined
from gradual.core.pattern import Bind, CorePattern
from gradual.core.terms import (
    Change,
    Closure,
    Conversion,
    Convert,
    Function,
    If,
    Layer,
    Match,
    Step,
    Wrap,
    WrapReference,
)
from gradual.dims.term.dim import Variable
from gradual.types.type import TypeVariable

Bound = str | Variable | TypeVariable
"""A variable, a dim, or a type."""


def names_in(function: Function) -> set[str]:
    """Every variable that a function binds, also in literals, patterns, layers and conversions."""
    return {one for one in _Bound().function(function) if isinstance(one, str)}


def bound_in(function: Function) -> set[Variable | TypeVariable]:
    """Every dim and type parameter that a function binds, also in literals, layers and conversions."""
    return {one for one in _Bound().function(function) if not isinstance(one, str)}


@dataclass(frozen=True, slots=True)
class _Bound:
    """A visitor of the bound names; a recursive conversion is visited once."""

    seen: set[int] = field(default_factory=set)

    def function(self, function: Function) -> Iterator[Bound]:
        yield from function.type.binders
        yield from function.type.types
        yield from (param.name for param in function.params)
        yield from self.steps(function.body.steps)

    def steps(self, steps: Iterable[Step]) -> Iterator[Bound]:
        for step in steps:
            name = defined(step)
            if name is not None:
                yield name
            match step:
                case If(then=then, orelse=orelse):
                    yield from self.steps((*then.steps, *orelse.steps))
                case Match(arms=arms):
                    for arm in arms:
                        yield from self.pattern(arm.pattern)
                        yield from self.steps(arm.block.steps)
                case Closure(function=function):
                    yield from self.function(function)
                case Wrap(layer=layer):
                    yield from self.layer(layer)
                case WrapReference(read=read, write=write):
                    yield from self.layer(read)
                    yield from self.layer(write)
                case Convert(conversion=conversion):
                    yield from self.conversion(conversion)

    def pattern(self, pattern: CorePattern) -> Iterator[str]:
        match pattern:
            case Bind(name):
                if name is not None:
                    yield name
            case _:
                for part in pattern.fields:
                    yield from self.pattern(part)

    def layer(self, layer: Layer) -> Iterator[Bound]:
        yield from (dim for dim, _ in layer.binders)
        yield from layer.types
        yield from (param.name for param in layer.params)
        yield from self.steps((*layer.before, layer.call, *layer.after))

    def conversion(self, conversion: Conversion) -> Iterator[Bound]:
        if id(conversion) in self.seen:
            return
        self.seen.add(id(conversion))
        for fields in conversion.fields.values():
            for how in fields:
                match how:
                    case Change(param, steps):
                        yield param.name
                        yield from self.steps(steps)
                    case Conversion():
                        yield from self.conversion(how)
