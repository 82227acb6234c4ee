"""What TVM 0.12 computed in its own tests, computed here: the same values, or a reason why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest

from gradual.tensors.tensor import Tensor
from tests.corpus.replay import GOOD, Outcome, Played, differs, played, rows
from tests.material import needs_tests, recordings

pytestmark = needs_tests

REPETITIONS = "the number of repetitions is an integer; TVM truncates a float32"
BIAS = "one bias is given for several channels; TVM takes the unknown channel to be 1 and then broadcasts"
ITSELF = "what is recorded is not the function that ran but a reference to `@main` itself"
TUPLE = "the program takes a tensor of 1 element and was given 41; TVM does not look into tuples on entry"
BOUNDS = "an index is out of bounds; TVM counts on into the next row of the sparse tensor"

EXCEPTIONS: dict[str, tuple[Outcome, str]] = {
    "b244621ba1c7": (Outcome.REJECTED, REPETITIONS),
    "550cce7de3e3": (Outcome.REJECTED, REPETITIONS),
    "698951257892": (Outcome.REJECTED, REPETITIONS),
    "88510c1312a7": (Outcome.REJECTED, REPETITIONS),
    "d2880874c7d2": (Outcome.REJECTED, REPETITIONS),
    "dbf549a0df65": (Outcome.REJECTED, REPETITIONS),
    "efe36ef3d14f": (Outcome.BLAMED, BIAS),
    "4ef6ee6639ee": (Outcome.BLAMED, BIAS),
    "9dc5b2c273fc": (Outcome.REJECTED, ITSELF),
    "740f4a595542": (Outcome.REJECTED, ITSELF),
    "deb2adc2cb8c": (Outcome.BLAMED, TUPLE),
    "26b1cd6653fb": (Outcome.BLAMED, TUPLE),
    "7742d7b14982": (Outcome.BLAMED, BOUNDS),
    "12badde60583": (Outcome.BLAMED, BOUNDS),
    "0809b099c4fc": (Outcome.BLAMED, BOUNDS),
    "0b43bf1d3931": (Outcome.BLAMED, BOUNDS),
    "98d4c03aa417": (Outcome.BLAMED, BOUNDS),
    "d4875ca321ce": (Outcome.BLAMED, BOUNDS),
    "dd29d82cd598": (Outcome.BLAMED, BOUNDS),
    "9d5f7e95c500": (Outcome.BLAMED, BOUNDS),
    "015002c29f81": (Outcome.BLAMED, BOUNDS),
    "0f424e478a5b": (Outcome.BLAMED, BOUNDS),
}
"""Recorded runs that end otherwise here, by id: how, and why that is right."""

LEFT_OUT = "the sizes of a parameter whose type is left out are `?` (`type.omitted`); the result says as much as TVM's"

LESS_PRECISE: dict[str, str] = {
    "0c06e4628714": LEFT_OUT,
    "c5aa1ca2806f": LEFT_OUT,
    "0a397b9a6ee2": LEFT_OUT,
}
"""Recorded types that say more than ours, by id, and why that is so."""


@cache
def results(name: str) -> tuple[Played, ...]:
    return tuple(map(played, rows(recordings()[name])))


@pytest.mark.parametrize("name", recordings())
def test_a_recorded_run_gives_the_same_value(name: str) -> None:
    bad = [one for one in results(name) if one.outcome not in GOOD]
    assert [one for one in bad if EXCEPTIONS.get(one.id, ("",))[0] != one.outcome] == []


@pytest.mark.parametrize("name", recordings())
def test_the_static_form_of_a_recorded_program_gives_the_same_value(name: str) -> None:
    static = [{**row, "program": row["static"], "types": None} for row in rows(recordings()[name]) if row.get("static")]
    bad = [one for one in map(played, static) if one.outcome not in GOOD]
    assert [one for one in bad if EXCEPTIONS.get(one.id, ("",))[0] != one.outcome] == []


def test_every_exception_is_needed() -> None:
    outcomes = {one.id: one.outcome for name in recordings() for one in results(name)}
    assert {id: outcomes.get(id) for id in EXCEPTIONS} == {id: outcome for id, (outcome, _) in EXCEPTIONS.items()}


def test_a_type_says_at_least_what_tvm_says() -> None:
    less = {one.id: one.less_precise for name in recordings() for one in results(name) if one.less_precise}
    assert less.keys() == LESS_PRECISE.keys(), less


def test_the_outcomes_are_reported(tell: Callable[[str], None]) -> None:
    every = [one for name in recordings() for one in results(name)]
    outcomes = Counter(one.outcome for one in every)
    tell(f"{len(every)} recorded runs: " + ", ".join(f"{outcome} {count}" for outcome, count in outcomes.most_common()))
    missing = Counter(one.detail for one in every if one.outcome is Outcome.UNSUPPORTED)
    tell("unsupported: " + (", ".join(f"{name} {count}" for name, count in missing.most_common()) or "nothing"))
    less = [one for one in every if one.less_precise]
    typed = sum(bool(row.get("types")) for name in recordings() for row in rows(recordings()[name]))
    tell(f"types of {typed} programs compared, that say less than TVM's: {len(less)}")
    for one in less:
        assert one.less_precise is not None
        tell(f"  {one.test} {one.id}: {one.less_precise[0]}, there {one.less_precise[1]}")
    alike = outcomes[Outcome.PASS] + outcomes[Outcome.STOPS]
    tell(f"as TVM: {alike} of {len(every)}, {alike / len(every):.1%}")
    assert alike >= 0.97 * len(every)


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (Tensor([1.0, 2.0]), Tensor([1.00005, 2.00001]), True),
        (Tensor([1.0, 2.0]), Tensor([1.0002, 2.0]), False),
        (Tensor([0.0]), Tensor([0.000009]), True),
        (Tensor([float("nan")]), Tensor([float("nan")]), True),
        (Tensor([float("nan")]), Tensor([0.0]), False),
        (Tensor([1, 2], "int32"), Tensor([1, 3], "int32"), False),
        (Tensor([1, 2], "int32"), Tensor([1, 2], "int64"), False),
        (Tensor([1, 2], "int32"), Tensor([1, 2], "int32", (1, 2)), False),
        ((Tensor([1.0]), Tensor([1.0])), (Tensor([1.0]), Tensor([2.0])), False),
        ((Tensor([1.0]),), (Tensor([1.0]), Tensor([2.0])), False),
        ((Tensor([1.0]),), Tensor([1.0]), False),
    ],
)
def test_the_comparison_can_fail(ours: Tensor, theirs: Tensor, same: bool) -> None:
    assert (differs(ours, theirs) is None) is same
