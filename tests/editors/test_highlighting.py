"""The lexer for Pygments keeps every text, colours every token, and takes its words from the parser's tables."""

from __future__ import annotations

import random
import tomllib
from importlib.metadata import EntryPoint
from io import StringIO

import pytest
from pygments import lex
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String
from rich.console import Console
from rich.syntax import Syntax

from gradual.ops.catalogue import CATALOGUE
from gradual.syntax.parsing.lexicon import lexicon
from gradual.tools.highlighting import Piece, RelayLexer
from gradual.types.dtype import DType
from tests.editors.accepted import ROOT, own

PROGRAM = """\
#[version = "0.0.5"]
def @f[n](%x: Tensor[(n // 2, ?), float32], stride=1) -> Tensor[*, int8] where n > 0 { // 2
  let %y = nn.dense(%x, units=None, type = 3, padding=[1, -1]);
  where(%y, True, inff) as List /* or */ ; match? (%0.1) { Cons(%input.1: A) => "%z" }
}
"""


def pieces(text: str) -> list[Piece]:
    """The pieces of a text, which has no gaps between them."""
    found = list(RelayLexer().get_tokens_unprocessed(text))
    assert "".join(piece for _, _, piece in found) == text
    assert [at for at, _, _ in found] == [sum(len(piece) for _, _, piece in found[:k]) for k in range(len(found))]
    return found


def test_each_piece_has_its_colour() -> None:
    kinds = {piece: kind for _, kind, piece in pieces(PROGRAM) if piece.strip()}
    expected = {
        Comment.Preproc: ['#[version = "0.0.5"]'],
        Comment.Single: ["// 2"],
        Comment.Multiline: ["/* or */"],
        Keyword.Declaration: ["def", "let"],
        Keyword: ["as", "match?"],
        Keyword.Type: ["Tensor", "float32", "int8"],
        Keyword.Constant: ["True", "inff"],
        Name.Function: ["@f"],
        Name.Variable: ["%x", "%y", "%0", "%input.1"],
        Name.Attribute: ["stride", "units", "type", "padding"],
        Name.Builtin: ["nn.dense", "where"],
        Name: ["n", "None", "List", "Cons", "A"],
        Number: ["2", "1", "3", "-1", "0", ".1"],
        Operator: ["//", "?", "->", "*", ">", "=", "=>"],
        Punctuation: ["[", "]", "(", ")", "{", "}", ",", ";", ":"],
        String: ['"%z"'],
    }
    assert kinds == {piece: kind for kind, words in expected.items() for piece in words}


def test_no_token_of_an_accepted_program_is_an_error() -> None:
    programs = own(10)
    assert len(programs) > 150
    assert [name for name, text in programs if any(kind is Error for _, kind, _ in pieces(text))] == []


def test_a_broken_text_is_kept() -> None:
    chance = random.Random(0)
    for _ in range(300):
        letters = list(PROGRAM)
        for _ in range(chance.randrange(1, 9)):
            letters[chance.randrange(len(letters))] = chance.choice('"/*#%@[](){}\\\r\n\t\f\ufeffé🐍?.~')
        pieces("".join(letters))


def test_an_unknown_sign_is_an_error() -> None:
    assert [piece for _, kind, piece in pieces('f(~ 1) "') if kind is Error] == ["~", '"']


def test_words_come_from_the_tables() -> None:
    before = {"operator": "", "assert": "", "": "%x "}
    for word in lexicon().words:
        kind = pieces(f"{before.get(word, before[''])}{word} f")[-3][1]
        assert kind in Keyword or kind is Operator.Word, word
    assert all(pieces(name)[0][1] is Name.Builtin for name in CATALOGUE if name not in lexicon().words)
    assert all(pieces(str(dtype))[0][1] is Keyword.Type for dtype in DType)


def test_the_project_offers_the_lexer_to_pygments() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ((name, value),) = project["entry-points"]["pygments.lexers"].items()
    assert EntryPoint(name, value, "pygments.lexers").load() is RelayLexer
    assert name in RelayLexer.aliases


@pytest.mark.parametrize("text", [PROGRAM, PROGRAM.replace("\n", "\r\n"), ""])
def test_pygments_changes_line_ends_only(text: str) -> None:
    lexer = RelayLexer(stripnl=False, ensurenl=False)
    assert "".join(piece for _, piece in lex(text, lexer)) == text.replace("\r\n", "\n")


def test_rich_shows_a_program_in_colour() -> None:
    console = Console(force_terminal=True, color_system="truecolor", width=120, record=True, file=StringIO())
    console.print(Syntax(PROGRAM, RelayLexer()))
    assert PROGRAM.strip() in "\n".join(line.rstrip() for line in console.export_text(clear=False).split("\n"))
    assert console.export_text(styles=True).count("\x1b[") > 50
