"""What a file's diagnostics are as a whole: all of them, none twice, nothing that only follows from another."""

from __future__ import annotations

import pytest

import gradual


def codes(text: str) -> list[str]:
    """The codes of the diagnostics, in source order."""
    return [diagnostic.code for diagnostic in gradual.check(text).diagnostics]


def test_one_run_reports_every_function_once() -> None:
    found = codes(
        """
def @one(%x: Tensor[(2, 3), float32]) { nn.dens(%x, %x) }
def @two(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 5), float32]) { nn.relu(add(%x, %y)) }
def @three(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) -> Tensor[(n,), float32] { add(%x, %y) }
def @four(%x: Tensor[(2, 3), float32]) { let %a = %zz; add(%a, %a) }
def @five(%x: Tensor[(2, 3), float32]) { reshape(%x, newshape=[2, }
def @six(%x: Tensor[(2, 3), float32]) { @two(%x) }
"""
    )
    assert found == ["E0201", "E0301", "E0302", "E0302", "E0202", "E0101", "E0304"]


def test_what_is_misspelled_is_proposed_whatever_kind_of_name_it_is() -> None:
    text = """
type List[A] { Cons(A, List[A]), Nil, }
def @length(%x: Tensor[(2,), flot32], %y: Lsit[int32]) { reluu(%xs) }
def @g(%lenght: int32) { (@lenght(%lenght), %length, Conz(1, Nil), match (%lenght) { Nill => 1 }, %other, Most(1)) }
"""
    proposed = [help.text.rpartition(" ")[2].strip("`") for one in gradual.check(text).diagnostics for help in one.help]
    assert proposed == ["float32", "List", "nn.relu", "%x", "@length", "%lenght", "Cons", "Nil"]


def test_a_refuted_value_is_not_reported_again_where_it_is_used() -> None:
    text = """
def @f(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 5), float32]) -> Tensor[(2, 7), float32] {
  let %z = add(%x, %y);
  nn.relu(%z)
}
"""
    assert codes(text) == ["E0301"]


def test_an_error_about_a_doubtful_value_is_reported_where_the_doubt_is_only_a_check() -> None:
    text = """
def @f(%x: Tensor[(n,), float32], %y: Tensor[(n + 1,), float32], %u: Tensor[(?,), float32]) {
  let %z = add(%x, %y);
  concatenate((%z, %u), axis=0) as Tensor[(3, 3), float32]
}
def @g(%x: Tensor[(n,), float32], %y: Tensor[(n + 1,), float32], %u: Tensor[(?,), float32]) {
  let %z = multiply(reshape(%x, newshape=[n, 1]), ones(shape=[n + 1, 2], dtype="float32"));
  let %w = %z as Tensor[(?, 3), float32];
  concatenate((%x, %u), axis=0)
}
"""
    assert codes(text) == ["E0402", "E0303", "E0402", "E0301"]


def test_errors_of_independent_values_are_all_reported() -> None:
    text = """
def @f(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 5), float32]) {
  let %a = add(%x, %y);
  let %b = multiply(%y, %x);
  (%a, %b)
}
"""
    assert codes(text) == ["E0301", "E0301"]


def test_a_recursive_literal_without_a_result_type_is_reported_once() -> None:
    text = """
def @f(%n: int32) {
  let %loop = fn (%i: int32, %s: int32) { if (%i < %n) { %loop(%i + 1, %s + %i) } else { %loop(%i, %s) } };
  %loop(0, 0)
}
"""
    assert codes(text) == ["E0310"]


def helps(text: str) -> list[str]:
    """The helps of all diagnostics, in source order."""
    return [help.text for diagnostic in gradual.check(text).diagnostics for help in diagnostic.help]


def test_a_proposed_condition_does_not_repeat_an_extremum() -> None:
    header = "def @f(%x: Tensor[(n,), float32]) -> Tensor"
    zeros = '{ zeros(shape=[max(n - 5, 0)], dtype="float32") }'
    assert helps(f"{header}[(n - 5,), float32] {zeros}") == ["require it: `where n >= 5`"]
    assert helps(f"{header}[(min(n, 4),), float32] {{ %x }}") == ["require it: `where n <= 4`"]
    assert helps(f"{header}[(if n == 3 then 4 else n,), float32] {{ %x }}") == ["require it: `where n != 3`"]


def test_a_proposed_condition_is_not_stronger_than_the_goal() -> None:
    text = "def @f(%x: Tensor[(max(n, 2),), float32], %y: Tensor[(n,), float32]) -> Tensor[(2,), float32] { %x }"
    assert helps(text) == ["require it: `where n <= 2`"]
    text = "def @f(%x: Tensor[(n,), float32]) -> Tensor[(max(n, 8) * (n - 5),), float32] { zeros(shape=[n * (n - 5)]) }"
    assert "require it: `where n >= 8`" not in helps(text)


def test_a_goal_that_fails_for_some_sizes_is_written_without_cases_that_no_size_has() -> None:
    text = "def @f(%x: Tensor[(n,), float32]) { strided_set([1, 2, 3], [9], shape_of(%x), [3], [1]) }"
    (error,) = gradual.check(text).diagnostics
    assert error.notes == (
        "counterexample: n = 1, where n is 1, not 2",
        "required by rule op.strided_set.agree: n == 2",
    )
    text = "def @f(%x: Tensor[(n,), float32], %y: Tensor[(min(n, 16),), float32]) { add(%x, %y) }"
    (error,) = gradual.check(text).diagnostics
    assert error.notes[1] == "required by rule op.broadcast.agree: n <= 16"
    assert error.data["goal"] == "broadcasts(n, min(n, 16))"


def test_two_requirements_with_one_goal_are_one_report() -> None:
    text = """def @f(%x: Tensor[(n, 2), float32], %y: Tensor[(m, 3), float32]) { %x }
def @g(%x: Tensor[(k, 2), float32], %y: Tensor[(k, 3), float32]) where k >= 0 { @f(%x, %y) }"""
    (error,) = gradual.check(text).diagnostics
    assert error.message.startswith("`@f` requires `n >= 1` of its sizes, as of every named size, for some sizes")


def test_a_misspelt_element_type_of_an_attribute_is_mended() -> None:
    assert helps('def @f() { zeros(shape=[2], dtype="floot32") }') == [
        'this is written `zeros(shape=[2], dtype="float32")`'
    ]
    assert helps('def @f(%x: int32) { cast(%x, dtype="string") }') == []


def test_a_condition_is_proposed_for_an_operator_without_a_body() -> None:
    text = "operator my.less<n>(%x: Tensor[(n,), float32]) -> Tensor[(n - 2,), float32];"
    (diagnostic,) = gradual.check(text).diagnostics
    (help,) = diagnostic.help
    assert help.text == "require it: `where n >= 2`"
    (edit,) = help.edits
    fixed = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert fixed == "operator my.less<n>(%x: Tensor[(n,), float32]) -> Tensor[(n - 2,), float32] where n >= 2;"
    assert not gradual.check(fixed).diagnostics


def test_an_assertion_that_never_holds_is_named_as_one() -> None:
    def message(item: str) -> str:
        (diagnostic,) = gradual.check(f"def @f(%x: Tensor[(7,), float32]) {{ {item} %x }}").diagnostics
        return diagnostic.message

    assert message('assert False, "no";') == 'the assertion never holds: "no"'
    assert message("assert 1 == 2;") == "the assertion never holds"
    assert message('assert dim(%x, 0) % 2 == 0, "even";') == 'the assertion never holds: "even"'


def test_a_value_without_a_name_is_called_by_what_made_it() -> None:
    text = """
def @two(%x: Tensor[(?,), float32]) -> (Tensor[(?,), float32], int32) { (%x, 1) }
def @f(%x: Tensor[(?,), float32], %y: Tensor[(?,), float32]) { add(@two(%x).0, @two(nn.relu(%y)).0) }
def @id4(%x: Tensor[(4,), float32]) -> Tensor[(4,), float32] { %x }
def @g(%x: Tensor[(?,), float32]) { let %h: fn (Tensor[(?,), float32]) -> Tensor[(?,), float32] = @id4; %h(%x) }
"""
    of_sum, of_argument = gradual.check(text).checks
    assert of_sum.shown == "broadcasts(dim(@two(%x).0, 0), dim(@two(nn.relu(%y)).0, 0))"
    assert of_sum.condition == "broadcasts(dim(%_1.0, 0), dim(%_4.0, 0))"
    assert of_sum.blame.terms == ()
    assert of_argument.blame.terms == ("`%argument` is what is passed to the annotation of `%h`",)


def test_a_long_expression_is_called_by_its_operator_and_its_line() -> None:
    text = """
def @f(%x: Tensor[(n, ?), float32], %w: Tensor[(3, 2), float32]) {
  nn.dense(cast(argwhere(greater(%x + 1f, nn.relu(%x))), dtype="float32") as Tensor[(5, 2), float32], %w)
}
"""
    compilation = gradual.check(text)
    (check,) = compilation.checks
    assert "%_" not in compilation.render(checks=True)
    assert check.shown == "dim(argwhere(…), 0) == 5"
    assert check.blame.terms == ("`argwhere(…)` is `argwhere(greater(%x + 1f, nn.relu(%x)))`, line 3",)


def test_a_name_that_looks_like_one_of_core_is_itself() -> None:
    (check,) = gradual.check("def @f(%_1: Tensor[(?,), int32]) { %_1 as Tensor[(3,), int32] }").checks
    assert check.shown == "dim(%_1, 0) == 3"


def test_no_counterexample_names_what_nobody_wrote_and_nobody_asks() -> None:
    text = "def @f(%x: Tensor[(k,), int64]) { let %y = add(unique(%x).0, 1i64); (%y, %x as Tensor[(3,), int64]) }"
    (found,) = gradual.check(text).diagnostics
    assert found.message == "dimension 0 of the cast does not fit for some sizes: fails for k = 1"


def test_a_callee_without_a_name_is_told_in_its_own_words() -> None:
    text = "def @f(%x: Tensor[(4,), float32]) { (fn (%z: Tensor[(5,), float32]) { %z })(%x) }"
    (diagnostic,) = gradual.check(text).diagnostics
    assert "argument 1 of `fn (%z: Tensor[(5,), float32]) { %z }`" in diagnostic.message


def test_a_size_that_branches_or_fields_disagree_on_may_be_left_open() -> None:
    branches = (
        "def @f(%c: bool, %x: Tensor[(5, n), float32], %y: Tensor[(7, n), float32]) { if (%c) { %x } else { %y } }"
    )
    assert helps(branches) == ["leave the size open: `%x as Tensor[(?, n), float32]`"]
    fields = """
type List[A] { Cons(A, List[A]), Nil, }
def @f(%x: Tensor[(4,), float32], %y: Tensor[(5,), float32]) {
  let %xs: List[Tensor[(?,), float32]] = Cons(%x, Cons(nn.relu(%y), Nil));
  %xs
}
"""
    assert helps(fields) == ["leave the size open: `%x as Tensor[(?,), float32]`"]
    for text in (branches, fields):
        (diagnostic,) = gradual.check(text).diagnostics
        (edit,) = diagnostic.help[0].edits
        assert not gradual.check(text[: edit.span.start] + edit.text + text[edit.span.end :]).diagnostics


def test_a_cast_that_would_not_help_is_not_proposed() -> None:
    text = "def @f(%c: bool, %x: Tensor[(5,), float32]) { if (%c) { (%x, 1) } else { (ones(shape=[7]), 2) } }"
    assert helps(text) == []


def test_the_size_that_a_callee_leaves_open_is_proposed_where_it_is_written() -> None:
    text = """
def @id4(%x: Tensor[(4,), float32]) -> (int32, Tensor[(?,), float32]) { (1, %x) }
def @open(%x: Tensor[(?,), float32]) -> Tensor[(?,), float32] { %x }
def @f(%x: Tensor[(4,), float32]) { nn.relu(@id4(%x).1) as Tensor[(4,), float32] }
def @g(%x: Tensor[(4,), float32]) { @open(%x) as Tensor[(4,), float32] }
"""
    compilation = gradual.check(text)
    (first, help), (second, none) = compilation.helps()
    assert help is not None
    assert help.text == "writing 4 for the `?` at 2:56 proves it"
    (edit,) = help.edits
    fixed = gradual.check(text[: edit.span.start] + edit.text + text[edit.span.end :])
    assert [check.blame.span for check in fixed.checks] == [second.span] != [first.span]
    assert none is None


def test_a_size_that_would_prove_another_check_is_not_proposed() -> None:
    text = """
def @g(%x: Tensor[(n,), float32]) -> Tensor[(?,), float32] { %x }
def @f(%a: Tensor[(n,), float32], %b: Tensor[(?,), float32]) {
  let %r: Tensor[(n,), float32] = @g(%b);
  let %s: Tensor[(n,), float32] = @g(%a);
  (%r, %s)
}
"""
    (_, _), (_, other), (_, itself) = gradual.check(text).helps()
    assert other is None
    assert itself is not None and itself.text == "writing n for the `?` at 2:46 proves it"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("%x: Tensor[(n, 4), float32], %y: Tensor[(?, 4), float32]) { %x + %y", ["writing n for this `?` proves it"]),
        ("%x: Tensor[(?,), float32], %y: Tensor[(4,), float32]) { %x + %y", ["writing 4 for this `?` proves it"]),
        (
            "%x: Tensor[(n, d), float32], %w: Tensor[(8, ?), float32]) { nn.dense(%x, %w)",
            ["writing d for this `?` proves it"],
        ),
        (
            "%q: Tensor[(?, ?), float32], %k: Tensor[(?, ?), float32]) { nn.matmul(%q, %k)",
            ["writing n for the `?` at 1:23 and the `?` at 1:49 proves it"],
        ),
        (
            "%x: Tensor[(b, ?), float32]) { reshape(%x, newshape=[0, 8, -1])",
            ["writing ?{u. u % 8 == 0} for this `?` proves it"],
        ),
    ],
)
def test_a_number_or_a_name_comes_before_a_bound(text: str, said: list[str]) -> None:
    found = [help for _, help in gradual.check(f"def @f({text} }}").helps()]
    assert [help.text for help in found if help is not None] == said
