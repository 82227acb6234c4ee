"""Products of vectors and matrices, and operators composed of them."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

from gradual.importers.common.products import product
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.torch.importers import Use, imports


@imports("aten.linear.default")
def linear(use: Use) -> Value:
    """Inner products with the rows of a weight, and a bias."""
    x, bias = use["input"], use.optional("bias")
    if use["weight"].rank == 1:
        found = product(use, x, use["weight"])
        return found if bias is None else use.call("add", found, bias)
    row = use.call("expand_dims", x, axis=0) if x.rank == 1 else x
    found = use.call("nn.dense", row, use["weight"])
    if x.rank == 1:
        found = use.call("squeeze", found, axis=[0])
    return found if bias is None else use.call("add", found, bias)


SECOND = {
    "matmul": "other",
    "mm": "mat2",
    "bmm": "mat2",
    "mv": "vec",
    "dot": "tensor",
    "vdot": "other",
    "linalg_matmul": "other",
}
"""Product -> the name of its second argument."""


@imports(*(f"aten.{name}.default" for name in SECOND))
def matmul(use: Use) -> Value:
    """A batched matrix product."""
    return product(use, use["self"], use[SECOND[use.node.operator.split(".")[1]]])


SUMS = {
    "addmm": ("mat1", "mat2"),
    "baddbmm": ("batch1", "batch2"),
    "addbmm": ("batch1", "batch2"),
    "addmv": ("mat", "vec"),
    "addr": ("vec1", "vec2"),
}
"""Sum of a tensor and a product -> the names of the factors."""


@imports(*(f"aten.{name}.default" for name in SUMS))
def plus_product(use: Use) -> Value:
    """beta * tensor + alpha * product; `addbmm` sums the products of the batch."""
    name = use.node.operator.split(".")[1]
    one, other = (use[factor] for factor in SUMS[name])
    found = outer_product(use, one, other) if name == "addr" else product(use, one, other)
    if name == "addbmm":
        found = use.call("sum", found, axis=[0])
    found = _times(use, found, "alpha")
    return found if use.given("beta", 1) == 0 else use.call("add", _times(use, use["self"], "beta"), found)


def _times(use: Use, value: Value, name: str) -> Value:
    return value if use.given(name, 1) == 1 else use.call("multiply", value, use.scalar(name, value.dtype))


def outer_product(use: Use, one: Value, other: Value) -> Value:
    """Each element of a vector times each of another."""
    return use.call("multiply", use.call("expand_dims", one, axis=1), other)


@imports("aten.outer.default", "aten.ger.default")
def outer(use: Use) -> Value:
    """The outer product."""
    return outer_product(use, use["self"], use["vec2"])


# ------------------------------------------------------------------------------------------------------------ einsum
def summed(use: Use, equation: str, *operands: Value) -> Value:
    """The sum of products that an equation in Einstein notation describes."""
    return use.call("einsum", use.builder.tuple(operands), equation=equation)


@imports("aten.einsum.default")
def einsum(use: Use) -> Value:
    """As `summed`, in PyTorch's notation: `...` represents all other axes, and the result's axes may be left out."""
    operands = use.tensors("tensors")
    equation = str(use.given("equation")).replace(" ", "")
    given, arrow, result = equation.partition("->")
    parts = given.split(",")
    if len(parts) != len(operands):
        raise Unsupported(f"{len(parts)} parts of an equation for {len(operands)} tensors")
    free = [letter for letter in ascii_letters if letter not in equation]
    ranks = [one.rank - len(part.replace("...", "")) for one, part in zip(operands, parts, strict=True)]
    widest = max((rank for rank, part in zip(ranks, parts, strict=True) if "..." in part), default=0)
    if min(ranks) < 0 or widest > len(free):
        raise Unsupported(f"the equation {equation} for tensors of other ranks")
    others = "".join(free[:widest])
    spelled = [part.replace("...", others[widest - rank :]) for part, rank in zip(parts, ranks, strict=True)]
    if not arrow:
        single = sorted(letter for letter in set(given) - set(".,") if given.count(letter) == 1)
        result = "..." + "".join(single)
    return summed(use, f"{','.join(spelled)}->{result.replace('...', others)}", *operands)


@imports("aten.tensordot.default")
def tensordot(use: Use) -> Value:
    """Sums of products over pairs of axes."""
    one, other = use["self"], use["other"]
    return contracted(
        use, one, other, *(use.axes(f"dims_{name}", x.rank) for name, x in (("self", one), ("other", other)))
    )


def contracted(use: Use, one: Value, other: Value, first: Sequence[int], second: Sequence[int]) -> Value:
    """Sums of products over some axes of one tensor and the same number of axes of another."""
    letters = iter(ascii_letters)
    left = [next(letters) for _ in range(one.rank)]
    right = [left[first[second.index(axis)]] if axis in second else next(letters) for axis in range(other.rank)]
    kept = [letter for axis, letter in enumerate(left) if axis not in first]
    kept += [letter for axis, letter in enumerate(right) if axis not in second]
    return summed(use, f"{''.join(left)},{''.join(right)}->{''.join(kept)}", one, other)


@imports("aten.inner.default")
def inner(use: Use) -> Value:
    """Sums of products over the last axes; if an operand is a scalar, its product with the other operand."""
    one, other = use["self"], use["other"]
    if not one.rank or not other.rank:
        return use.call("multiply", one, other)
    return contracted(use, one, other, [one.rank - 1], [other.rank - 1])


@imports("aten.linalg_vecdot.default")
def vector_dot(use: Use) -> Value:
    """Sums of products along an axis."""
    found = use.call(
        "multiply",
        use["self" if "self" in use.node.arguments else "x"],
        use["other" if "other" in use.node.arguments else "y"],
    )
    return use.call("sum", found, axis=[use.axis("dim", found.rank, -1)])


@imports("aten.bilinear.default")
def bilinear(use: Use) -> Value:
    """For each output: one input times a matrix times the other input, plus a bias."""
    one, other, bias = use["input1"], use["input2"], use.optional("bias")
    batch = "".join(letter for letter, _ in zip("abcdefgh", range(one.rank - 1), strict=False))
    found = summed(use, f"{batch}i,oij,{batch}j->{batch}o", one, use["weight"], other)
    return found if bias is None else use.call("add", found, bias)


@imports("aten._trilinear.default")
def trilinear(use: Use) -> Value:
    """Sums of products of three tensors, after new axes are added to each."""
    parts = []
    for index in (1, 2, 3):
        given = use[f"i{index}"]
        expand = use.integers(f"expand{index}")
        parts.append(use.expanded(given, expand))
    found = use.call("multiply", use.call("multiply", parts[0], parts[1]), parts[2])
    axes = use.integers("sumdim")
    return use.call("sum", found, axis=axes) if axes else found


@imports("aten.kron.default")
def kronecker(use: Use) -> Value:
    """The Kronecker product: each element of one tensor times the whole other tensor."""
    one, other = use["self"], use["other"]
    rank = max(one.rank, other.rank)
    one, other = (
        use.call("expand_dims", x, axis=0, num_newaxis=rank - x.rank) if x.rank < rank else x for x in (one, other)
    )
    left, right = use.expanded(one, range(1, 2 * rank, 2)), use.expanded(other, range(0, 2 * rank, 2))
    return use.call("reshape", use.call("multiply", left, right), newshape=[-3] * rank)


@imports("aten.linalg_multi_dot.default", "aten.chain_matmul.default")
def chain(use: Use) -> Value:
    """The product of several matrices."""
    first, *others = use.tensors("tensors" if "tensors" in use.node.arguments else "matrices")
    for other in others:
        first = product(use, first, other)
    return first


@imports("aten.cross.default", "aten.linalg_cross.default")
def cross(use: Use) -> Value:
    """The cross product along axis `dim`, of size 3; by default the last axis, or for `cross` the first of size 3."""
    one, other = use["self"], use["other"]
    if use.given("dim") is None and use.node.operator == "aten.cross.default":
        axis = next((at for at in range(one.rank) if one.extent(at) == 3), one.rank - 1)
    else:
        axis = use.axis("dim", one.rank, -1)

    def turned(x: Value, by: int) -> Value:
        places = use.builder.integers([(at + by) % 3 for at in range(3)])
        return use.call("take", x, places, axis=axis, mode="fast")

    parts = [use.call("multiply", turned(one, by), turned(other, 3 - by)) for by in (1, 2)]
    return use.call("subtract", *parts)


@imports("aten.cdist.default", "aten._cdist_forward.default", "aten._euclidean_dist.default")
def distances(use: Use) -> Value:
    """The p-norm distance between each row of one tensor and each row of another."""
    one, other = use["x1"], use["x2"]
    p = use.given("p", 2.0)
    apart = use.call("subtract", use.expanded(one, [one.rank - 1]), use.expanded(other, [other.rank - 2]))
    return norm(use, apart, p, [apart.rank - 1], False)


def norm(use: Use, x: Value, p: float, axes: Sequence[int], keeps: bool) -> Value:
    """The p-norm along some axes."""
    settings = {"axis": list(axes), "keepdims": True if keeps else None}
    if p == 2:
        return use.call("sqrt", use.call("sum", use.call("multiply", x, x), **settings))
    if p == 0:
        return use.call("sum", use.as_type(use.call("not_equal", x, use.like(0, x)), x.dtype), **settings)
    size = use.call("abs", x)
    if p == float("inf"):
        return use.call("max", size, **settings)
    if p == float("-inf"):
        return use.call("min", size, **settings)
    if p == 1:
        return use.call("sum", size, **settings)
    powers = use.call("sum", use.call("power", size, use.like(float(p), x)), **settings)
    return use.call("power", powers, use.like(1.0 / p, x))
