"""Shapes and sizes as values."""

from __future__ import annotations

import pytest

from gradual.dims.term.dim import Kind, constant, variable
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import TensorType
from tests.ops.oracle import judges, means, of, refusal

n = variable("n", kind=Kind.RIGID)


def test_a_shape_is_a_vector_of_extents_also_for_rank_0() -> None:
    assert means("shape_of", Tensor([[1, 2, 3]])) == Tensor([1, 3], "int32")
    assert means("shape_of", Tensor(1.0), dtype="int64") == Tensor([], "int64", (0,))
    assert judges("shape_of", TensorType((), DType.BOOL)).result == TensorType((constant(0),), DType.INT32)


def test_a_size_counts_elements() -> None:
    assert means("ndarray_size", Tensor([[1, 2, 3]])) == Tensor(3, "int32")
    assert means("ndarray_size", Tensor([], shape=(2, 0)), dtype="uint8") == Tensor(0, "uint8")


def test_contents_are_the_extents_exactly() -> None:
    x = TensorType((n, constant(4)), DType.FLOAT32)
    shape, size = of("shape_of").contents, of("ndarray_size").contents
    assert shape is not None and size is not None
    assert shape(x, dtype=DType.INT64) == (n, constant(4))
    assert size(x, dtype=None) == (4 * n,)


@pytest.mark.parametrize("name", ["shape_of", "ndarray_size"])
def test_sizes_are_integers_that_fit(name: str) -> None:
    assert refusal(name, TensorType((n,), DType.BOOL), dtype="float32").rule == "op.attribute"
    with pytest.raises(TensorFault, match="200 does not fit int8") as raised:
        means(name, Tensor([0] * 200, "bool"), dtype="int8")
    assert raised.value.code == "E0608"


@pytest.mark.parametrize("name", ["shape_of", "ndarray_size"])
def test_no_type_is_int32(name: str) -> None:
    assert means(name, Tensor([1.0]), dtype="").dtype is DType.INT32
