"""The version of the suite, which is not that of the checker."""

from __future__ import annotations

from pathlib import Path

from gradual.resources import folder

FILE = "conformance/VERSION"


def suite_version(spec: Path | None = None) -> str:
    """The version of the suite in a folder, or "" if the folder's suite has none; by default of this installation."""
    path = (spec or folder("spec")) / FILE
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""
