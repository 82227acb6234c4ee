"""Contractions have the bits of their definitions, written out here: one sum after another, rounded once.

The sizes are those at which many products are computed at once, and 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.tensors.scalar import kept
from gradual.tensors.tensor import Tensor, random_tensor
from gradual.types.dtype import DType
from tests.ops.oracle import examples, means

NARROW = pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16])
few = examples(40)
counts = st.sampled_from((0, 1, 2, 5, 9))
widths = st.sampled_from((0, 1, 15, 16, 17, 40))
Ints = tuple[int, ...]


def cells(tensor: Tensor) -> Callable[..., Any]:
    """The element at an index."""

    def at(*index: int) -> Any:
        place = 0
        for extent, where in zip(tensor.shape, index, strict=True):
            place = place * extent + where
        return tensor.elements[place]

    return at


def summed(terms: Iterable[Any]) -> Any:
    """The sum from left to right, from 0."""
    total: Any = 0
    for term in terms:
        total = total + term
    return total


def assert_bits(found: Tensor, shape: Ints, element: Callable[..., Any]) -> None:
    """Each element is what the definition says of its index, kept in the type."""
    assert found.shape == shape
    expected = kept(found.dtype, [element(*index) for index in product(*map(range, shape))])
    assert found.elements.tobytes() == expected.tobytes()


@NARROW
@few
@given(batch=counts, height=counts, width=counts, depth=widths, seed=st.integers(0, 99))
def test_batch_matmul(dtype: DType, batch: int, height: int, width: int, depth: int, seed: int) -> None:
    left = random_tensor((batch, height, depth), dtype, seed)
    right = random_tensor((batch, depth, width), dtype, seed + 100)
    a, b = cells(left), cells(right)
    found = means("nn.batch_matmul", left, right, transpose_b=False)
    assert_bits(found, (batch, height, width), lambda n, i, j: summed(a(n, i, k) * b(n, k, j) for k in range(depth)))


@NARROW
@few
@given(lead=counts, width=counts, depth=widths, seed=st.integers(0, 99))
def test_dense(dtype: DType, lead: int, width: int, depth: int, seed: int) -> None:
    data, weight = random_tensor((lead, depth), dtype, seed), random_tensor((width, depth), dtype, seed + 100)
    x, w = cells(data), cells(weight)
    found = means("nn.dense", data, weight)
    assert_bits(found, (lead, width), lambda i, j: summed(x(i, k) * w(j, k) for k in range(depth)))


@NARROW
@few
@given(batch=counts, heads=counts, length=counts, other=counts, depth=widths, seed=st.integers(0, 99))
def test_einsum(dtype: DType, batch: int, heads: int, length: int, other: int, depth: int, seed: int) -> None:
    query = random_tensor((batch, length, heads, depth), dtype, seed)
    key = random_tensor((batch, other, heads, depth), dtype, seed + 100)
    q, k = cells(query), cells(key)
    found = means("einsum", (query, key), equation="bshd,bthd->bhst")
    assert_bits(
        found,
        (batch, heads, length, other),
        lambda b, h, s, t: summed(q(b, s, h, d) * k(b, t, h, d) for d in range(depth)),
    )


@given(seed=st.integers(0, 99), rows=counts, columns=counts)
def test_einsum_where_a_label_is_summed_that_one_operand_has(seed: int, rows: int, columns: int) -> None:
    left, right = random_tensor((rows, 7, 1), DType.FLOAT32, seed), random_tensor((5, columns), DType.FLOAT32, seed + 1)
    a, b = cells(left), cells(right)
    found = means("einsum", (left, right), equation="ijk,kl->li")
    assert_bits(
        found,
        (columns, rows),
        lambda j, i: summed(a(i, p, 0) * b(q, j) for p in range(7) for q in range(5)),
    )


@NARROW
@few
@given(
    batch=st.sampled_from((0, 1, 2)),
    groups=st.sampled_from((1, 2)),
    into=st.sampled_from((1, 2, 4)),
    share=st.sampled_from((0, 1, 3, 9)),
    extents=st.sampled_from(((3, 3), (8, 5), (19, 17))),
    strides=st.sampled_from(((1, 1), (2, 1))),
    pads=st.sampled_from(((0, 0), (1, 2))),
    seed=st.integers(0, 99),
)
def test_conv2d(
    dtype: DType, batch: int, groups: int, into: int, share: int, extents: Ints, strides: Ints, pads: Ints, seed: int
) -> None:
    data = random_tensor((batch, groups * into, *extents), dtype, seed)
    weight = random_tensor((groups * share, into, 3, 3), dtype, seed + 100)
    x, w = cells(data), cells(weight)

    def element(n: int, o: int, i: int, j: int) -> Any:
        first = o // share * into
        rows = [i * strides[0] + k - pads[0] for k in range(3)]
        columns = [j * strides[1] + k - pads[1] for k in range(3)]
        return summed(
            w(o, c, k, m) * x(n, first + c, row, column)
            for c, (k, row), (m, column) in product(range(into), enumerate(rows), enumerate(columns))
            if 0 <= row < extents[0] and 0 <= column < extents[1]
        )

    found = means("nn.conv2d", data, weight, strides=list(strides), padding=list(pads), groups=groups)
    sizes = [(size + 2 * pad - 3) // step + 1 for size, pad, step in zip(extents, pads, strides, strict=True)]
    assert_bits(found, (batch, groups * share, *sizes), element)


@NARROW
@few
@given(
    batch=st.sampled_from((0, 1, 2)),
    into=st.sampled_from((1, 4, 9)),
    share=st.sampled_from((0, 1, 9)),
    extent=st.sampled_from((1, 4, 18)),
    stride=st.sampled_from((1, 2, 5)),
    pad=st.sampled_from((0, 1)),
    seed=st.integers(0, 99),
)
def test_conv1d_transpose(
    dtype: DType, batch: int, into: int, share: int, extent: int, stride: int, pad: int, seed: int
) -> None:
    data, weight = random_tensor((batch, into, extent), dtype, seed), random_tensor((into, share, 4), dtype, seed + 100)
    x, w = cells(data), cells(weight)

    def element(n: int, o: int, i: int) -> Any:
        reached = [(k, (i + pad - k) // stride) for k in range(4) if (i + pad - k) % stride == 0]
        return summed(w(c, o, k) * x(n, c, place) for c in range(into) for k, place in reached if 0 <= place < extent)

    found = means("nn.conv1d_transpose", data, weight, strides=[stride], padding=[pad])
    assert_bits(found, (batch, share, (extent - 1) * stride + 4 - 2 * pad), element)
