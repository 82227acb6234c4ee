"""Programs of a first day: what an expert would say about each, and the whole report as it is printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.tools.conftest import Gradual

PAGES = sorted((Path(__file__).parent / "ordinary").glob("*.md"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_report_is_its_transcript(gradual: Gradual, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    blocks = dict(FENCE.findall(text))
    Path(f"{path.stem}.relay").write_text(blocks["relay"], encoding="utf-8")
    first, _, output = blocks["console"].partition("\n")
    done = gradual(*shlex.split(first.removeprefix("$ gradual ")))
    assert f"{done.out}$ echo $?\n{done.code}\n" == output
    assert done.err == ""
    accepted = "An expert would say: Accepted" in text
    assert accepted == (done.code == 0)
