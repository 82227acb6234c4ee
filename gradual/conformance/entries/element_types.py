"""The element types that an operator accepts, and which operands share one, in words.   [op.dtype]"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from gradual.conformance.entries.applications import Application, accepted
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.types.dtype import DType

EVERY = tuple(DType)
CLASSES = {
    "any": frozenset(EVERY),
    "integer or float": frozenset(dtype for dtype in EVERY if dtype is not DType.BOOL),
    "integer or bool": frozenset(dtype for dtype in EVERY if not dtype.is_float),
    "float or bool": frozenset(dtype for dtype in EVERY if not dtype.is_integer),
    "integer": frozenset(dtype for dtype in EVERY if dtype.is_integer),
    "float": frozenset(dtype for dtype in EVERY if dtype.is_float),
}
"""The sets of element types that have a name."""


@record
class Alike:
    """Tensors that have one element type together.

    Attributes:
        places: the tensors among all operands, fields of tuples counted one by one.
        admitted: the element types that they may have.
    """

    places: tuple[int, ...]
    admitted: frozenset[DType]


def alike(one: Operator) -> list[Alike]:
    """The tensors of an application in groups of one element type each; two groups are independent of each other."""
    first, found = accepted(one), list[Alike]()
    places = set(range(len(first.dtypes)))
    while places:
        group = _together(one, first, min(places), places)
        found.append(Alike(tuple(sorted(group)), frozenset(_admitted(one, first, group))))
        places -= group
    return found


def _together(one: Operator, first: Application, place: int, places: Collection[int]) -> set[int]:
    """The places of which this one has the element type.

    They are the fewest places of which all can have another element type, for some one that this place cannot have
    alone.
    """
    alone = set(_admitted(one, first, [place]))
    others = sorted(set(places) - {place})
    group = {place}
    for dtype in (each for each in EVERY if each not in alone):
        sizes = (chosen for count in range(1, len(others) + 1) for chosen in combinations(others, count))
        group.update(next((chosen for chosen in sizes if _admits(one, first, {place, *chosen}, dtype)), ()))
    return group


def _admitted(one: Operator, first: Application, group: Collection[int]) -> Iterator[DType]:
    yield from (dtype for dtype in EVERY if _admits(one, first, group, dtype))


def _admits(one: Operator, first: Application, group: Collection[int], dtype: DType) -> bool:
    """Whether these places may have the type, with some value of the element types that have to be written."""
    tried = _with(first, group, dtype)
    required = [spec.name for spec in one.attributes if spec.required and spec.annotation == "DType"]
    return any(_given(tried, required, value).accepts(one) for value in (EVERY if required else EVERY[:1]))


def _with(first: Application, group: Collection[int], dtype: DType) -> Application:
    return first.of([dtype if place in group else held for place, held in enumerate(first.dtypes)])


def _given(tried: Application, names: Sequence[str], value: DType) -> Application:
    return replace(tried, attributes={**tried.attributes, **dict.fromkeys(names, value)})


@record
class Named:
    """An attribute that is an element type.

    Attributes:
        admitted: the types that it may be for some element types of the operands.
        refusals: the rules by which it is refused to be another.
    """

    name: str
    admitted: frozenset[DType]
    refusals: frozenset[str]


def attributes(one: Operator) -> Iterator[Named]:
    """The attributes that are element types."""
    first = accepted(one)
    tried = [_with(first, group.places, dtype) for group in alike(one) for dtype in group.admitted] or [first]
    for name in (spec.name for spec in one.attributes if "DType" in spec.annotation):
        refusals = {dtype: [_given(each, [name], dtype).refusal(one) for each in tried] for dtype in EVERY}
        admitted = frozenset(dtype for dtype, found in refusals.items() if None in found)
        rules = {wrong.rule for dtype in set(EVERY) - admitted for wrong in refusals[dtype] if wrong is not None}
        yield Named(name, admitted, frozenset(rules))


# -------------------------------------------------------------------------------------------------------------- words
def sentence(one: Operator) -> str:
    """The line of an entry; empty for an operator without operands and without attributes that are element types."""
    names = _names(one)
    said = [f"{_joined([names[place] for place in group.places])} {_shared(group)}" for group in alike(one)]
    said += [f"attribute `{named.name}` {_word(named.admitted)}{_else(named)}" for named in attributes(one)]
    return f"Element types: {'; '.join(said)}." if said else ""


def _names(one: Operator) -> list[str]:
    """The tensors of an application by name; a field of a tuple has its number after a point."""
    found = list[str]()
    for name, operand in zip(one.arguments, accepted(one).operands, strict=True):
        count = len(operand.dtypes)
        found += [f"`{name}.{field}`" for field in range(count)] if operand.is_tuple else [f"`{name}`"]
    return found


def _shared(group: Alike) -> str:
    return f"the same, {_word(group.admitted)}" if len(group.places) > 1 else _word(group.admitted)


def _else(named: Named) -> str:
    return f" (else {_joined([f'`{rule}`' for rule in sorted(named.refusals)])})" if named.refusals else ""


def _word(admitted: frozenset[DType]) -> str:
    name = next((name for name, held in CLASSES.items() if held == admitted), None)
    return name or " or ".join(dtype for dtype in EVERY if dtype in admitted)


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
