"""The laws can fail: each planted bug is found by the law or the program that is named for it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

import gradual
from gradual.compiler import Compilation, Options, compile_source
from gradual.core.verify import violations
from gradual.dims.decide import Decider
from gradual.limits import Limits
from gradual.source import Source
from tests.generators.programs import generated
from tests.properties import seeded
from tests.properties.campaign import broken
from tests.properties.case import Case
from tests.properties.compiling import all_checks, compiled, outcome, same
from tests.properties.inputs import arguments
from tests.properties.laws import LAWS
from tests.properties.seeded import Bug
from tests.run.test_blame import floats

pytestmark = pytest.mark.slow

BY_LAW: list[tuple[Bug, str, int]] = [
    (seeded.facts_outlive_their_branch, "soundness", 60),
    (seeded.broadcasting_without_a_choice, "soundness", 120),
    (seeded.a_branch_s_own_unknown_escapes, "dynamic guarantee", 60),
    (seeded.joins_take_the_first_branch, "soundness", 60),
    (seeded.what_was_proved_may_fail, "elimination", 20),
    (seeded.refutation_looks_at_the_path, "static guarantee", 120),
]


@pytest.mark.parametrize(("bug", "law", "within"), BY_LAW, ids=lambda given: getattr(given, "__name__", str(given)))
def test_a_generated_program_finds(bug: Bug, law: str, within: int) -> None:
    with bug():
        found = next(seed for seed in count() if seed == within or _breaks(law, seed))
    assert found < within


def _breaks(law: str, seed: int) -> bool:
    try:
        case = Case(generated(seed, compiled), seed)
    except (AssertionError, KeyError):  # the planted bug makes the checker itself fail
        return True
    return broken(LAWS[law], case) is not None


# ------------------------------------------------------------------------------------------------ directed programs
def accepted(text: str, options: Options = Options(advise=False)) -> bool:  # noqa: B008
    """Whether a program is accepted."""
    return compile_source(Source("p.relay", text), options).ok


def checked(text: str) -> Compilation:
    """The program checked."""
    return gradual.check(text)


DEAD = """def @main(%x: Tensor[(?,), float32]) {
  let %d = take(shape_of(%x), 0);
  if (%d == 4) { %x as Tensor[(5,), float32] as Tensor[(?,), float32] } else { %x }
}"""

RIGID = """def @main(%x: Tensor[(n,), float32], %y: Tensor[(?,), float32]) {
  let %d = take(shape_of(%y), 0);
  if (%d == 3) { %x as Tensor[(3,), float32] as Tensor[(?,), float32] } else { %y }
}"""

TWICE = "def @main(%x: Tensor[(?,), float32]) { add(%x, %x) }"

NOT_NEGATIVE = """def @main(%x: Tensor[(?,), float32], %y: Tensor[(n,), float32]) {
  (zeros(shape=[dim(%x, 0)], dtype="float32"), ones(shape=[n], dtype="float32"))
}"""

HARD = """def @main(%x: Tensor[(a, b, c, ?), float32], %y: Tensor[(a * a * a + b * b * b,), float32]) {
  %y as Tensor[(c * c * c + 1,), float32]
}"""

POOR = Options(smt=False, limits=Limits(models=1, cases=1, residues=1), advise=False)

FORGETFUL = """def @f(%x: Tensor[(n, 2), float32]) -> Tensor[(2, n), float32] where n == 2 { %x }
def @main(%x: Tensor[(?, 2), float32]) { @f(%x) }"""

ESCAPE = """def @main(%x: Tensor[(?,), float32]) {
  let %d = take(shape_of(%x), 0);
  let %z = if (%d == 3) { let %y: Tensor[(?,), float32] = %x; %y } else { %x };
  %z as Tensor[(4,), float32]
}"""

LEAK = """def @main(%b: bool, %x: Tensor[(?,), float32]) {
  let %z = if (%b) { %x as Tensor[(4,), float32] } else { %x };
  reshape(%x, newshape=[2, 2])
}"""

ONE = "def @main(%x: Tensor[(n, 3), float32], %y: Tensor[(?, 3), float32]) { add(%x, %y) }"


def _is_sound(text: str) -> bool:
    """Whether the program runs on small sizes as it does with all checks, and is never stuck."""
    from random import Random

    random, found, doubtful = Random(7), compiled(text), all_checks(text)
    for _ in range(60):
        values = arguments(found.core.functions["@main"], random)
        assert values is not None
        ended = outcome(found.core, values)
        if ended.kind == "stuck" or not same(ended, outcome(doubtful.core, values)):
            return False
    return True


def _has_no_check(text: str) -> bool:
    return not checked(text).checks


DIRECTED: list[tuple[Bug, Callable[[str], bool], str]] = [
    (seeded.refutation_looks_at_the_path, accepted, DEAD),
    (seeded.rigid_goals_are_errors_one_by_one, accepted, RIGID),
    (seeded.every_use_opens_anew, _has_no_check, TWICE),
    (seeded.sizes_may_be_negative, _has_no_check, NOT_NEGATIVE),
    (seeded.giving_up_is_an_error, lambda text: accepted(text, POOR), HARD),
    (seeded.a_call_forgets_a_precondition, _is_sound, FORGETFUL),
    (seeded.a_branch_s_own_unknown_escapes, _is_sound, ESCAPE),
    (seeded.facts_outlive_their_branch, _is_sound, LEAK),
    (seeded.broadcasting_without_a_choice, _is_sound, ONE),
]


@pytest.mark.parametrize(("bug", "holds", "text"), DIRECTED, ids=lambda given: getattr(given, "__name__", ""))
def test_a_directed_program_finds(bug: Bug, holds: Callable[[str], bool], text: str) -> None:
    assert holds(text)
    with bug():
        assert not holds(text)


def test_the_verifier_finds_a_forgotten_precondition() -> None:
    with seeded.a_call_forgets_a_precondition():
        found = checked(FORGETFUL)
    assert [violation.function for violation in violations(found.core, Decider())] == ["@main"]


def test_the_unreduced_program_of_the_budget_is_undecided() -> None:
    found = compile_source(Source("p.relay", HARD), POOR)
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["E0501"]
    assert outcome(found.core, (floats(1, 1, 1, 2), floats(2))).kind == "value"
    assert outcome(found.core, (floats(1, 1, 2, 2), floats(2))).kind == "blame"
