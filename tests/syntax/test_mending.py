"""What is proposed at a syntax error has been tried.  [syntax.token]"""

from __future__ import annotations

from random import Random

import pytest

from gradual.source import Source
from gradual.syntax.parse import parse
from tests.generators.programs import generated
from tests.properties.compiling import compiled

HEAD, TAIL = "def @f(%x: int64) -> int64 {", "}"

ONE_CHANGE = [
    ("dfe @f(%x: int64) -> int64 { %x }", "def @f(%x: int64) -> int64 { %x }"),
    ("func @f(%x: int64) -> int64 { %x }", "def @f(%x: int64) -> int64 { %x }"),
    ("def f(%x: int64) -> int64 { %x }", "def @f(%x: int64) -> int64 { %x }"),
    ("def @f(x: int64) -> int64 { 1 }", "def @f(%x: int64) -> int64 { 1 }"),
    ("def @f(%x int64) -> int64 { %x }", "def @f(%x: int64) -> int64 { %x }"),
    ("def @f(%x: int64): int64 { %x }", "def @f(%x: int64)-> int64 { %x }"),
    ("def @f(%x: int64) -> int64 wehre %x > 0 { %x }", "def @f(%x: int64) -> int64 where %x > 0 { %x }"),
    ("tpye T { A(int64) }", "type T { A(int64) }"),
    *(
        (HEAD + left + TAIL, HEAD + right + TAIL)
        for left, right in (
            (" lte %y = %x; %y ", " let %y = %x; %y "),
            (" %y = %x; %y ", " let %y = %x; %y "),
            (" let %y := %x; %y ", " let %y = %x; %y "),
            (" let %y = %x %y ", " let %y = %x; %y "),
            (" return %x ", " %x "),
            (" %x; ", " %x "),
            (" add(%x %x) ", " add(%x, %x) "),
            (" add(%x, %x)) ", " add(%x, %x) "),
            (" zeros(shape=[1, 2]]) ", " zeros(shape=[1, 2]) "),
            (" sum(%x, axis: 1) ", " sum(%x, axis= 1) "),
            (" y = %x; %y ", " let %y = %x; %y "),
            (" let %y = %x // why\n  %y ", " let %y = %x; // why\n  %y "),
            (" let %y = %x /* why */ %y ", " let %y = %x; /* why */ %y "),
            (" if (%x = 3) { 1 } else { 2 } ", " if (%x == 3) { 1 } else { 2 } "),
            (" if (%x => 3) { 1 } else { 2 } ", " if (%x >= 3) { 1 } else { 2 } "),
            (" if (%x > 0) { 1 } esle { 2 } ", " if (%x > 0) { 1 } else { 2 } "),
            (" if %x > 0 { 1 } else { 2 } ", " if (%x > 0) { 1 } else { 2 } "),
            (" mach (%x) { A(%y) => 2 } ", " match (%x) { A(%y) => 2 } "),
            (" match (%x) { A(%y) -> 2 } ", " match (%x) { A(%y) => 2 } "),
        )
    ),
    *(
        (f"def @f(%x: {left}) {{ %x }}", f"def @f(%x: {right}) {{ %x }}")
        for left, right in (
            ("Tensr[(3, n), float32]", "Tensor[(3, n), float32]"),
            ("tensor[(3,), float32]", "Tensor[(3,), float32]"),
            ("Tensor[3, float32]", "Tensor[(3,), float32]"),
            ("Tensor[n, ?, float32]", "Tensor[(n, ?), float32]"),
            ("Tensor[[3, n], float32]", "Tensor[(3, n), float32]"),
            ("Tensor(3, float32)", "Tensor[(3,), float32]"),
            ("Tensor((3, 4), float32)", "Tensor[(3, 4), float32]"),
            ("Tensor[float32]", "Tensor[(), float32]"),
            ("Tensor[n, m, float32,]", "Tensor[(n, m), float32]"),
            ("Tensor[(n m), float32]", "Tensor[(n, m), float32]"),
            ("Tensor[\n  n,\n  float32\n]", "Tensor[(n,), float32]"),
            ("Tensor[(3,) float32]", "Tensor[(3,), float32]"),
        )
    ),
]


FOREIGN = [
    *(
        (HEAD + left + TAIL, HEAD + right + TAIL)
        for left, right in (
            (" %x @ %w ", " nn.matmul(%x, %w) "),
            (" 2f * %x @ %w + 1f ", " nn.matmul(2f * %x, %w) + 1f "),
            (" let %y = %x @ %w @ (%v + 1f); %y ", " let %y = nn.matmul(nn.matmul(%x, %w), %v + 1f); %y "),
            (" -%x ** 2f ** %y.0 ", " -power(%x, power(2f, %y.0)) "),
            (" nn.relu(%x)[..., 0] ", " take(nn.relu(%x), 0, axis=-1) "),
            (" %x[:, 0, 1:%n:2] ", " take(strided_slice(%x, begin=[1], end=[%n], strides=[2], axes=[2]), 0, axis=1) "),
            (" %x[1:] ", " strided_slice(%x, begin=[1], end=[dim(%x, 0)], axes=[0]) "),
            (" %x[:, None] ", " expand_dims(%x, axis=1) "),
            (" cast(%x, dtype='int32') ", ' cast(%x, dtype="int32") '),
            (" %x # why\n ", " %x // why\n "),
            (" %x *= %y + 1f; %x ", " let %x = %x * (%y + 1f); %x "),
            (" let %y = %a if %c else %b; %y ", " let %y = if (%c) { %a } else { %b }; %y "),
            (" let %y = nn.relu(%x;\n  %y ", " let %y = nn.relu(%x);\n  %y "),
            (" let %y = (1; %y ", " let %y = (1); %y "),
            (" return nn.relu(%x); ", " nn.relu(%x) "),
            (" let %y = nn.relu(%x) ", " let %y = nn.relu(%x); %y "),
            (" nn.relu(%x).view(-1, 2) ", " view(nn.relu(%x), -1, 2) "),
        )
    ),
    (
        HEAD + " if (%x && %y || !%z) { 1 } else { 2 } " + TAIL,
        HEAD + " if (logical_or(logical_and(%x, %y), logical_not(%z))) { 1 } else { 2 } " + TAIL,
    ),
    (
        "def @f(%x: Tensor[(n,), int64]) where n > 2 && n < 9 { %x }",
        "def @f(%x: Tensor[(n,), int64]) where n > 2 and n < 9 { %x }",
    ),
    (
        "def f(x, w: Tensor[(3, 4), float32], k: int):\n    y = relu(x)\n\n    return dense(y, w, y=k), x\ntype T",
        "def @f(%x, %w: Tensor[(3, 4), float32], %k) {\n  let %y = relu(%x);\n  (dense(%y, %w, y=%k), %x)\n}\ntype T",
    ),
    ("def f(x):\n\ty = relu(x)\n\treturn y\n", "def @f(%x) {\n  let %y = relu(%x);\n  %y\n}\n"),
    ("def f(x: int64) -> int64: return x", "def @f(%x: int64) -> int64 {\n  %x\n}\n"),
]
"""Notation of other languages."""


def mended(text: str) -> str | None:
    """The text with the change that its first error proposes."""
    _, (first, *_) = parse(Source("t", text))
    if not first.help:
        return None
    (help,) = first.help
    for edit in reversed(help.edits):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


@pytest.mark.parametrize(("broken", "whole"), FOREIGN, ids=[broken for broken, _ in FOREIGN])
def test_notation_of_other_languages_is_written_in_this_one(broken: str, whole: str) -> None:
    _, (error, *_) = parse(Source("t", broken))
    assert mended(broken) == whole
    assert error.help[0].safe or "`)`" in error.help[0].text, "a bracket is put where it may have been meant"


@pytest.mark.parametrize(("broken", "whole"), ONE_CHANGE, ids=[broken for broken, _ in ONE_CHANGE])
def test_one_change_is_proposed(broken: str, whole: str) -> None:
    assert mended(broken) == whole
    assert parse(Source("t", whole))[1] == []


def test_a_change_is_proposed_in_the_definition_where_the_error_is() -> None:
    text = "def @a() { 1 }\n\ndef @b(%x: int64) { lte %y = %x; %y }\n\ndef @c() { 2 }\n"
    assert mended(text) == text.replace("lte", "let")


def test_a_change_helps_though_more_is_wrong() -> None:
    text = "def @b(%x: Tensr[(3,), float32]) { lte %y = %x; %y }\n"
    assert mended(text) == text.replace("Tensr", "Tensor")


@pytest.mark.parametrize(
    "text",
    [
        "def @f() { ) ) ) ) ) ] ] ] }",
        "def @f(%x: Tensor[(n + 1) * (m + 1), float32]) { %x }",
        "def @f(%i: int64) { %y = %i + 1\n  %y }",
    ],
)
def test_what_no_change_mends_has_no_help(text: str) -> None:
    assert mended(text) is None


def test_a_division_that_is_read_as_a_comment_is_not_rewritten() -> None:
    text = HEAD + " let %q = nn.relu(%x).view(n, 8, m // 8).transpose(1, 2);\n  %q\n" + TAIL
    assert mended(text) is None


def test_it_is_said_whether_more_is_wrong() -> None:
    _, (whole,) = parse(Source("t", "def @b(%x: Tensr[(3,), float32]) { %x }"))
    _, (more,) = parse(Source("t", "def @b(%x: Tensr[(3,), float32]) {\r\n lte %y = %x; %y }"))
    assert whole.help[0].text == "write `Tensor` instead of `Tensr`"
    assert more.help[0].text == "write `Tensor` instead of `Tensr` (other errors stay)"


@pytest.mark.parametrize("seed", range(40))
def test_a_proposed_change_lets_more_be_read(seed: int) -> None:
    random, text = Random(seed), str(generated(seed, compiled))
    for _ in range(5):
        at = random.randrange(len(text))
        broken = text[:at] + random.choice(("", ",", "x", "(", "let ", ")")) + text[at + random.randrange(3) :]
        _, errors = parse(Source("t", broken))
        after = mended(broken) if errors else None
        if after is None:
            continue
        _, left = parse(Source("t", after))
        assert not left or left[0].span.start > errors[0].span.start, (broken, after)
