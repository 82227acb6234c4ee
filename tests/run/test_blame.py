"""A failed check says what was required, what came, through what, who promised it, and who is blamed."""

from __future__ import annotations

import pytest

import gradual
from gradual import Blame, Compilation, Tensor
from gradual.source import Span


def floats(*shape: int) -> Tensor:
    """Zeros of a shape."""
    count = 1
    for size in shape:
        count *= size
    return Tensor([0.0] * count, "float32", shape)


def accepted(text: str) -> Compilation:
    """The program checked, without errors."""
    found = gradual.check(text)
    assert found.ok, [diagnostic.message for diagnostic in found.diagnostics]
    return found


def blamed(text: str, *values: object, entry: str = "@main") -> Blame:
    """The blame of a run."""
    with pytest.raises(Blame) as caught:
        accepted(text).run(entry, *values)
    return caught.value


def under(text: str, span: Span) -> str:
    """The text of a place."""
    return text[span.start : span.end]


HEAD = """def @main(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 784), float32]) {
  nn.dense(%x, %w)
}"""


def test_a_blame_has_all_five_fields() -> None:
    blame = blamed(HEAD, floats(5, 512), floats(10, 784))
    assert blame.code == "E0601"
    assert blame.required == "dim(%x, 1) == 784 by op.nn.dense.contract"
    assert blame.came == "dim(%x, 1) = 512"
    assert blame.through == "argument 1 of `nn.dense`"
    assert blame.promised_by == "the value supplied for parameter `%x` of `@main`"
    assert blame.blamed == "the value supplied for parameter `%x` of `@main`"
    assert blame.sizes == {"dim(%x, 1)": 512}


def test_a_blame_points_at_the_demand_and_at_the_unknown() -> None:
    blame = blamed(HEAD, floats(5, 512), floats(10, 784))
    assert under(HEAD, blame.span) == "%x"
    assert [HEAD[span.start - 1 : span.end + 1] for span in blame.blames] == [" ?)"]
    assert blame.diagnostic.data["sizes"] == {"dim(%x, 1)": 512}
    assert len(blame.diagnostic.notes) == 5


def test_a_check_that_always_fails_names_what_it_requires_and_no_empty_parts() -> None:
    text = """def @main(%x: Tensor[(?, 3), float32], %y: Tensor[(4,), float32]) {
      if (equal(dim(%x, 0), 2)) { sum(add(%x, %y)) } else { sum(%x) }
    }"""
    diagnostic = blamed(text, floats(2, 3), floats(4)).diagnostic
    assert diagnostic.message == "residual check c1 failed: `3 == 4` does not hold"
    assert diagnostic.notes == (
        "required: 3 == 4 by rule op.broadcast.agree",
        "through: argument 1 of `add`",
        "blamed: `@main`",
    )


def test_the_check_that_failed_is_the_one_of_the_report() -> None:
    found = accepted(HEAD)
    with pytest.raises(Blame) as caught:
        found.run("@main", floats(5, 512), floats(10, 784))
    assert caught.value.check in found.checks
    assert "c1" in caught.value.message


def test_a_cast_blames_whoever_wrote_it() -> None:
    text = "def @main(%x: Tensor[(?,), float32]) { %x as Tensor[(4,), float32] }"
    blame = blamed(text, floats(3))
    assert (blame.rule, blame.blamed) == ("type.cast", "the cast, in `@main`")


def test_an_argument_blames_the_call_not_the_callee() -> None:
    text = """def @f(%a: Tensor[(n, n), float32]) -> Tensor[(n, n), float32] { nn.dense(%a, %a) }
    def @main(%x: Tensor[(?, ?), float32]) { @f(%x) }"""
    blame = blamed(text, floats(2, 3))
    assert (blame.rule, blame.blamed) == ("type.call.argument", "argument 1 of `@f`, in the call in `@main`")
    assert under(text, blame.span) == "%x"


def test_a_precondition_blames_the_call() -> None:
    text = """def @f(%a: Tensor[(n,), float32]) -> Tensor[(n // 2,), float32] where n % 2 == 0 {
      strided_slice(%a, begin=[0], end=[9], strides=[2]) as Tensor[(?,), float32] as Tensor[(n // 2,), float32]
    }
    def @main(%x: Tensor[(?,), float32]) { @f(%x) }"""
    blame = blamed(text, floats(3))
    assert (blame.rule, blame.blamed) == ("type.call.where", "the call of `@f` in `@main`")


def test_a_result_blames_the_function() -> None:
    text = "def @main(%x: Tensor[(?,), float32]) -> Tensor[(2,), float32] { %x }"
    blame = blamed(text, floats(3))
    assert (blame.rule, blame.blamed) == ("type.result", "the result of `@main`")


def test_the_first_of_two_failing_checks_is_blamed() -> None:
    text = """def @main(%x: Tensor[(?, ?), float32]) {
      let %y: Tensor[(2, 3), float32] = %x;
      %y
    }"""
    assert blamed(text, floats(4, 5)).sizes == {"dim(%x, 0)": 4}
    assert blamed(text, floats(2, 5)).sizes == {"dim(%x, 1)": 5}


def test_a_check_that_passed_is_not_made_again() -> None:
    text = """def @main(%x: Tensor[(?,), float32]) {
      let %y: Tensor[(4,), float32] = %x;
      reshape(%x, newshape=[2, 2])
    }"""
    found = accepted(text)
    assert [str(check.goal) for check in found.checks] == ["dim(%x, 0) == 4"]
    assert found.run("@main", floats(4)).shape == (2, 2)


def test_a_check_in_a_branch_not_taken_blames_nobody() -> None:
    text = """def @main(%x: Tensor[(?,), float32], %b: bool) {
      if (%b) { %x as Tensor[(4,), float32] } else { %x }
    }"""
    found = accepted(text)
    assert found.run("@main", floats(3), Tensor(False, "bool")).shape == (3,)
    with pytest.raises(Blame):
        found.run("@main", floats(3), Tensor(True, "bool"))


def test_an_unused_value_is_checked_all_the_same() -> None:
    text = "def @main(%x: Tensor[(?,), float32]) { let %y: Tensor[(4,), float32] = %x; %x }"
    assert blamed(text, floats(3)).rule == "type.annotation"


def test_a_division_by_zero_in_a_goal_is_a_failed_check() -> None:
    text = """def @main(%x: Tensor[(n, ?), float32], %d: Tensor[(?,), float32]) {
      reshape(%x, newshape=[dim(%d, 0), -1])
    }"""
    found = accepted(text)
    assert found.run("@main", floats(2, 3), floats(2)).shape == (2, 3)
    assert found.run("@main", floats(2, 3), floats(6)).shape == (6, 1)
    for divisor in (0, 4):
        with pytest.raises(Blame):
            found.run("@main", floats(2, 3), floats(divisor))


def test_a_value_without_a_name_is_called_by_what_made_it() -> None:
    text = "def @main(%x: Tensor[(?,), int32]) { unique(%x).0 as Tensor[(3,), int32] }"
    blame = blamed(text, Tensor([1, 2], "int32", (2,)))
    assert blame.message.endswith("dim(unique(%x).0, 0) is 2, expected 3")
    assert "%_" not in accepted(text).render(blame)
