"""Conversion of data to another type: the parts flow into the written type, left to right, depth first.

    <D[S] => D[T]>  =  D(c)    where c has, for each field of each constructor, its coercion from S to T

The obligations of a field are generated once, for a symbolic field that represents all of them. A recursive type gives
a conversion that refers to itself. Fields that already fit are kept; if all do, no conversion is inserted.
[type.data.convert]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradual.checker.coercion.datatypes import fields_of, written_field
from gradual.checker.coercion.flow import flow
from gradual.checker.coercion.projection import projected
from gradual.checker.program.place import Place
from gradual.checker.state.context import Elaboration
from gradual.checker.state.values import Made
from gradual.core.check import Promise
from gradual.core.terms import Change, Conversion, Convert, Param
from gradual.record import record
from gradual.types.declared import Constructor, Data
from gradual.types.fit import Regular, fits
from gradual.types.print import shown
from gradual.types.type import DataType, GradualType
from gradual.types.unpacking import sizes

Pair = tuple[DataType, DataType]
How = Change | Conversion | None


@record
class Failed:
    """The conversion of a field always fails; the reason was reported."""


FAILED = Failed()


def converted(
    state: Elaboration, value: str, path: str, source: DataType, target: DataType, place: Place
) -> str | None:
    """Convert the data at a path below a value to another type; None after reporting that this always fails.

    If no part of the data changes, the result is `path` itself, such as `%x#0`.  [type.data.convert]
    """
    regular = Regular(state.program.data)
    if fits(source, target, regular):
        return value + path
    outermost = not state.output.conversions
    conversion = Converting(state, value + path, place, regular).conversion(source, target)
    if conversion is None:
        return None
    if outermost:
        _prune(conversion)
        if not any(any(how) for how in conversion.fields.values()):
            return value + path
    part = projected(state, value, path, place.span)
    name = state.values.fresh(None)
    state.output.steps.append(Convert(name, part, conversion, target, place.span))
    return state.values.define(name, target, Made("a conversion", (part,), place.span))


class Converting:
    """Builds one conversion; `begun` maps a type pair to its unfinished conversion, which recursive types refer to."""

    def __init__(self, state: Elaboration, value: str, place: Place, regular: Regular) -> None:
        self.state, self.value, self.place, self.regular = state, value, place, regular
        self.begun = state.output.conversions

    def conversion(self, source: DataType, target: DataType) -> Conversion | None:
        """Build the conversion between two types; None after reporting that there is none.  [type.unsupported]"""
        pair = source, target
        known = self.begun.get(pair)
        if known is not None:
            return known
        if source.name in self.regular.growing:
            what = f"the parts of `{source.name}` have ever larger types, so they cannot be converted"
            self.state.output.report("E0399", "type.unsupported", f"{self.place.through}: {what}", self.place.span)
            return None
        if not self.regular.data[source.name].constructors:
            message = f"{self.place.through}: `{shown(source)}` is not `{shown(target)}`"
            self.state.output.report("E0307", "type.structure", message, self.place.span)
            return None
        conversion = self.begun[pair] = Conversion()
        failed = False
        try:
            for constructor in self.state.program.data[source.name].constructors.values():
                fields = zip(self._fields(constructor, source), self._fields(constructor, target), strict=True)
                how: list[How] = []
                for index, (held, wanted) in enumerate(fields):
                    made = self._field(constructor, index, held, wanted, source in self.state.strictness.agreed)
                    if isinstance(made, Failed):
                        failed = True
                    else:
                        how.append(made)
                conversion.fields[constructor.name] = tuple(how)
        finally:
            del self.begun[pair]
        return None if failed else conversion

    def _fields(self, constructor: Constructor, type: DataType) -> tuple[GradualType, ...]:
        return fields_of(self.state.program, constructor, type)

    def _field(
        self, constructor: Constructor, index: int, held: GradualType, wanted: GradualType, agreed: bool
    ) -> How | Failed:
        """Build the coercion of one field: None if it already fits, FAILED after reporting that it cannot."""
        if fits(held, wanted, self.regular):
            return None
        if isinstance(held, DataType) and isinstance(wanted, DataType) and held.name == wanted.name:
            return self.conversion(held, wanted) or FAILED
        return self._change(constructor, index, held, wanted, agreed)

    def _change(
        self, constructor: Constructor, index: int, held: GradualType, wanted: GradualType, agreed: bool
    ) -> How | Failed:
        """Build the steps that coerce a field, for a symbolic field that represents all of them."""
        state = self.state
        place = _inside(self.place, state.program.data[constructor.data], constructor, index)
        promise = Promise(self.place.span, f"the fields of `{constructor.name}`, whose type leaves them open")
        with state.apart() as steps:
            name = state.values.fresh("%field")
            opened = state.enter_part(held, name, lambda path, axis: promise, agreed)
            for size in sizes(opened):
                state.is_size(size)
            state.values.define(name, opened, Made("a structure", (self.value,), place.span))
            result = flow(state, name, wanted, place)
        if result is None:
            return FAILED
        if not steps and result == name:
            return None
        return Change(Param(name, opened, held, self.place.span), tuple(steps), result)


def _prune(conversion: Conversion) -> None:
    """Drop conversions that change nothing; their fields are taken as they are."""
    every = list(_reachable(conversion))
    useful = {
        id(each) for each in every if any(isinstance(part, Change) for how in each.fields.values() for part in how)
    }
    grown = True
    while grown:
        more = {id(each) for each in every for how in each.fields.values() for part in how if id(part) in useful}
        grown = not more <= useful
        useful |= more
    for each in every:
        for constructor, how in each.fields.items():
            each.fields[constructor] = tuple(
                None if isinstance(part, Conversion) and id(part) not in useful else part for part in how
            )


def _reachable(conversion: Conversion) -> Iterator[Conversion]:
    waiting, seen = [conversion], {id(conversion)}
    while waiting:
        each = waiting.pop()
        yield each
        for how in each.fields.values():
            for part in how:
                if isinstance(part, Conversion) and id(part) not in seen:
                    seen.add(id(part))
                    waiting.append(part)


def _inside(place: Place, declared: Data, constructor: Constructor, index: int) -> Place:
    """The source position of a field, given that of the whole value."""
    annotation = place.annotation
    return replace(
        place,
        through=f"field {index + 1} of `{constructor.name}` in {place.through}",
        annotation=annotation and written_field(annotation, declared, constructor.fields[index]),
    )
