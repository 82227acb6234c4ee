"""What the tests here do with a graph that is written by hand: check it, run it, and read why it is not imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy
import pytest

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.importers.common.refusals import Refused
from gradual.importers.tensorflow.file.reading import read
from gradual.importers.tensorflow.program import program
from gradual.source import Source
from gradual.tensors.tensor import Tensor
from tests.importers.tensorflow.writing import (
    node,
    placeholder,
)

X = placeholder("x", [None, 3])
X3 = node("Identity", "d3", "x")


def checked(data: bytes, name: str = "") -> Compilation:
    """What a graph becomes, whose open sizes may be 0."""
    made = program(read(data, signature=name), opens=True)
    found = compile_source(Source("model.graphdef", made.text, made.origins))
    return replace(found, weights=made.weights)


def reasons(data: bytes) -> Sequence[str]:
    """Why a graph is not imported."""
    with pytest.raises(Refused) as refused:
        program(read(data))
    return refused.value.reasons


def ran(compilation: Compilation, *inputs: Any) -> Any:
    """The result of a run."""
    assert compilation.ok, compilation.render()
    value = compilation.run("@main", *map(Tensor, inputs))
    return tuple(map(numpy.array, value)) if isinstance(value, tuple) else numpy.array(value)


def zeros(*shape: int) -> Any:
    return numpy.zeros(shape, "float32")
