"""Applications that an operator accepts, found by asking its judgement: what an entry says of them cannot go stale.

The search begins with scalars of floats. Where the judgement refuses an application, it says which operand it refuses
and by which rule, and this operand is changed: its rank, its element type, or a tuple in place of a tensor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from heapq import heappop, heappush
from itertools import islice, product
from typing import Any

from gradual.dims.term.dim import Dim, constant, variable
from gradual.ops.declaration.attributes import Choice, Form, Plain, Row, Several, bound, form_of
from gradual.ops.declaration.operator import AttributeSpec, IllFormed, Judgement, Operator
from gradual.record import record
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType, Type

RANKS = range(6)
KINDS = (DType.FLOAT32, DType.INT64, DType.BOOL, DType.INT32)
"""The element types that the search tries; what else is accepted is asked for afterwards."""

FIELDS = 2
"""The number of fields of a tuple."""

TRIES = 4000
"""How many applications are asked for one choice of attributes."""

ELEMENTS = ((1,), (0,), (1, 1), (2, 2, 2))
"""The elements of an operand whose elements are used as sizes, in turn."""

VALUES: Mapping[str, Sequence[Any]] = {
    "int": (1, 0),
    "float": (1.0,),
    "bool": (True, False),
    "DType": ("float32", "int8"),
    "Dim": (1,),
    "None": (None,),
}
"""What is tried for an attribute, by its form."""

NAMED: Mapping[str, Sequence[str]] = {"equation": ("i,i->i",), "src_layout": ("NC",), "dst_layout": ("CN",)}
"""What is tried for an attribute that is a text, and has to be given."""

QUOTED = re.compile(r'"(\w+)"')
"""A word in the docstring that may be the value of an attribute, such as "edge"."""


@record
class Operand:
    """A tensor, or a tuple of them of one rank, with one element type for each."""

    rank: int
    dtypes: tuple[DType, ...]
    is_tuple: bool = False


@record
class Application:
    """What an operator is applied to: operands, attributes as written, and elements of the operands used as sizes."""

    operands: tuple[Operand, ...]
    attributes: Mapping[str, Any]
    elements: tuple[int, ...]

    def judged(self, one: Operator, symbolic: bool = False) -> Judgement:
        """The operator's judgement; raises IllFormed if it refuses.

        Sizes, and attributes that are sizes, are numbers or, if `symbolic`, names, of which nothing is known.
        """
        types = [self._type(one, place, symbolic) for place in range(len(self.operands))]
        attributes = bound(one, self.attributes)
        if symbolic:
            attributes = {name: _named(value, name) for name, value in attributes.items()}
        return one.judge(*types, **attributes)

    def refusal(self, one: Operator) -> IllFormed | None:
        """Why the operator refuses this application; None if it accepts it."""
        try:
            self.judged(one)
        except IllFormed as refusal:
            return refusal
        return None

    def accepts(self, one: Operator) -> bool:
        """Whether the operator accepts this application."""
        return self.refusal(one) is None

    @property
    def dtypes(self) -> tuple[DType, ...]:
        """The element types of all tensors, fields of tuples one by one."""
        return tuple(dtype for operand in self.operands for dtype in operand.dtypes)

    def of(self, dtypes: Sequence[DType]) -> Application:
        """The same with other element types."""
        left = iter(dtypes)
        changed = (replace(one, dtypes=tuple(islice(left, len(one.dtypes)))) for one in self.operands)
        return replace(self, operands=tuple(changed))

    def _type(self, one: Operator, place: int, symbolic: bool) -> Type[Dim]:
        operand = self.operands[place]
        if place in one.reads and operand.rank <= 1:
            return self._read(operand, symbolic, place)
        fields = [
            TensorType(tuple(_size(symbolic, place, field, axis) for axis in range(operand.rank)), dtype)
            for field, dtype in enumerate(operand.dtypes)
        ]
        return TupleType(tuple(fields)) if operand.is_tuple else fields[0]

    def _read(self, operand: Operand, symbolic: bool, place: int) -> Type[Dim]:
        values = self.elements if operand.rank else self.elements[:1]
        held = tuple(variable(f"e{place}_{k}") if symbolic else constant(value) for k, value in enumerate(values))
        dtype = operand.dtypes[0]
        return TensorType((constant(len(held)),) if operand.rank else (), dtype, held if dtype.is_integer else None)


def _size(symbolic: bool, place: int, field: int, axis: int) -> Dim:
    return variable(f"d{place}_{field}_{axis}") if symbolic else constant(2)


def _named(value: Any, name: str) -> Any:
    """An attribute with a name in place of each size in it."""
    if isinstance(value, Dim):
        return variable(name)
    if isinstance(value, tuple):
        return tuple(_named(part, f"{name}{k}") for k, part in enumerate(value))
    return value


# ------------------------------------------------------------------------------------------------------------- search
@cache
def accepted(one: Operator) -> Application:
    """An application that the operator accepts, with the attributes that have to be written."""
    found = next((found for attributes in _written(one) if (found := _searched(one, attributes)) is not None), None)
    assert found is not None, f"no application of {one.name} was found: give a value that it takes in VALUES or NAMED"
    return found


def variations(one: Operator) -> Iterator[Application]:
    """Applications that the operator accepts: at each rank, and with each of its attributes written."""
    first = accepted(one)
    for ranks in product(RANKS, repeat=len(first.operands)) if len(first.operands) <= 4 else ():
        operands = tuple(replace(each, rank=rank) for each, rank in zip(first.operands, ranks, strict=True))
        if (found := replace(first, operands=operands)).accepts(one):
            yield found
    for attributes in _written(one, first.attributes):
        if (found := replace(first, attributes=attributes)).accepts(one):
            yield found
    yield first


def _written(one: Operator, base: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """Attributes: those that are required or given, then one more at a time."""
    needed = [spec for spec in one.attributes if spec.required and (base is None or spec.name not in base)]
    for chosen in product(*map(_tried, needed)):
        least = {**(base or {}), **dict(zip((spec.name for spec in needed), chosen, strict=True))}
        yield least
        for spec in one.attributes:
            if not spec.required and spec.name not in least:
                words = QUOTED.findall(one.description) if "str" in spec.annotation else []
                yield from (least | {spec.name: value} for value in (*_tried(spec), *words))


def _tried(spec: AttributeSpec) -> Sequence[Any]:
    return NAMED.get(spec.name) or _values(form_of(spec.annotation))


def _values(form: Form) -> list[Any]:
    match form:
        case Plain(name):
            return list(VALUES.get(name, ()))
        case Several(each):
            return [[value] * count for value in _values(each) for count in (1, 2, 3)]
        case Row(parts):
            return [list(row) for row in zip(*map(_values, parts), strict=False)]
        case Choice(among):
            return [value for part in among for value in _values(part)]


def _searched(one: Operator, attributes: Mapping[str, Any]) -> Application | None:
    """An accepted application with these attributes; None if none is found in TRIES."""
    for elements in ELEMENTS if one.reads else ELEMENTS[:1]:
        start = Application((Operand(0, KINDS[:1]),) * len(one.arguments), attributes, elements)
        waiting, seen = [(0, 0, start)], {start.operands}
        for _ in range(TRIES):
            if not waiting:
                break
            detours, _, tried = heappop(waiting)
            refusal = tried.refusal(one)
            if refusal is None:
                return tried
            for detour, operands in _changed(tried.operands, refusal):
                if operands not in seen:
                    seen.add(operands)
                    heappush(waiting, (detours + detour, len(seen), replace(tried, operands=operands)))
    return None


def _changed(operands: tuple[Operand, ...], refusal: IllFormed) -> Iterator[tuple[int, tuple[Operand, ...]]]:
    """The operands with one of them changed.

    It is the one that is refused, or at a detour another one, since a rank may be refused that does not fit its rank.
    """
    places = range(len(operands)) if refusal.operand is None or refusal.rule == "op.rank" else (refusal.operand,)
    for place in places:
        for other in _others(operands[place], refusal.rule):
            yield int(place != refusal.operand), (*operands[:place], other, *operands[place + 1 :])


def _others(operand: Operand, rule: str) -> Iterator[Operand]:
    if rule == "op.structure":
        yield Operand(operand.rank, KINDS[:1] * FIELDS, True)
    elif rule == "op.dtype":
        for dtypes in product(KINDS, repeat=len(operand.dtypes)):
            yield replace(operand, dtypes=dtypes)
    else:
        yield from (replace(operand, rank=rank) for rank in RANKS)
