"""What becomes of ONNX's own tests of operators is written down, and no result is another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.node_tests import cases, outcome
from tests.thorough import sample

LISTED = Path(__file__).with_name("node_tests.txt")


@pytest.mark.slow
def test_every_test_of_a_node_ends_as_it_is_listed() -> None:
    """A test that is not listed gives what ONNX expects; the others are refused, rejected or stopped."""
    listed = dict(line.split() for line in LISTED.read_text().splitlines() if line and not line.startswith("#"))
    names = sample(sorted(cases()), of=3)
    found = {name: outcome(cases()[name]).kind for name in names}
    assert found == {name: listed.get(name, "agrees") for name in names}
    assert listed.keys() <= cases().keys()
    assert "differs" not in listed.values()
