"""NumPy as an oracle: tensors to arrays and back, and what "the same" means for each type.

A property that compares operators with an oracle says so by `compares`; `test_oracles.py` looks for an operator that
none names.  How many argument sets were compared, and of which types, is counted; `python -m tests.ops.campaign`
compares at least 200 for each operator and reports.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from hypothesis import assume, reject, settings

from gradual.dims.term.dim import constant
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import IllFormed, Judgement, Operator
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.generators.operators import rows

EXAMPLES = int(os.environ.get("ORACLE_EXAMPLES", "0"))
"""How many argument sets a property compares at least; 0 leaves it to the property."""

Property = TypeVar("Property", bound=Callable[..., None])

COMPARED: dict[str, set[str]] = {}
"""The properties that compare an operator with an oracle, by operator."""

Compared = tuple[str, tuple[DType, ...]]
COUNTED: Counter[Compared] = Counter()
"""How many argument sets were compared, by operator and element types."""

SEEN: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {}
"""The first few argument sets that were compared, by operator."""

ONNX_MET: Counter[tuple[str, str]] = Counter()
"""How many applications were compared with ONNX, by operator and who computed them, or why they were not."""

ONNX_DEATHS: list[str] = []
"""The applications that ONNX Runtime died of, each in words."""

_met: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
_KEPT = 12


def examples(usual: int, among: int = 1) -> settings:
    """The settings of a property that sees so many argument sets, or its part of EXAMPLES where it is one `among`."""
    return settings(max_examples=max(usual, -(-EXAMPLES // among)), deadline=None)


def compares(*names: str) -> Callable[[Property], Property]:
    """Says of a property that it compares operators with an oracle: NumPy, or a definition written out with it.

    For a special case of an operator that has one, that operator is an oracle too.
    """

    def marked(test: Property) -> Property:
        for name in names:
            COMPARED.setdefault(name, set()).add(test.__name__)

        @functools.wraps(test)
        def counted(*arguments: Any, **named: Any) -> None:
            _met.clear()
            test(*arguments, **named)
            met = {name: (given, attributes) for name, given, attributes in reversed(_met) if name in names}
            COUNTED.update((name, dtypes_of(given)) for name, (given, _) in met.items())
            for name, one in met.items():
                if len(kept := SEEN.setdefault(name, [])) < _KEPT:
                    kept.append(one)

        return counted  # type: ignore[return-value]  # the signature is the test's

    return marked


def dtypes_of(arguments: tuple[Any, ...]) -> tuple[DType, ...]:
    """The element types of arguments; of a tuple, that of its first field."""
    firsts = (given[0] if isinstance(given, tuple) and given else given for given in arguments)
    return tuple(first.dtype for first in firsts if isinstance(first, Tensor))


def numpy_type(dtype: DType) -> str:
    """The NumPy type that holds the elements of a type: every bfloat16 is a float32."""
    return "float32" if dtype is DType.BFLOAT16 else str(dtype)


def array_of(tensor: Tensor) -> Any:
    """The NumPy array of a tensor."""
    return np.array(tensor.flat(), dtype=numpy_type(tensor.dtype)).reshape(tensor.shape)


def narrowed(dtype: DType, values: Any) -> Any:
    """Numbers rounded to the nearest of a type."""
    if dtype is not DType.BFLOAT16:
        return np.asarray(values).astype(str(dtype))
    wide = np.asarray(values, dtype=np.float64)
    exponent = np.frexp(np.where(np.isfinite(wide), wide, 0.0))[1]
    unit = np.ldexp(1.0, np.maximum(exponent - 8, -133))
    near = np.where(np.isfinite(wide), np.rint(wide / unit) * unit, wide)
    return np.where(np.abs(near) >= 2.0**128, np.copysign(np.inf, near), near).astype(np.float32)


def means(name: str, *arguments: Any, **attributes: Any) -> Any:
    """What an operator's meaning gives at attributes as written, dims as integers."""
    one = CATALOGUE[name]
    _met.append((name, arguments, attributes))
    values = {key: plain(value) for key, value in bound(one, attributes).items()}
    return one.meaning(*arguments, **values)


def plain(value: Any) -> Any:
    """An attribute as a meaning takes it."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.value if type(value).__name__ == "Dim" else value


def judges(name: str, *arguments: Any, **attributes: Any) -> Judgement:
    """What an operator's judgement gives at attributes as written."""
    one = CATALOGUE[name]
    return one.judge(*arguments, **bound(one, attributes))


def refusal(name: str, *arguments: Any, **attributes: Any) -> IllFormed:
    """Why an operator's judgement refuses."""
    try:
        judges(name, *arguments, **attributes)
    except IllFormed as refused:
        return refused
    raise AssertionError(f"{name} judged it well-formed")


def of(name: str) -> Operator:
    """The operator of a name."""
    return CATALOGUE[name]


def assert_exactly(found: Tensor, expected: Any) -> None:
    """Same type, same shape, same elements with the same signs of zero; NaN is NaN."""
    assert numpy_type(found.dtype) == str(expected.dtype)
    assert found.shape == expected.shape
    ours = array_of(found)
    np.testing.assert_array_equal(ours, expected)
    if found.dtype.is_float:
        np.testing.assert_array_equal(np.signbit(ours[~np.isnan(ours)]), np.signbit(expected[~np.isnan(expected)]))


UNITS = {DType.FLOAT16: 2e-3, DType.BFLOAT16: 1.6e-2, DType.FLOAT32: 1e-6, DType.FLOAT64: 1e-13}
"""A few roundings of each type, in parts of the number."""


def assert_nearly(found: Tensor, expected: Any) -> None:
    """Same shape, and elements within a few roundings of the type."""
    assert found.shape == expected.shape
    unit = UNITS[found.dtype]
    np.testing.assert_allclose(array_of(found).astype(float), expected.astype(float), rtol=unit, atol=unit * 1e-3)


def applications(name: str, data: Any, faults: str | None = None) -> Any:
    """A generated application whose needs hold, and what its meaning gives.

    One that ends in a fault of this code is passed over, any other fault is a failure.
    """
    application = data.draw(rows()[name])
    types = tuple(map(type_of, application.arguments))
    assume(all(need.goal.evaluate({}) for need in judges(name, *types, **application.attributes).needs))
    try:
        return application, means(name, *application.arguments, **application.attributes)
    except TensorFault as fault:
        assert fault.code == faults
        reject()


def type_of(value: Any) -> Any:
    """The type of a value, all sizes known, its elements not."""
    if isinstance(value, tuple):
        return TupleType(tuple(map(type_of, value)))
    return TensorType(tuple(map(constant, value.shape)), value.dtype)


def wide(tensor: Tensor) -> Any:
    """The elements in the type that sums are computed in: float64, or exact integers."""
    return array_of(tensor).astype(np.float64 if tensor.dtype.is_float else object)


def kept_in(dtype: DType, values: Any) -> Any:
    """Exact integers wrapped, or floats rounded, to a type."""
    if dtype.is_float:
        return narrowed(dtype, np.asarray(values, dtype=np.float64))
    mask, sign = (1 << dtype.bits) - 1, 1 << (dtype.bits - 1) if dtype.is_signed else 0
    wrapped = [((int(value) + sign) & mask) - sign for value in np.asarray(values, dtype=object).ravel()]
    return np.array(wrapped, dtype=str(dtype)).reshape(np.shape(values))


def assert_same(found: Tensor, expected: Any) -> None:
    """Integers exactly, floats within a few roundings; infinities and NaN in their places."""
    assert numpy_type(found.dtype) == str(expected.dtype)
    if found.dtype.is_float:
        assert_nearly(found, expected)
    else:
        assert_exactly(found, expected)
