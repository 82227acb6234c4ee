"""Lints: what is told, what is not, and that nothing of the answer depends on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradual.compilation import Compilation
from gradual.compiler import apply, compile_source
from gradual.interface.input.allowed import allowed
from gradual.source import Source

PAIRS = {
    "two parameters": "def @f(%x: Tensor[(b, 1), float32], %y: Tensor[(b,), float32]) { %x - %y }",
    "the other way round": "def @f(%x: Tensor[(b, 1), float32], %y: Tensor[(b,), float32]) { %y * %x }",
    "numbers": "def @f(%x: Tensor[(32, 1), float32], %y: Tensor[(32,), float32]) { %x - %y }",
    "open sizes": "def @f(%x: Tensor[(?, 1), float32], %y: Tensor[(?,), float32]) { %x - %y }",
    "one open size": "def @f(%x: Tensor[(b, 1), float32], %y: Tensor[(?,), float32]) { %x - %y }",
    "keepdims": "def @f(%x: Tensor[(n, d), float32]) { sum(%x, axis=[1], keepdims=True) - sum(%x, axis=[1]) }",
    "one output": "def @f(%x: Tensor[(n, d), float32], %w: Tensor[(1, d), float32], %y: Tensor[(n,), float32]) "
    "{ sigmoid(nn.dense(%x, %w)) - %y }",
    "a slice": "def @f(%x: Tensor[(n, 4), float32], %y: Tensor[(n,), float32]) "
    "{ strided_slice(%x, begin=[0], end=[1], axes=[1]) - %y }",
    "after casts": "def @f(%x: Tensor[(n, 1), int32], %y: Tensor[(n,), float32]) { cast(%x, dtype='float32') - %y }",
    "a comparison": "def @f(%x: Tensor[(n, 1), int32], %y: Tensor[(n,), int32]) { %x == %y }",
    "where": "def @f(%c: Tensor[(n, 1), bool], %x: Tensor[(n,), float32]) { where(%c, %x, 0f) }",
    "in a literal": "def @f(%x: Tensor[(n, 1), float32]) { let %g = fn (%y: Tensor[(n,), float32]) { %x - %y }; %g }",
    "in an arm": "type Pair { Pair(Tensor[(3, 1), float32], Tensor[(3,), float32]) }\n"
    "def @f(%p: Pair) { match (%p) { Pair(%x, %y) => %x - %y } }",
}


@pytest.mark.parametrize("name", PAIRS)
def test_operands_that_are_both_stretched_are_told(name: str) -> None:
    assert codes(PAIRS[name].replace("'", '"')) == ["E0801"]


MEANT = {
    "a bias": "def @f(%x: Tensor[(n, d), float32], %y: Tensor[(d,), float32]) { %x + %y }",
    "one of two": "def @f(%x: Tensor[(n, 1), float32], %y: Tensor[(n, d), float32]) { %x + %y }",
    "same rank": "def @f(%x: Tensor[(n, 1), float32], %y: Tensor[(1, n), float32]) { %x - %y }",
    "other sizes": "def @f(%x: Tensor[(b, 1), float32], %y: Tensor[(d,), float32]) { %x * %y }",
    "other numbers": "def @f(%x: Tensor[(5, 10, 1), float32], %y: Tensor[(10, 4), float32]) { %x * %y }",
    "a new axis": "def @f(%x: Tensor[(n,), float32]) { expand_dims(%x, axis=1) - %x }",
    "a new axis before": "def @f(%x: Tensor[(n,), float32]) { exp(negative(expand_dims(%x, axis=1)) * 2f) - %x }",
    "a new axis in branches": "def @f(%x: Tensor[(n,), float32], %c: bool) "
    "{ (if (%c) { expand_dims(%x, axis=1) } else { exp(expand_dims(%x, axis=1)) }) - %x }",
    "reshaped": "def @f(%x: Tensor[(n,), float32]) { reshape(%x, newshape=[n, 1]) - %x }",
    "a mask": "def @f() { let %i = arange(0, 8, 1); less(expand_dims(%i, axis=1), expand_dims(%i, axis=0)) }",
    "both means": "def @f(%x: Tensor[(n, n), float32]) "
    "{ mean(%x, axis=[0], keepdims=True) + mean(%x, axis=[1], keepdims=True) }",
    "a scalar": "def @f(%x: Tensor[(n, 1), float32], %y: float32) { %x * %y }",
    "no elementwise operator": "def @f(%x: Tensor[(1, n), float32], %y: Tensor[(n, 1), float32]) { nn.matmul(%x, %y) }",
}


@pytest.mark.parametrize("name", MEANT)
def test_operands_that_are_stretched_on_purpose_are_not_told(name: str) -> None:
    assert codes(MEANT[name]) == []


def test_both_readings_of_stretched_operands_are_offered_and_silence_the_lint() -> None:
    text = PAIRS["two parameters"]
    (found,) = checked(text).lints()
    assert "(b, 1) and (b,) give (b, b)" in found.message
    assert [help.text for help in found.help] == [
        "for one element with one element, write `squeeze(%x, axis=[1])`",
        "for each element with each, say so: `expand_dims(%y, axis=0)`",
    ]
    for help in found.help:
        (edit,) = help.edits
        assert codes(text[: edit.span.start] + edit.text + text[edit.span.end :]) == []


def test_a_value_that_is_used_twice_at_each_of_many_steps_is_followed_once() -> None:
    doubled = "".join(f"let %x{k + 1} = %x{k} + %x{k}; " for k in range(64))
    text = f"def @f(%x0: Tensor[(n, 1), float32], %y: Tensor[(n,), float32]) {{ {doubled}%x64 - %y }}"
    assert codes(text) == ["E0801"]


def test_helps_are_tried_for_the_first_applications_only() -> None:
    pairs = ", ".join(["%x - %y"] * 12)
    found = checked(f"def @f(%x: Tensor[(n, 1), float32], %y: Tensor[(n,), float32]) {{ ({pairs}) }}").lints()
    assert [len(one.help) for one in found] == [2] * 8 + [0] * 4


def test_a_help_that_does_not_work_is_not_offered() -> None:
    text = "def @f(%x: Tensor[(b, c, 1), float32], %y: Tensor[(b,), float32]) { %x - %y }"
    (found,) = checked(text).lints()
    assert [help.text for help in found.help] == [
        "for each element with each, say so: `expand_dims(%y, axis=0, num_newaxis=2)`"
    ]


# ------------------------------------------------------------------------------------------------------- names
UNUSED = {
    "def @f(%x: float32, %y: float32) { %x }": ["%y"],
    "def @f(%x: float32) { let %y = exp(%x); %x }": ["%y"],
    "def @f(%x: float32) { %0 = exp(%x); %x }": ["%0"],
    "def @f(%x: float32) { fn (%y: float32) { %x } }": ["%y"],
    "def @f(%x: float32) { let %y = %x; let %y = %x; %y }": ["%y"],
    "def @f(%x: Tensor[(n,), float32], %y: Tensor[(n,), float32]) { zeros(shape=[n], dtype='float32') + %x }": ["%y"],
    "operator my.op(%x: float32, %y: float32) -> float32 { %x }": ["%y"],
    # on purpose, or of use
    "def @f(%x: float32, %_y: float32) { let %_ = exp(%x); %x }": [],
    "def @f(%x: Tensor[(n,), float32]) { zeros(shape=[n], dtype='float32') }": [],
    "def @f(%x: Tensor[(n,), float32], %y: Tensor[(m,), float32]) -> Tensor[(n,), float32] where m == n { %x }": [],
    "def @f(%x: Tensor[(?,), float32]) { let %y = %x as Tensor[(3,), float32]; %x }": [],
    "def @f(%x: Tensor[(?,), float32]) { let %y: Tensor[(3,), float32] = %x; %x }": [],
    "def @f(%x: ref(float32)) { let %done = ref_write(%x, 1f); ref_read(%x) }": [],
    "def @f(%x: (float32, float32)) { let %y = %x.0; let %z = %x.1; %z }": [],
    "def @f(%x: Tensor[(?,), float32], %k: int64) -> Tensor[(dim(%x, 0),), float32] where %k >= 0 "
    "{ zeros(shape=[dim(%x, 0)], dtype='float32') }": [],
    "operator my.op(%x: float32, %y: float32) -> float32;": [],
    "type Pair { Pair(float32, (float32, float32)) }\ndef @f(%p: Pair) { match (%p) { Pair(%x, (%y, %z)) => %y } }": [],
    "def @f(%x: float32) { let %g = fn (%y: float32) -> float32 { %g(%y) }; %x }": [],
}


@pytest.mark.parametrize("text", UNUSED)
def test_values_that_are_never_used_are_told(text: str) -> None:
    text = text.replace("'", '"')
    found = [one for one in checked(text).lints() if one.code == "E0802"]
    assert [text[one.span.start : one.span.end] for one in found] == UNUSED[text.replace('"', "'")]


def test_a_name_for_a_value_that_is_not_used_is_offered_where_it_is_new() -> None:
    (found,) = checked("def @f(%x: float32, %y: float32) { %x }").lints()
    assert [edit.text for help in found.help for edit in help.edits] == ["%_y"]
    (found,) = checked("def @f(%x: float32, %y: float32, %_y: float32) { %x }").lints()
    assert [edit.text for help in found.help for edit in help.edits] == []


def test_definitions_that_main_does_not_reach_are_told() -> None:
    text = (
        "operator my.op(%x: float32) -> float32;\n"
        "def @inner(%x: float32) { exp(%x) }\ndef @used(%x: float32) { @inner(%x) }\n"
        "def @alone(%x: float32) -> float32 { my.op(@alone(%x)) }\n"
    )
    assert codes(text) == []
    assert lines(text + "def @main(%x: float32) { @used(%x) }\n") == [("E0803", 1), ("E0803", 4)]


HIDING = {
    "def @f(%x: float32, %y: float32) { let %z = exp(%y); let %y = exp(%x); %y + %z }": ["%y"],
    "def @f(%x: float32) { (fn (%x: float32) { %x })(%x) }": ["%x"],
    "type Box { Box(float32) }\ndef @f(%x: float32, %b: Box) { %x + (match (%b) { Box(%x) => %x }) }": ["%x"],
    "def @f[A](%x: A) { (%x, fn [A](%y: A) -> A { %y }) }": ["A"],
    # made of what it hides, over already, or of another kind
    "def @f(%x: float32) { let %x = exp(%x); let %x = %x + 1f; %x }": [],
    "def @f(%x: float32, %c: bool) { if (%c) { let %y = %x; %y } else { let %y = exp(%x); %y } }": [],
    "def @f(%x: Tensor[(x,), float32]) { %x }": [],
    "def @f(%x: Tensor[(n,), float32]) { (%x, fn (%y: Tensor[(n,), float32]) { %y }) }": [],
}


@pytest.mark.parametrize("text", HIDING)
def test_names_that_hide_others_are_told(text: str) -> None:
    found = [one for one in checked(text).lints() if one.code == "E0804"]
    assert [text[one.span.start : one.span.end] for one in found] == HIDING[text]
    assert all(len(one.related) == 1 for one in found)


# ---------------------------------------------------------------------------------------------------- branches
SIZE = "take(shape_of(%x), 0, axis=0)"
BRANCHES = {
    f"def @f(%x: Tensor[(3,), float32]) {{ if ({SIZE} == 3) {{ %x }} else {{ exp(%x) }} }}": ["{ exp(%x) }"],
    f"def @f(%x: Tensor[(3,), float32]) {{ if ({SIZE} == 4) {{ %x }} else {{ exp(%x) }} }}": ["{ %x }"],
    f"def @f(%x: Tensor[(n,), float32]) where n >= 4 {{ if ({SIZE} > 3) {{ %x }} else {{ exp(%x) }} }}": [
        "{ exp(%x) }"
    ],
    f"def @f(%x: Tensor[(?,), float32]) {{ assert dim(%x, 0) == 4; if ({SIZE} == 4) {{ %x }} else {{ exp(%x) }} }}": [
        "{ exp(%x) }"
    ],
    f"def @f(%x: Tensor[(n,), float32]) {{ if ({SIZE} > 8) {{ if ({SIZE} > 4) {{ %x }} else {{ exp(%x) }} }} "
    "else { log(%x) } }": ["{ exp(%x) }"],
    "def @f(%x: float32) { if (True) { %x } else { exp(%x) } }": ["{ exp(%x) }"],
    f"def @f(%x: Tensor[(n,), float32]) {{ if ({SIZE} == 3) {{ %x }} else {{ exp(%x) }} }}": [],
    f"def @f(%x: Tensor[(?,), float32]) {{ if ({SIZE} == 4) {{ %x }} else {{ assert dim(%x, 0) == 4; %x }} }}": [],
    "def @f(%x: float32, %c: bool) { if (%c) { %x } else { exp(%x) } }": [],
}


@pytest.mark.parametrize("text", BRANCHES)
def test_branches_that_are_never_taken_are_told(text: str) -> None:
    found = [one for one in checked(text).lints() if one.code == "E0805"]
    assert [text[one.span.start : one.span.end] for one in found] == BRANCHES[text]


def test_a_branch_of_a_literal_is_told_only_if_no_call_takes_it() -> None:
    text = (
        "def @main(%a: Tensor[(3,), float32], %b: Tensor[(4,), float32]) {{\n"
        f"  let %g = fn (%x) {{{{ if ({SIZE} == 3) {{{{ 1 }}}} else {{{{ 2 }}}} }}}};\n"
        "  %g(%a) + %g({})\n}}\n"
    )
    assert codes(text.format("%b")) == []
    assert codes(text.format("%a")) == ["E0802", "E0805"]


# ------------------------------------------------------------------------------------------------------ the answer
def test_lints_are_no_part_of_the_answer() -> None:
    before = checked(PAIRS["two parameters"])
    after = checked(PAIRS["two parameters"])
    assert after.lints() and after.lints() == after.lints()
    assert (str(before), str(before.core)) == (str(after), str(after.core))
    assert before.ok and before.diagnostics == ()


def test_a_program_with_errors_and_one_made_by_passes_have_no_lints() -> None:
    assert checked("def @f(%x: float32, %y: float32) { %z }").lints() == ()
    accepted = checked("def @f(%x: float32, %y: float32) { %x }")
    assert accepted.lints() and apply(accepted, "simplify-shapes").lints() == ()


def test_names_need_not_be_looked_at() -> None:
    text = "def @f(%x: Tensor[(b, 1), float32], %y: Tensor[(b,), float32], %z: float32) { %x - %y }"
    assert codes(text) == ["E0801", "E0802"]
    assert [one.code for one in checked(text).lints(names=False)] == ["E0801"]


def checked(text: str) -> Compilation:
    compilation = compile_source(Source("a.relay", text))
    assert "%z }" in text or compilation.ok, compilation.render()
    return compilation


def codes(text: str) -> list[str]:
    return sorted(one.code for one in checked(text).lints())


def lines(text: str) -> list[tuple[str, int | None]]:
    return [(one.code, one.line) for one in checked(text).lints()]


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.relay")), ids=lambda path: path.stem)
def test_examples_have_no_lints_but_the_one_that_shows_them(path: Path) -> None:
    compilation = compile_source(Source(path.name, path.read_text(encoding="utf-8")))
    kept = allowed(compilation.source).kept(compilation.source, compilation.lints())
    assert [one.code for one in kept] == (["E0801"] if path.stem == "loss" else [])
