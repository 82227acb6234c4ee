"""A value from outside is held to the declaration, and the caller is blamed."""

from __future__ import annotations

import pytest

import gradual
from gradual import Blame, Tensor
from tests.run.test_blame import accepted, blamed, floats, under

SQUARE = "def @main(%x: Tensor[(n, n), float32], %y: Tensor[(n + 1, 3), float32]) where n > 0 { (%x, %y) }"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ((floats(2, 3), floats(3, 3)), "dimension 1 of argument 1 is not the declared one"),
        ((floats(2, 2), floats(4, 3)), "dimension 0 of argument 2 is not the declared one"),
        ((floats(2, 2), floats(3, 4)), "dimension 1 of argument 2 is not the declared one"),
        ((floats(0, 0), floats(1, 3)), "`@main` requires `n >= 1`"),
    ],
)
def test_a_wrong_size_blames_the_caller(values: tuple[Tensor, ...], says: str) -> None:
    blame = blamed(SQUARE, *values)
    assert (blame.code, blame.rule, blame.blamed) == ("E0602", "run.entry", "the caller from outside")
    assert blame.diagnostic.label == says


def test_arguments_that_fit_are_admitted() -> None:
    first, second = gradual.check(SQUARE).run("@main", floats(2, 2), floats(3, 3))
    assert (first.shape, second.shape) == ((2, 2), (3, 3))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((floats(2), floats(3, 3)), "argument 1 of `@main`: rank 1 is not rank 2"),
        ((floats(2, 2), Tensor([[1]], "int32")), "argument 2 of `@main`: element type int32 is not float32"),
        ((floats(2, 2),), "`@main` takes 2 arguments, not 1"),
        (((floats(2, 2),), floats(3, 3)), "argument 1 of `@main`: a tuple is not `Tensor[(n, n), float32]`"),
    ],
)
def test_another_structure_blames_the_caller(values: tuple[object, ...], message: str) -> None:
    blame = blamed(SQUARE, *values)
    assert (blame.code, blame.message, blame.check) == ("E0602", message, None)
    assert all([blame.required, blame.came, blame.through, blame.promised_by, blame.blamed])


def test_entry_blame_points_at_the_declaration() -> None:
    assert under(SQUARE, blamed(SQUARE, floats(2, 3), floats(3, 3)).span) == "n"
    assert under(SQUARE, blamed(SQUARE, floats(2, 2), floats(3, 4)).span) == "3"


def test_a_size_inside_a_tuple_is_demanded_too() -> None:
    text = "def @main(%t: (Tensor[(n,), float32], Tensor[(n, 2), float32])) { %t.1 }"
    assert accepted(text).run("@main", (floats(3), floats(3, 2))).shape == (3, 2)
    assert blamed(text, (floats(3), floats(2, 2))).rule == "run.entry"
    assert blamed(text, (floats(3),)).code == "E0602"


def test_a_computed_size_is_solved_at_the_entry() -> None:
    text = 'def @main(%x: Tensor[(2 * n + 1,), float32]) { zeros(shape=[n], dtype="float32") }'
    assert accepted(text).run("@main", floats(7)).shape == (3,)
    assert accepted(text).run("@main", floats(1)).shape == (0,)
    for size in (0, 2, 4):
        assert blamed(text, floats(size)).rule == "run.entry"


def test_a_scalar_is_the_size_that_the_declaration_says() -> None:
    text = "def @main(%n: int64, %x: Tensor[(%n, 2), float32]) -> Tensor[(%n,), float32] { sum(%x, axis=[1]) }"
    assert accepted(text).run("@main", Tensor(3, "int64"), floats(3, 2)).shape == (3,)
    assert blamed(text, Tensor(4, "int64"), floats(3, 2)).rule == "run.entry"


def test_an_unknown_function_is_not_an_entry() -> None:
    with pytest.raises(KeyError):
        accepted(SQUARE).run("@other")


def test_a_refused_program_does_not_run() -> None:
    found = gradual.check("def @main(%x: Tensor[(3,), float32]) { %x as Tensor[(4,), float32] }")
    with pytest.raises(ValueError, match="1 error"):
        found.run("@main", floats(3))


def test_every_entry_of_a_file_has_its_own_contract() -> None:
    text = """def @f(%x: Tensor[(2,), float32]) { %x }
    def @main(%x: Tensor[(?,), float32]) { %x }"""
    found = accepted(text)
    assert found.run("@main", floats(3)).shape == (3,)
    with pytest.raises(Blame):
        found.run("@f", floats(3))
