"""Requests about whole texts and folders, by an editor that asks for diagnostics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.lsp.editor import PULLS, Editor

TEXT = """\
// one
// two
def @f(%x: Tensor[(?, 3), float32],
       %b: float32) {
  /* a
     b */
  let %y = if (True) {
    %x
  } else { %x };
  add(%y, ones(shape=[2, 3], dtype="float32"))
}
def @g(%x: Tensor[(?, 3), float32]) { /* 😀 */ @f(%x, 1f) }
type Kind { First, Second }
def @pick(%k: Kind, %x: Tensor[(4, 3), float32]) {
  match (%k) {
    First => @f(%x, 2f),
    Second => @g(%x)
  }
}
"""
OTHER = """\
def @loss(%x: Tensor[(b, 1), float32], %y: Tensor[(b,), float32]) { %x - %y }
"""

Files = tuple[Editor, Path]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    folder = tmp_path_factory.mktemp("programs")
    (folder / ".hidden").mkdir()
    for name in ("other.relay", ".hidden/old.relay"):
        (folder / name).write_text(OTHER, encoding="utf-8")
    site = {"documentation": "https://docs.example"}
    with Editor((folder / "a.relay").as_uri(), PULLS, folder, site) as editor:
        editor.write(TEXT)
        yield editor, folder


pytestmark = pytest.mark.slow


def places(found: list[lsp.Range]) -> list[str]:
    return [str(one) for one in found]


def test_an_editor_that_asks_for_diagnostics_gets_each_once_and_none_unasked(files: Files) -> None:
    editor, folder = files
    first = editor.pulled()
    assert isinstance(first, lsp.RelatedFullDocumentDiagnosticReport)
    assert {"E0401", "E0802"} <= {one.code for one in first.items}
    again = editor.pulled(first.result_id)
    assert isinstance(again, lsp.RelatedUnchangedDocumentDiagnosticReport)
    assert again.result_id == first.result_id
    (folder / "gradual.toml").write_text('allow = ["lints"]\n', encoding="utf-8")
    assert "E0802" not in editor.codes()
    (folder / "gradual.toml").unlink()
    assert "E0802" in editor.codes()
    assert editor.published == []


def test_columns_are_counted_in_utf_16_whatever_the_editor_prefers(files: Files) -> None:
    editor, _ = files
    assert editor.server.position_encoding == lsp.PositionEncodingKind.Utf16
    item = lsp.CallHierarchyPrepareParams(editor.text, lsp.Position(11, 49))
    found = editor.run(editor.client.text_document_prepare_call_hierarchy_async(item))
    assert found is not None and [one.name for one in found] == ["@f"]


def test_a_code_links_to_its_page(files: Files) -> None:
    found = files[0].pulled()
    assert isinstance(found, lsp.RelatedFullDocumentDiagnosticReport)
    links = {one.code: one.code_description and one.code_description.href for one in found.items}
    assert links == {code: f"https://docs.example/reference/codes/{code}/" for code in links}


def test_the_programs_of_the_folders_are_checked_once_until_they_change(files: Files) -> None:
    editor, folder = files
    asked = lsp.WorkspaceDiagnosticParams([])
    found = editor.run(editor.client.workspace_diagnostic_async(asked)).items
    (report,) = found  # the open text has no file yet
    assert isinstance(report, lsp.WorkspaceFullDocumentDiagnosticReport)
    assert (report.uri, [one.code for one in report.items]) == ((folder / "other.relay").as_uri(), ["E0801"])
    known = [lsp.PreviousResultId(report.uri, report.result_id or "")]
    (same,) = editor.run(editor.client.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams(known))).items
    assert isinstance(same, lsp.WorkspaceUnchangedDocumentDiagnosticReport)
    (folder / "other.relay").write_text(OTHER.replace("%x - %y", "%x - %z"), encoding="utf-8")
    (changed,) = editor.run(editor.client.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams(known))).items
    assert isinstance(changed, lsp.WorkspaceFullDocumentDiagnosticReport)
    assert [one.code for one in changed.items] == ["E0202"]
    (folder / "other.relay").write_text(OTHER, encoding="utf-8")


def test_the_definitions_of_all_folders_are_found_by_their_letters(files: Files) -> None:
    editor, _ = files

    def named(query: str) -> list[tuple[str, str]]:
        found = editor.run(editor.client.workspace_symbol_async(lsp.WorkspaceSymbolParams(query)))
        return [(one.name, Path(one.location.uri).name) for one in found or ()]

    assert named("LS") == [("@loss", "other.relay")]
    assert named("s") == [("First", "a.relay"), ("Second", "a.relay"), ("@loss", "other.relay")]
    assert len(named("")) == 7


def test_definitions_blocks_matches_and_comments_are_folded(files: Files) -> None:
    editor, _ = files
    found = editor.run(editor.client.text_document_folding_range_async(lsp.FoldingRangeParams(editor.text)))
    assert [(one.start_line, one.end_line, one.kind) for one in found or ()] == [
        (0, 1, lsp.FoldingRangeKind.Comment),
        (2, 9, None),
        (3, 9, None),
        (4, 5, lsp.FoldingRangeKind.Comment),
        (6, 7, None),
        (13, 17, None),
        (14, 16, None),
    ]


def test_calls_go_both_ways(files: Files) -> None:
    editor, _ = files

    def item(line: int) -> lsp.CallHierarchyItem:
        asked = lsp.CallHierarchyPrepareParams(editor.text, lsp.Position(line, 5))
        (found,) = editor.run(editor.client.text_document_prepare_call_hierarchy_async(asked)) or ()
        return found

    ask = lsp.CallHierarchyIncomingCallsParams(item(2))
    callers = editor.run(editor.client.call_hierarchy_incoming_calls_async(ask)) or ()
    assert [(one.from_.name, places(list(one.from_ranges))) for one in callers] == [
        ("@g", ["11:47-11:49"]),
        ("@pick", ["15:13-15:15"]),
    ]
    asked = lsp.CallHierarchyOutgoingCallsParams(item(13))
    called = editor.run(editor.client.call_hierarchy_outgoing_calls_async(asked)) or ()
    assert [(one.to.name, places(list(one.from_ranges))) for one in called] == [
        ("@f", ["15:13-15:15"]),
        ("@g", ["16:14-16:16"]),
    ]
