"""What is exported of a single operator: a function of tensors, and the inputs of each run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy
import tensorflow as tf

Array = numpy.ndarray[Any, Any]

raw = tf.raw_ops


@dataclass(frozen=True)
class Case:
    """An application of one operator.

    Attributes:
        function: applies it.
        runs: the inputs of each run; a size that is not the same in all of them is left open.
        truth: computes the same in another way, where TensorFlow has no kernel for processors.
        refused: a part of what users are told where it is not imported.
        is_open: whether all sizes are left open.
        raises: inputs at which TensorFlow raises an error.
    """

    function: Callable[..., Any]
    runs: Sequence[Sequence[Array]]
    truth: Callable[..., Any] | None = None
    refused: str = ""
    is_open: bool = False
    raises: Sequence[Sequence[Array]] = ()

    def require_errors(self) -> None:
        """Require that TensorFlow raises an error at each of the inputs that say so."""
        for inputs in self.raises:
            try:
                self.function(*map(tf.constant, inputs))
            except tf.errors.InvalidArgumentError:
                continue
            raise ValueError(f"TensorFlow raises no error at {inputs}")

    @property
    def signature(self) -> list[tf.TensorSpec]:
        """The specification of each input."""
        return [self._spec([run[at] for run in self.runs]) for at in range(len(self.runs[0]))]

    def _spec(self, arrays: Sequence[Array]) -> tf.TensorSpec:
        sizes = zip(*(one.shape for one in arrays), strict=True)
        shape = [None if self.is_open or len(set(each)) > 1 else each[0] for each in sizes]
        return tf.TensorSpec(shape, tf.as_dtype(arrays[0].dtype))


def floats(*shape: int, seed: int = 1, low: float = -2.0, high: float = 2.0) -> Array:
    """Floats between two bounds."""
    return numpy.random.default_rng(seed).uniform(low, high, shape).astype("float32")


def integers(*shape: int, seed: int = 1, low: int = 0, high: int = 5, dtype: str = "int32") -> Array:
    """Integers from one bound up to another, excluded."""
    return numpy.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def table(*rows: Any, dtype: str = "int32") -> Array:
    """Given elements."""
    return numpy.array(rows[0] if len(rows) == 1 else rows, dtype)


def each(function: Callable[..., Any], *arrays: Array, **settings: Any) -> Case:
    """A case of one run."""
    return Case(function, [arrays], **settings)
