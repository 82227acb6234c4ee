"""The grammar has no conflict, every rule has its builder, and our loop reads as Lark's own parser does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lark import Lark, Token
from lark.exceptions import UnexpectedToken

from gradual.resources import folder
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.parsing import tables as kept
from gradual.syntax.parsing.build import LISTS, NODES, ROWS
from gradual.syntax.parsing.lexer import END, ERROR, Lexer
from gradual.syntax.parsing.lexicon import lexicon
from gradual.syntax.parsing.metadata import NO_METADATA
from tests.syntax.corpus import needs_programs, programs

GRAMMAR = (folder("grammar") / "gradual.lark").read_text()
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lark() -> Lark:
    """Lark's own parser; in its strict mode it refuses every conflict."""
    return kept.compiled(GRAMMAR)


def test_the_grammar_has_no_conflict(lark: Lark) -> None:
    assert lark.options.strict


def test_every_rule_has_one_builder_and_every_builder_a_rule() -> None:
    named = [name for builders in (NODES, ROWS, LISTS) for name in builders]
    rules = {production.builder for production in kept.tables().productions} - {None, kept.REPETITION}
    assert len(named) == len(set(named)) and set(named) == rules


def test_every_symbol_has_a_number_and_every_terminal_a_way_to_be_read() -> None:
    read = {
        *lexicon().alternatives,
        *(kept.tables().symbols[k] for k in (*lexicon().words.values(), *lexicon().signs.values())),
    }
    assert {terminal.name for terminal in kept.tables().terminals} <= read


def accepted_by_lark(lark: Lark, text: str) -> bool:
    """Whether Lark's parser takes the lexer's tokens, whole phrases spelled out."""
    symbols = kept.tables().symbols
    parser = lark.parse_interactive(start="module")
    phrases = {
        "attribute": ("NAME", "BECOMES", "NUMBER"),
        "tensor_type": ("TENSOR", "LPAR", "NUMBER", "RPAR", "COMMA", "NAME", "RSQB"),
    }
    try:
        for kind, _, _, _ in Lexer(text, NO_METADATA).tokens():
            if kind == ERROR:
                return False
            for name in phrases.get(symbols[kind], (symbols[kind],)) if kind != END else ("$END",):
                parser.feed_token(Token(name, ""))
    except UnexpectedToken:
        return False
    return True


PROGRAMS = [
    "",
    "def @f() { 1 }",
    "def @f() { 1 ",
    "f(%x, a=1, [n // 2])",
    "f(a=1, %x)",
    "if (%c) { 1 } else if (%d) { 2 } else { 3 }",
    "if n then m else k as int32",
    "fn (%x: fn (A) -> fn (B) -> C where n > 0, %y) -> fn (A) -> B where m > 0 { %x }",
    "fn (%x: (A, B,)) { match (%x) { Cons(_, %y: A) => 1, (%z) => { 2 }, } }",
    "type T { A(B), C } extern type S type R[A] operator f<n>() -> A; operator g() -> A where n { 1 }",
    "let %x = let %y = 1; %0 = 2; 3; %0 = 4; %x",
    "1 2",
    "(%x; 1, 2;)",
    "{ { 1 } }(2).0",
    "- - not not %x",
    "not - %x and 1",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_our_loop_takes_what_lark_takes(lark: Lark, text: str) -> None:
    ours = not [error for error in parse(Source("test.relay", text))[1] if error.code != "E0104"]
    assert ours == accepted_by_lark(lark, text)


@needs_programs
def test_lark_takes_the_recorded_programs_too(lark: Lark) -> None:
    for name, text in list(programs())[::10]:
        assert accepted_by_lark(lark, text), name


# ------------------------------------------------------------------------------------------------- keeping
def start(cache: Path, **environment: str) -> str:
    """Parses in a fresh process and tells whether Lark was needed."""
    code = (
        "import sys; from gradual.source import Source; from gradual.syntax.parse import parse;"
        "assert not parse(Source('x', 'def @f() { 1 }'))[1]; print('lark' in sys.modules)"
    )
    clean: dict[str, Any] = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run([sys.executable, "-c", code], env=clean, capture_output=True, text=True, cwd=cache.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the cache folder has another name there")
def test_tables_are_kept_made_again_when_broken_and_not_missed_where_nothing_can_be_kept(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert start(cache) == "True"
    assert start(cache) == "False"
    (stored,) = (cache / "gradual").iterdir()
    whole = stored.read_bytes()
    stored.write_bytes(whole[: len(whole) // 2])
    assert start(cache) == "True" and start(cache) == "False"
    stored.write_bytes(b"\xff\xfe")
    assert start(cache) == "True"
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder would be")
    assert start(blocked) == "True"
