"""Axes at whose end cells may be added without changing what was there.

An operator *extends* along an axis of an operand if, where the operand is longer along it, the result begins with
what it was: each element depends on what stands at its own place or before it, never on what follows, nor on how much
there is.  Then a batch may be padded, and the result cut off again.  An operator that declares no padding is not known
to extend along any axis.   [pass.bucket.extend]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradual.dims.term.dim import Dim, Variable, product
from gradual.types.type import TensorType, TupleType

Axes = frozenset[int]
NO_AXES: Axes = frozenset()


@dataclass(frozen=True, slots=True)
class Growth:
    """An application of an operator some of whose sizes grow.

    Attributes:
        types: the types of the operands.
        attributes: all attributes.
        grows: the sizes that grow.
        result: gives the type of the result.
    """

    types: Sequence[Any]
    attributes: Mapping[str, Any]
    grows: frozenset[Variable]
    result: Callable[[], Any]


Rule = Callable[[Growth], Iterable[Axes]]
"""The axes along which an operator extends, by operand; of a tuple, those of all its fields."""


def never(types: Sequence[Any]) -> bool:
    """Of no application."""
    return False


def always(types: Sequence[Any]) -> bool:
    """Of every application."""
    return True


@dataclass(frozen=True, slots=True)
class Padding:
    """How an operator may be padded.

    Attributes:
        axes: along which axes it extends.
        sized: whether the result grows with a size among its attributes, and begins as it was.
        safe: `(operand types) -> bool`, whether longer operands cannot make the meaning fault, though it may fault.
    """

    axes: Rule
    sized: bool = False
    safe: Callable[[Sequence[Any]], bool] = never


# --------------------------------------------------------------------------------------------------------------- axes
def rank_of(type: Any) -> int:
    """The rank of a tensor; of a tuple, the least of its fields."""
    if isinstance(type, TupleType):
        return min(map(rank_of, type.fields), default=0)
    assert isinstance(type, TensorType)
    return type.rank


def all_axes(type: Any) -> Axes:
    """Every axis."""
    return frozenset(range(rank_of(type)))


def all_but(type: Any, *axes: int) -> Axes:
    """Every axis but some, which may count from the back."""
    rank = rank_of(type)
    return all_axes(type) - {axis % rank for axis in axes} if rank else NO_AXES


def counting_axes(type: Any, attributes: Mapping[str, Any]) -> Axes:
    """The axes that count images and channels, wherever the layout has them."""
    layout = str(attributes["layout"])
    return frozenset(axis for axis, letter in enumerate(layout) if letter in "NC" and len(layout) == rank_of(type))


# -------------------------------------------------------------------------------------------------------------- rules
def everywhere(growth: Growth) -> Iterable[Axes]:
    """Nothing is combined: elements are moved, kept or dropped by axes other than their own."""
    return map(all_axes, growth.types)


def along(name: str = "axis") -> Rule:
    """Every operand is combined along the one axis that an attribute names."""

    def rule(growth: Growth) -> Iterable[Axes]:
        axis = growth.attributes[name]
        return (NO_AXES if axis is None else all_but(type, axis) for type in growth.types)

    return rule


def first_along(growth: Growth) -> Iterable[Axes]:
    """The first operand is combined along the axis that an attribute names; the others lie along it."""
    return (all_but(growth.types[0], growth.attributes["axis"]), *(NO_AXES for _ in growth.types[1:]))


def batch_of(name: str) -> Rule:
    """The first operand's images, of which an attribute's layout says where they are counted."""

    def rule(growth: Growth) -> Iterable[Axes]:
        at = str(growth.attributes[name]).find("N")
        return (frozenset({at}) if at >= 0 else NO_AXES, *(NO_AXES for _ in growth.types[1:]))

    return rule


def images(growth: Growth) -> Iterable[Axes]:
    """Images and their channels are computed one by one."""
    return (counting_axes(growth.types[0], growth.attributes),)


def samples(growth: Growth) -> Iterable[Axes]:
    """Samples of the first operand are computed one by one; the others lie along its channels."""
    return (frozenset({0}), *(NO_AXES for _ in growth.types[1:]))


def reshaped(growth: Growth) -> Iterable[Axes]:
    """Blocks that follow each other stay so: as many elements stand before the axis as before the one it becomes."""
    result, given = growth.result(), growth.types[0]
    assert isinstance(result, TensorType)
    starts = [_before(result.shape, axis) for axis in _growing(result.shape, growth.grows)]
    yield frozenset(axis for axis in range(rank_of(given)) if starts == [_before(given.shape, axis)])


def _growing(shape: Sequence[Any], grows: frozenset[Variable]) -> list[int]:
    return [axis for axis, size in enumerate(shape) if isinstance(size, Dim) and not grows.isdisjoint(size.variables())]


def _before(shape: Sequence[Any], axis: int) -> Dim:
    return product(shape[:axis])


POINTWISE = Padding(everywhere)
"""Each element of the result is made of those at its own place."""
