"""A model checked from the editor."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.lsp.client import Client
from tests.material import EXPORTS, needs_exports


@needs_exports
@pytest.mark.slow
def test_a_model_s_diagnostics_are_in_the_user_s_file(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "out").mkdir()
    source = tmp_path / "model" / "zoo.py"
    source.write_text("\n" * 80)
    model = shutil.copy(EXPORTS / "positions.pt2", tmp_path / "out")
    with Client() as client:
        totals = client.ask("workspace/executeCommand", {"command": "gradual.checkModel", "arguments": [str(model)]})
        assert totals.startswith("proved 1")
        (found,) = client.published
        assert found["uri"] == source.as_uri()
        (error,) = found["diagnostics"]
        assert error["code"] == "E0302"
        assert error["range"]["start"]["line"] == 66
        assert "fails for i_1 = 17" in error["message"]


@pytest.mark.slow
def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    path = tmp_path / "broken.pt2"
    path.write_bytes(b"PK")
    with Client() as client:
        command = {"command": "gradual.checkModel", "arguments": [str(path)]}
        assert "is not a PyTorch export" in client.ask("workspace/executeCommand", command)
        assert client.published == []
