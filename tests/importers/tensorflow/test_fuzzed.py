"""No graph, however damaged, brings the importer down; `tests.importers.tensorflow.fuzzing` tries many more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.tensorflow import fuzzing
from tests.importers.tensorflow.fuzzing import attempted, tried
from tests.importers.tensorflow.mutants import composed, mutant

SEED, GRAPHS = 2027, 60


# A run of a program may outlast its alarm, which rings inside a callback of the interpreter now and then.
@pytest.mark.filterwarnings("ignore:Exception ignored in.*WeakValueDictionary:pytest.PytestUnraisableExceptionWarning")
def test_every_graph_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "PLACE", tmp_path)
    for number in range(GRAPHS):
        answer = attempted(SEED, number)
        assert isinstance(answer, str), f"graph {number}: {answer}"
    assert list(tmp_path.iterdir()) == []


def test_a_mutant_is_a_function_of_its_seed_and_number() -> None:
    assert [mutant(1, number) for number in range(20)] == [mutant(1, number) for number in range(20)]
    assert mutant(1, 0) != mutant(2, 0)


def test_what_is_not_damaged_is_imported_and_run(tmp_path: Path) -> None:
    for at, data in enumerate(composed()):
        path = tmp_path / f"{at}.graphdef"
        path.write_bytes(data)
        assert tried(str(path)) == "accepted and run"
