"""What is printed reads back as the same tree, and is already formatted."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.printing.format import formatted
from gradual.syntax.printing.print import printed
from gradual.syntax.tree import ast
from tests.generators import syntax as trees
from tests.syntax.structure import structure
from tests.thorough import examples

few = settings(examples(20), suppress_health_check=list(HealthCheck))


def read(text: str) -> ast.Module:
    module, diagnostics = parse(Source("test.relay", text))
    assert not diagnostics, (diagnostics, text)
    return module


@few
@given(trees.modules())
def test_a_printed_module_reads_back_as_itself(module: ast.Module) -> None:
    text = printed(module)
    assert structure(read(text)) == structure(module), text


@few
@given(trees.modules())
def test_a_printed_module_is_already_formatted(module: ast.Module) -> None:
    text = printed(module)
    assert formatted(Source("test.relay", text), None) == text


@few
@given(trees.modules(), st.sampled_from((20, 40, 60, 100, None)), st.integers(0, 2**32))
def test_a_formatted_text_is_already_formatted_at_every_width(module: ast.Module, width: int | None, seed: int) -> None:
    """Also where comments stand between its tokens."""
    text = commented(printed(module), seed)
    meant, flaws = parse(Source("test.relay", text))
    if flaws:
        return
    once = formatted(Source("test.relay", text), width)
    assert structure(read(once)) == structure(meant)
    assert formatted(Source("test.relay", once), width) == once
    assert once.count("/* c */") == text.count("/* c */") and once.count("// c") == text.count("// c")


def commented(text: str, seed: int) -> str:
    """A text with comments at some of its blanks, and after some of its brackets and commas."""
    drawn = Random(seed)
    chosen = (" ", " ", " ", " /* c */ ", " /* c */\n", "\n/* c */ ", " // c\n", "\n// c\n")
    words = re.split(r'("(?:[^"\\\n]|\\.)*"|[ \n]+|(?<=[(),;\[\]]))', text)
    return "".join(drawn.choice(chosen) if not word.strip() and drawn.random() < 0.2 else word for word in words)


@few
@given(trees.expressions())
def test_a_printed_expression_reads_back_where_an_expression_stands(expression: Any) -> None:
    (definition,) = read(f"def @f() {{ {printed(expression)} }}").definitions
    assert isinstance(definition, ast.Def) and isinstance(definition.function.body, ast.Block)
    assert structure(definition.function.body.result) == structure(expression)


@few
@given(trees.types())
def test_a_printed_type_reads_back_where_a_type_stands(written: ast.Type) -> None:
    (definition,) = read(f"def @f(%x: {printed(written)}) {{ %x }}").definitions
    assert isinstance(definition, ast.Def)
    assert structure(definition.function.params[0].annotation) == structure(written)


@few
@given(trees.patterns())
def test_a_printed_pattern_reads_back_where_a_pattern_stands(pattern: ast.Pattern) -> None:
    (definition,) = read(f"def @f(%x) {{ match (%x) {{ {printed(pattern)} => %x }} }}").definitions
    assert isinstance(definition, ast.Def) and isinstance(definition.function.body, ast.Block)
    match definition.function.body.result:
        case ast.Match(arms=(ast.Arm(pattern=found),)):
            assert structure(found) == structure(pattern)


@few
@given(trees.modules(), st.integers(0, 2**32))
def test_layout_alone_never_changes_a_program(module: ast.Module, seed: int) -> None:
    """Every blank of a printed program may be any blank, or a comment."""
    blanks = (" ", "  ", "\n", "\t", " /* c */ ", " /* a /* b */ */\n", "\r\n")
    text = printed(module)
    out, quoted = [], False
    for place, letter in enumerate(text):
        quoted ^= letter == '"' and text[place - 1] != "\\"
        out.append(blanks[(seed >> (place % 29)) % len(blanks)] if letter == " " and not quoted else letter)
    scattered = "".join(out)
    if not module.settings and module.version is None:
        assert structure(read(scattered)) == structure(module), scattered
        assert structure(read(formatted(Source("test.relay", scattered)))) == structure(module)
