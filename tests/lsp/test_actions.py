"""Quick fixes: helps, comments that allow a warning, and all safe helps at once."""

from __future__ import annotations

import re

import pytest
from lsprotocol import types as lsp

from gradual.compiler import compile_source
from gradual.interface.input.allowed import allowed, allowing
from gradual.limits import ORDINARY
from gradual.source import Source, Span
from gradual.tools.lsp.answers.actions import FIX_ALL, fix_all, fixes, is_wanted
from gradual.tools.lsp.answers.diagnostics import Pages
from gradual.tools.lsp.checking import Checker
from gradual.tools.lsp.document import Document

LOSS = "def @f(%x: Tensor[(b, 1), float32], %y: Tensor[(b,), float32], %z: float32) { %x - %y }"
PLACES = (
    LOSS,
    f"{LOSS} // a reason",
    f"  {LOSS} /* a\nreason */",
    f"// a file\n\n{LOSS}  // gradual: allow unused",
    f"def @first() {{ 1 }}\n  // gradual: allow unused -- a reason\n  {LOSS}",
    f"{LOSS}\r\n// gradual: allow unused\r\n",
    f"def @first() {{ 1 }}\n\t{LOSS} // 😀",
)


def edited(document: Document, action: lsp.CodeAction) -> str:
    assert action.edit is not None and action.edit.changes is not None
    text = document.text
    for one in sorted(action.edit.changes[document.uri], key=lambda edit: edit.range.start, reverse=True):
        start, end = (document.offset(at.line, at.character) for at in (one.range.start, one.range.end))
        text = text[:start] + one.new_text + text[end:]  # type: ignore[union-attr]
    return text


def actions(text: str) -> tuple[Document, list[lsp.CodeAction]]:
    document = Document("file:///a.relay", text, 1)
    found = Checker().check(document)
    return document, list(fixes(document, (*found.diagnostics, *found.checks), Span(0, len(text)), Pages()))


@pytest.mark.parametrize("text", PLACES)
def test_a_comment_allows_the_warning_and_nothing_but_a_comment_is_changed(text: str) -> None:
    document, offered = actions(text)
    action = next(one for one in offered if "E0801" in one.title)
    after = Source("a", edited(document, action))
    found = [*compile_source(after).diagnostics, *compile_source(after).lints()]
    assert "E0801" in {one.code for one in found}
    assert "E0801" not in {one.code for one in allowed(after).kept(after, found)}
    assert not allowed(after).unknown
    removed = re.sub(r"(//)? gradual: allow E0801( --)?|, E0801", "", after.text)
    assert removed.replace("//", "").split() == text.replace("//", "").split()


def test_only_what_has_a_level_can_be_allowed() -> None:
    _, offered = actions("def @f(%x: Tensor[(n, 3), float32], %y: Tensor[(n, 4), float32]) { add(%x, %y) }")
    assert [one.title for one in offered if "allow" in one.title] == []


def test_another_comment_of_the_line_becomes_the_reason() -> None:
    text = "def @first() { 1 }\n  %x // a"
    assert allowing(Source("a", text), "E0801", text.index("%x")) == (26, " gradual: allow E0801 --")


def test_all_safe_helps_are_applied_by_one_action() -> None:
    row = "concatenate(%x, %x, axis=0)"
    text = f"def @f(%x: Tensor[(2, 3), float32]) {{ ({row}, {row}) }} // 😀"
    document = Document("file:///a.relay", text, 1)
    (action,) = fix_all(document, ORDINARY)
    assert action.kind == FIX_ALL
    assert edited(document, action) == text.replace("%x, %x", "(%x, %x)")
    assert list(fix_all(Document("file:///a.relay", edited(document, action), 1), ORDINARY)) == []


def test_an_editor_chooses_kinds_of_actions() -> None:
    assert is_wanted(FIX_ALL, None)
    assert is_wanted(FIX_ALL, [lsp.CodeActionKind.SourceFixAll]) and is_wanted(FIX_ALL, ["source"])
    assert not is_wanted(FIX_ALL, ["quickfix"]) and not is_wanted(FIX_ALL, ["source.fix"])
