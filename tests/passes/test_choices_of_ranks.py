"""Choices that read sizes of values of unknown rank, under every pass: the core is right, the print is read again."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import gradual
from tests.properties.compiling import compiled

PASSES = (
    "dynamic-to-static",
    "static-to-dynamic",
    "merge-ops",
    "split-ops",
    "fold-constants",
    "simplify-shapes",
    "drop-dead",
    "inline",
    "hoist-checks",
    "drop-proved-checks",
)
POLICIES = ("drop-dead", "specialize n=1", "specialize n=0", "bucket n=1,2")
HEAD = "def @main(%x: Tensor[*, float32], %s: Tensor[*, int64], %y: Tensor[(n, ?), float32], %c: bool) where n >= 0 {"
TESTS = st.sampled_from(("n >= 1", "n == 0", "dim(%y, 1) <= 2", "n == dim(%y, 1)", "ndim(%x) == 2", "dim(%x, 0) == n"))
SIZES = st.sampled_from(("n", "2", "dim(%y, 1)", "dim(%x, 0)", "dim(%x, 1)", "numel(%x)", "ndim(%x)", "dim(%s, 0)"))


@st.composite
def choices(draw: st.DrawFn) -> str:
    """A size that is one of two, one of which may be read off a value whose rank nobody knows."""
    then, orelse = draw(SIZES), draw(st.one_of(SIZES, st.just("if n <= 2 then dim(%x, 2) else 1")))
    size = f"(if {draw(TESTS)} then {then} else {orelse})"
    return draw(st.sampled_from((size, f"max({size}, 1)", f"{size} + 1", f"min({size}, {draw(SIZES)})")))


@st.composite
def values(draw: st.DrawFn) -> str:
    """A value whose size is such a choice."""
    size, other = draw(choices()), draw(choices())
    made = draw(
        st.sampled_from(
            (
                f'zeros(shape=[{size}, {other}], dtype="float32")',
                f"tile(%y, reps=[{size}, 1])",
                f'broadcast_to(ones(shape=[1], dtype="float32"), shape=[{size}])',
                f"reshape(%y, newshape=[-1, {size}])",
                f'zeros(shape=[{size}], dtype="float32") as Tensor[(?,), float32]',
            )
        )
    )
    return draw(st.sampled_from((made, f"if (%c) {{ sum({made}) }} else {{ sum(%y) }}")))


@given(
    st.lists(values(), min_size=1, max_size=3),
    st.lists(st.sampled_from(PASSES), max_size=2),
    st.sampled_from(POLICIES),
)
@settings(max_examples=20, deadline=None)
def test_passes_keep_what_choices_read(made: list[str], passes: list[str], policy: str) -> None:
    lines = "".join(f" let %v{i} = {value};" for i, value in enumerate(made))
    text = f"{HEAD}{lines} ({''.join(f'%v{i}, ' for i in range(len(made)))}%y) }}"
    found = compiled(text)
    if not found.ok:
        return
    after = gradual.apply(found, *passes, *policy.split())
    assert not after.text.startswith("// checked again"), after.text
    assert compiled(after.text).ok, after.text
    after.plan("@main")
    after.obstacles("@main")
