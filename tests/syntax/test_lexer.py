"""Tokens: the whole phrases that the lexer finishes are those that the grammar would build, spans included."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from gradual.source import Source, Span
from gradual.syntax.parse import parse
from gradual.syntax.parsing import lexicon
from gradual.syntax.tree import ast
from tests.syntax.corpus import models, needs_models

PHRASES = """\
def @f(%x: Tensor[(1, ?, 3,), float32], %y: Tensor[(), int64], %z: Tensor[(2), uint8]) -> Tensor[(1,2), bool] {
  f(%x, a=1, b=[1, -2], c=[], d="x, y", e=True, g.h=False, i=-1) as Tensor[(?,), float32]
}
"""


def spanned(node: Any) -> Any:
    """A tree with its spans, as nested tuples; a NaN, which differs from itself, is its text."""
    if isinstance(node, Span):
        return node.start, node.end
    if isinstance(node, tuple):
        return tuple(map(spanned, node))
    if is_dataclass(node):
        return type(node).__name__, *(spanned(getattr(node, field.name)) for field in fields(node))
    return "nan" if node != node else node


def without_phrases(text: str, monkeypatch: pytest.MonkeyPatch) -> ast.Module:
    """The module read token by token."""
    with monkeypatch.context() as patch:
        patch.setattr(lexicon, "SIMPLE_ATTRIBUTE", r"(?!)")
        patch.setattr(lexicon, "SIMPLE_TENSOR", r"(?!)")
        lexicon.lexicon.cache_clear()
        module, diagnostics = parse(Source("test.relay", text))
    lexicon.lexicon.cache_clear()
    assert not diagnostics, diagnostics
    return module


def test_a_finished_phrase_is_what_the_grammar_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = without_phrases(PHRASES, monkeypatch)
    fast, diagnostics = parse(Source("test.relay", PHRASES))
    assert not diagnostics
    assert spanned(fast.definitions) == spanned(slow.definitions)


@needs_models
def test_a_model_is_the_same_with_and_without_finished_phrases(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in models():
        if "resnet" in name or "lstm" in name:
            fast = parse(Source(name, text))[0]
            assert spanned(fast.definitions) == spanned(without_phrases(text, monkeypatch).definitions), name


def test_a_phrase_is_finished_only_where_it_may_stand() -> None:
    assert not parse(Source("test.relay", "(let %x: bool = True; %x)"))[1]
    assert not parse(Source("test.relay", "fn (%x: fn (bool) -> A, b=True) { let %x: A = 1; let %y: B = [1]; 1 }"))[1]


@pytest.mark.parametrize(
    "blank", [" ", "\t", "\n", "\r\n", "\f", "\ufeff", "/* a /* b */ c */", "/**/", "/* ** / */", "/***/"]
)
def test_blanks_and_comments_stand_between_any_two_tokens(blank: str) -> None:
    tokens = [
        "def",
        "@f",
        "(",
        "%x",
        ":",
        "int32",
        ")",
        "{",
        "f",
        "(",
        "%x",
        ",",
        "a",
        "=",
        "1",
        ")",
        ".0",
        "-",
        "1",
        "}",
    ]
    assert not parse(Source("test.relay", blank + blank.join(tokens).replace("def@", "def @") + blank))[1]


def test_no_group_is_repeated_possessively() -> None:
    """Python before 3.11.5 gets that wrong (CPython issue 106052)."""
    assert not re.search(r"\)(?:[*+?]|\{[0-9,]*\})\+|\(\?>", lexicon.lexicon().expression.pattern)
