"""An attribute that was given a computed value: what is offered was tried, and says what it said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradual
from gradual.diagnostic import Diagnostic

HEAD = (
    "def @f(%x: Tensor[(1, 3, 8, 8), float32], %s: Tensor[(2,), int64], %n: int64, %a: float32, "
    "%v: Tensor[(6,), int64], %c: bool) "
)


def mended(text: str, found: Diagnostic) -> str:
    (edit,) = found.help[0].edits
    return text[: edit.span.start] + edit.text + text[edit.span.end :]


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        (
            "image.resize2d(%x, size=[take(%s, 0), take(%s, 1)])",
            "let %size = take(%s, 0); let %size1 = take(%s, 1); image.resize2d(%x, size=[%size, %size1])",
        ),
        ("image.resize2d(%x, size=%s)", "image.resize2d(%x, size=[%s[0], %s[1]])"),
        ("reshape(%x, newshape=%s)", "dyn.reshape(%x, %s)"),
        ("reshape(%x, newshape=concatenate((%s, [4])))", "dyn.reshape(%x, concatenate((%s, [4])))"),
        ("let %y = nn.relu(%x); tile(%y, reps=[add(%n, 1)])",
         "let %y = nn.relu(%x); let %size = add(%n, 1); tile(%y, reps=[%size])"),
        ("let %y = tile(%x, reps=[1, 2 * max(add(%n, 1), 3)]); %y",
         "let %size = add(%n, 1); let %y = tile(%x, reps=[1, 2 * max(%size, 3)]); %y"),
        ("if (%c) { repeat(%x, repeats=add(%n, 1), axis=0) } else { tile(%x, reps=[2]) }",
         "if (%c) { let %size = add(%n, 1); repeat(%x, repeats=%size, axis=0) } else { tile(%x, reps=[2]) }"),
        ("let %size = 3; (%size, repeat(%x, repeats=negative(%n), axis=0))",
         "let %size = 3; let %size1 = negative(%n); (%size, repeat(%x, repeats=%size1, axis=0))"),
        ("let %g = fn (%k: int64) { full(1f, shape=[abs(negative(%k)), 2]) }; %g(%n)",
         "let %g = fn (%k: int64) { let %size = abs(negative(%k)); full(1f, shape=[%size, 2]) }; %g(%n)"),
    ],
)  # fmt: skip
def test_what_gives_it_is_offered(body: str, whole: str) -> None:
    for more in ("", " def @g() { %nowhere }"):
        text = f"{HEAD}{{ {body} }}{more}"
        error = next(one for one in gradual.check(text).diagnostics if one.code in ("E0206", "E0207"))
        assert mended(text, error) == f"{HEAD}{{ {whole} }}{more}"


@pytest.mark.parametrize(
    "body",
    [
        "nn.leaky_relu(%x, alpha=%a)",
        "cast(%x, dtype=shape_of(%x))",
        "reshape(%x, newshape=[take(%s, %nowhere)])",
        "image.resize2d(%x, size=%v)",
    ],
)
def test_where_nothing_gives_it_what_an_attribute_takes_is_said(body: str) -> None:
    errors = [one for one in gradual.check(f"{HEAD}{{ {body} }}").diagnostics if "computed" in one.data]
    assert errors and all(one.help == () and "bind what is computed with `let`" in one.notes[-1] for one in errors)


COMPUTED = st.sampled_from(
    ["take(%s, 0)", "add(%n, 1)", "squeeze(strided_slice(%s, begin=[0], end=[1]), axis=[0])", "negative(%n)"]
)
PLACES = [
    "tile(%x, reps=[{}, 2])",
    "repeat(%x, repeats={}, axis=1)",
    'zeros(shape=[2, {}, {}], dtype="int32")',
    "strided_slice(%x, begin=[0], end=[{}])",
    "topk(%x, k={})",
    "nn.pad(%x, 0f, pad_width=[[0, {}], [0, 0], [0, 0], [0, 0]])",
]


@given(st.sampled_from(PLACES), COMPUTED)
def test_a_computed_size_is_bound_wherever_it_stands(place: str, value: str) -> None:
    text = f"{HEAD}{{ let %y = {place.format(value, value)}; %y }}"
    error = next(one for one in gradual.check(text).diagnostics if one.code == "E0207")
    again = gradual.check(mended(text, error))
    assert {one.code for one in again.diagnostics if one.severity == "error"} <= {"E0301", "E0302"}
