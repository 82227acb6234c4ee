"""What becomes of ONNX's own tests of operators is written down, and no result is another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.node_tests import outcomes

LISTED = Path(__file__).with_name("node_tests.txt")


@pytest.mark.slow
def test_every_test_of_a_node_ends_as_it_is_listed() -> None:
    """A test that is not listed gives what ONNX expects; the others are refused, rejected or stopped."""
    listed = dict(line.split() for line in LISTED.read_text().splitlines() if line and not line.startswith("#"))
    found = {one.name: one.kind for one in outcomes() if one.kind != "agrees"}
    assert found == listed
    assert "differs" not in listed.values()
