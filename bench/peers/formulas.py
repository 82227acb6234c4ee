"""Sizes as the tools write them, at some sizes of the inputs: formulas of this language, and as sympy prints them."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

WORDS: dict[str, Any] = {
    "min": min,
    "max": max,
    "Min": min,
    "Max": max,
    "floor": math.floor,
    "ceiling": math.ceil,
    "Mod": lambda one, other: one % other,
    "broadcast": lambda one, other: other if one == 1 else one,
}
"""The functions of both notations."""


def valued(extent: str, symbols: Mapping[str, int]) -> Fraction | None:
    """A size at some sizes of the inputs; None where it speaks of something else.

    >>> print(valued("floor(n/2 - 1/2) + 1", {"n": 7}), valued("4 * max(n, m)", {"n": 7}))
    4 None
    """
    sizes = {name: Fraction(size) for name, size in symbols.items()}
    try:
        tree = _Exact().visit(ast.parse(_python(extent.strip()), mode="eval"))
        found = eval(compile(tree, extent, "eval"), {"__builtins__": {}, "Fraction": Fraction, **WORDS, **sizes})
    except (NameError, SyntaxError, ZeroDivisionError):
        return None
    return Fraction(found) if isinstance(found, int | Fraction) else None


class _Exact(ast.NodeTransformer):
    """Makes each number a fraction, so that quotients are exact."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        made = ast.Call(ast.Name("Fraction", ast.Load()), [node], [])
        return ast.fix_missing_locations(ast.copy_location(made, node))


def _python(extent: str) -> str:
    """A formula in Python's notation, which has another one for choices only."""
    at = extent.find("if ")
    if at < 0:
        return extent
    end = _end(extent, at)
    condition, then, orelse = _split(extent[at + 3 : end])
    return f"{extent[:at]}(({_python(then)}) if ({_python(condition)}) else ({_python(orelse)})){_python(extent[end:])}"


def _end(text: str, at: int) -> int:
    """Where the bracket ends in which a place stands."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth < 0:
            return index
    return len(text)


def _split(choice: str) -> tuple[str, str, str]:
    """Condition and both sides, at the words that stand in no bracket."""
    depth, cuts = 0, list[int]()
    for index, character in enumerate(choice):
        depth += (character == "(") - (character == ")")
        word = next((word for word in (" then ", " else ") if choice.startswith(word, index)), None)
        if depth == 0 and word is not None and len(cuts) < 2:
            cuts.append(index)
    first, second = cuts
    return choice[:first], choice[first + 6 : second], choice[second + 6 :]
