"""Sizes as numbers, arithmetic on such numbers, and assertions."""

from __future__ import annotations

from functools import partial, reduce

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value, is_named
from gradual.importers.torch.importers import IMPORTERS, Result, Use, imports
from gradual.importers.torch.operators.elementwise import truth
from gradual.types.dtype import DType

ARITHMETIC = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "floordiv": "floor_divide",
    "mod": "floor_mod",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "lshift": "left_shift",
    "rshift": "right_shift",
    "and_": "logical_and",
    "or_": "logical_or",
}
"""Python's operators on integers -> those of scalars."""


@imports("aten.sym_size.int")
def size_of(use: Use) -> Value:
    """The size of an axis."""
    x = use["self"]
    axis = use.axis("dim", x.rank)
    if axis >= x.rank:
        raise Unsupported("a size of a tensor of rank 0")
    size = x.tensor.shape[axis]
    return use.builder.dimension(size) if size.value is None and is_named(size) else use.extent(x, axis)


@imports("aten.sym_numel.default")
def element_count(use: Use) -> Value:
    """The number of elements."""
    return use.call("ndarray_size", use["self"], dtype=DType.INT64)


def _number(use: Use, name: str) -> Value:
    """A Python number as a scalar."""
    found = use.value(use.given(name))
    if isinstance(found, Value):
        return found
    dtype = DType.BOOL if isinstance(found, bool) else DType.INT64 if isinstance(found, int) else DType.FLOAT64
    return use.builder.number(found, dtype)


def _arithmetic(operator: str, use: Use) -> Value:
    first, second = _number(use, "a"), _number(use, "b")
    if first.dtype is not second.dtype:
        first, second = (use.as_type(one, DType.FLOAT64) for one in (first, second))
    return use.call(operator, first, second)


IMPORTERS |= {f"_operator.{name}": partial(_arithmetic, operator) for name, operator in ARITHMETIC.items()}


@imports("_operator.neg", "_operator.pos")
def signed(use: Use) -> Value:
    """A number negated, or unchanged."""
    x = _number(use, "a")
    return use.call("negative", x) if use.node.operator.endswith("neg") else x


@imports("_operator.truediv")
def true_divide(use: Use) -> Value:
    """The quotient as in Python, a float64."""
    return use.call("divide", *(use.as_type(_number(use, name), DType.FLOAT64) for name in ("a", "b")))


_FACTORS = 8


@imports("_operator.pow")
def power(use: Use) -> Value:
    """A power; a product for a small exponent, so that the size stays symbolic."""
    base, exponent = _number(use, "a"), use.given("b")
    if isinstance(exponent, int) and 1 <= exponent <= _FACTORS:
        return reduce(lambda one, other: use.call("multiply", one, other), [base] * exponent)
    if isinstance(exponent, int) and exponent >= 0:
        return use.call("power", base, use.builder.number(exponent, base.dtype))
    return use.call("power", *(use.as_type(one, DType.FLOAT64) for one in (base, _number(use, "b"))))


@imports("torch.sym_max", "torch.sym_min")
def extremum(use: Use) -> Value:
    """The greater or the lesser of two numbers."""
    return _arithmetic("maximum" if use.node.operator.endswith("max") else "minimum", use)


@imports("torch.sym_ite")
def choice(use: Use) -> Value:
    """One of two numbers, chosen by a condition."""
    return use.call("where", *(_number(use, name) for name in ("b", "t", "f")))


@imports("torch.sym_sqrt", "torch._sym_sqrt")
def root(use: Use) -> Value:
    """The square root, a float64."""
    return use.call("sqrt", use.as_type(_number(use, "a"), DType.FLOAT64))


@imports("torch.sym_not", "torch.sym_float", "torch.sym_int", "math.trunc")
def converted(use: Use) -> Value:
    """A number converted to another type."""
    (name,) = use.node.arguments or ("a",)
    x = _number(use, name)
    if use.node.operator == "torch.sym_not":
        return use.call("logical_not", x)
    return use.as_type(x, DType.FLOAT64 if use.node.operator == "torch.sym_float" else DType.INT64)


@imports("aten.item.default", "aten._local_scalar_dense.default")
def item(use: Use) -> Value:
    """The only element of a tensor as a number: integers as int64, floats as float64."""
    x = use["self"]
    if x.rank:
        x = use.call("reshape", x, newshape=[])
    return use.as_type(x, DType.FLOAT64 if x.dtype.is_float else DType.BOOL if x.dtype is DType.BOOL else DType.INT64)


@imports("aten._assert_scalar.default", "aten._assert_async.msg", "aten._assert_async.default")
def assertion(use: Use) -> Result:
    """An assertion, whose condition is a fact afterwards."""
    condition = _number(use, "self")
    if condition.rank:
        condition = use.call("reshape", condition, newshape=[])
    use.builder.assertion(truth(use, condition), str(use.given("assert_msg", "the program's own assertion")))
    return None


@imports(
    "aten._assert_tensor_metadata.default",
    "aten.sym_constrain_range.default",
    "aten.sym_constrain_range_for_size.default",
    "aten.sym_constrain_range_for_size.default",
)
def nothing(use: Use) -> Result:
    """Translate to nothing: the node only checks an element type or a size, and the program omits the check."""
    return None
