"""Dynamic variants: an operator that takes as an argument what its static form takes as an attribute.

`dyn.reshape(x, s)` is `reshape(x, newshape=s)` with the contents of `s`, the known elements, as attribute. Where they
are known well enough, the variant uses the static form's rule, so that the two agree; for other contents it may have a
judgement of its own (`otherwise`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gradual.dims.term.dim import Dim
from gradual.ops.declaration.attributes import Choice, Form, Plain, coerced, form_of
from gradual.ops.declaration.element_ranges import Operands, Ranges
from gradual.ops.declaration.facts import by_type
from gradual.ops.declaration.lookups import Lookup
from gradual.ops.declaration.operator import AttributeSpec, Contents, IllFormed, Judgement, Need, OpenRank, Operator
from gradual.ops.declaration.shapes import contents_of, known_length, of_dtype, tensor
from gradual.record import record
from gradual.types.type import Type

Otherwise = Callable[..., Judgement]


@record
class Twin:
    """How a dynamic operator's arguments map to its static form.

    Attributes:
        static: the static form.
        promoted: the attributes that become arguments, in order.
        places: the index of each promoted argument among the variant's arguments.
        kept: the index of each argument of the static form among the variant's arguments.
        otherwise: the judgement if an attribute that has to be an integer is not known:
            `(*argument types of the variant, **attributes) -> Judgement`; None to refuse.
    """

    static: Operator
    promoted: tuple[AttributeSpec, ...]
    places: tuple[int, ...]
    kept: tuple[int, ...]
    otherwise: Otherwise | None

    def judge(self, *given: Type[Dim], **attributes: Any) -> Judgement:
        """The static form's judgement, with the contents of the promoted arguments as attributes."""
        contents = [elements_of(given[place], place) for place in self.places]
        unknown = [spec for spec, held in zip(self.promoted, contents, strict=True) if not _readable(spec, held)]
        if unknown and self.otherwise is not None:
            return self.otherwise(*given, **self._own(attributes))
        judgement = self.static.judge(*self._static(given), **self._with(attributes, contents))
        return Judgement(judgement.result, tuple(map(self._renumbered, judgement.needs)))

    def contents(self, *given: Type[Dim], **attributes: Any) -> Contents:
        """The result's contents by the static form's rule; None if the promoted arguments are not known well enough."""
        held = [contents_of(given[place]) for place in self.places]
        readable = all(
            part is not None and _readable(spec, part) for spec, part in zip(self.promoted, held, strict=True)
        )
        if self.static.contents is None or not readable:
            return None
        return self.static.contents(*self._static(given), **self._with(attributes, held))

    def meaning(self, *given: Any, **attributes: Any) -> Any:
        """The static form's meaning, with the elements of the promoted arguments as attributes."""
        values = {
            spec.name: _plain(spec, list(given[place].elements))
            for spec, place in zip(self.promoted, self.places, strict=True)
        }
        return self.static.meaning(*self._static(given), **self._own(attributes), **values)

    def flat(self, *given: Type[Dim], **attributes: Any) -> tuple[int, ...]:
        """The arguments of which only the number of elements matters to the static form."""
        held = [contents_of(given[place]) for place in self.places]
        if self.static.flat is None or None in held:
            return ()
        found = self.static.flat(*self._static(given), **self._with(attributes, held))
        return tuple(self.kept[index] for index in found)

    def ranges(self, given: Operands) -> Ranges:
        """The range by the static form's rule; no such rule depends on a promoted attribute."""
        assert self.static.ranges is not None
        attributes = self._own(given.attributes)
        return self.static.ranges(Operands(self._static(given.ranges), self._static(given.types), attributes))

    def lookups(self, *given: Type[Dim], **attributes: Any) -> Sequence[Lookup]:
        """The static form's lookups, renumbered for the variant's operands."""
        assert self.static.lookups is not None
        contents = [elements_of(given[place], place) for place in self.places]
        found = self.static.lookups(*self._static(given), **self._with(attributes, contents))
        return [replace(lookup, indices=(self.kept[lookup.indices[0]], *lookup.indices[1:])) for lookup in found]

    def static_form(self, given: Sequence[Type[Dim]], attributes: Mapping[str, Any]) -> dict[str, Any] | None:
        """All attributes of the static form; None where an argument's contents cannot be used as an attribute.

        Raises IllFormed if the contents do not have the attribute's form.
        """
        held = [contents_of(given[place]) for place in self.places]
        pairs = zip(self.promoted, held, strict=True)
        if not all(part is not None and _readable(spec, part) for spec, part in pairs):
            return None
        found = self._with(attributes, held)
        return {spec.name: found[spec.name] for spec in self.static.attributes}

    def _static(self, given: Sequence[Any]) -> list[Any]:
        return [given[place] for place in self.kept]

    def _own(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes that are not promoted; a promoted one may still be written in Relay, but has no effect."""
        promoted = {spec.name for spec in self.promoted}
        return {name: value for name, value in attributes.items() if name not in promoted}

    def _with(self, attributes: Mapping[str, Any], contents: Sequence[Any]) -> dict[str, Any]:
        read = {spec.name: _read(spec, held) for spec, held in zip(self.promoted, contents, strict=True)}
        return self._own(attributes) | read

    def _renumbered(self, need: Need) -> Need:
        operands = tuple((self.kept[place[0] or 0], *place[1:]) for place in need.operands)
        return replace(need, operands=operands)


def dynamic_twin(
    static: Operator,
    promoted: Sequence[str],
    names: Sequence[str] | None = None,
    places: Sequence[int] | None = None,
    otherwise: Otherwise | None = None,
    aliases: tuple[str, ...] = (),
) -> Operator:
    """Declare the variant `dyn.X` of an operator X, which takes the `promoted` attributes as arguments.   [op.dyn.twin]

    The promoted arguments come last unless `places` gives their indices among the variant's arguments.
    """
    specs = {spec.name: spec for spec in static.attributes}
    wanted = tuple(specs[name] for name in promoted)
    count = len(static.arguments) + len(promoted)
    where = tuple(places) if places is not None else tuple(range(len(static.arguments), count))
    kept = tuple(place for place in range(count) if place not in where)
    labels = dict(zip(where, names or promoted, strict=True)) | dict(zip(kept, static.arguments, strict=True))
    twin = Twin(static, wanted, where, kept, otherwise)
    given = (*static.arguments, *(f"{name}={label}" for name, label in zip(promoted, names or promoted, strict=True)))
    return Operator(
        name=f"dyn.{static.name}",
        family="dyn",
        arguments=tuple(labels[place] for place in range(count)),
        attributes=tuple(_left_over(spec, promoted) for spec in static.attributes),
        judge=twin.judge,
        meaning=twin.meaning,
        contents=twin.contents if static.contents is not None else None,
        reads=tuple(sorted({*where, *(kept[place] for place in static.reads)})),
        rules=("op.dyn.twin", *static.rules),
        summary=f"`{static.name}` with {' and '.join(promoted)} taken from arguments.   [op.dyn.twin]",
        aliases=aliases,
        data_dependent=static.data_dependent or otherwise is not None,
        flat=twin.flat if static.flat is not None else None,
        alike=static.alike,
        faults=static.faults,
        identity=by_type if static.identity is by_type else None,
        onnx=static.onnx,
        ranges=twin.ranges if static.ranges is not None else None,
        lookups=twin.lookups if static.lookups is not None else None,
        definition=f"out = {static.name}({', '.join(given)})",
    )


def twin_of(operator: Operator) -> Twin | None:
    """How the arguments of a dynamic operator map to its static form; None for any other operator."""
    twin = getattr(operator.judge, "__self__", None)
    return twin if isinstance(twin, Twin) else None


def _left_over(spec: AttributeSpec, promoted: Sequence[str]) -> AttributeSpec:
    """The variant's own attribute: a promoted one may still be written, as Relay's printer does, and is ignored."""
    return AttributeSpec(spec.name, "object", None) if spec.name in promoted else spec


def elements_of(given: Type[Dim], place: int) -> tuple[Any, ...]:
    """The elements of an argument that is used as an attribute; raises OpenRank if their number is not known."""
    held = tensor(given, place)
    of_dtype(held, place, lambda dtype: dtype.is_integer, "integers")
    if held.rank > 1:
        raise IllFormed("op.rank", f"argument {place + 1} has to have rank 0 or 1, not {held.rank}", place)
    if known_length(held) is None:
        raise OpenRank(place, 0)
    if held.contents is None:
        raise IllFormed("op.rank", f"argument {place + 1} is too long for its elements to be tracked", place)
    return held.contents


def _is_scalar(form: Form) -> bool:
    """Whether the form admits no list."""
    if isinstance(form, Choice):
        return all(map(_is_scalar, form.among))
    return isinstance(form, Plain)


def _plain(spec: AttributeSpec, contents: Sequence[Any]) -> Any:
    """Contents as the attribute's raw value: a list, or the one element if the attribute is a single value."""
    if not _is_scalar(form_of(spec.annotation)):
        return tuple(contents)
    if len(contents) != 1:
        raise IllFormed("op.rank", f"{spec.name} has to be one number, not {len(contents)}")
    return contents[0]


def _read(spec: AttributeSpec, contents: Sequence[Any]) -> Any:
    """The attribute's value that contents give; known elements count as written integers."""
    known = [part.value if isinstance(part, Dim) and part.value is not None else part for part in contents]
    return coerced(spec, _plain(spec, known))


def _readable(spec: AttributeSpec, contents: Sequence[Any]) -> bool:
    """Whether contents can give the attribute's value: always if it takes sizes, else only if all are constant."""
    if "Dim" in spec.annotation:
        return True
    return all(isinstance(part, Dim) and part.value is not None for part in contents)
