"""Any text whatever gives a module and diagnostics, soon."""

from __future__ import annotations

import gc
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.source import Source
from gradual.syntax.parse import parse, parse_fragment, parse_incomplete
from gradual.syntax.printing.format import formatted
from tests.syntax.corpus import needs_programs, programs
from tests.thorough import examples

SECONDS = 5.0
PIECES = [
    *("def", "@f", "%x", "%0", "n", "type", "extern", "operator", "let", "if", "else", "then", "match", "match?", "fn"),
    *("(", ")", "[", "]", "{", "}", "<", ">", "=", "==", "=>", "->", ",", ";", ":", ".", ".0", "?", "?{u.", "*", "/"),
    *(
        "//",
        "/*",
        "*/",
        "%",
        "-",
        "+",
        '"',
        '"s"',
        "1",
        "1.5f",
        "1x",
        "Tensor[",
        "Tensor[(1, 2), float32]",
        "a=1",
        "\n",
    ),
    *(
        "where",
        "as",
        "and",
        "not",
        "assert",
        "ref",
        "meta[relay.Constant][0]",
        "#[metadata]",
        '#[version = "0.0.5"]',
        "\\",
    ),
    *("free_var", "None", "_", "Any", " ", "  ", "\t", "\x00", "é", "\ud800", "{\n", "}\n", ";\n", "def @g() { 1 }\n"),
]


def assert_read(text: str) -> None:
    started = time.process_time()
    _, diagnostics = parse(Source("any", text))
    assert all(0 <= error.span.start <= error.span.end <= len(text) for error in diagnostics)
    assert all(error.code.startswith("E010") and error.rule.startswith("syntax.") for error in diagnostics)
    assert len({(error.span, error.code) for error in diagnostics}) == len(diagnostics)
    parse_fragment(Source("any", text))
    parse_incomplete(text)
    formatted(Source("any", text))
    assert time.process_time() - started < SECONDS


@examples(75)
@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    assert_read(text)


@examples(75)
@given(st.binary(max_size=60))
def test_any_bytes_are_read(data: bytes) -> None:
    assert_read(data.decode("utf-8", "surrogateescape"))
    assert_read(data.decode("latin-1"))


@examples(200)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(("", " ")))
def test_any_sequence_of_tokens_is_read(pieces: list[str], blank: str) -> None:
    assert_read(blank.join(pieces))


@needs_programs
def test_a_damaged_program_is_read() -> None:
    chance = random.Random(11)
    texts = [text for _, text in programs() if len(text) < 4000]
    for _ in range(150):
        text = chance.choice(texts)
        for _ in range(chance.randint(1, 4)):
            first, last = sorted(chance.choices(range(len(text) + 1), k=2))
            last = min(last, first + chance.randint(0, 12))
            text = text[:first] + "".join(chance.choices(PIECES, k=chance.randint(0, 3))) + text[last:]
        assert_read(text)


@pytest.mark.parametrize(
    "text",
    [
        "-" * 20000 + "x",
        "(" * 20000,
        "/*" * 20000,
        '"' * 20001,
        "x" + "(1)" * 20000,
        "1" + "+1" * 20000,
        "1" * 20000,
        "if a then b else " * 20000 + "c",
        "if (a) {b} else " * 20000 + "{c}",
        "fn (%x: " + "fn (A) -> " * 20000 + "A) { 1 }",
        "fn (%x: " + "List[" * 20000 + ") { 1 }",
        "def @f() {" * 10000,
        "%a" + ".1" * 20000,
        "%a" + "/b" * 20000,
        "%a" + "." * 20000,
        "\n" * 20000 + "/" * 20000,
        "#[metadata]" + "[" * 20000,
        "let %x = " * 20000,
        "a=" * 20000,
        "meta[" * 20000,
        "f(a=[" + "1, " * 20000,
        "f(a=[" + "1," * 20000 + "x])",
        "match (%x) { _ => " * 20000,
        "x; " * 20000 + ")",
        "def @f() { " + "%0 = f(a=1; " * 20000,
        "def @f() { " + "{ %0 = f(" * 20000,
        "def @f() { %0 = 1; let %x = " + "f(" * 20000,
        "def @f() { %0 = 1; let %" + "a/" * 20000,
        "def @f() { %0 = f(" + "%x, " * 20000 + "n + 1); %0 }",
        "def @f(" + "%x: Tensor[(1), int8], " * 20000,
    ],
)
def test_length_and_depth_cost_no_more_than_time(text: str) -> None:
    assert_read(text)


def test_the_collector_runs_again_after_reading() -> None:
    assert gc.isenabled()
    parse(Source("any", "def @f() {"))
    assert gc.isenabled()
    gc.disable()
    try:
        parse(Source("any", "1"))
        assert not gc.isenabled()
    finally:
        gc.enable()
