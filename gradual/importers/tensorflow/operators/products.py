"""Products of matrices, and sums of products."""

from __future__ import annotations

from gradual.importers.common.products import product
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports


@imports("MatMul")
def matrix_product(use: Use) -> Value:
    """The product of two matrices, each transposed on demand."""
    flips = {f"transpose_{name}": use.flag(f"transpose_{name}") or None for name in "ab"}
    return use.call("nn.matmul", use.ranked(0, 2), use.ranked(1, 2), **flips)


@imports("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def products(use: Use) -> Value:
    """The products of the matrices of two batches, which broadcast to each other."""
    a, b = (_flipped(use, use[at], use.flag(f"adj_{name}")) for at, name in enumerate("xy"))
    dtype = use.dtype("Tout", a.dtype)
    return product(use, use.as_type(a, dtype), use.as_type(b, dtype))


def _flipped(use: Use, x: Value, is_flipped: bool) -> Value:
    axes = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    return use.call("transpose", x, axes=axes) if is_flipped else x


@imports("Einsum")
def sums_of_products(use: Use) -> Value:
    """The sums of products in Einstein notation."""
    parts, equation = use.tensors(), use.text("equation").replace(" ", "")
    ranks = [len(one) for one in equation.partition("->")[0].split(",")]
    if "." not in equation and len(ranks) == len(parts):
        parts = [use.of_rank(one, rank) for one, rank in zip(parts, ranks, strict=True)]
    return use.call("einsum", use.builder.tuple(parts), equation=equation)
