"""The shape algebra that judgements share: checks of arguments and axes, and broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from gradual.dims.term.constraint import TRUE, any_of, at_most, equal
from gradual.dims.term.dim import Dim, constant, ite, product
from gradual.ops.declaration.operator import IllFormed, Judgement, Need
from gradual.types.dtype import DType
from gradual.types.type import Content, Hole, TensorType, TupleType, Type

Shape: TypeAlias = tuple[Dim, ...]
Operand: TypeAlias = tuple[int, ...]
"""An argument by index, or a field of a tuple argument by (index, field)."""

ONE = constant(1)
ZERO = constant(0)


def tensor(given: Type[Dim], operand: int, rank: int | None = None, least: int = 0) -> TensorType[Dim]:
    """The argument as a tensor of rank `rank`, or of at least `least`; raises IllFormed if it is not."""
    if not isinstance(given, TensorType):
        raise IllFormed("op.structure", f"argument {operand + 1} has to be a tensor, not a tuple or function", operand)
    if rank is not None and given.rank != rank:
        raise IllFormed("op.rank", f"argument {operand + 1} has to have rank {rank}, not {given.rank}", operand)
    if given.rank < least:
        raise IllFormed(
            "op.rank", f"argument {operand + 1} has to have rank {least} or more, not {given.rank}", operand
        )
    return given


def fields(given: Type[Dim], operand: int) -> tuple[TensorType[Dim], ...]:
    """The tensors of a tuple argument, at least one; raises IllFormed if it is not a tuple."""
    if not isinstance(given, TupleType):
        raise IllFormed("op.structure", f"argument {operand + 1} has to be a tuple of tensors", operand)
    if not given.fields:
        raise IllFormed("op.structure", f"argument {operand + 1} is an empty tuple", operand)
    return tuple(tensor(part, operand) for part in given.fields)


def same_dtype(*types: TensorType[Dim]) -> DType:
    """The element type that all the tensors share; raises IllFormed if they differ.

    They are the operands from the first on; in place of one that may have another type stands the one before it.
    """
    for operand, other in enumerate(types):
        if other.dtype is not types[0].dtype:
            raise IllFormed("op.dtype", f"element types differ: {types[0].dtype} and {other.dtype}", operand)
    return types[0].dtype


def shared_dtype(parts: Sequence[TensorType[Dim]], operand: int) -> DType:
    """The element type that the tensors of a tuple argument share; raises IllFormed if they differ."""
    different = next((part.dtype for part in parts if part.dtype is not parts[0].dtype), None)
    if different is not None:
        raise IllFormed("op.dtype", f"element types differ: {parts[0].dtype} and {different}", operand)
    return parts[0].dtype


def of_dtype(given: TensorType[Dim], operand: int, admits: Callable[[DType], bool], wanted: str) -> DType:
    """The argument's element type, which `admits` accepts; raises IllFormed naming what was wanted."""
    if not admits(given.dtype):
        raise IllFormed("op.dtype", f"argument {operand + 1} has to be {wanted}, not {given.dtype}", operand)
    return given.dtype


def axis_of(axis: int, rank: int, operand: int | None = 0) -> int:
    """The axis counted from the front; a negative one counts from the back. Raises IllFormed if it is out of range."""
    if not -rank <= axis < rank:
        raise IllFormed("op.axis", f"axis {axis} is out of range for rank {rank}", operand)
    return axis % rank


def axes_of(axes: Iterable[int], rank: int, operand: int | None = 0) -> tuple[int, ...]:
    """Axes counted from the front, in the order given; raises IllFormed if one is repeated."""
    found = tuple(axis_of(axis, rank, operand) for axis in axes)
    if len(set(found)) != len(found):
        raise IllFormed("op.axis", f"an axis is repeated in {list(axes)}", operand)
    return found


def size(shape: Iterable[Dim]) -> Dim:
    """The number of elements."""
    return product(shape)


def judged(shape: Iterable[Dim | Hole], dtype: DType, needs: Iterable[Need] = ()) -> Judgement:
    """The judgement of one tensor."""
    return Judgement(TensorType(tuple(shape), dtype), tuple(needs))


def agreement(left: Dim, right: Dim, rule: str, says: str, *operands: tuple[int | None, ...]) -> Need:
    """The need that two extents are equal; a report shows both, which may be computed from the operands' sizes."""
    return Need(equal(left, right), rule, says, operands, (left, right))


def said(extent: Dim, written: Dim | None) -> Dim:
    """One of an extent and an attribute that are required to be equal.

    It is the attribute if that is given and the extent is no number, else the extent.
    """
    return extent if written is None or extent.value is not None else written


def not_negative(extents: Iterable[Dim], rule: str, says: str = "a size is negative") -> tuple[Need, ...]:
    """The needs that sizes written by the user are at least 0."""
    return tuple(Need(at_most(ZERO, extent), rule, says) for extent in extents)


def broadcast(shapes: Sequence[Shape], operands: Sequence[Operand] | None = None) -> tuple[Shape, tuple[Need, ...]]:
    """The common shape of right-aligned shapes, and the needs that they agree.   [op.broadcast.agree]

    Two extents agree if they are equal or one of them is 1; the result then has the other extent.  Each need names the
    two (operand, axis) it is about; the operands are 0, 1, ... unless given.
    """
    named = operands if operands is not None else [(place,) for place in range(len(shapes))]
    rank = max((len(shape) for shape in shapes), default=0)
    needs: list[Need] = []
    common = [_column(shapes, named, axis - rank, needs) for axis in range(rank)]
    return tuple(common), tuple(needs)


def _column(shapes: Sequence[Shape], operands: Sequence[Operand], back: int, needs: list[Need]) -> Dim:
    """The common extent of one axis, counted from the back."""
    common, holder = ONE, None
    for shape, operand in zip(shapes, operands, strict=True):
        if len(shape) < -back or shape[back] is ONE:
            continue
        place = (*operand, len(shape) + back)
        if holder is not None:
            needs.append(_agree(common, shape[back], holder, place))
        common, holder = common_extent(common, shape[back]), place
    return common


def _agree(left: Dim, right: Dim, holder: Operand, place: Operand) -> Need:
    goal = TRUE if left is right else any_of(equal(left, right), equal(left, ONE), equal(right, ONE))
    return Need(goal, "op.broadcast.agree", "shapes do not broadcast together", (holder, place))


def common_extent(left: Dim, right: Dim) -> Dim:
    """The extent that two agreeing extents broadcast to: exactly `if left == 1 then right else left`."""
    if left is right or right is ONE:
        return left
    if left is ONE or right.value is not None:
        return right
    return left if left.value is not None else ite(equal(left, ONE), right, left)


def known_length(given: TensorType[Any]) -> int | None:
    """How many elements the type can track: 1 for rank 0, the known extent for rank 1, else None."""
    if given.rank == 0:
        return 1
    return given.shape[0].value if given.rank == 1 else None


def contents_of(given: Type[Any]) -> tuple[Content, ...] | None:
    """The elements of an argument that its type tracks; None if it tracks none."""
    return given.contents if isinstance(given, TensorType) else None
