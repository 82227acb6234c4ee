"""Valid models that mean nothing are refused or become programs: no exception reaches a user."""

from __future__ import annotations

from tests.importers.mutating import bugs
from tests.thorough import times

MODELS = times(400)


def test_models_that_went_wrong_end_well() -> None:
    assert [f"{model.graph}\n{says}" for model, says in bugs(MODELS, seed=0)] == []
