"""Diagnostics as text: rustc's layout, whatever the line looks like."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.diagnostic import Diagnostic, Help, Related, Severity
from gradual.report import render
from gradual.report.excerpt import READABLE
from gradual.report.paint import ansi
from gradual.source import NOWHERE, Source, Span


def at(text: str, part: str, nth: int = 0) -> Span:
    """The span of the nth occurrence of a part."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(part, start + 1)
    return Span(start, start + len(part))


def shown(text: str, span: Span, label: str = "", *related: Related, name: str = "x.relay") -> str:
    found = Diagnostic("E0301", "dim.normal", "sizes differ", span, label=label, related=related)
    return render.full(found, render.within(Source(name, text)))


def excerpt(text: str, span: Span, label: str = "", *related: Related) -> str:
    """Only the rows between the arrow and the footer."""
    rows = shown(text, span, label, *related).split("\n")
    return "\n".join(rows[3:-3]) + "\n"


DENSE = """\
def @main(%x: Tensor[(1, 784), float32], %w: Tensor[(10, 512), float32]) {
  let %h = nn.relu(%x);
  nn.dense(%h, %w)
}
"""


def test_a_mismatch_points_at_both_operands_and_at_both_literals() -> None:
    found = Diagnostic(
        code="E0301",
        rule="op.nn.dense.contract",
        message="contracted dimensions of `nn.dense` differ: 784 is not 512",
        span=at(DENSE, "%h", 1),
        label="dimension 1 is 784",
        related=(
            Related(at(DENSE, "784"), "784 comes from here"),
            Related(at(DENSE, "512"), "512 comes from here"),
            Related(at(DENSE, "%w", 1), "dimension 1 of the weight is 512"),
        ),
        notes=("required by rule op.nn.dense.contract: 784 == 512",),
    )
    assert render.full(found, render.within(Source("mismatch.relay", DENSE))) == dedent("""\
        error[E0301]: contracted dimensions of `nn.dense` differ: 784 is not 512
         --> mismatch.relay:3:12
          |
        1 | def @main(%x: Tensor[(1, 784), float32], %w: Tensor[(10, 512), float32]) {
          |                          ---                             --- 512 comes from here
          |                          |
          |                          784 comes from here
        2 |   let %h = nn.relu(%x);
        3 |   nn.dense(%h, %w)
          |            ^^  -- dimension 1 of the weight is 512
          |            |
          |            dimension 1 is 784
          |
          = note: required by rule op.nn.dense.contract: 784 == 512
          = explain: gradual explain E0301""")


def test_labels_inside_a_span_hang_from_right_to_left() -> None:
    text = "  add(%x, %up)\n"
    inside = Related(at(text, "%x"), "dimension is n"), Related(at(text, "%up"), "dimension is (n // 2) * 2")
    assert excerpt(text, at(text, "add(%x, %up)"), "3 and 2 when n = 3", *inside) == dedent("""\
        1 |   add(%x, %up)
          |   ^^^^--^^---^
          |   |   |   |
          |   |   |   dimension is (n // 2) * 2
          |   |   dimension is n
          |   3 and 2 when n = 3
        """)


def test_lines_that_are_left_out_become_dots() -> None:
    text = "a\nb\nc\nd\ne\n"
    assert excerpt(text, at(text, "e"), "last", Related(at(text, "a"), "first")) == dedent("""\
        1 | a
          | - first
        ...
        5 | e
          | ^ last
        """)


def test_a_single_line_between_two_marks_is_shown() -> None:
    text = "a\nb\nc\n"
    assert "2 | b\n" in excerpt(text, at(text, "c"), "", Related(at(text, "a"), ""))


def test_a_span_over_lines_has_a_side() -> None:
    text = "let %y = f(\n  %a,\n  %b);\n"
    assert excerpt(text, Span(9, text.index(";")), "whole", Related(at(text, "%b"), "this")) == dedent("""\
        1 |   let %y = f(
          |  __________^
        2 | |   %a,
        3 | |   %b);
          | |   -- this
          | |_____^ whole
        """)


def test_a_span_that_begins_its_line_begins_with_a_slash() -> None:
    text = "  f(\n    %a)\n"
    assert excerpt(text, Span(2, text.index(")") + 1), "whole") == dedent("""\
        1 | /   f(
        2 | |     %a)
          | |_______^ whole
        """)


def test_a_long_span_keeps_its_ends_only() -> None:
    text = "".join(f"line {n}\n" for n in range(1, 21))
    rows = excerpt(text, Span(5, len(text) - 1), "whole").split("\n")
    assert [row for row in rows if row.startswith("...")] == ["...  |"]
    assert not any("line 10" in row for row in rows)


def test_a_tab_takes_four_cells_and_a_wide_character_two() -> None:
    assert excerpt("\t漢字 %x", at("\t漢字 %x", "%x"), "here") == dedent("""\
        1 |     漢字 %x
          |          ^^ here
        """)


def test_a_combining_character_takes_no_cell() -> None:
    text = "e\u0301 %x"
    assert excerpt(text, at(text, "%x"), "") == "1 | e\u0301 %x\n  |   ^^\n"


def test_characters_that_move_the_cursor_are_shown_as_pictures() -> None:
    assert "1 | a␛[31m �" in excerpt("a\x1b[31m \u202e", Span(0, 1))


def test_the_end_of_a_text_can_be_pointed_at() -> None:
    assert excerpt("a\n", Span(2, 2), "here") == "2 |\n  | ^ here\n"


@pytest.mark.parametrize("text", ["\n", "\r\n", "a", "a\n\n"])
def test_the_end_of_the_smallest_texts_has_an_excerpt(text: str) -> None:
    assert "^ here\n" in shown(text, Span(len(text), len(text)), "here")


def test_a_long_line_shows_what_lies_near_its_marks() -> None:
    text = "x" * 1000 + "%abc" + "y" * 1000 + "%def" + "z" * 1000
    rows = excerpt(text, at(text, "%def"), "here", Related(at(text, "%abc"), "there")).split("\n")
    assert len(rows[0]) < READABLE + 20
    for mark in ("%abc", "%def"):
        assert mark in rows[0]
    column = rows[0].index("%def")
    assert rows[1][column : column + 9] == "^^^^ here"


def test_a_place_that_is_nowhere_is_told_in_a_note() -> None:
    text = shown("add(%x)", Span(0, 3), "", Related(NOWHERE, "left open by the caller"))
    assert "  = note: left open by the caller\n" in text


def test_a_diagnostic_without_a_place_names_the_file_only() -> None:
    assert shown("add(%x)", NOWHERE).split("\n")[:3] == ["error[E0301]: sizes differ", " --> x.relay", "  |"]


def test_notes_come_before_the_rule_and_help_before_the_explanation() -> None:
    found = Diagnostic(
        "E0302", "dim.normal", "m", Span(0, 1), notes=("counterexample: n = 3\nn + 1 is 4",), help=(Help("write 4"),)
    )
    assert render.full(found, render.within(Source("x", "a"))).split("\n")[-5:] == [
        "  = note: counterexample: n = 3",
        "          n + 1 is 4",
        "  = rule: dim.normal",
        "  = help: write 4",
        "  = explain: gradual explain E0302",
    ]


def test_a_rule_that_a_note_names_is_not_repeated() -> None:
    found = Diagnostic("E0302", "dim.normal", "m", Span(0, 1), notes=("required by rule dim.normal: 1 == 2",))
    assert "= rule:" not in render.full(found, render.within(Source("x", "a")))


def test_concise_is_one_line_whatever_the_message() -> None:
    found = Diagnostic("E0302", "dim.normal", "two\nlines", Span(2, 3), Severity.WARNING)
    line = render.concise(found, render.within(Source("a/b.relay", "a\nb")))
    assert line == "a/b.relay:2:1: warning[E0302]: two\\nlines [dim.normal]"


def test_parts_that_lie_in_different_texts_have_an_excerpt_each() -> None:
    first, second = Source("first", "def @f"), Source("second", "@f(1)")
    found = Diagnostic("E0301", "r.s", "m", Span(100, 102), label="call", related=(Related(Span(4, 6), "callee"),))
    text = render.full(found, lambda span: (second, Span(0, 2)) if span.start >= 100 else (first, span))
    assert " --> second:1:1\n" in text
    assert " ::: first:1:5\n" in text


def plain(text: str) -> str:
    """The text without colour codes."""
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", text)


spans = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: Span(min(pair), max(pair)))


@given(st.text(st.sampled_from("ab \t\n\r漢é\u0301\x1b%"), max_size=40), st.lists(spans, min_size=1, max_size=5))
def test_every_text_and_every_span_has_a_rendering_that_colour_does_not_change(text: str, where: list[Span]) -> None:
    inside = [Span(min(span.start, len(text)), min(span.end, len(text))) for span in where]
    related = tuple(Related(span, f"label {k}") for k, span in enumerate(inside[1:]))
    found = Diagnostic("E0301", "r.s", "m", inside[0], label="primary", related=related)
    locate = render.within(Source("x", text))
    full = render.full(found, locate)
    assert plain(render.full(found, locate, ansi)) == full
    assert full.count("primary") == (found.span != NOWHERE)
    assert all(full.count(r.label) == 1 for r in related)
