"""Products of matrices, and sums of products."""

from __future__ import annotations

from collections.abc import Sequence

from gradual.importers.common.products import product
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Use, imports


@imports("MatMul")
def matrix_product(use: Use) -> Value:
    """The product of two matrices, each transposed if an attribute says so."""
    flips = {f"transpose_{name}": use.flag(f"transpose_{name}") or None for name in "ab"}
    return use.call("nn.matmul", use.ranked(0, 2), use.ranked(1, 2), **flips)


@imports("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def products(use: Use) -> Value:
    """The products of the matrices of two batches; batch sizes broadcast, but have to be equal in the first version."""
    a, b = (_flipped(use, use[at], use.flag(f"adj_{name}")) for at, name in enumerate("xy"))
    dtype = use.dtype("Tout", a.dtype)
    if use.node.operator == "BatchMatMul":
        a, b = _of_one_batch(use, a, b)
    return product(use, use.as_type(a, dtype), use.as_type(b, dtype))


def _of_one_batch(use: Use, a: Value, b: Value) -> tuple[Value, Value]:
    if a.rank != b.rank:
        raise Unsupported(f"batches of ranks {a.rank} and {b.rank}")
    for axis in range(a.rank - 2):
        a, b = use.agreeing(a, axis, b, axis)
    return a, b


def _flipped(use: Use, x: Value, is_flipped: bool) -> Value:
    axes = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    return use.call("transpose", x, axes=axes) if is_flipped else x


@imports("Einsum")
def sums_of_products(use: Use) -> Value:
    """The sums of products in Einstein notation; axes of one label have equal sizes; axes of an ellipsis broadcast."""
    parts, equation = use.tensors(), use.text("equation").replace(" ", "")
    terms = equation.partition("->")[0].split(",")
    if len(terms) == len(parts):
        pairs = list(zip(parts, terms, strict=True))
        parts = [one if "." in term else use.of_rank(one, len(term)) for one, term in pairs]
        _agree(use, parts, [_labels(term, part.rank) for part, term in zip(parts, terms, strict=True)])
    return use.call("einsum", use.builder.tuple(parts), equation=equation)


def _labels(term: str, rank: int) -> Sequence[tuple[int, str]]:
    """The axes of an operand with their labels; axes that an ellipsis represents are left out."""
    before, dots, after = term.partition("...")
    start = rank - len(after) if dots else len(before)
    return [*enumerate(before), *enumerate(after, start)]


def _agree(use: Use, parts: list[Value], labels: Sequence[Sequence[tuple[int, str]]]) -> None:
    """Cast the operands so that axes with the same label have the same size in all of them."""
    first: dict[str, tuple[int, int]] = {}
    for at, own in enumerate(labels):
        for axis, label in own:
            held, place = first.setdefault(label, (at, axis))
            if held != at:
                parts[held], parts[at] = use.agreeing(parts[held], place, parts[at], axis)
