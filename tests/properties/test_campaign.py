"""A campaign: the programs of a number are always the same, and chunks of several sittings add up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.generators.families import MEMBERS, member
from tests.properties.campaign import Chunk, chunked, lines_of, summed
from tests.properties.compiling import SHARED, compiled

pytestmark = pytest.mark.slow

LAWS = ("soundness", "printing")
LENGTH = 2
"""Programs of a chunk; a chunk that starts at a multiple of `MEMBERS` starts another family."""


def test_a_number_is_one_program() -> None:
    texts = {number: str(member(number, compiled)) for number in range(2 * MEMBERS)}
    assert len(set(texts.values())) > MEMBERS
    SHARED.forget()
    assert {number: str(member(number, compiled)) for number in reversed(range(2 * MEMBERS))} == texts


def test_chunks_of_several_sittings_add_up(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    chunks = [Chunk(start, LENGTH, LAWS, True) for start in (0, MEMBERS)]
    chunked(log, iter(chunks), 1, 1)
    (first,) = lines_of(log)
    chunked(log, iter(chunks), first["programs"] + 1, 1)
    lines = lines_of(log)
    assert [line["start"] for line in lines] == [0, MEMBERS]
    assert all(line["grown"] == 1 and 0 < int(str(line["programs"])) <= LENGTH for line in lines)
    (line,) = summed(log)
    assert f"'programs': {sum(int(str(one['programs'])) for one in lines)}" in line
    assert "'breaches': 0" in line


def test_a_line_of_other_sources_is_not_counted_with_these(tmp_path: Path) -> None:
    log, chunk = tmp_path / "log.jsonl", Chunk(0, LENGTH, LAWS, True)
    old = {**chunk.line(), "sources": "of yesterday"}
    log.write_text(json.dumps(old) + "\n", "utf-8")
    chunked(log, iter([chunk]), 1, 1)
    assert [line["sources"] == "of yesterday" for line in lines_of(log)] == [True, False]
    assert len(list(summed(log))) == 2
