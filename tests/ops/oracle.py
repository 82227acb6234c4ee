"""NumPy as an oracle: tensors to arrays and back, and what "the same" means for each type."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, reject

from gradual.dims.dim import constant
from gradual.ops.attributes import bound
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.operator import IllFormed, Judgement, Operator
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType, TupleType
from tests.generators.operators import rows

NUMPY_TYPES = tuple(dtype for dtype in DType if dtype is not DType.BFLOAT16)


def array_of(tensor: Tensor) -> Any:
    """The NumPy array of a tensor; NumPy has no bfloat16."""
    return np.array(tensor.flat(), dtype=str(tensor.dtype)).reshape(tensor.shape)


def means(name: str, *arguments: Any, **attributes: Any) -> Any:
    """What an operator's meaning gives at attributes as written, dims as integers."""
    one = CATALOGUE[name]
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
    assert str(found.dtype) == str(expected.dtype)
    assert found.shape == expected.shape
    ours = array_of(found)
    np.testing.assert_array_equal(ours, expected)
    if found.dtype.is_float:
        np.testing.assert_array_equal(np.signbit(ours[~np.isnan(ours)]), np.signbit(expected[~np.isnan(expected)]))


def assert_nearly(found: Tensor, expected: Any) -> None:
    """Same shape, and elements within a few roundings of the type."""
    assert found.shape == expected.shape
    unit = {DType.FLOAT16: 2e-3, DType.FLOAT32: 1e-6, DType.FLOAT64: 1e-13}[found.dtype]
    np.testing.assert_allclose(array_of(found).astype(float), expected.astype(float), rtol=unit, atol=unit * 1e-3)


def applications(name: str, data: Any, faults: str | None = None) -> Any:
    """A generated application whose needs hold, of types that NumPy has, and what its meaning gives.

    One that ends in a fault of this code is passed over, any other fault is a failure.
    """
    application = data.draw(rows()[name])
    parts = [part for given in application.arguments for part in (given if isinstance(given, tuple) else (given,))]
    assume(all(part.dtype in NUMPY_TYPES for part in parts))
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
        return np.asarray(values, dtype=np.float64).astype(str(dtype))
    mask, sign = (1 << dtype.bits) - 1, 1 << (dtype.bits - 1) if dtype.is_signed else 0
    wrapped = [((int(value) + sign) & mask) - sign for value in np.asarray(values, dtype=object).ravel()]
    return np.array(wrapped, dtype=str(dtype)).reshape(np.shape(values))


def assert_same(found: Tensor, expected: Any) -> None:
    """Integers exactly, floats within a few roundings; infinities and NaN in their places."""
    assert str(found.dtype) == str(expected.dtype)
    if found.dtype.is_float:
        assert_nearly(found, expected)
    else:
        assert_exactly(found, expected)
