"""Sizes as PyTorch saves them, in the form of sympy's `srepr`: `Mul(Integer(5), Symbol('s17', integer=True))`.

The text is parsed by Python's own parser and never evaluated; it becomes a number, a symbol, or a formula in the usual
notation, `5*s17`, which `importers/common/sizes/formulas` reads for all exporters.
"""

from __future__ import annotations

import ast
import re
from functools import reduce

from gradual.importers.common.sizes.ports import Extent

_INFIX: dict[str, ast.operator] = {
    "Add": ast.Add(),
    "Mul": ast.Mult(),
    "Pow": ast.Pow(),
    "PowByNatural": ast.Pow(),
    "FloorDiv": ast.FloorDiv(),
    "CleanDiv": ast.FloorDiv(),
    "IntTrueDiv": ast.Div(),
    "Rational": ast.Div(),
    "Mod": ast.Mod(),
    "PythonMod": ast.Mod(),
}
_LONGEST = 10_000
_ODD = re.compile(r"[^\w(), ='-]|(?<!\w)[0-9]\w*[A-Za-z_]")
"""Text that no size contains, and for which Python's parser may print warnings."""


def size(text: str) -> Extent:
    """The size that a text describes; None if the text is not a formula over sizes."""
    if len(text) > _LONGEST or _ODD.search(text):
        return None
    try:
        found = _infix(ast.parse(text, mode="eval").body)
        number = _integer(found)
        return ast.unparse(found) if number is None else number
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _infix(node: ast.expr) -> ast.expr:
    """The expression in the usual notation; raises ValueError if it is not a formula over sizes."""
    match node:
        case ast.Call(ast.Name("Symbol"), [ast.Constant(str(name))], _) if name.isidentifier():
            return ast.Name(name)
        case ast.Call(ast.Name("Integer"), [number], []) if (value := _integer(number)) is not None:
            return _constant(value)
        case ast.Call(ast.Name(name), [first, second, *rest], []) if name in _INFIX:
            parts = [_infix(one) for one in (first, second, *rest)]
            return reduce(lambda one, other: ast.BinOp(one, _INFIX[name], other), parts)
        case ast.Call(ast.Name(name), [*arguments], []) if arguments:
            return ast.Call(ast.Name(name), [_infix(one) for one in arguments], [])
        case _ if (value := _integer(node)) is not None:
            return _constant(value)
    raise ValueError(ast.dump(node))


def _constant(value: int) -> ast.expr:
    """A number; a negative one as a negation, so that it is put in brackets where necessary."""
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _integer(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(int(number)) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(ast.USub(), ast.Constant(int(number))):
            return -number
    return None
