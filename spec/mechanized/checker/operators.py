"""Applications of operators, with their attributes, as s-expressions."""

from __future__ import annotations

from collections.abc import Sequence

from dims import DTYPES, FLOATS, NUMBERS, Beyond, Scope, code, codes, dim, integer, is_integer, listed

from gradual.syntax.tree import ast

KEEP = {
    **dict.fromkeys(("copy", "zeros_like", "ones_like"), DTYPES),
    **dict.fromkeys(("abs", "ceil", "floor", "negative", "nn.relu", "round", "sign", "trunc"), NUMBERS),
    **dict.fromkeys(("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp"), FLOATS),
    **dict.fromkeys(("log", "log10", "log2", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh"), FLOATS),
    "logical_not": ("bool",),
}
ZIP = {
    **dict.fromkeys(("add", "multiply", "maximum", "minimum"), DTYPES),
    **dict.fromkeys(("subtract", "divide", "power"), NUMBERS),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ("bool",)),
}
COMPARE = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
REDUCE = {"sum": DTYPES}
SOFTMAX = ("nn.softmax", "nn.log_softmax")
INFIX = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
CREATE = ("zeros", "ones")
ARITY = {"nn.dense": 2, "nn.batch_matmul": 2, "nn.bias_add": 2, "zeros": 0, "ones": 0}


def applied(name: str, rest: dict[str, ast.Expr], scope: Scope) -> str:
    """An operator with its attributes, which are taken out of `rest`."""
    if name in KEEP:
        return f"(keep {codes(KEEP[name])})"
    if name in ZIP:
        return f"(zip {codes(ZIP[name])} none)"
    if name in COMPARE:
        return f"(zip {codes(DTYPES)} {code('bool')})"
    if name in SOFTMAX:
        return f"(softmax {codes(FLOATS)} {number(rest, 'axis', -1)})"
    if name in REDUCE:
        return f"(reduce {codes(REDUCE[name])} {axes(rest, 'axis')} {flag(rest, 'keepdims', False)})"
    if name in CREATE:
        return f"(create {listed([dim(each, scope) for each in entries(rest, 'shape')])} {dtype_of(rest)})"
    match name:
        case "nn.dense":
            units = rest.pop("units", None)
            text = "none" if units is None or isinstance(units, ast.Nothing) else dim(units, scope)
            return f"(dense {codes(NUMBERS)} {text})"
        case "nn.batch_matmul":
            return f"(batch {codes(NUMBERS)} {flag(rest, 'transpose_a', False)} {flag(rest, 'transpose_b', True)})"
        case "nn.bias_add":
            return f"(bias {number(rest, 'axis', 1)})"
        case "transpose":
            return f"(transpose {axes(rest, 'axes')})"
        case "concatenate":
            return f"(concat {number(rest, 'axis', 0)})"
        case "expand_dims":
            return f"(expand {number(rest, 'axis', None)} {number(rest, 'num_newaxis', 1)})"
        case "reshape":
            return reshaped(entries(rest, "newshape"), scope)
    raise Beyond(f"operator {name}")


def reshaped(sizes: Sequence[ast.Expr], scope: Scope) -> str:
    """A reshape to sizes, or to numbers with one -1."""
    rest = [place for place, size in enumerate(sizes) if is_integer(size) and integer(size) == -1]
    if not rest:
        if any(is_integer(size) and integer(size) < 1 for size in sizes):
            raise Beyond("a code of reshape")
        return f"(reshape {listed([dim(size, scope) for size in sizes])})"
    if len(rest) > 1 or not all(
        is_integer(size) and (integer(size) >= 1 or place in rest) for place, size in enumerate(sizes)
    ):
        raise Beyond("a code of reshape")
    numbers = [integer(size) for size in sizes]
    return f"(rest {listed(numbers[: rest[0]])} {listed(numbers[rest[0] + 1 :])})"


def entries(rest: dict[str, ast.Expr], key: str) -> tuple[ast.Expr, ...]:
    """A list as an attribute."""
    value = rest.pop(key, None)
    if isinstance(value, (ast.Listing, ast.Tuple)):
        return value.items
    raise Beyond(f"attribute {key} of another form")


def axes(rest: dict[str, ast.Expr], key: str) -> str:
    """Axes as an attribute, a list or one of them."""
    value = rest.pop(key, None)
    if value is None or isinstance(value, ast.Nothing):
        return "none"
    if isinstance(value, (ast.Listing, ast.Tuple)):
        return listed([integer(each) for each in value.items])
    return listed([integer(value)])


def number(rest: dict[str, ast.Expr], key: str, default: int | None) -> int:
    """An integer as an attribute."""
    value = rest.pop(key, None)
    if value is None:
        if default is None:
            raise Beyond(f"attribute {key} is missing")
        return default
    return integer(value)


def flag(rest: dict[str, ast.Expr], key: str, default: bool) -> int:
    """A boolean as an attribute."""
    value = rest.pop(key, None)
    if value is None:
        return int(default)
    if isinstance(value, ast.Number) and isinstance(value.value, bool):
        return int(value.value)
    raise Beyond(f"attribute {key} of another form")


def dtype_of(rest: dict[str, ast.Expr]) -> int:
    """The element type as an attribute."""
    value = rest.pop("dtype", None)
    if isinstance(value, ast.Text):
        return code(value.value)
    raise Beyond("attribute dtype of another form")
