"""The suite's cases kill changes of the reference, and what hunts them tells a change from none."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from gradual.conformance.cases.case import Case
from gradual.conformance.cases.read import load
from gradual.resources import folder
from tests.conformance.mutants.changing import Mutant, every_mutant, mutants_of, sampled
from tests.conformance.mutants.equivalence import LIST, equivalents, stale
from tests.conformance.mutants.executing import Index, in_a_process, indexed
from tests.conformance.mutants.hunting import Fate, hunted, score
from tests.conformance.mutants.planting import imported

FILE = "ops/linear/products.py"
FLOOR = 0.6


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    imported()
    return {case.id: case for case in load(folder("spec")).cases if case.id.startswith("op/nn.dense/")}


@pytest.fixture(scope="module")
def index(cases: dict[str, Case], tmp_path_factory: pytest.TempPathFactory) -> Index:
    return indexed(list(cases.values()), lambda done: None, tmp_path_factory.mktemp("index") / "index.jsonl")


def of_dense() -> list[Mutant]:
    return [mutant for mutant in mutants_of(FILE) if "dense" in mutant.where.name]


@pytest.mark.rest
def test_cases_of_an_operator_kill_changes_of_its_rule(cases: dict[str, Case], index: Index) -> None:
    hunts = [hunted(mutant, index, cases, 2) for mutant in of_dense()]
    hunts = [hunt for hunt in hunts if hunt.fate is not Fate.UNEXECUTED]
    killed, asked = score(hunts, equivalents(LIST.read_text(encoding="utf-8")))
    assert asked >= 5 and killed >= FLOOR * asked, [hunt.mutant.key for hunt in hunts if not hunt.is_killed]


def test_a_mutant_of_a_function_that_no_case_executes_is_said_to_be_so(cases: dict[str, Case]) -> None:
    assert hunted(of_dense()[0], Index(), cases, 1).fate is Fate.UNEXECUTED


def test_a_frozen_function_is_changed(cases: dict[str, Case], index: Index) -> None:
    def frozen() -> str:
        gc.freeze()
        return hunted(next(one for one in of_dense() if index.executing(one.where)), index, cases, 1).fate

    assert in_a_process(frozen) != Fate.NOTHING


def test_an_index_is_continued(cases: dict[str, Case], tmp_path: Path) -> None:
    kept, some = tmp_path / "index.jsonl", list(cases.values())[:2]
    asked: list[int] = []
    indexed(some, asked.append, kept, part=1)
    indexed(some, asked.append, kept)
    again = indexed(some, asked.append, kept)
    assert asked == [1, 2] and set(again.sizes) == {case.id for case in some}


def test_a_sample_is_spread_over_folders_and_drawn_again() -> None:
    every = [mutant for file in (FILE, "dims/bounds/interval.py", "types/relations.py") for mutant in mutants_of(file)]
    found = sampled(every, 30, 1)
    assert found == sampled(every, 30, 1) != sampled(every, 30, 2)
    assert {mutant.folder for mutant in found} == {"ops", "dims", "types"}
    assert len({mutant.key for mutant in every}) == len(every)


def test_a_fault_of_a_hunt_is_no_killed_mutant() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        in_a_process(lambda: 1 // 0)


def test_the_list_of_equivalent_mutants_is_of_the_present_sources() -> None:
    listed = equivalents(LIST.read_text(encoding="utf-8"))
    assert not stale(listed, (mutant.key for mutant in every_mutant()) if listed else ())


def test_a_stale_or_unexplained_mutant_is_reported() -> None:
    listed = equivalents("# the head\na.py  f  x < y  =>  x <= y\n    # never equal\n")
    assert stale(listed, []) == ["a.py  f  x < y  =>  x <= y"] and not stale(listed, listed)
    with pytest.raises(ValueError, match="reason"):
        equivalents("# the head\na.py  f  x < y  =>  x <= y\nno reason\n")
