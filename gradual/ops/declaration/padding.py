"""Axes at whose end elements may be added without changing the results for the elements before them.

An operator *extends* along an axis of an operand if appending elements along the axis only appends elements to the
result: each element depends on those at its own index or before it, never on later ones, nor on the size of the axis.
Then a batch may be padded, and the result cut off again.  An operator that declares no padding is not known
to extend along any axis.   [pass.bucket.extend]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gradual.dims.term.dim import Dim, Variable, product
from gradual.record import record
from gradual.types.type import TensorType, TupleType

Axes = frozenset[int]
NO_AXES: Axes = frozenset()


@record
class Growth:
    """An application of an operator in which some sizes grow.

    Attributes:
        types: the types of the operands.
        attributes: all attributes.
        grows: the sizes that grow.
        result: computes the type of the result.
    """

    types: Sequence[Any]
    attributes: Mapping[str, Any]
    grows: frozenset[Variable]
    result: Callable[[], Any]


Rule = Callable[[Growth], Iterable[Axes]]
"""The axes along which an operator extends, for each operand; for a tuple, those common to all its fields."""


def never(types: Sequence[Any]) -> bool:
    """The test `safe` of an operator that may fault on padding, whatever the types of its operands."""
    return False


def always(types: Sequence[Any]) -> bool:
    """The test `safe` of an operator that padding never makes fault."""
    return True


@record
class Padding:
    """How an operator may be padded.

    Attributes:
        axes: along which axes it extends.
        sized: whether a larger size among its attributes only appends elements to the result.
        safe: `(operand types) -> bool`, whether padding cannot cause a fault, for an operator that may fault.
    """

    axes: Rule
    sized: bool = False
    safe: Callable[[Sequence[Any]], bool] = never


# --------------------------------------------------------------------------------------------------------------- axes
def rank_of(type: Any) -> int:
    """The rank of a tensor; of a tuple, the least rank of its fields."""
    if isinstance(type, TupleType):
        return min(map(rank_of, type.fields), default=0)
    assert isinstance(type, TensorType)
    return type.rank


def all_axes(type: Any) -> Axes:
    """Every axis."""
    return frozenset(range(rank_of(type)))


def all_but(type: Any, *axes: int) -> Axes:
    """Every axis except some, which may be negative."""
    rank = rank_of(type)
    return all_axes(type) - {axis % rank for axis in axes} if rank else NO_AXES


def counting_axes(type: Any, attributes: Mapping[str, Any]) -> Axes:
    """The axes of the batch and of the channels, as the layout says."""
    layout = str(attributes["layout"])
    return frozenset(axis for axis, letter in enumerate(layout) if letter in "NC" and len(layout) == rank_of(type))


# -------------------------------------------------------------------------------------------------------------- rules
def everywhere(growth: Growth) -> Iterable[Axes]:
    """All axes, since elements are combined along none."""
    return map(all_axes, growth.types)


def along(name: str = "axis") -> Rule:
    """All axes but the one that an attribute names, along which elements are combined."""

    def rule(growth: Growth) -> Iterable[Axes]:
        axis = growth.attributes[name]
        return (NO_AXES if axis is None else all_but(type, axis) for type in growth.types)

    return rule


def first_along(growth: Growth) -> Iterable[Axes]:
    """All axes of the first operand but the one that an attribute names.

    The other operands are vectors along that axis, so that they have no axes here.
    """
    return (all_but(growth.types[0], growth.attributes["axis"]), *(NO_AXES for _ in growth.types[1:]))


def batch_of(name: str) -> Rule:
    """The batch axis of the first operand, as the layout in an attribute says."""

    def rule(growth: Growth) -> Iterable[Axes]:
        at = str(growth.attributes[name]).find("N")
        return (frozenset({at}) if at >= 0 else NO_AXES, *(NO_AXES for _ in growth.types[1:]))

    return rule


def images(growth: Growth) -> Iterable[Axes]:
    """The axes of the batch and the channels, since images and channels are independent."""
    return (counting_axes(growth.types[0], growth.attributes),)


def samples(growth: Growth) -> Iterable[Axes]:
    """The batch axis of the first operand, whose samples are independent; no axes of other operands."""
    return (frozenset({0}), *(NO_AXES for _ in growth.types[1:]))


def reshaped(growth: Growth) -> Iterable[Axes]:
    """The axis of the operand that becomes the growing axis of the result.

    The product of the sizes before it in the operand is that of the sizes before the growing axis in the result.
    """
    result, given = growth.result(), growth.types[0]
    assert isinstance(result, TensorType)
    starts = [_before(result.shape, axis) for axis in _growing(result.shape, growth.grows)]
    yield frozenset(axis for axis in range(rank_of(given)) if starts == [_before(given.shape, axis)])


def _growing(shape: Sequence[Any], grows: frozenset[Variable]) -> list[int]:
    return [axis for axis, size in enumerate(shape) if isinstance(size, Dim) and not grows.isdisjoint(size.variables())]


def _before(shape: Sequence[Any], axis: int) -> Dim:
    return product(shape[:axis])


POINTWISE = Padding(everywhere)
"""The padding of an operator whose result has elements that depend only on those at their own index."""
