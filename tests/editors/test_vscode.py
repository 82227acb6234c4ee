"""The extension's files, as far as they can be tested without Node: its words, its snippets, its paths."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from gradual.syntax.parsing.lexer import LITERAL_WORDS
from gradual.syntax.parsing.lexicon import lexicon
from gradual.tools.highlighting import RelayLexer
from gradual.tools.lsp.server import CHECK_MODEL
from gradual.types.dtype import DType
from tests.editors.accepted import ROOT, is_accepted

FOLDER = ROOT / "editors" / "vscode"


def read(name: str) -> Any:
    """A file of JSON."""
    return json.loads((FOLDER / name).read_text("utf-8"))


PACKAGE = read("package.json")
SNIPPETS = read("snippets/relay.json")
PATTERNS = [
    one.get("match", one.get("begin", ""))
    for one in read("syntaxes/relay.tmLanguage.json")["repository"]["tokens"]["patterns"]
]


def expanded(snippet: dict[str, Any]) -> str:
    """A snippet with its default texts; the last place, which has none, is a variable."""
    body = snippet["body"]
    text = "\n".join(body) if isinstance(body, list) else body
    return re.sub(r"\$\{\d+:([^}]*)\}", r"\1", text).replace("$0", "")


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_is_a_program(name: str) -> None:
    text = expanded(SNIPPETS[name])
    assert any(map(is_accepted, (text, f"def @f() {{ {text} %x }}", f"def @f(%x: {text}) {{ %x }}"))), text


def test_every_file_that_the_package_names_is_there() -> None:
    contributes = PACKAGE["contributes"]
    named = [one["configuration"] for one in contributes["languages"]]
    named += [one["path"] for kind in ("grammars", "snippets") for one in contributes[kind]]
    assert [name for name in named if not isinstance(read(name), dict)] == []


def test_the_package_has_the_names_of_the_lexer() -> None:
    (language,) = PACKAGE["contributes"]["languages"]
    assert language["id"] in RelayLexer.aliases
    assert tuple(f"*{one}" for one in language["extensions"]) == RelayLexer.filenames


def test_the_command_of_the_server_is_not_taken_by_the_package() -> None:
    """The client registers the commands of the server itself, and VS Code refuses a second one of the same name."""
    assert CHECK_MODEL not in [one["command"] for one in PACKAGE["contributes"]["commands"]]
    assert CHECK_MODEL in (FOLDER / "src" / "extension.ts").read_text("utf-8")


def coloured(word: str) -> bool:
    """Whether a pattern of the TextMate grammar that lists words has this one, before or after an argument."""
    listed = [pattern for pattern in PATTERNS if "[A-Za-z_]" not in pattern and "[a-z_]" not in pattern]
    texts = (f" {word} ", f" {word}(", f" {word}[")
    found = [re.search(pattern, text) for pattern in listed for text in texts]
    return any(one is not None and one[0] == word for one in found)


def test_every_word_of_the_parser_has_a_colour() -> None:
    elsewhere = {"def", "operator", "extern", "type", "where", "assert"}  # with a name, or with a clause
    text = json.dumps(read("syntaxes/relay.tmLanguage.json"))
    words = [*lexicon().words, *LITERAL_WORDS, *map(str, DType), "Tensor", "match?"]
    assert [word for word in words if word not in elsewhere and not coloured(word)] == []
    assert [word for word in elsewhere if not re.search(rf"\b{word}\b", text)] == []
    assert not coloured("dense")


def test_emacs_colours_words_of_the_parser() -> None:
    text = (ROOT / "editors" / "emacs" / "relay-ts-mode.el").read_text("utf-8")
    ((words,),) = [re.findall(r'\[((?:"[^"]+"\s*)+)\] @font-lock-keyword-face', text)]
    assert set(re.findall(r'"([^"]+)"', words)) == {*lexicon().words, "match?"} - {"ref", "ref_read", "ref_write"}
