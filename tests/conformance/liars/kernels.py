"""Operators whose kernel is wrong: at run time the result has the right shape and type, and wrong elements."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from gradual.ops.declaration.operator import Operator
from gradual.run.steps import operators
from gradual.run.value import Held
from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, tensor_of
from gradual.types.dtype import DType
from tests.conformance.liars.truth import Liar, replaced

Change = Callable[[Tensor], Tensor]

meant = operators._meant


def _other(dtype: DType, element: Any) -> Any:
    """An element that differs: one more, unless that is the same or not in the type's range."""
    return _first_that_differs(dtype, element, (element + 1, element - 1, 0))


def _mirrored(dtype: DType, element: Any) -> Any:
    """An element that differs: one minus it, unless that is the same."""
    return _first_that_differs(dtype, element, (1 - element, element + 1, 0))


def _first_that_differs(dtype: DType, element: Any, among: Sequence[Any]) -> Any:
    if dtype is DType.BOOL:
        return 1 - element
    held = (kept(dtype, (one,))[0] for one in among if math.isfinite(one))
    return next(one for one in held if one != element)


def plus_one(given: Tensor) -> Tensor:
    """Every element wrong, by one."""
    return _with(given, [_other(given.dtype, element) for element in given.elements])


def mirrored(given: Tensor) -> Tensor:
    """Every element x is 1 - x."""
    return _with(given, [_mirrored(given.dtype, element) for element in given.elements])


def last_wrong(given: Tensor) -> Tensor:
    """Only the last element wrong, by one."""
    if not given.size:
        return given
    return _with(given, [*given.elements[:-1], _other(given.dtype, given.elements[-1])])


def backwards(given: Tensor) -> Tensor:
    """The elements in opposite order."""
    return _with(given, list(reversed(given.elements)))


def ulps_off(given: Tensor) -> Tensor:
    """Each finite float32 that is not 0 too great by 8 units in its last place."""
    if given.dtype is not DType.FLOAT32:
        return given
    moved = (
        one + 8 * 2.0 ** max(math.frexp(one)[1] - 24, -149) if math.isfinite(one) and one else one
        for one in given.elements
    )
    return _with(given, list(moved))


def _with(given: Tensor, elements: Sequence[Any]) -> Tensor:
    code = given.elements.typecode if isinstance(given.elements, array) else None
    made = kept(given.dtype, elements)
    assert code in (None, made.typecode), (code, made.typecode)
    return tensor_of(given.shape, given.dtype, made)


LIES: Mapping[str, Change] = {
    "plus one": plus_one,
    "mirrored": mirrored,
    "last wrong": last_wrong,
    "backwards": backwards,
    "8 ulps": ulps_off,
}
"""Ways in which elements may be wrong."""


def changed(value: Held, change: Change) -> Held:
    """A result with each of its tensors changed."""
    if isinstance(value, tuple):
        return tuple(changed(part, change) for part in value)
    return change(value) if isinstance(value, Tensor) else value


def one_part(value: Held, number: int) -> Held:
    """A tuple of which only one part is wrong."""
    if not isinstance(value, tuple) or number >= len(value):
        return value
    return (*value[:number], changed(value[number], plus_one), *value[number + 1 :])


def kernel_liar(operator: str, lie: str, change: Callable[[Held], Held]) -> Liar:
    """A liar about one operator: each of its results is changed."""

    def wrong(applied: Operator, values: Sequence[Held], attributes: Mapping[str, Any], fast: bool) -> Held:
        result = meant(applied, values, attributes, fast)
        return change(result) if applied.name == operator else result

    @contextmanager
    def computing() -> Iterator[None]:
        """Compute wrongly; that shape arithmetic is exact, which the reference asserts, is not asserted."""
        with replaced(meant, wrong), replaced(operators.exact, _unasserted):
            yield

    return Liar(f"{operator}: {lie}", computing=computing)


def kernel_liars(operator: str, parts: int, lies: Mapping[str, Change]) -> dict[str, Liar]:
    """Lies about all elements of an operator, and about each of the parts of its results, if they are tuples."""
    whole = {lie: kernel_liar(operator, lie, partial(changed, change=change)) for lie, change in lies.items()}
    single = {
        f"part {number}": kernel_liar(operator, f"part {number}", partial(one_part, number=number))
        for number in range(parts)
    }
    return whole | single


def _unasserted(value: Held, types: Sequence[Any], attributes: Mapping[str, Any], step: Any) -> None:
    """Assert nothing, in place of `exact`."""


@contextmanager
def traced(seen: dict[str, int]) -> Iterator[None]:
    """Collect the operators that are evaluated, each with the number of parts of its result."""

    def noted(applied: Operator, values: Sequence[Held], attributes: Mapping[str, Any], fast: bool) -> Held:
        result = meant(applied, values, attributes, fast)
        seen[applied.name] = max(seen.get(applied.name, 0), len(result) if isinstance(result, tuple) else 0)
        return result

    with replaced(meant, noted):
        yield
