"""Sizes that exporters write as formulas over other sizes: `(s0 + 1)//2`, `floor(h/2)`, `16H`.

A formula is parsed by Python's own parser and never evaluated.  Parts are translated as fractions: `floor(h/2 + 1/2)`
is `(h + 1) // 2`.  If a quotient is not rounded, the program requires that it is exact.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from math import isfinite, lcm

from gradual.record import record

_FACTOR = re.compile(r"(?<![\w.])([0-9]+)(?=[A-Za-z_])", re.ASCII)
"""A number directly before a name, without a `*`: `16H`."""

SUM, QUOTIENT, PRODUCT, ATOM = range(4)
"""Precedences, the loosest first; after a `*`, a quotient or remainder is put in brackets."""

_LONGEST = 500
_POWERS = 8
_FINEST = 64
"""The greatest denominator of an accepted decimal number such as 0.5."""


class NoFormula(Exception):
    """Raised for a text that is not a formula, or not one that a program can express."""


Written = Callable[[Callable[[str], str]], str]
"""A function from the spelling of each size to the text of a formula in the language."""


@record
class Formula:
    """A formula over sizes.

    Attributes:
        names: the names of sizes in the formula.
        exact: the conditions under which the formula's quotients are exact.
        solves: the names for which the formula can be solved if all others are known.
        onto: whether the formula takes every value as its names vary.
    """

    names: frozenset[str]
    text: Written
    exact: tuple[Written, ...]
    solves: frozenset[str]
    onto: bool


@record
class _Fraction:
    """A numerator, as text in the language, and a denominator.

    Attributes:
        level: the precedence of the numerator's outermost operator.
        value: the numerator, if it is a number.
    """

    above: Written
    below: int = 1
    level: int = ATOM
    value: int | None = None


@record(frozen=False)
class _Reading:
    """The state of parsing a formula."""

    names: set[str] = field(default_factory=set)
    exact: list[Written] = field(default_factory=list)

    def whole(self, node: ast.expr) -> _Fraction:
        """Translate an integer expression; a quotient that is not rounded has to be exact."""
        found = self.fraction(node)
        if found.below == 1:
            return found
        top, by = _at(found, QUOTIENT), found.below
        self.exact.append(lambda named: f"{top(named)} % {by} == 0")
        return _floored(found)

    def fraction(self, node: ast.expr) -> _Fraction:
        """Translate an expression whose value may be a fraction."""
        match node:
            case ast.Name(name):
                self.names.add(name)
                return _Fraction(lambda named: named(name))
            case ast.Constant(value=int(number)) if not isinstance(number, bool):
                return _number(number)
            case ast.Constant(value=float(number)) if isfinite(number):
                above, below = number.as_integer_ratio()
                if below <= _FINEST:
                    return replace(_number(above), below=below)
            case ast.UnaryOp(ast.USub(), operand):
                return _scaled(self.fraction(operand), -1)
            case ast.BinOp(left, operator, right):
                return self.binary(left, operator, right)
            case ast.Call(ast.Name(name), arguments, []):
                return self.call(name, arguments)
        raise NoFormula

    def binary(self, left: ast.expr, operator: ast.operator, right: ast.expr) -> _Fraction:
        match operator:
            case ast.Add() | ast.Sub():
                return _sum(self.fraction(left), self.fraction(right), "+" if isinstance(operator, ast.Add) else "-")
            case ast.Mult():
                return _product(self.fraction(left), self.fraction(right))
            case ast.Div():
                return _quotient(self.fraction(left), self.fraction(right))
            case ast.FloorDiv():
                return _floored(_quotient(self.fraction(left), self.fraction(right)))
            case ast.Mod():
                return self.remainder(left, right)
            case ast.Pow():
                return self.power(left, right)
        raise NoFormula

    def remainder(self, left: ast.expr, right: ast.expr) -> _Fraction:
        one, other = self.whole(left), _positive(self.fraction(right))
        top = _at(one, QUOTIENT)
        return _Fraction(lambda named: f"{top(named)} % {other}", level=QUOTIENT)

    def power(self, base: ast.expr, exponent: ast.expr) -> _Fraction:
        power = self.fraction(exponent)
        count = power.value
        if count is None or power.below != 1 or not 1 <= count <= _POWERS:
            raise NoFormula
        found = one = self.fraction(base)
        for _ in range(count - 1):
            found = _product(found, one)
        return found

    def call(self, name: str, arguments: Sequence[ast.expr]) -> _Fraction:
        match name.lower(), arguments:
            case (("floor" | "int" | "trunctoint" | "floortoint"), [one]):
                return _floored(self.fraction(one))
            case (("ceil" | "ceiling" | "ceiltoint"), [one]):
                return _ceiled(self.fraction(one))
            case (("inttruediv" | "truediv"), [one, other]):
                return _quotient(self.fraction(one), self.fraction(other))
            case (("floordiv" | "cleandiv"), [one, other]):
                return _floored(_quotient(self.fraction(one), self.fraction(other)))
            case (("ceildiv"), [one, other]):
                return _ceiled(_quotient(self.fraction(one), self.fraction(other)))
            case (("mod" | "pythonmod"), [one, other]):
                return self.remainder(one, other)
            case (("max" | "min"), [_, _, *_]):
                parts = [self.whole(one).above for one in arguments]
                function = name.lower()
                return _Fraction(lambda named: f"{function}({', '.join(part(named) for part in parts)})")
            case (("identity" | "tofloat"), [one]):
                return self.fraction(one)
        raise NoFormula


def _number(value: int) -> _Fraction:
    return _Fraction(lambda named: str(value), level=ATOM if value >= 0 else SUM, value=value)


def _at(found: _Fraction, level: int) -> Written:
    """The numerator, in brackets if its outermost operator binds more loosely than `level`."""
    above = found.above
    return above if found.level >= level else lambda named: f"({above(named)})"


def _scaled(found: _Fraction, factor: int) -> _Fraction:
    """The numerator times a number."""
    if found.value is not None:
        return replace(_number(found.value * factor), below=found.below)
    if factor == 1:
        return found
    above = _at(found, PRODUCT)
    return _Fraction(lambda named: f"{factor} * {above(named)}", found.below, PRODUCT if factor > 0 else SUM)


def _sum(one: _Fraction, other: _Fraction, sign: str) -> _Fraction:
    below = lcm(one.below, other.below)
    left, right = _scaled(one, below // one.below), _scaled(other, below // other.below)
    if left.value is not None and right.value is not None:
        return replace(_number(left.value + (right.value if sign == "+" else -right.value)), below=below)
    first, second = _at(left, SUM), _at(right, QUOTIENT)
    return _Fraction(lambda named: f"{first(named)} {sign} {second(named)}", below, SUM)


def _product(one: _Fraction, other: _Fraction) -> _Fraction:
    below = one.below * other.below
    if other.value is not None:
        one, other = other, one
    if one.value is not None:
        return replace(_scaled(other, one.value), below=below)
    first, second = _at(one, QUOTIENT), _at(other, PRODUCT)
    return _Fraction(
        lambda named: f"{first(named)} * {second(named)}", below, PRODUCT if one.level != QUOTIENT else QUOTIENT
    )


def _positive(found: _Fraction) -> int:
    """The number of a divisor, which has to be at least 1."""
    if found.value is None or found.below != 1 or found.value < 1:
        raise NoFormula
    return found.value


def _quotient(one: _Fraction, other: _Fraction) -> _Fraction:
    by, found = _positive(replace(other, below=1)), _scaled(one, other.below)
    return replace(found, below=found.below * by)


def _floored(found: _Fraction) -> _Fraction:
    if found.below == 1:
        return found
    if found.value is not None:
        return _number(found.value // found.below)
    top, by = _at(found, QUOTIENT), found.below
    return _Fraction(lambda named: f"{top(named)} // {by}", level=QUOTIENT)


def _ceiled(found: _Fraction) -> _Fraction:
    return _floored(_sum(found, replace(_number(found.below - 1), below=found.below), "+"))


def formula(text: str) -> Formula:
    """Parse a formula; raises NoFormula if the text is not a formula, or if a program cannot express it."""
    if len(text) > _LONGEST:
        raise NoFormula
    spelled = _FACTOR.sub(r"\1*", text)
    try:
        tree = ast.parse(spelled.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise NoFormula from error
    reading = _Reading()
    found = reading.whole(tree)
    if not reading.names:
        raise NoFormula
    return Formula(frozenset(reading.names), found.above, tuple(reading.exact), _solvable(tree), _is_onto(tree))


def _solvable(tree: ast.expr) -> frozenset[str]:
    """The names for which a sum can be solved: a name that occurs in one term only, alone or times a number."""
    terms, todo = [], [tree]
    while todo:
        match todo.pop():
            case ast.BinOp(left, ast.Add() | ast.Sub(), right):
                todo += [left, right]
            case term:
                terms.append(term)
    mentioned = [_names(term) for term in terms]
    alone = {next(iter(_names(term))) for term in terms if isinstance(term, ast.Name) or _is_multiple(term)}
    return frozenset(name for name in alone if sum(name in names for names in mentioned) == 1)


def _names(tree: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _is_multiple(node: ast.expr) -> bool:
    """Whether a term is a name times a number."""
    match node:
        case ast.BinOp(ast.Constant(value=int(number)), ast.Mult(), ast.Name()):
            return number != 0
        case ast.BinOp(ast.Name(), ast.Mult(), ast.Constant(value=int(number))):
            return number != 0
    return False


def _is_onto(tree: ast.expr) -> bool:
    """Whether a formula takes every value as its names vary: a quotient of a solvable sum, or a product of names."""
    match tree:
        case ast.BinOp(left, ast.FloorDiv() | ast.Div(), ast.Constant()):
            return bool(_solvable(left))
        case ast.BinOp(ast.Name(one), ast.Mult(), ast.Name(other)):
            return one != other
        case ast.Call(ast.Name(name), [inner], []):
            return name.lower() in ("floor", "ceil", "ceiling") and _is_onto(inner)
    return False
