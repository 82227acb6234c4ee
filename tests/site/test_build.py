"""The site is built without a warning, and no page fetches anything from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.material import ROOT

pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
pytest.importorskip("material", reason="the extra `docs` is not installed")

LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=\"?((?:https?:)?//[^\"\s>]+)")


@pytest.mark.slow
@pytest.mark.rest  # the gate builds the site itself
def test_the_site_is_built_strictly_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(tmp_path).as_posix(): path.read_text("utf-8") for path in tmp_path.rglob("*.html")}
    for place in ("", "playground/", "reference/operators/linear/", "reference/codes/E0302/", "spec/06-typing/"):
        assert f"{place}index.html" in pages
    assert {place: found for place, text in pages.items() if (found := LOADED.findall(text))} == {}
    styles = [path for path in tmp_path.rglob("*.css") if "url(http" in path.read_text("utf-8")]
    assert styles == []
