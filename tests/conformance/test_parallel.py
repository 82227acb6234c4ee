"""Cases that are asked at once have the results, and the order, of cases that are asked one after another."""

from __future__ import annotations

import time

import pytest

from gradual.conformance.cases.answer import Implementation, Report
from gradual.conformance.cases.case import Case, Request
from gradual.conformance.cases.read import load
from gradual.conformance.implementations.reference import Reference
from gradual.conformance.runner.judge import EVERY
from gradual.conformance.runner.parallel import Processes, run_by_all
from gradual.conformance.runner.run import run
from gradual.resources import folder


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for case in load(folder("spec")).cases if case.id.startswith(("name/", "rfc/"))]


class Slow(Reference):
    """The reference, slower the shorter the program, and able to say how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def check(self, request: Request) -> Report:
        self.asked += 1
        time.sleep(1 / (100 + len(request.text)))
        return super().check(request)


def test_processes_give_the_results_of_one(cases: list[Case]) -> None:
    with Processes(Reference, 2) as processes:
        processes.start()
        found = list(processes.run(cases, EVERY))
    assert found == list(run(cases, Reference()))
    assert all(result.report is not None for result in found)  # `conformance coverage` counts what they say


def test_threads_give_the_results_of_one_and_each_implementation_is_asked(cases: list[Case]) -> None:
    several: list[Implementation] = [Slow(), Slow(), Slow()]
    assert list(run_by_all(cases, several, EVERY, pytest.fail)) == list(run(cases, Reference()))
    assert all(isinstance(one, Slow) and one.asked for one in several)


def test_a_run_that_is_left_asks_little_more_and_stops_its_implementations(cases: list[Case]) -> None:
    several, stopped = [Slow(), Slow()], []
    results = run_by_all(cases * 20, several, EVERY, lambda: stopped.append(True))
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert stopped == [True] and sum(one.asked for one in several) < 60
