"""What the comparison of A0 and A1 says is what the code measures."""

from __future__ import annotations

from functools import cache

import pytest

from gradual.compilation import Compilation
from gradual.compiler import apply, check
from tests.material import ROOT, models, needs_models
from tests.passes.two_forms import PAIRS, applications, counts, table

TEXT = (ROOT / "docs" / "explanation" / "a0-and-a1.md").read_text()
MODEL = "onnx_gpt2_past_ts"


@cache
def model() -> tuple[Compilation, Compilation]:
    """The model in A1, and in A0."""
    apart = check(models()[MODEL].read_text())
    return apart, apply(apart, "merge-ops")


def test_the_table_is_what_is_measured() -> None:
    assert "\n".join(table()) in TEXT


@needs_models
@pytest.mark.parametrize("name", PAIRS)
def test_both_forms_of_a_rewriting_find_the_same(name: str) -> None:
    apart, together = model()
    _, in_a0, in_a1 = PAIRS[name]
    found = [step.name for step, known in applications(apart.core) if in_a1(step, known)]
    assert found == [step.name for step, known in applications(together.core) if in_a0(step, known)]
    assert found
    assert f"`{name}` finds {len(found)}" in TEXT


@needs_models
def test_the_model_is_what_is_said() -> None:
    apart, together = model()
    number = sum(1 for _ in applications(apart.core))
    (names, formed), (merged, _) = counts(apart.core), counts(together.core)
    assert (
        f"{number} applications of {names} operators, {merged} in A0; {formed} are of an operator with two forms"
        in TEXT
    )
