"""Marks are identities; what is refused has a reason."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradual
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.other.not_supported import REFUSED, listed, reason
from gradual.resources import folder
from gradual.types.type import FunctionType
from tests.generators.ops.marks import ROWS
from tests.material import SHARED
from tests.ops.oracle import compares, examples, judges, means, type_of


@pytest.mark.parametrize("name", ROWS)
@examples(50)
@given(data=st.data())
@compares(*ROWS)
def test_a_mark_hands_its_argument_on(name: str, data: st.DataObject) -> None:
    (value,) = data.draw(ROWS[name]).arguments
    assert means(name, value) is value
    assert judges(name, type_of(value)).result == type_of(value)


def test_a_function_is_not_marked() -> None:
    with pytest.raises(Exception, match="not a function"):
        judges("on_device", FunctionType((), (), type_of(())))


def test_nothing_is_both_an_operator_and_refused() -> None:
    refused = {name for name, _ in listed()}
    assert not refused & set(CATALOGUE)
    assert all(why[0].islower() and not why.endswith(".") for why in REFUSED.values())


RELAY = SHARED / "reference" / "relay-0.12.md"
NAMED = re.compile(r"^\* \*\*[^*:]+\*\*: (.+, .+)$", re.MULTILINE)
"""A group of the reference's list of Relay's operators; those with a shape function stand in bold."""


@pytest.mark.skipif(not RELAY.is_file(), reason="no reference/relay-0.12.md under GRADUAL_SHARED")
def test_every_operator_of_relay_is_here_or_refused() -> None:
    groups = NAMED.findall(RELAY.read_text("utf-8").partition("## 3. Op inventory")[2].partition("### 3.2")[0])
    names = {name.strip(" *") for group in groups for name in group.split(",")}
    assert len(names) == 301
    assert sorted(name for name in names if name not in CATALOGUE and reason(name) is None) == []


def test_a_dialect_is_refused_whole_and_no_more() -> None:
    assert reason("vm.anything.new") == REFUSED["vm."]
    assert reason("contrib.ethosu.conv2d") == REFUSED["contrib."]
    assert reason("vm") is None and reason("memoryless.conv") is None and reason("nn.densse") is None


@pytest.mark.parametrize(("name", "why"), sorted(listed()))
def test_a_program_that_has_one_is_told_why(name: str, why: str) -> None:
    found = gradual.check(f"def @f(%x: int32) {{ {name}(%x) }}").diagnostics
    assert [(one.code, one.rule) for one in found] == [("E0208", "name.refused")]
    assert found[0].notes == (why,)


def test_the_specification_lists_what_is_refused() -> None:
    chapter = (folder("spec") / "06-typing.md").read_text(encoding="utf-8")
    listed_there = chapter.partition("\nAll names are refused that begin with ")[2].partition("\n\nFour")[0]
    names = set(re.findall(r"`([^`]+)`", listed_there))
    stems = {name for name in REFUSED if name.endswith(".")}
    assert names == stems | {name for name in REFUSED if not name.startswith(tuple(stems))}
