"""The conditions on sizes that `torch.export` assumed, translated to conditions of the language.

A guard is Python source: `L['x'].size()[0] % 5 == 0`; a range is a symbol between two numbers.  Many are artefacts of
tracing, such as that a size is at least 2, so a program requires them only if the user requests it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.sizes.extents import Dims
from gradual.importers.common.sizes.ports import Extent
from gradual.importers.common.text import Guard
from gradual.importers.torch.file.schema import Model

_COMPARISONS = ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE
_OPERATORS = ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod
_LONGEST = 2000

Sizes = Callable[[str, int], ast.expr]
"""(name of an input, axis) -> the size as the program writes it; raises KeyError for any other name or axis."""


def guards(model: Model, dims: Dims) -> tuple[Guard, ...]:
    """The guards and ranges of an export, without duplicates."""
    shapes = {name: meta.sizes for name, meta in model.graph.tensors.items() if name in model.user_inputs}

    def size(name: str, axis: int) -> ast.expr:
        return _size(dims, shapes[name][axis])

    found = [Guard(text, _condition(text, size)) for text in model.guards]
    found += _ranges(model.ranges, dims)
    once = {one.condition or one.said: one for one in reversed(found)}
    return tuple(reversed(once.values()))


def _size(dims: Dims, size: Extent) -> ast.expr:
    text = dims.text(size)
    if text == "?":
        raise KeyError(size)
    return ast.parse(text, mode="eval").body


def _ranges(ranges: Mapping[str, tuple[int | None, int | None]], dims: Dims) -> Iterator[Guard]:
    """The bounds of symbols, except a least size of 1 or less and a greatest size of 2**31 or more."""
    for symbol, (least, greatest) in ranges.items():
        if symbol not in dims.names:
            continue
        name = dims.text(symbol)
        if least is not None and least > 1:
            yield Guard(f"{symbol} >= {least}", f"{name} >= {least}")
        if greatest is not None and greatest < 2**31:
            yield Guard(f"{symbol} <= {greatest}", f"{name} <= {greatest}")


def _condition(text: str, size: Sizes) -> str | None:
    """A guard as a condition in the language, with its formulas as they are except for the notation.

    None if the guard is about anything but sizes, or if the language cannot express it.
    """
    if len(text) > _LONGEST:
        return None
    try:
        return ast.unparse(_boolean(ast.parse(text, mode="eval").body, size))
    except (SyntaxError, ValueError, KeyError, IndexError, MemoryError, RecursionError, Unsupported):
        return None


def _boolean(node: ast.expr, size: Sizes) -> ast.expr:
    match node:
        case ast.BoolOp(operator, values):
            return ast.BoolOp(operator, [_boolean(one, size) for one in values])
        case ast.UnaryOp(ast.Not() as operator, operand):
            return ast.UnaryOp(operator, _boolean(operand, size))
        case ast.Compare(left, operators, others) if all(isinstance(one, _COMPARISONS) for one in operators):
            parts = [_number(one, size) for one in (left, *others)]
            pairs = zip(parts, operators, parts[1:], strict=False)
            found: list[ast.expr] = [ast.Compare(one, [operator], [other]) for one, operator, other in pairs]
            return found[0] if len(found) == 1 else ast.BoolOp(ast.And(), found)
        case ast.Call(ast.Name("Eq" | "Ne" as name), [left, right], []):
            sign = ast.Eq() if name == "Eq" else ast.NotEq()
            return ast.Compare(_number(left, size), [sign], [_number(right, size)])
    raise ValueError(ast.dump(node))


def _number(node: ast.expr, size: Sizes) -> ast.expr:
    match node:
        case ast.Constant(int(number)) if not isinstance(number, bool):
            return node
        case ast.UnaryOp(ast.USub() as minus, operand):
            return ast.UnaryOp(minus, _number(operand, size))
        case ast.Subscript(ast.Call(ast.Attribute(tensor, "size"), [], []), ast.Constant(int(axis))):
            return size(_input(tensor), axis)
        case ast.Subscript(ast.Attribute(tensor, "shape"), ast.Constant(int(axis))):
            return size(_input(tensor), axis)
        case ast.BinOp(left, operator, right) if isinstance(operator, _OPERATORS):
            if isinstance(operator, ast.FloorDiv | ast.Mod) and not _is_positive_number(right):
                raise ValueError("a divisor that is no number")
            return _ordered(ast.BinOp(_number(left, size), operator, _number(right, size)))
        case ast.BinOp(base, ast.Pow(), ast.Constant(2)):
            return ast.BinOp(_number(base, size), ast.Mult(), _number(base, size))
        case ast.Call(ast.Name("Mod" | "PythonMod"), [left, right], []) if _is_positive_number(right):
            return ast.BinOp(_number(left, size), ast.Mod(), _number(right, size))
        case ast.Call(ast.Name("Max" | "Min" | "max" | "min" as name), [*arguments], []) if len(arguments) > 1:
            return ast.Call(ast.Name(name.lower()), [_number(one, size) for one in arguments], [])
        case ast.Call(ast.Attribute(ast.Name("torch"), "sym_max" | "sym_min" as name), [left, right], []):
            return ast.Call(ast.Name(name.removeprefix("sym_")), [_number(left, size), _number(right, size)], [])
    raise ValueError(ast.dump(node))


def _ordered(sum: ast.BinOp) -> ast.BinOp:
    """A sum with its number last, and as a difference if that is negative: `x - 2` for `-2 + x`."""
    match sum:
        case ast.BinOp(number, ast.Add(), term) if _is_number(number) and not _is_number(term):
            return _ordered(ast.BinOp(term, ast.Add(), number))
        case ast.BinOp(term, ast.Add(), ast.UnaryOp(ast.USub(), ast.Constant() as number)):
            return ast.BinOp(term, ast.Sub(), number)
    return sum


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _is_positive_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value > 0


def _input(node: ast.expr) -> str:
    """The name of the graph's input for `L['x']` or a part of it, `L['x'][0]['y']`: `x`, `x_0_y`."""
    match node:
        case ast.Subscript(ast.Name("L"), ast.Constant(str(name))):
            return name
        case ast.Subscript(inner, ast.Constant(str() | int() as part)):
            return f"{_input(inner)}_{part}"
    raise ValueError(ast.dump(node))
