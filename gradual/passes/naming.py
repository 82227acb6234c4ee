"""The names that a function binds, and new ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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


def names_in(function: Function) -> set[str]:
    """Every variable that a function binds, those of literals, patterns, layers and conversions too."""
    return set(_of_function(function))


def dims_in(function: Function) -> set[Variable]:
    """Every dim that a function or a literal inside it measures."""
    found = {variable for variable, _ in function.binders}
    waiting: list[Block] = [function.body]
    while waiting:
        for step in waiting.pop().steps:
            match step:
                case Closure(function=inner):
                    found.update(variable for variable, _ in inner.binders)
                    waiting.append(inner.body)
                case If(then=then, orelse=orelse):
                    waiting += (then, orelse)
                case Match(arms=arms):
                    waiting += (arm.block for arm in arms)
    return found


def _of_function(function: Function) -> Iterator[str]:
    yield from (param.name for param in function.params)
    yield from _of_steps(function.body.steps)


def _of_steps(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        name = defined(step)
        if name is not None:
            yield name
        match step:
            case If(then=then, orelse=orelse):
                yield from _of_steps((*then.steps, *orelse.steps))
            case Match(arms=arms):
                for arm in arms:
                    yield from _of_pattern(arm.pattern)
                    yield from _of_steps(arm.block.steps)
            case Closure(function=function):
                yield from _of_function(function)
            case Wrap(layer=layer):
                yield from _of_layer(layer)
            case WrapReference(read=read, write=write):
                yield from _of_layer(read)
                yield from _of_layer(write)
            case Convert(conversion=conversion):
                yield from _of_conversion(conversion, set())


def _of_pattern(pattern: CorePattern) -> Iterator[str]:
    match pattern:
        case Bind(name):
            if name is not None:
                yield name
        case _:
            for field in pattern.fields:
                yield from _of_pattern(field)


def _of_layer(layer: Layer) -> Iterator[str]:
    yield from (param.name for param in layer.params)
    yield from _of_steps((*layer.before, layer.call, *layer.after))


def _of_conversion(conversion: Conversion, seen: set[int]) -> Iterator[str]:
    if id(conversion) in seen:
        return
    seen.add(id(conversion))
    for fields in conversion.fields.values():
        for how in fields:
            match how:
                case Change(param, steps):
                    yield param.name
                    yield from _of_steps(steps)
                case Conversion():
                    yield from _of_conversion(how, seen)
