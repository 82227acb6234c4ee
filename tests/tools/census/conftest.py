"""Files for a census, and its rows."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.tools.test_check import NEVER, PROVED, RESIDUAL
from tests.tools.test_check_many import model

FILES = {
    "proved.relay": (PROVED.encode(), "ok"),
    "residual.relay": (RESIDUAL.encode(), "ok"),
    "refuted.relay": (NEVER.encode(), "errors"),
    "good.onnx": (model("Relu"), "ok"),
    "junk.onnx": (b"no model", "unreadable"),
    "unknown.onnx": (model("Unheard", "com.microsoft"), "unsupported"),
}
"""Name -> content and outcome."""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a file for each ordinary outcome."""
    for name, (data, _) in FILES.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def copies(folder: Path, count: int) -> list[str]:
    """Many small programs and models with distinct names."""
    folder.mkdir()
    names = [f"{k:03}{Path(name).suffix}" for k, name in zip(range(count), list(FILES) * count, strict=False)]
    for name, (data, _) in zip(names, list(FILES.values()) * count, strict=False):
        (folder / name).write_bytes(data)
    return [f"{folder.name}/{name}" for name in names]


def hungry(path: Path) -> None:
    """Write a file whose check takes more memory than 150 MB; it takes no space on the disk."""
    with path.open("wb") as stream:
        os.truncate(stream.fileno(), 120 << 20)


def endless(path: Path) -> None:
    """Write a file that never comes to an end."""
    os.mkfifo(path)


def rows_of(journal: Path) -> list[dict[str, Any]]:
    """The rows of a journal; a row that was not written to its end is left out."""
    lines = journal.read_bytes().split(b"\n") if journal.exists() else [b""]
    return [json.loads(line) for line in lines[:-1]]
