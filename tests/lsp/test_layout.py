"""Formatting in an editor breaks lines as `gradual fmt` does in the same folder."""

from __future__ import annotations

from pathlib import Path

from gradual.tools.lsp import features
from gradual.tools.lsp.document import Document
from gradual.tools.lsp.server import Server

WIDE = "def @f(%x: int32) {\n  add(%x, multiply(%x, %x))\n}\n"


def test_lines_are_as_long_as_the_configuration_says(tmp_path: Path) -> None:
    uri = (tmp_path / "a.relay").as_uri()
    assert features.format_edits(Document(uri, WIDE, 1), Server().settings(uri).line_length) == []
    (tmp_path / "gradual.toml").write_text("line-length = 24\n")
    (edit,) = features.format_edits(Document(uri, WIDE, 1), Server().settings(uri).line_length)
    assert edit.new_text == "def @f(%x: int32) {\n  add(\n    %x,\n    multiply(%x, %x)\n  )\n}\n"
