"""A program's own fault stops the run with a code, a place and a message."""

from __future__ import annotations

import pytest

from gradual import Fault, Tensor
from tests.run.test_blame import accepted, floats, under


def fault(text: str, *values: object) -> Fault:
    """The fault of a run."""
    with pytest.raises(Fault) as caught:
        accepted(text).run("@main", *values)
    return caught.value


def test_an_index_out_of_bounds() -> None:
    text = 'def @main(%x: Tensor[(?,), float32], %i: int64) { take(%x, %i, mode="fast") }'
    found = fault(text, floats(3), Tensor(3, "int64"))
    assert (found.code, under(text, found.span)) == ("E0603", 'take(%x, %i, mode="fast")')
    assert "take" in found.message


def test_a_division_by_zero() -> None:
    text = "def @main(%i: int32, %j: int32) { divide(%i, %j) }"
    found = fault(text, Tensor(3, "int32"), Tensor(0, "int32"))
    assert (found.code, under(text, found.span)) == ("E0604", "divide(%i, %j)")


def test_an_assertion_on_sizes() -> None:
    text = 'def @main(%x: Tensor[(?,), float32]) { assert dim(%x, 0) % 2 == 0, "even"; %x }'
    found = fault(text, floats(3))
    assert (found.code, found.message) == ("E0606", "assertion failed: even")
    assert found.diagnostic.notes == ("required: dim(%x, 0) % 2 == 0", "actual: dim(%x, 0) = 3")
    assert found.diagnostic.data["sizes"] == {"dim(%x, 0)": 3}
    assert accepted(text).run("@main", floats(4)).shape == (4,)


def test_an_assertion_on_data() -> None:
    text = 'def @main(%b: bool, %x: Tensor[(?,), float32]) { assert %b, "no"; %x }'
    assert fault(text, Tensor(False, "bool"), floats(3)).code == "E0606"
    assert accepted(text).run("@main", Tensor(True, "bool"), floats(3)).shape == (3,)


def test_an_assertion_is_known_afterwards() -> None:
    text = "def @main(%x: Tensor[(?,), float32]) { assert dim(%x, 0) == 4; reshape(%x, newshape=[2, 2]) }"
    assert [check.blame.rule for check in accepted(text).checks] == ["type.assert"]


@pytest.mark.parametrize(("dtype", "large"), [("int32", 2**31 - 1), ("int64", 2**63 - 1)])
def test_shape_arithmetic_does_not_wrap(dtype: str, large: int) -> None:
    text = f"def @main(%i: {dtype}) {{ %i + 1 }}"
    found = fault(text, Tensor(large, dtype))
    assert (found.code, under(text, found.span)) == ("E0605", "%i + 1")
    assert accepted(text).run("@main", Tensor(large - 1, dtype)).item() == large


def test_arithmetic_on_data_wraps() -> None:
    text = "def @main(%x: Tensor[(2, 1), int32]) { %x + %x }"
    assert accepted(text).run("@main", Tensor([[2**31 - 1], [1]], "int32")).tolist() == [[-2], [2]]


def test_too_large_a_tensor_is_refused_before_it_is_made() -> None:
    text = 'def @main(%i: int64) { zeros(shape=[%i, 1000000], dtype="float32") }'
    found = fault(text, Tensor(1_000_000, "int64"))
    assert (found.code, "elements" in found.message) == ("E0607", True)


def test_the_step_of_a_range_is_not_zero() -> None:
    text = "def @main(%i: int64) { arange(0i64, 4i64, %i) }"
    found = accepted(text)
    assert found.run("@main", Tensor(3, "int64")).tolist() == [0, 3]
    assert [check.blame.rule for check in found.checks] == ["op.arange.step"]


@pytest.mark.parametrize("count", [0, -1, -7])
def test_an_empty_range_is_a_value(count: int) -> None:
    text = "def @main(%i: int64) { arange(0i64, %i, 1i64) }"
    assert accepted(text).run("@main", Tensor(count, "int64")).shape == (0,)
