"""No archive, however damaged, brings the importer down; `tests.importers.torch.fuzzing` tries many more."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gradual.importers.torch.file import reading
from tests.fuzz.campaign import campaign
from tests.fuzz.trial import Failure
from tests.importers.torch import fuzzing
from tests.importers.torch.composing import document, files_of, node, ref, tensor, write
from tests.importers.torch.fuzzing import PATIENCE, attempted, tried
from tests.importers.torch.mutants import composed, mutant, seeds

SEED = 2027
BLOCKS, ARCHIVES = 3, 50

GOOD = document({"x": tensor("n")}, [node("aten.relu.default", {"y": tensor("n")}, self=ref("x"))], [ref("y")])


# A run of a program may outlast its alarm, which rings inside a callback of the interpreter now and then.
@pytest.mark.filterwarnings("ignore:Exception ignored in.*WeakValueDictionary:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_archive_is_answered(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "PLACE", tmp_path)
    for number in range(block * ARCHIVES, (block + 1) * ARCHIVES):
        answer = attempted(SEED, number)
        assert isinstance(answer, str), f"archive {number}: {answer}"
    assert list(tmp_path.iterdir()) == []


def test_a_mutant_is_a_function_of_its_seed_and_number() -> None:
    assert [mutant(1, number) for number in range(20)] == [mutant(1, number) for number in range(20)]
    assert mutant(1, 0) != mutant(2, 0)


def test_what_is_not_damaged_is_imported_and_run(tmp_path: Path) -> None:
    answers = [tried(str(write(tmp_path / f"{at}.pt2", files_of(*one)))) for at, one in enumerate(composed())]
    assert [one for one in answers if one not in ("accepted and run", "accepted, slow")] == []  # one loop has no end
    assert len(seeds()) >= len(answers)


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (ZeroDivisionError("x"), "ZeroDivisionError at nowhere in gradual/"),
        (MemoryError(), "MemoryError at nowhere in gradual/"),
        (RecursionError("deep"), "RecursionError at nowhere in gradual/"),
    ],
)
def test_any_other_exception_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, answer: str
) -> None:
    def failing(path: str) -> object:
        raise error

    monkeypatch.setattr(fuzzing, "load", failing)
    found = tried(str(write(tmp_path / "a.pt2", files_of(GOOD))))
    assert isinstance(found, Failure) and found.signature == answer


def test_a_reason_that_is_not_plain_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading.Malformed, "__str__", lambda _: "KeyError: 'x'")
    found = tried(str(write(tmp_path / "a.pt2", files_of({}))))
    assert isinstance(found, Failure) and found.signature == "what is said"


@pytest.mark.slow
def test_a_campaign_answers_for_every_archive() -> None:
    found = list(campaign(SEED, range(40), 2, attempted, PATIENCE))
    assert sum(one.total() for one in found if isinstance(one, Counter)) == 40
    assert [one for one in found if not isinstance(one, Counter)] == []
