"""The parts of a census: child processes with limits, the journal, the sums."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.census import alone
from gradual.tools.census.journal import journal_at
from gradual.tools.census.page import page
from gradual.tools.census.row import Row
from gradual.tools.census.totals import LISTED, Census
from gradual.tools.checking.child import Ended
from gradual.tools.checking.children import UNBOUNDED, Bounds, Children, Stopped, threads
from gradual.tools.checking.results import Outcome
from tests.tools.census.calls import eats, ends_once, fails, pid_later, spins
from tests.tools.census.conftest import rows_of


# ------------------------------------------------------------------------------------------------- child processes
@pytest.mark.parametrize(
    ("bounds", "call", "ended"),
    [
        (Bounds(0.5), (spins,), Ended.TIMEOUT),
        (Bounds(0.5), (time.sleep, 600), Ended.TIMEOUT),
        (Bounds(megabytes=150), (eats, 300), Ended.MEMORY),
        (UNBOUNDED, (fails,), Ended.MEMORY),
        (UNBOUNDED, (os._exit, 0), Ended.KILLED),
        (UNBOUNDED, (os.abort,), Ended.KILLED),
    ],
)
def test_a_call_that_ends_its_process_has_no_value_and_the_next_one_has(
    bounds: Bounds, call: tuple[Any, ...], ended: Ended
) -> None:
    children = Children(bounds)
    with threads(1, children) as pool:
        assert pool.submit(children.ask, *call).result() is ended
        assert pool.submit(children.ask, eats, 10).result() == 10 if bounds.seconds is None else True
        assert pool.submit(children.ask, abs, -3).result() == 3


def test_a_call_whose_process_was_killed_is_made_once_more(tmp_path: Path) -> None:
    children = Children()
    with threads(1, children) as pool:
        assert pool.submit(children.ask, ends_once, str(tmp_path / "marker")).result() == "done"


def test_a_child_works_in_its_folder_and_prints_nothing_into_its_answers(tmp_path: Path) -> None:
    children = Children(place=str(tmp_path))
    with threads(1, children) as pool:
        assert pool.submit(children.ask, os.getcwd).result() == os.path.realpath(tmp_path)
        assert pool.submit(children.ask, print, "x" * 100_000).result() is None
        assert pool.submit(children.ask, os.write, 1, b"x").result() == 1


def test_each_thread_has_a_process_and_all_end_with_the_context() -> None:
    children = Children()
    with threads(3, children) as pool:
        processes = {one.result() for one in [pool.submit(children.ask, pid_later) for _ in range(6)]}
        assert len(processes) == 3 and os.getpid() not in processes
        given_up = [pool.submit(children.ask, time.sleep, 600) for _ in range(5)]
        began = time.monotonic()
    assert time.monotonic() - began < 60
    assert all(one.done() for one in given_up) and not any(os.path.exists(f"/proc/{one}") for one in processes)
    with pytest.raises(Stopped), ThreadPoolExecutor(1) as pool:
        pool.submit(children.ask, abs, 1).result()


# ------------------------------------------------------------------------------------------------- journal and sums
NAMES = st.text(st.characters(codec="utf-8"), max_size=4) | st.just("\udcff")
COUNTS = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(1, 9), max_size=3)


@st.composite
def drawn(draw: st.DrawFn) -> Row:
    """Any row."""
    numbers = {name: draw(st.integers(0, 9)) for name in ("proved", "residual", "refuted", "errors", "not_empty")}
    sizes = draw(st.integers(0, 9))
    return {"kind": "file", "file": draw(NAMES), **numbers} | {
        "outcome": str(draw(st.sampled_from(Outcome))),
        "format": draw(st.sampled_from(["", "relay", "onnx"])),
        "key": draw(st.sampled_from(["", "k"])),
        "sizes": sizes,
        "known": draw(st.integers(0, sizes)),
        "rules": draw(COUNTS),
        "codes": {"E0301": 1},
        "operators": sorted(draw(COUNTS)),
        "says": draw(NAMES),
        "seconds": draw(st.integers(0, 64)) / 4,
        "cpu": 1.0,
    }


def added(rows: list[Row]) -> Census:
    found = Census()
    for row in rows:
        found.add(row)
    return found


@settings(max_examples=30)
@given(st.lists(drawn(), max_size=12), st.randoms(use_true_random=False))
def test_a_report_does_not_depend_on_the_order_of_rows(rows: list[Row], random: Any) -> None:
    found, mixed = added(rows), [*rows]
    random.shuffle(mixed)
    form = found.form()
    assert form == added(mixed).form() and page(found) == page(added(mixed))
    assert form["files"] == len(rows) == sum(form["outcomes"].values()) == sum(form["times"]["files"])
    assert form["totals"]["known"] == sum(row["known"] for row in rows)
    assert sum(form["shares"]) == sum(row["sizes"] > 0 for row in rows)
    assert {one["rule"]: one["checks"] for one in form["rules"]} == {
        name: total for name in "abc" if (total := sum(row["rules"].get(name, 0) for row in rows))
    }


def test_lists_do_not_grow() -> None:
    row = {"kind": "file", "outcome": "errors", "format": "onnx", "sizes": 2, "known": 1, "rules": {}, "codes": {}}
    row |= {"operators": [], "says": "", "cpu": 0.5} | dict.fromkeys(("proved", "residual", "refuted", "errors"), 1)
    form = added([row | {"file": f"{k:04}", "seconds": k} for k in range(1000)]).form()
    assert [one["file"] for one in form["listed"]["errors"]] == [f"{k:04}" for k in range(LISTED)]
    assert [one["seconds"] for one in form["slowest"]] == [999 - k for k in range(LISTED)]


@settings(max_examples=40)
@given(st.lists(drawn(), max_size=8), st.lists(drawn(), max_size=2), st.integers(0, 400))
def test_the_last_row_of_a_file_is_found_whatever_was_cut_off(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], more: list[Row], cut: int
) -> None:
    path = tmp_path_factory.mktemp("journal") / "rows"
    with journal_at(str(path)) as journal:
        for row in rows:
            journal.append(row)
            assert journal.row(row["file"]) is None  # only earlier runs are asked for
    data = path.read_bytes()
    path.write_bytes(data[: max(len(data) - cut, 0)])
    kept = rows_of(path)
    assert kept == json.loads(json.dumps(rows))[: len(kept)]
    with journal_at(str(path)) as journal:
        for name in {row["file"] for row in rows}:
            last = [row for row in kept if row["file"] == name][-1:]
            assert journal.row(name) == (last[0] if last else None)
        for row in more:
            journal.append(row)
    assert rows_of(path) == [*kept, *more]


def test_a_client_alone_is_measured_with_rows_that_are_all_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert alone(50)["files"] == 50 == len(rows_of(tmp_path / "journal"))
