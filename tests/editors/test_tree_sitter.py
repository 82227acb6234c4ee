"""The tree-sitter grammar reads what the parser accepts, to the same operations and comments."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gradual.syntax.parsing.lexer import LITERAL_WORDS
from gradual.syntax.parsing.lexicon import lexicon
from tests.editors.accepted import own
from tests.editors.agreement import FOLDER, OTHER_TREES, compiled, difference

COMPILER = shutil.which("cc")
CLI = shutil.which("tree-sitter")
VERSION = "tree-sitter 0.22"
"""The version that made the committed parser; each makes another text."""


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """tree-sitter's parser for the language."""
    pytest.importorskip("tree_sitter", reason="needs the package tree-sitter")
    if COMPILER is None:
        pytest.skip("needs a C compiler, `cc`")
    return compiled(tmp_path_factory.mktemp("relay"), COMPILER)


def test_every_tenth_program_has_the_same_operations_and_comments(parser: Any) -> None:
    programs = [(name, text) for name, text in own(10) if name not in OTHER_TREES]
    assert len(programs) > 150
    assert {name: found for name, text in programs if (found := difference(parser, text)) is not None} == {}


@pytest.mark.parametrize(
    "text",
    ["def @f() { }", "def @f() { 1 // 2", "def @f( { 1 }", "let %x = ;", "f(%x a=1)", '"\n"', "/* /* */", "%x as"],
)
def test_a_text_that_is_no_program_has_an_error(parser: Any, text: str) -> None:
    assert parser.parse(text.encode()).root_node.has_error


def test_an_error_leaves_the_other_definitions_readable(parser: Any) -> None:
    text = b"def @f(%x: A) { %x }\ndef @g(%x A) { let = 1; (%x }\ndef @h(%x: A) { %x }\n"
    root = parser.parse(text).root_node
    read = [one for one in root.children if one.type == "function_definition" and not one.has_error]
    assert [one.child_by_field_name("name").text for one in read] == [b"@f", b"@h"]


def test_the_committed_parser_is_made_from_the_grammar(tmp_path: Path) -> None:
    if CLI is None or not subprocess.check_output([CLI, "--version"], text=True).startswith(VERSION):
        pytest.skip(f"needs the command {VERSION}")
    copied = shutil.copytree(FOLDER, tmp_path / "relay", ignore=shutil.ignore_patterns("node_modules"))
    subprocess.run([CLI, "generate", "--no-bindings"], cwd=copied, check=True, capture_output=True)
    for name in ("grammar.json", "node-types.json", "parser.c"):
        assert (copied / "src" / name).read_text("utf-8") == (FOLDER / "src" / name).read_text("utf-8")


GRAMMAR = json.loads((FOLDER / "src" / "grammar.json").read_text("utf-8"))
VALUES = ("number", "boolean", "hole")
"""The rules whose literal texts are values, coloured by the name of the rule."""


def strings(rule: Any) -> set[str]:
    """The literal texts of a rule; one that has another name is none."""
    match rule:
        case {"type": "ALIAS", "named": True}:
            return set()
        case {"type": "STRING", "value": str(value)}:
            return {value}
        case {"type": "ALIAS", "value": str(value)}:
            return {value}
        case {"members": list(members)}:
            return {word for member in members for word in strings(member)}
        case {"content": dict(content)}:
            return strings(content)
    return set()


LITERALS = {word for name, rule in GRAMMAR["rules"].items() if name not in VALUES for word in strings(rule)} - {"name"}


def test_the_words_are_those_of_the_parser() -> None:
    words = {*lexicon().words, *lexicon().signs, "Tensor"}
    assert words - {"?"} == LITERALS
    assert strings(GRAMMAR["rules"]["number"]) | strings(GRAMMAR["rules"]["boolean"]) == LITERAL_WORDS


def test_the_query_colours_every_word_and_sign_once() -> None:
    text = (FOLDER / "queries" / "highlights.scm").read_text("utf-8")
    code = re.sub(r'^;.*$|\(#match\?.*?\)|\(instance "\["', "", text, flags=re.MULTILINE)
    coloured = re.findall(r'"([^"]+)"', code)
    assert sorted(coloured) == sorted(LITERALS)
