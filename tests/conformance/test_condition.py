"""Conditions are compared by what they mean."""

from __future__ import annotations

import pytest

from gradual.conformance.cases.condition import (
    read_condition,
    renumbered,
    same_condition,
    same_up_to_invented_names,
)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("3 * dim(%x, 0) == 12", "dim(%x, 0) == 4"),
        ("n == m or n == 1", "1 == n or m == n"),
        ("n >= 3", "not (n < 3)"),
        ("%s[0] != -1", "%s[0] < -1 or %s[0] > -1"),
        ("max(n, 2) == (if n >= 2 then n else 2)", "True"),
        ("n % 4 == 0", "4 * (n // 4) == n"),
        ("-n + 2 * m - 1 == 0", "n == m + m - 1"),
        ("a + b * c == d", "d == (b * c) + a"),
        ("dim(%x.0, 1) == 784", "784 == dim(%x.0, 1)"),
    ],
)
def test_one_condition_in_two_words(left: str, right: str) -> None:
    assert same_condition(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("dim(%x, 1) == 784", "dim(%x, 1) == 783"),
        ("dim(%x, 1) == 784", "dim(%x, 0) == 784"),
        ("dim(%x, 1) == 784", "dim(%x, 1) >= 784"),
        ("n == m or n == 1", "n == m"),
        ("n >= 3", "n >= 2"),
        ("n // 2 == m // 2", "n == m"),
        ("n * a == n * b", "a == b"),
        ("n == 2", "not a condition at all"),
        ("n // 0 == 2", "n // 0 == 3"),
    ],
)
def test_two_conditions(left: str, right: str) -> None:
    assert not same_condition(left, right)


@pytest.mark.parametrize("text", ["n ==", "== n", "n m", "(n", "max(n", "if n then 1", "n $ m"])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        read_condition(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("dim(%_1, 0) == 8", "dim(%_7, 0) == 8"),
        ("broadcasts(dim(%_1, 0), dim(%_2, 0))", "dim(%_4, 0) == 1 or dim(%_3, 0) == 1 or dim(%_4, 0) == dim(%_3, 0)"),
        ("dim(%_1, 0) <= dim(%_2, 0) + 1", "dim(%_3, 0) - 1 <= dim(%_9, 0)"),
        ("`add` accepts %_1, %y", "`add` accepts %_2, %y"),
    ],
)
def test_the_number_of_an_invented_name_does_not_matter(left: str, right: str) -> None:
    assert not same_condition(left, right)
    assert same_up_to_invented_names(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("dim(%_1, 0) == 8", "dim(%x, 0) == 8"),
        ("dim(%_1, 0) == 8", "dim(%_1, 1) == 8"),
        ("dim(%_1, 0) == dim(%_2, 0)", "dim(%_1, 0) == dim(%_1, 1)"),
        ("dim(%_1, 0) <= dim(%_2, 0) + 1", "dim(%_3, 0) <= dim(%_9, 0)"),
        ("dim(%x_1, 0) == 8", "dim(%x_2, 0) == 8"),
    ],
)
def test_everything_else_of_an_invented_name_matters(left: str, right: str) -> None:
    assert not same_up_to_invented_names(left, right)


def test_invented_names_are_numbered_in_order() -> None:
    assert renumbered("Tensor[(dim(%_7, 0), dim(%_3, 1), dim(%_7, 2)), float32]") == (
        "Tensor[(dim(%_1, 0), dim(%_2, 1), dim(%_1, 2)), float32]"
    )
