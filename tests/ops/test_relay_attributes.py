"""The attributes of Relay 0.12: the same names in the same order, the same defaults, and every value that it takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gradual.compiler import compile_source
from gradual.limits import Options
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.operator import AttributeSpec
from gradual.ops.other.not_supported import listed
from gradual.source import Source
from tests.material import SHARED

TABLE = Path(__file__).with_name("relay_table.txt")
VALUES = Path(__file__).with_name("relay_values.txt")
REFERENCE = SHARED / "reference" / "relay-0.12.md"
ROW = re.compile(r"([\w.]+)\((.*)\)")
ELSEWHERE = {
    "dyn.expand_dims": {"axis"},
    "dyn.sparse_to_dense": {"output_shape"},
}
"""Attributes that Relay's declarations have and the table leaves out."""
REQUIRED_HERE = {"gather": "axis", "reverse": "axis", "image.resize2d": "size", "image.crop_and_resize": "crop_size"}
"""Relay gives these no value by default, and its type relation reads one."""


def split(text: str) -> list[str]:
    """The parts between the commas that stand in no bracket."""
    parts, depth = [""], 0
    for mark in text:
        depth += (mark in "([") - (mark in ")]")
        if mark == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += mark
    return [part.strip() for part in parts if part.strip()]


def table() -> dict[str, dict[str, str | None]]:
    """For each operator its attributes with their defaults; None where one has to be written."""
    rows: dict[str, dict[str, str | None]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        match = ROW.fullmatch(line)
        assert match is not None, line
        pairs = (part.partition("=") for part in split(match[2]))
        rows[match[1]] = {name.rstrip("!"): default if equals else None for name, equals, default in pairs}
    return rows


OPERATORS = {name: attributes for name, attributes in table().items() if name in CATALOGUE}


@dataclass
class Row:
    """An operator with parameters and arguments that fit, and what is tried for each attribute.

    Attributes:
        with_it: what stands beside an attribute that is tried.
    """

    name: str
    params: str
    arguments: str
    values: dict[str, list[str]]
    with_it: dict[str, str]


def rows() -> Iterator[Row]:
    """The table of values."""
    lines = [line for line in VALUES.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    starts = [at for at, line in enumerate(lines) if not line.startswith(" ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        name, params, arguments = (part.strip() for part in lines[start].split("|"))
        pairs = [line.strip().split(": ", 1) for line in lines[start + 1 : end]]
        values = {key.rstrip("!"): several.split("; ") for key, several in pairs}
        needed = {one.name for one in CATALOGUE[name].attributes if one.required}
        needed |= {key.rstrip("!") for key, _ in pairs if key.endswith("!")}
        yield Row(name, params, arguments, values, {key: values[key][0] for key in needed & values.keys()})


ROWS = {row.name: row for row in rows()}


def test_what_is_no_operator_here_is_refused_with_its_reason() -> None:
    refused = {name for name, _ in listed()}
    assert table().keys() - OPERATORS.keys() <= refused
    assert len(OPERATORS) > 170


@pytest.mark.skipif(not REFERENCE.is_file(), reason="no reference under GRADUAL_SHARED")
def test_the_table_is_the_one_that_was_read_off_relay() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    rows = [
        re.split(r"(?<!\\)\|", line)[1:-1] for line in text[text.index("### 3.2") : text.index("\n## 4")].splitlines()
    ]
    found = {
        f"{name}({cells[2].strip().removeprefix('†').strip().strip('–')})"
        for cells in rows
        if len(cells) == 7
        for name in re.findall(r"`([^`]+)`", cells[0])
    }
    assert found == set(TABLE.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("name", OPERATORS)
def test_attributes_have_relays_names_in_relays_order(name: str) -> None:
    ours = [one.name for one in CATALOGUE[name].attributes if one.name != "out_layout"]  # the table leaves that out
    assert [one for one in ours if one not in ELSEWHERE.get(name, ())] == list(OPERATORS[name])


def number(default: Any) -> Any:
    """A default as numbers and words: of dims their values."""
    if isinstance(default, tuple):
        return [number(part) for part in default]
    return getattr(default, "value", default)


def says_the_same(ours: AttributeSpec, written: str | None) -> bool:
    """Whether a default is the one that Relay has; an element type that is left open is the usual one."""
    if ours.annotation == "object":  # it only repeats an argument, and is not read
        return True
    if written is None:
        return ours.required or ours.default in ((), None)
    theirs = ast.literal_eval(written)
    if ours.annotation.startswith("DType"):
        return theirs in ("", str(ours.default))
    return not ours.required and (number(ours.default) == theirs or (ours.default, theirs) == ((), None))


@pytest.mark.parametrize("name", OPERATORS)
def test_attributes_have_relays_defaults(name: str) -> None:
    ours = {one.name: one for one in CATALOGUE[name].attributes}
    wrong = [key for key, written in OPERATORS[name].items() if not says_the_same(ours[key], written)]
    assert [key for key in wrong if REQUIRED_HERE.get(name) != key] == []


def test_every_attribute_has_values_that_are_tried() -> None:
    silent = {
        (name, one.name) for name in OPERATORS for one in CATALOGUE[name].attributes if one.annotation == "object"
    }
    tried = {(name, key) for name, row in ROWS.items() for key in row.values}
    assert {(name, key) for name, keys in OPERATORS.items() for key in keys} - tried <= silent


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_value_that_relay_takes_is_taken(row: Row) -> None:
    for key, several in row.values.items():
        for value in several:
            given = [f"{other}={text}" for other, text in (row.with_it | {key: value}).items()]
            text = f"def @f({row.params}) {{ {row.name}({', '.join(filter(None, [row.arguments, *given]))}) }}"
            found = compile_source(Source("x.relay", text), Options(advise=False, smt=False))
            assert found.ok, (text, [str(one) for one in found.diagnostics])
