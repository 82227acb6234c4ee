"""Rows of elementwise operators, and the operators that they declare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from gradual.dims.term.dim import Dim
from gradual.ops.declaration import symbolic_elements as known
from gradual.ops.declaration.facts import Facts
from gradual.ops.declaration.operator import Contents, Judgement, Operator, operator
from gradual.ops.declaration.padding import POINTWISE
from gradual.ops.declaration.shapes import broadcast, judged, of_dtype, same_dtype, tensor
from gradual.ops.elementwise import ranges
from gradual.record import record
from gradual.tensors.arrays.elements import computable, rounded
from gradual.tensors.arrays.elements import kept as kept_array
from gradual.tensors.arrays.functions import ON_ARRAYS
from gradual.tensors.index import broadcast_shape, spread
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from gradual.types.type import TensorType, Type

Rule = Callable[..., Any]


@record
class Row:
    """An elementwise operator: a function for each kind of element; None if the kind is not admitted.

    Attributes:
        name: the operator's name.
        says: what the operator computes, in words.
        formula: an element of the result, in terms of `x[i]` and `y[i]`.
        ints: the function on integers, which is exact; its result wraps.
        floats: the function on binary64; its result is rounded.
        bools: the function on booleans as 0 and 1.   [scalar.bool]
        then: a second operation on floats, after the first has been rounded.
        tests: whether the result is boolean.
        on_dims: the function on symbolic integers.
        on_truths: the function on symbolic booleans.
        on_ranges: the function on ranges of integers.
        facts: other facts about the operator.
    """

    name: str
    says: str
    formula: str
    ints: Rule | None = None
    floats: Rule | None = None
    bools: Rule | None = None
    then: Rule | None = None
    tests: bool = False
    on_dims: known.Rule | None = None
    on_truths: known.Rule | None = None
    on_ranges: ranges.Rule | None = None
    facts: Facts = field(default_factory=Facts)

    def function(self, dtype: DType) -> Rule | None:
        """What the row computes on elements of this type."""
        return self.bools if dtype is DType.BOOL else self.floats if dtype.is_float else self.ints

    def result(self, dtype: DType) -> DType:
        """The element type of the result."""
        return DType.BOOL if self.tests else dtype

    @property
    def admitted(self) -> str:
        """The kinds of elements that the row admits, in words."""
        kinds = {"booleans": self.bools, "integers": self.ints, "floats": self.floats}
        return " or ".join(kind for kind, function in kinds.items() if function is not None)

    def checked(self, given: Type[Dim], operand: int) -> TensorType[Dim]:
        """The argument, which is a tensor of an admitted type."""
        found = tensor(given, operand)
        if self.function(found.dtype) is None:
            of_dtype(found, operand, lambda _: False, self.admitted)
        return found

    def contents(self, *given: TensorType[Dim]) -> Contents:
        """The result's contents."""
        dtype = given[0].dtype
        rule = self.on_truths if dtype is DType.BOOL else self.on_dims
        return None if rule is None else known.pointwise(rule, self.result(dtype), *given)

    def meaning(self, *given: Tensor) -> Tensor:
        """Apply the function at each index of the operands, broadcast together."""
        dtype = given[0].dtype
        function = self.function(dtype)
        assert function is not None, f"{self.name} on {dtype}"
        shape = broadcast_shape(*(part.shape for part in given))
        found: Any = map(function, *(spread(part.elements, part.shape, shape) for part in given))
        if self.then is not None and dtype.is_float:
            found = map(self.then, kept(dtype, found))
        return tensor_of(shape, self.result(dtype), kept(self.result(dtype), found))

    def fast(self, *given: Tensor) -> Tensor | None:
        """The meaning with NumPy, if the function has an equal one on arrays."""
        dtype = given[0].dtype
        function = ON_ARRAYS.get(self.function(dtype))
        if function is None:
            return None
        found = function(*(computable(part.elements, part.dtype, part.shape) for part in given))
        if self.then is not None and dtype.is_float:
            found = ON_ARRAYS[self.then](rounded(dtype, found).astype("d"))
        return tensor_of(found.shape, self.result(dtype), kept_array(self.result(dtype), found))

    @property
    def is_fast(self) -> bool:
        """Whether some kind of elements has a function on arrays."""
        return any(function in ON_ARRAYS for function in (self.ints, self.floats, self.bools))


def binary(row: Row) -> Operator:
    """The operator of two operands that broadcast together.   [op.broadcast.agree]"""

    def judge(x: TensorType[Dim], y: TensorType[Dim]) -> Judgement:
        left, right = row.checked(x, 0), row.checked(y, 1)
        dtype = same_dtype(left, right)
        shape, needs = broadcast((left.shape, right.shape))
        return judged(shape, row.result(dtype), needs)

    result = "bool" if row.tests else "t"
    formula = f"t[..a], t[..b] -> {result}[..broadcast(a, b)]"
    judge.__doc__ = f"{row.says}   {formula}   [op.broadcast.agree]\n\nout[i] = {row.formula}"
    return _declared(row, judge, (0, 1))


def unary(row: Row) -> Operator:
    """The operator of one operand, whose shape it keeps."""

    def judge(x: TensorType[Dim]) -> Judgement:
        given = row.checked(x, 0)
        return judged(given.shape, row.result(given.dtype))

    judge.__doc__ = f"{row.says}   t[..a] -> {'bool' if row.tests else 't'}[..a]\n\nout[i] = {row.formula}"
    return _declared(row, judge)


def _declared(row: Row, judge: Callable[..., Judgement], alike: tuple[int, ...] = ()) -> Operator:
    tracked = row.contents if row.on_dims is not None or row.on_truths is not None else None
    facts = Facts(**row.facts, padding=POINTWISE)
    if row.is_fast:
        facts["fast"] = row.fast
    if row.on_ranges is not None:
        facts["ranges"] = ranges.pointwise(row.on_ranges)
    declare = operator(row.name, meaning=row.meaning, family="elementwise", contents=tracked, alike=alike, **facts)
    return declare(judge)
