"""Elementwise functions of arrays, by the function of one element that defines them.

Only functions that IEEE 754 determines to the last bit are here: NumPy's `exp` and the like may differ from `math`.
"""

from __future__ import annotations

import math
import operator as exact
from collections.abc import Callable, Mapping
from typing import Any

from gradual.tensors import integers, reals
from gradual.tensors.arrays.numpy_library import Array, numpy

Function = Callable[..., Array]


def _of_numpy(name: str) -> Function:
    """NumPy's function of this name."""
    return lambda *given: getattr(numpy(), name)(*given)


def _maximum(left: Array, right: Array) -> Array:
    """The greater number, as `reals.maximum`: NumPy may return either zero."""
    return numpy().where((left == 0.0) & (right == 0.0), left + right, numpy().maximum(left, right))


def _minimum(left: Array, right: Array) -> Array:
    """The lesser number, as `reals.minimum`: NumPy may return either zero."""
    return numpy().where((left == 0.0) & (right == 0.0), -(-left - right), numpy().minimum(left, right))


def _relu(values: Array) -> Array:
    return numpy().where(values <= 0, values.dtype.type(0), values)


ON_ARRAYS: Mapping[Any, Function] = {
    **{same: same for same in (exact.add, exact.sub, exact.mul, exact.neg, abs)},
    **{same: same for same in (exact.and_, exact.or_, exact.xor, exact.invert)},
    **{same: same for same in (exact.eq, exact.ne, exact.lt, exact.le, exact.gt, exact.ge)},
    exact.not_: lambda values: values == 0,
    max: _of_numpy("maximum"),
    min: _of_numpy("minimum"),
    integers.sign: _of_numpy("sign"),
    integers.relu: _relu,
    reals.divide: exact.truediv,
    reals.maximum: _maximum,
    reals.minimum: _minimum,
    reals.relu: _relu,
    reals.sqrt: _of_numpy("sqrt"),
    reals.rsqrt: lambda values: 1.0 / numpy().sqrt(values),
    reals.sign: _of_numpy("sign"),
    reals.rint: _of_numpy("rint"),
    reals.floor: _of_numpy("floor"),
    reals.ceil: _of_numpy("ceil"),
    reals.trunc: _of_numpy("trunc"),
    math.isnan: _of_numpy("isnan"),
    math.isinf: _of_numpy("isinf"),
    math.isfinite: _of_numpy("isfinite"),
}
"""The function of one element -> the function of arrays that gives the same bits.  Arrays of floats are in binary64,
those of integers in their own type, in which they wrap, and those of booleans have 0 and 1."""
