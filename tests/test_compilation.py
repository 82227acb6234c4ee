"""The public interface: what a `Compilation` gives, and what its options change."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

import gradual
from gradual.compiler import compile_source
from gradual.limits import Options
from gradual.source import Source

HEAD = "def @head(%x: Tensor[(?, ?), float32], %w: Tensor[(10, 7), float32]) { nn.dense(%x, %w) }"


def test_a_compilation_travels_between_processes() -> None:
    before = gradual.check(HEAD)
    after = pickle.loads(pickle.dumps(before))
    assert after.types == before.types
    assert after.checks[0].goal is before.checks[0].goal
    assert after.question("c1") == before.question("c1")
    value = after.run("@head", gradual.Tensor([[1.0] * 7]), gradual.Tensor([[1.0] * 7] * 10))
    assert value.tolist() == [[7.0] * 10]


def test_help_for_a_check_is_the_size_that_was_tried_and_proves_it() -> None:
    compilation = gradual.check(HEAD)
    help = compilation.help(compilation.checks[0])
    assert help is not None
    (edit,) = help.edits
    mended = HEAD[: edit.span.start] + edit.text + HEAD[edit.span.end :]
    assert mended == HEAD.replace("(?, ?)", "(?, 7)")
    assert gradual.check(mended).residual == 0


def test_help_for_a_check_that_is_no_equation_is_a_bound() -> None:
    text = "def @f(%x: Tensor[(?,), float32]) { assert dim(%x, 0) >= 3; %x }"
    compilation = gradual.check(text)
    help = compilation.help(compilation.checks[0])
    assert help is not None
    (edit,) = help.edits
    assert edit.text == "?{u. u >= 3}"
    assert gradual.check(text[: edit.span.start] + edit.text + text[edit.span.end :]).residual == 0


def test_no_help_where_no_annotation_proves_the_check() -> None:
    compilation = gradual.check("def @f(%x: Tensor[(?, ?), float32]) { reshape(%x, newshape=[3, 4]) }")
    assert compilation.help(compilation.checks[0]) is None


def test_sizes_that_are_compared_get_one_name() -> None:
    compilation = gradual.check("def @f(%x: Tensor[(?,), float32], %y: Tensor[(?,), float32]) { add(%x, %y) }")
    help = compilation.help(compilation.checks[0])
    assert help is not None and [edit.text for edit in help.edits] == ["n", "n"]


def test_a_precondition_is_offered_only_if_it_mends_the_error() -> None:
    split = "def @f(%x: Tensor[(b, d), float32]) { reshape(%x, newshape=[b, 4, d // 4]) }"
    (error,) = gradual.check(split).diagnostics
    (edit,) = error.help[0].edits
    mended = split[: edit.span.start] + edit.text + split[edit.span.end :]
    assert "where d % 4 == 0" in mended
    assert gradual.check(mended).ok


def test_a_caller_that_breaks_a_precondition_withdraws_the_help() -> None:
    text = """
def @f(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) { multiply(%x, %y) }
def @main(%x: Tensor[(2,), float32], %y: Tensor[(3,), float32]) { @f(%x, %y) }
"""
    assert all(diagnostic.help == () for diagnostic in gradual.check(text).diagnostics)


def test_a_program_with_errors_does_not_run() -> None:
    compilation = gradual.check("def @f(%x: Tensor[(2,), float32]) { add(%x, %y) }")
    with pytest.raises(ValueError, match="1 error"):
        compilation.run("@f", gradual.Tensor([1.0, 2.0]))


def test_strict_broadcasting_wants_equal_sizes_or_a_literal_one() -> None:
    program = "def @f(%x: Tensor[(2, 3), float32], %y: Tensor[(2, ?), float32]) { add(%x, %y) }"
    loose, strict = gradual.check(program), gradual.check('#[broadcast = "strict"]\n' + program)
    assert [str(check.goal) for check in loose.checks] == ["dim(%y, 1) == 3 or dim(%y, 1) == 1"]
    assert [str(check.goal) for check in strict.checks] == ["dim(%y, 1) == 3"]
    literal = (
        '#[broadcast = "strict"]\ndef @f(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 1), float32]) { add(%x, %y) }'
    )
    assert gradual.check(literal).residual == 0


def test_a_rigid_goal_of_a_gradual_definition_is_an_error_on_request() -> None:
    text = "def @f(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32], %z: Tensor[(?,), float32]) { add(%x, %y) }"
    warned = gradual.check(text)
    assert warned.ok and [diagnostic.code for diagnostic in warned.diagnostics] == ["E0402"]
    assert warned.diagnostics[0].notes[-1] == "the definition has unknown sizes, so this is checked at run time"
    refused = compile_source(Source("x", text), replace(Options(), rigid="error"))
    assert not refused.ok and [diagnostic.code for diagnostic in refused.diagnostics] == ["E0402"]
    assert [note for note in refused.diagnostics[0].notes if "run time" in note] == [
        "the definition has unknown sizes: with `--rigid warning` this is checked at run time"
    ]


def test_bindings_are_every_name_with_its_type_and_known_contents() -> None:
    compilation = gradual.check("def @f(%x: Tensor[(n, 4), float32]) { let %s = shape_of(%x); %s }")
    assert [(b.name, b.type, b.contents) for b in compilation.bindings] == [
        ("%x", "Tensor[(n, 4), float32]", None),
        ("%s", "Tensor[(2,), int32]", "[n, 4]"),
        ("result", "Tensor[(2,), int32]", "[n, 4]"),
    ]


def test_the_parameters_of_an_operator_that_is_a_value_are_no_names_of_the_program() -> None:
    text = "def @f(%x: float32) -> (float32, fn (float32) -> float32) { let %g = exp; (%g(%x), %g) }"
    flowing = "def @f(%x: float32) -> fn (float32) -> float32 { let %g = exp; let %y = %g(%x); %g }"
    assert [one.code for one in gradual.check(text).diagnostics] == ["E0310"]
    found = gradual.check(flowing)
    assert found.ok and {one.name for one in found.bindings} == {"%x", "%y"}
    assert {flowing[one.span.start : one.span.end] for one in found.bindings} == {"%x", "%y"}


def test_names_of_a_function_type_are_not_names_of_the_program() -> None:
    text = """
def @f(%x: Tensor[(?,), float32], %y: Tensor[(?,), float32]) {
  %0 = nn.relu(%x);
  let %g = fn (%a: Tensor[(?,), float32]) -> Tensor[(dim(%0, 0),), float32] { %0 };
  let %h: fn (Tensor[(?,), float32]) -> Tensor[(dim(%0, 0),), float32] = %g;
  %h(%y)
}
"""
    compilation = gradual.check(text)
    assert compilation.ok
    value = compilation.run("@f", gradual.Tensor([1.0, 2.0]), gradual.Tensor([1.0, 2.0, 3.0]))
    assert value.shape == (2,)


def test_a_pass_keeps_every_check_in_the_account() -> None:
    late = gradual.check("def @f(%x: Tensor[*, float32], %y: Tensor[*, float32]) { nn.dense(%x, %y) }")
    data = gradual.check(
        "type List[A] { Cons(A, List[A]), Nil }\n"
        "def @f(%l: List[Tensor[(?,), float32]]) -> List[Tensor[(3,), float32]] { %l }"
    )
    called = gradual.check(
        "def @f(%g: fn (Tensor[(?,), float32]) -> Tensor[(?,), float32])"
        " -> fn (Tensor[(3,), float32]) -> Tensor[(3,), float32] { %g }"
    )
    for found in (late, data, called):
        after = gradual.apply(found, "drop-dead")
        assert found.residual == after.residual > 0
        assert {check.id for check in after.checks} == {check.id for check in found.checks}
