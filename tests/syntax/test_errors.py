"""Syntax errors: one for each broken definition, in the user's words, at the right place."""

from __future__ import annotations

import pytest

from gradual.diagnostic import Diagnostic
from gradual.limits import LIMITS
from gradual.source import Source
from gradual.syntax.parse import parse, parse_fragment, parse_incomplete
from gradual.syntax.tree import ast


def errors(text: str) -> list[Diagnostic]:
    return parse(Source("test.relay", text))[1]


def only(text: str) -> Diagnostic:
    (diagnostic,) = errors(text)
    return diagnostic


def at(text: str, diagnostic: Diagnostic) -> str:
    return text[diagnostic.span.start : diagnostic.span.end]


def names(text: str) -> list[str]:
    found = parse(Source("test.relay", text))[0].definitions
    return [part.name if isinstance(part.name, str) else part.name.name for part in found]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("def @f() { (1, 2 }", "}", "expected `)` or `,`, found `}`"),
        ("def @f(%x) { %y %z }", "%z", "expected `}`, `;` or an operator, found `%z`"),
        ("def @f(%x) { let %y = ; %y }", ";", "expected an expression, found `;`"),
        ("def @f(%x -> int32 { 1 }", "->", "expected `)`, `,`, `:` or `{`, found `->`"),
        ("def f() { 1 }", "f", "expected a function name like `@f`, found `f`"),
        ("def @f(%x: Tensor[(3,) float32]) { %x }", "float32", "expected `,`, found `float32`"),
        ("def @f(%x: ) { %x }", ")", "expected a type, found `)`"),
        ("def @f() { if (%c) { 1 } }", "}", "expected `else`, found `}`"),
        ("def @f() { match (%x) { A(%b) -> 1 } }", "->", "expected `=>`, found `->`"),
        ("def @f() { let x = 1; x }", "x", "expected a variable, found `x`"),
        ("def @f() { 1 } 3", "3", "expected a definition or the end of the text, found `3`"),
        ("def @f[n: Foo]() { 1 }", "Foo", "expected `Dim` or `Type`, found `Foo`"),
        ("def @f() { f(a=1, %x) }", "%x", "expected `)` or a name, found `%x`"),
        ("type T { A(int32 }", "}", "expected `)` or `,`, found `}`"),
    ],
)
def test_the_message_says_what_was_expected(text: str, place: str, message: str) -> None:
    diagnostic = only(text)
    assert (diagnostic.code, diagnostic.rule) == ("E0101", "syntax.token")
    assert (at(text, diagnostic), diagnostic.message) == (place, message)


def test_the_open_bracket_is_pointed_at() -> None:
    text = "def @f() { add((%x, %y }"
    (related,) = only(text).related
    assert (related.label, related.span.start) == ("unclosed `(`", text.index("(%x"))


def test_the_end_of_the_text_is_the_last_thing_read() -> None:
    text = "def @f(%x) { add(%x, %x\n"
    diagnostic = only(text)
    assert diagnostic.span.end == len(text) - 1 and diagnostic.message.endswith("found the end of the text")
    assert [related.label for related in diagnostic.related] == ["unclosed `(`"]


def test_every_function_reports_its_errors_once() -> None:
    text = """
def @a() { let %y = ; ) ( ; }
def @b() { 1 }
def @c( { { { (
type T { A(B }
def @d() { 2 $ 3 $ 4 }
extern type S
operator my.op(%x: int32) -> ;
def @e() { "open }
def @ok() { 7 }
"""
    found = errors(text)
    assert [diagnostic.code for diagnostic in found] == ["E0101", "E0101", "E0101", "E0102", "E0101", "E0102"]
    assert names(text) == ["@b", "S", "@ok"]


def test_a_missing_brace_costs_one_definition() -> None:
    text = "def @f() { if (%c) { 1 } else { 2 }\ndef @g() { 3 }\n"
    assert len(errors(text)) == 1 and names(text) == ["@g"]
    assert [related.label for related in only(text).related] == ["unclosed `{`"]


def test_a_definition_goes_on_inside_a_line_only_outside_brackets() -> None:
    text = "def @f() { 1 + } def @g() { 2 }"
    assert len(errors(text)) == 1
    text = "def @f() { } def @g() { 2 }"
    assert names(text) == ["@g"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("def @f() { 1 }\n/* no /* end */", "/*"),
        ("def @f() { $ }", "$"),
        ('def @f() { "no end\n }', '"no end'),
        ("#[inline]\ndef @f() { 1 }", "#[inline]"),
        ("def @f() { %x\u00a0}", "\u00a0"),
    ],
)
def test_what_is_no_token_is_named(text: str, place: str) -> None:
    diagnostic = only(text)
    assert (diagnostic.code, at(text, diagnostic)) == ("E0102", place)


def test_an_invisible_character_is_named_by_its_number() -> None:
    assert only("def @f() { \u200b }").message == "unknown character U+200B"


def test_another_version_is_named_and_the_rest_is_read() -> None:
    text = '#[version = "0.1"]\ndef @f() { 1 }'
    diagnostic = only(text)
    assert (diagnostic.code, at(text, diagnostic)) == ("E0103", '"0.1"') and "0.1" in diagnostic.message
    assert names(text) == ["@f"]


def test_every_bad_number_is_reported() -> None:
    text = "def @f() { (300u8, 1x, 1i64, 1e40f, -1u8, -128i8) }"
    found = errors(text)
    assert [(error.code, at(text, error)) for error in found] == [
        ("E0104", "300u8"),
        ("E0104", "1x"),
        ("E0104", "1e40f"),
        ("E0104", "-1u8"),
    ]
    assert names(text) == ["@f"]


@pytest.mark.parametrize("text", ["(" * 400 + "1" + ")" * 400, "-" * 400 + "%x", "1" + " + 1" * 400, "f" + "(1)" * 400])
def test_nesting_has_a_limit_and_length_has_none(text: str) -> None:
    broken = f"def @f() {{ {text} }}\ndef @g() {{ 1 }}"
    assert [error.code for error in errors(broken)] == ["E0105"] and names(broken) == ["@g"]
    long = "def @f() { " + "%0 = add(%x, 1); " * (LIMITS.nesting * 5) + "%0 }"
    assert not errors(long)


def test_a_hundred_brackets_are_no_trouble() -> None:
    assert not errors("def @f() { " + "(" * 100 + "%x" + ")" * 100 + " }")


def test_a_key_that_is_no_type_is_named() -> None:
    assert "meta[relay.Constant][3]" in only("def @f(%x: meta[relay.Constant][3]) { 1 }").message


def test_a_session_goes_on_exactly_while_more_is_wanted() -> None:
    unfinished = ("def @f() {", "1 +", "let %x =", "(", "/* ", "if (c) { 1 }", "type T {", "f(1,", "fn (%x) {")
    finished = ("1", "let %x = 1", "", "%x;", "type T", "def @f() { 1 }", "{ 1 }")
    wrong = ('"abc', "1 1", "def @f() { $", ")", "1x +")
    assert [text for text in unfinished if not parse_incomplete(text)] == []
    assert [text for text in (*finished, *wrong) if parse_incomplete(text)] == []
    assert [text for text in finished if parse_fragment(Source("<session>", text))[1]] == []
    assert all(parse_fragment(Source("<session>", text))[1] for text in (*unfinished, *wrong))


def test_a_broken_program_without_definitions_is_an_empty_module() -> None:
    module, diagnostics = parse(Source("test.relay", "add(%x"))
    assert module.definitions == () and len(diagnostics) == 1 and isinstance(module, ast.Module)


@pytest.mark.parametrize("written", ["primfn(a: handle) -> () {}", "meta[ExternalFunc][0]"])
def test_functions_of_other_languages_are_told_apart(written: str) -> None:
    _, (diagnostic, *_) = parse(Source("test.relay", f"def @f = {written}\ndef @g() {{ 1 }}"))
    assert (diagnostic.code, len(diagnostic.notes)) == ("E0101", 1)
    assert "not written in Relay" in diagnostic.notes[0]
