"""Sizes in sympy's notation: the formula that they become has the same value, and nothing is ever evaluated."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradual.importers.common.sizes.formulas import NoFormula, formula
from gradual.importers.torch.file.expressions import size


@dataclass(frozen=True)
class Sized:
    """A size as sympy's `srepr` prints it, and its value where the symbols have some."""

    text: str
    value: Callable[[dict[str, int]], int]


SYMBOLS = ("s0", "s77", "u3")


def _symbol(name: str) -> Sized:
    return Sized(f"Symbol('{name}', positive=True, integer=True)", lambda at: at[name])


def _number(value: int) -> Sized:
    return Sized(f"Integer({value})", lambda at: value)


def _applied(name: str, meaning: Callable[..., int], *parts: Sized) -> Sized:
    text = f"{name}({', '.join(part.text for part in parts)})"
    return Sized(text, lambda at: meaning(*(part.value(at) for part in parts)))


def _many(name: str, meaning: Callable[[list[int]], int], parts: list[Sized]) -> Sized:
    return _applied(name, lambda *values: meaning(list(values)), *parts)


def _compound(inner: st.SearchStrategy[Sized]) -> st.SearchStrategy[Sized]:
    parts, by = st.lists(inner, min_size=2, max_size=4), st.integers(1, 9).map(_number)
    return st.one_of(
        parts.map(lambda given: _many("Add", sum, given)),
        parts.map(lambda given: _many("Mul", prod, given)),
        parts.map(lambda given: _many("Max", max, given)),
        parts.map(lambda given: _many("Min", min, given)),
        st.builds(lambda one, other: _applied("FloorDiv", operator.floordiv, one, other), inner, by),
        st.builds(lambda one, other: _applied("Mod", operator.mod, one, other), inner, by),
        st.builds(lambda one, other: _applied("PythonMod", operator.mod, one, other), inner, by),
        st.builds(lambda one, power: _applied("Pow", pow, one, _number(power)), inner, st.integers(1, 4)),
    )


SIZES = st.recursive(
    st.one_of(st.sampled_from(SYMBOLS).map(_symbol), st.integers(-9, 9).map(_number)), _compound, max_leaves=6
)


@given(SIZES, st.tuples(*[st.integers(1, 40)] * 3))
def test_a_formula_has_the_value_of_the_expression(sized: Sized, values: tuple[int, ...]) -> None:
    at, found = dict(zip(SYMBOLS, values, strict=True)), size(sized.text)
    if isinstance(found, int):
        assert found == sized.value(at)
        return
    assert found is not None
    try:
        read = formula(found)
    except NoFormula:  # of a number alone, or too long
        assume(False)
        raise
    written = read.text(lambda name: name)
    assert eval(written, {"min": min, "max": max}, dict(at)) == sized.value(at), (sized.text, found, written)
    assert read.exact == ()


@given(SIZES)
def test_what_is_said_is_a_formula_of_the_same_symbols(sized: Sized) -> None:
    found = size(sized.text)
    assert isinstance(found, int | str)
    assert {name for name in SYMBOLS if name in str(found)} == {name for name in SYMBOLS if f"'{name}'" in sized.text}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Symbol('s77', positive=True, integer=True)", "s77"),
        ("Symbol('u0', integer=True)", "u0"),
        ("Integer(12)", 12),
        ("Integer(-1)", -1),
        ("7", 7),
        ("-7", -7),
        ("Mul(Integer(4), Symbol('s48', positive=True, integer=True))", "4 * s48"),
        ("Add(Symbol('a'), Mul(Integer(-1), Symbol('b')))", "a + -1 * b"),
        ("FloorDiv(Add(Symbol('a'), Integer(3)), Integer(2))", "(a + 3) // 2"),
        ("CleanDiv(Symbol('a'), Integer(2))", "a // 2"),
        ("Mul(Symbol('a'), Add(Symbol('b'), Symbol('c'), Integer(1)))", "a * (b + c + 1)"),
        ("Pow(Symbol('a'), Integer(2))", "a ** 2"),
        ("PowByNatural(Symbol('a'), Integer(2))", "a ** 2"),
        ("Mul(Rational(1, 2), Symbol('a'))", "1 / 2 * a"),
        ("CeilToInt(IntTrueDiv(Symbol('a'), Integer(2)))", "CeilToInt(a / 2)"),
        ("Max(Integer(1), Symbol('a'))", "Max(1, a)"),
    ],
)
def test_the_notation_is_the_usual_one(text: str, expected: int | str) -> None:
    assert size(text) == expected


@pytest.mark.parametrize(
    "text", ["CeilToInt(IntTrueDiv(Symbol('a'), Integer(2)))", "ceiling(IntTrueDiv(Symbol('a'), 2))"]
)
@pytest.mark.parametrize("value", range(1, 9))
def test_quotients_are_rounded_up(text: str, value: int) -> None:
    found = size(text)
    assert isinstance(found, str)
    assert eval(formula(found).text(lambda name: name), {}, {"a": value}) == -(-value // 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "s77",
        "Symbol('a b')",
        "Symbol(a)",
        "Symbol()",
        "Symbol('a').x",
        "Integer('5')",
        "Integer(True)",
        "Integer(1.5)",
        "Float('0.5', precision=53)",
        "__import__('os').system('true')",
        "(lambda: 1)()",
        "[1, 2][0]",
        "f'{1}'",
        "Add(Integer(1)",
        "Add(*[1, 2])",
        "Add(1, 2, evaluate=False)",
        "1 if True else 2",
        "x := 5",
        "Symbol('a'); Symbol('b')",
        "'\\d'",
        "1if 2else 3",
        "0x",
        "\0",
        "(" * 5_000 + "1" + ")" * 5_000,
        "-" * 9_000 + "1",
        "Abs(" * 1_500 + "1" + ")" * 1_500,
        "1" * 9_000,
        "Integer(" + "9" * 5_000 + ")",
        "Mul(" + ", ".join(["Symbol('a')"] * 20_000) + ")",
    ],
)
def test_other_texts_are_no_size_and_cost_nothing(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert size(text) is None


def test_a_long_sum_is_a_formula_or_no_size() -> None:
    terms = [f"Symbol('s{at}')" for at in range(300)]
    found: Any = size(f"Add({', '.join(terms)})")
    assert found is None or found == reduce(lambda one, other: f"{one} + {other}", [f"s{at}" for at in range(300)])
