"""Every feature has an answer at every place of every text."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from gradual.source import Span
from gradual.tools.lsp import features
from gradual.tools.lsp.answers import calls
from gradual.tools.lsp.answers.actions import fixes
from gradual.tools.lsp.answers.diagnostics import Pages, diagnostics
from gradual.tools.lsp.answers.folding import folds
from gradual.tools.lsp.checking import Checker
from gradual.tools.lsp.document import Document

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.relay"))
JUNK = ["", "%", "@", "def @f(", "\x00", "𝕏", "def @f(%x: Tensor[(n", "type T { A", "#[metadata]\n{", "}\n}\n", "/* "]


def ask_everything(text: str, draw: Random, places: int) -> None:
    document = Document("file:///a.relay", text, 1)
    found = Checker().check(document)
    whole = Span(0, len(text))
    diagnostics(document, found, Pages())
    list(fixes(document, (*found.diagnostics, *found.checks), whole, Pages()))
    for fold in folds(document):
        assert 0 <= fold.start_line < fold.end_line <= text.count("\n")
    features.hints(document, found, whole)
    features.symbols(document)
    features.format_edits(document, 100)
    assert len(features.tokens(document)) == 5 * len(document.names.occurrences)
    for _ in range(places):
        offset = draw.randrange(len(text) + 1)
        assert document.offset(*document.place(offset)) == offset
        features.hover(document, found, offset)
        features.definition(document, offset)
        features.references(document, offset, True)
        features.renamable(document, offset)
        features.completions(document, found, offset)
        features.signature_help(document, found, offset)
        if calls.item_at(document, offset) is not None:
            calls.incoming(document, offset)
            calls.outgoing(document, offset)
        with suppress(features.NoName):
            features.rename(document, offset, draw.choice(["y", "%z", "@g", "1", "", "é"]))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_in_every_example(path: Path) -> None:
    ask_everything(path.read_text(), Random(path.stem), 30)


@pytest.mark.parametrize("seed", range(30))
def test_in_a_text_that_is_being_written(seed: int) -> None:
    draw = Random(seed)
    text = draw.choice(EXAMPLES).read_text()
    start = draw.randrange(len(text))
    end = min(len(text), start + draw.randrange(40))
    ask_everything(text[:start] + draw.choice(JUNK) + draw.choice([text[end:], ""]), draw, 12)


def test_a_name_that_is_given_means_what_the_old_one_meant() -> None:
    """After each renaming of an example every name stands for what it stood for."""
    for path in EXAMPLES:
        document = Document("file:///a.relay", path.read_text(), 1)
        for symbol in document.names.symbols:
            assert symbol.span is not None
            sigil = symbol.name[0] if symbol.name[0] in "%@" else ""
            edit = features.rename(document, symbol.span.start, f"{sigil}renamed")
            assert edit is not None and edit.changes is not None
            text = document.text
            for one in sorted(
                edit.changes[document.uri], key=lambda one: (-one.range.start.line, -one.range.start.character)
            ):
                start, end = (document.offset(at.line, at.character) for at in (one.range.start, one.range.end))
                text = text[:start] + one.new_text + text[end:]
            after = Document("file:///a.relay", text, 2)
            before = [document.names.symbols.index(use.symbol) for use in document.names.occurrences if use.symbol.span]
            assert [
                after.names.symbols.index(use.symbol) for use in after.names.occurrences if use.symbol.span
            ] == before
