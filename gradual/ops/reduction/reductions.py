"""Reductions: one number for each block of elements along the reduced axes, taken in row-major order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import reduce
from itertools import pairwise
from typing import Any

from gradual.dims.term.constraint import Constraint, all_of, any_of, at_least
from gradual.dims.term.dim import Dim, constant, maximum, minimum, product
from gradual.ops.declaration.element_ranges import Operands, Ranges, among_first, fitted, places
from gradual.ops.declaration.facts import Facts
from gradual.ops.declaration.operator import Contents, Judgement, Need, Operator, operator
from gradual.ops.declaration.padding import Axes, Growth, Padding, all_axes, all_but, rank_of
from gradual.ops.declaration.shapes import ONE, axes_of, judged, of_dtype, tensor
from gradual.ops.declaration.symbolic_elements import tracked
from gradual.ops.reduction import folds
from gradual.record import record
from gradual.tensors.arrays.elements import computable
from gradual.tensors.arrays.elements import kept as kept_array
from gradual.tensors.arrays.numpy_library import Array
from gradual.tensors.index import numel, offsets, strides
from gradual.tensors.scalar import Elements, kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import Content, TensorType, Type

Axis = tuple[int, ...] | int | None
Block = Elements
Rule = Callable[[Block], Any]


@record
class Row:
    """A reduction.

    Attributes:
        name: the operator's name.
        says: what the reduction computes of a block, in words.
        formula: an element of the result, in terms of `x[i, r]`, where r runs over the elements along the reduced axes.
        floats: the function on a block of floats, computed in binary64; its result is rounded once.
        ints: the function on a block of integers, which is exact; its result wraps.
        bools: the function on a block of booleans as 0 and 1.
        inhabited: whether blocks of a given element type must not be empty.
        on_dims: the result for the known integers of a vector, as a dim.
        on_truths: the result for the known booleans of a vector, as a constraint.
        facts: other facts about the operator.
    """

    name: str
    says: str
    formula: str
    floats: Rule | None = None
    ints: Rule | None = None
    bools: Rule | None = None
    inhabited: Callable[[DType], bool] = lambda _: False
    on_dims: Callable[[Any], Dim] | None = None
    on_truths: Callable[[Any], Constraint] | None = None
    facts: Facts = field(default_factory=Facts)

    def function(self, dtype: DType) -> Rule | None:
        """What the row computes on blocks of this type."""
        return self.bools if dtype is DType.BOOL else self.floats if dtype.is_float else self.ints

    @property
    def admitted(self) -> str:
        """The kinds of elements that the row admits, in words."""
        kinds = {"booleans": self.bools, "integers": self.ints, "floats": self.floats}
        return " or ".join(kind for kind, function in kinds.items() if function is not None)

    def checked(self, given: Type[Dim]) -> TensorType[Dim]:
        """The argument, which is a tensor of an admitted type."""
        found = tensor(given, 0)
        of_dtype(found, 0, lambda dtype: self.function(dtype) is not None, self.admitted)
        return found

    def needs(self, given: TensorType[Dim], axes: Iterable[int]) -> list[Need]:
        """Needs that no reduced axis is empty, if the reduction of an empty block has no value."""
        if not self.inhabited(given.dtype):
            return []
        says = "a reduced axis is empty"
        return [Need(at_least(given.shape[axis], ONE), f"op.{self.name}.extent", says, ((0, axis),)) for axis in axes]


def reduced_axes(axis: Axis, exclude: bool, rank: int) -> tuple[int, ...]:
    """The axes to reduce, ascending: all if none is given; with `exclude`, those that are not given."""
    if axis is None or axis == ():
        return tuple(range(rank))
    chosen = set(axes_of((axis,) if isinstance(axis, int) else axis, rank))
    return tuple(place for place in range(rank) if (place in chosen) is not exclude)


def extends(growth: Growth) -> Iterator[Axes]:
    """The axes that are not reduced."""
    for type in growth.types:
        gone = reduced_axes(growth.attributes["axis"], growth.attributes["exclude"], rank_of(type))
        yield all_but(type, *gone) if gone else all_axes(type)


def remaining(shape: tuple[Any, ...], axes: Iterable[int], keepdims: bool, unit: Any) -> tuple[Any, ...]:
    """The shape after reduction: without the axes, or with 1 in their place."""
    gone = set(axes)
    if keepdims:
        return tuple(unit if axis in gone else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in gone)


def blocks(x: Tensor, axes: tuple[int, ...]) -> Iterator[Block]:
    """The elements to reduce for each element of the result, both in row-major order."""
    steps = strides(x.shape)
    outer = [axis for axis in range(x.rank) if axis not in axes]
    starts = offsets([x.shape[axis] for axis in outer], [steps[axis] for axis in outer])
    extents, own = [x.shape[axis] for axis in axes], [steps[axis] for axis in axes]
    step = _even(extents, own)
    if step is not None:
        return (x.elements[start : start + numel(extents) * step : step] for start in starts)
    inner = offsets(extents, own)
    return ([x.elements[start + move] for move in inner] for start in starts)


def array_blocks(x: Tensor, axes: tuple[int, ...]) -> Array:
    """The blocks as the rows of an array, in the type that they are computed in."""
    outer = [axis for axis in range(x.rank) if axis not in axes]
    turned = computable(x.elements, x.dtype, x.shape).transpose([*outer, *axes])
    return turned.reshape(numel([x.shape[axis] for axis in outer]), numel([x.shape[axis] for axis in axes]))


def _even(extents: Sequence[int], steps: Sequence[int]) -> int | None:
    """The distance between successive elements along some axes; None if it is not constant."""
    moved = [(extent, step) for extent, step in zip(extents, steps, strict=True) if extent != 1]
    if any(step != extent * inner for (_, step), (extent, inner) in pairwise(moved)):
        return None
    return moved[-1][1] if moved else 1


_OVER = """r runs over the m elements along `axis`, in row-major order; over all axes without it, or with an empty list,
and with `exclude` over the other axes.  With `keepdims` these axes stay, with size 1."""


def _shape(x: Tensor, axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    return remaining(x.shape, axes, keepdims, 1)


def reduction(row: Row) -> Operator:
    """Declare the operator of a row."""

    def meaning(x: Tensor, *, axis: Axis, keepdims: bool, exclude: bool) -> Tensor:
        axes = reduced_axes(axis, exclude, x.rank)
        function = row.function(x.dtype)
        assert function is not None, f"{row.name} on {x.dtype}"
        return tensor_of(_shape(x, axes, keepdims), x.dtype, kept(x.dtype, map(function, blocks(x, axes))))

    def fast(x: Tensor, *, axis: Axis, keepdims: bool, exclude: bool) -> Tensor | None:
        axes, function = reduced_axes(axis, exclude, x.rank), folds.ON_ARRAYS.get(row.function(x.dtype))
        if function is None:
            return None
        return tensor_of(_shape(x, axes, keepdims), x.dtype, kept_array(x.dtype, function(array_blocks(x, axes))))

    def contents(x: TensorType[Dim], *, axis: Axis, keepdims: bool, exclude: bool) -> Contents:
        rule: Callable[[Any], Content] | None = row.on_truths if x.dtype is DType.BOOL else row.on_dims
        axes = reduced_axes(axis, exclude, x.rank)
        if x.contents is None or rule is None or not axes:
            return x.contents
        empty = not x.contents and row.inhabited(x.dtype)
        return None if empty else tracked((rule(x.contents),), x.dtype)

    def judge(
        x: TensorType[Dim],
        *,
        axis: tuple[int, ...] | int | None = None,
        keepdims: bool = False,
        exclude: bool = False,
    ) -> Judgement:
        given = row.checked(x)
        axes = reduced_axes(axis, exclude, given.rank)
        return judged(remaining(given.shape, axes, keepdims, ONE), given.dtype, row.needs(given, axes))

    judge.__doc__ = f"{row.says}   t[..a] -> t[..reduced(a, axis)]\n\nout[i] = {row.formula}\n\n{_OVER}"
    if row.inhabited(DType.INT32):
        which = "A" if row.inhabited(DType.FLOAT32) else "For integers, a"
        judge.__doc__ += f"\n{which} reduced axis is not empty, of size 1 or more [op.{row.name}.extent]."
    rule = contents if row.on_dims or row.on_truths else None
    facts = Facts(**row.facts, padding=Padding(extends), fast=fast)
    return operator(row.name, meaning=meaning, family="reducing", contents=rule, **facts)(judge)


def _always(_: DType) -> bool:
    return True


def _sum_of(contents: Iterable[Dim]) -> Dim:
    return sum(contents, constant(0))


def _greatest_of(contents: Iterable[Dim]) -> Dim:
    return reduce(maximum, contents)


def _least_of(contents: Iterable[Dim]) -> Dim:
    return reduce(minimum, contents)


def _all_of(contents: Iterable[Constraint]) -> Constraint:
    return all_of(*contents)


def _any_of(contents: Iterable[Constraint]) -> Constraint:
    return any_of(*contents)


def _integers(dtype: DType) -> bool:
    return dtype.is_integer


_ROWS = (
    Row(
        "sum",
        "Sum, from left to right in binary64, rounded once; integers wrap; of booleans, whether any holds.",
        "sum over r of x[i, r];  of booleans, whether some x[i, r] is true",
        folds.summed,
        sum,
        any,
        on_dims=_sum_of,
        on_truths=_any_of,
        facts=Facts(onnx="ReduceSum"),
    ),
    Row(
        "prod",
        "Product, from left to right in binary64, rounded once; integers wrap; of booleans, whether all hold.",
        "product over r of x[i, r];  of booleans, whether every x[i, r] is true;  of nothing, 1",
        folds.multiplied,
        math.prod,
        all,
        on_dims=product,
        on_truths=_all_of,
        facts=Facts(onnx="ReduceProd"),
    ),
    Row(
        "mean",
        "Sum divided by count, in binary64, rounded once; of integers, toward zero.",
        "(sum over r of x[i, r]) / m;  of no floats, NaN",
        folds.mean,
        folds.integer_mean,
        inhabited=_integers,
        facts=Facts(onnx="ReduceMean"),
    ),
    Row(
        "max",
        "Greatest; NaN if any is NaN.",
        "max over r of x[i, r];  of booleans, whether some x[i, r] is true",
        folds.greatest,
        max,
        any,
        _always,
        _greatest_of,
        _any_of,
        Facts(pairwise="maximum", onnx="ReduceMax", ranges=among_first),
    ),
    Row(
        "min",
        "Least; NaN if any is NaN.",
        "min over r of x[i, r];  of booleans, whether every x[i, r] is true",
        folds.least,
        min,
        all,
        _always,
        _least_of,
        _all_of,
        Facts(pairwise="minimum", onnx="ReduceMin", ranges=among_first),
    ),
    Row(
        "all",
        "Logical and of all elements.",
        "whether every x[i, r] is true;  of nothing, true",
        bools=all,
        on_truths=_all_of,
    ),
    Row(
        "any",
        "Logical or of all elements.",
        "whether some x[i, r] is true;  of nothing, false",
        bools=any,
        on_truths=_any_of,
    ),
)
REDUCTIONS = tuple(map(reduction, _ROWS))
"""Reductions of one operand to its own element type."""


def _place(block: Block, best: Callable[..., Any], last: bool) -> int:
    """The index of the best element of a block: the first NaN if there is any, else the first or last best one."""
    nan = next((place for place, part in enumerate(block) if part != part), None)
    if nan is not None:
        return nan
    found = best(block)
    return len(block) - 1 - list(reversed(block)).index(found) if last else list(block).index(found)


def arg_reduction(name: str, best: Callable[..., Any], onnx: str, says: str) -> Operator:
    """Declare the operator that returns the index of the best element within its block."""
    formula = f"the first r with x[i, r] == {best.__name__} over s of x[i, s];  the last one with select_last_index"
    row = Row(name, says, formula, best, best, best, _always)

    def meaning(x: Tensor, *, axis: Axis, keepdims: bool, select_last_index: bool, exclude: bool) -> Tensor:
        axes = reduced_axes(axis, exclude, x.rank)
        found = [_place(block, best, select_last_index) for block in blocks(x, axes)]
        return tensor_of(_shape(x, axes, keepdims), DType.INT32, kept(DType.INT32, found))

    def judge(
        x: TensorType[Dim],
        *,
        axis: tuple[int, ...] | int | None = None,
        keepdims: bool = False,
        select_last_index: bool = False,
        exclude: bool = False,
    ) -> Judgement:
        given = row.checked(x)
        axes = reduced_axes(axis, exclude, given.rank)
        return judged(remaining(given.shape, axes, keepdims, ONE), DType.INT32, row.needs(given, axes))

    def ranges(given: Operands) -> Ranges:
        x = row.checked(given.types[0])
        axes = reduced_axes(given.attributes["axis"], given.attributes["exclude"], x.rank)
        return fitted(replace(places(product(x.shape[axis] for axis in axes)), wraps=True), DType.INT32)

    judge.__doc__ = f"""{says}   t[..a] -> int32[..reduced(a, axis)]

out[i] = {formula}

{_OVER}
With several axes r is the number in row-major order.  If there are NaNs, the result is the first of them.
A reduced axis is not empty, of size 1 or more [op.{name}.extent]."""
    facts = Facts(padding=Padding(extends), onnx=onnx, ranges=ranges)
    return operator(name, meaning=meaning, family="reducing", **facts)(judge)


ARGUMENTS = (
    arg_reduction(
        "argmax",
        max,
        "ArgMax",
        "Index of the greatest element, the first of equal ones or with `select_last_index` the last; NaN is greatest.",
    ),
    arg_reduction(
        "argmin",
        min,
        "ArgMin",
        "Index of the least element, the first of equal ones or with `select_last_index` the last; NaN is least.",
    ),
)
"""Reductions to an index."""
