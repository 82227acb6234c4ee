"""The names that a function binds, and new ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gradual.core.reading import defined
from gradual.core.terms import (
    Bind,
    Block,
    Change,
    Closure,
    Conversion,
    Convert,
    CorePattern,
    Function,
    If,
    Layer,
    Match,
    Step,
    Wrap,
    WrapReference,
)
from gradual.dims.dim import Variable
from gradual.types.type import TypeVariable


def names_in(function: Function) -> set[str]:
    """Every variable that a function binds, those of literals, patterns, layers and conversions too."""
    return set(_Bound().function(function))


def bound_in(function: Function) -> set[Variable | TypeVariable]:
    """Every dim and type that a function or a literal inside it binds."""
    found: set[Variable | TypeVariable] = {*function.type.binders, *function.type.types}
    waiting: list[Block] = [function.body]
    while waiting:
        for step in waiting.pop().steps:
            match step:
                case Closure(function=inner):
                    found.update((*inner.type.binders, *inner.type.types))
                    waiting.append(inner.body)
                case If(then=then, orelse=orelse):
                    waiting += (then, orelse)
                case Match(arms=arms):
                    waiting += (arm.block for arm in arms)
    return found


@dataclass(frozen=True, slots=True)
class _Bound:
    """One walk; a conversion that comes back to itself is looked at once."""

    seen: set[int] = field(default_factory=set)

    def function(self, function: Function) -> Iterator[str]:
        yield from (param.name for param in function.params)
        yield from self.steps(function.body.steps)

    def steps(self, steps: Iterable[Step]) -> Iterator[str]:
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

    def layer(self, layer: Layer) -> Iterator[str]:
        yield from (param.name for param in layer.params)
        yield from self.steps((*layer.before, layer.call, *layer.after))

    def conversion(self, conversion: Conversion) -> Iterator[str]:
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
