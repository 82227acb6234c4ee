"""Sizes that divide others: their quotients are exact, so that what is asked of them is an identity of polynomials."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, at_least, at_most, differs, divides, equal
from gradual.dims.term.dim import Dim, product, variable
from gradual.verdict import Proved, Unknown
from tests.dims.laws import Question, check_soundness
from tests.dims.test_facts import state
from tests.generators.divided import divided_questions
from tests.thorough import examples

b, c, d, g, h, k, m, n, s, t, w = SIZES = tuple(map(variable, "bcdghkmnstw"))


def known(*constraints: Constraint) -> Facts:
    """Facts about sizes of at least 1."""
    facts = Facts()
    for size in SIZES:
        facts.assume(at_least(size, 1))
    for constraint in constraints:
        facts.assume(constraint)
    return facts


def is_identity(goal: Constraint, *facts: Constraint) -> bool:
    """Whether a goal is proved, and no stage had to search for it."""
    decider = Decider(smt=False)
    verdict = decider.decide(known(*facts), goal)
    return isinstance(verdict, Proved) and verdict.by in ("normal-form", "facts", "interval")


# ------------------------------------------------------------------------------------------------- properties


@given(divided_questions())
@examples(200)
def test_verdicts_on_exact_quotients_are_sound(question: Question) -> None:
    check_soundness(question, Decider(smt=False))


FACTORS = st.lists(st.sampled_from((b, h, n, t, w)), max_size=3)


@given(st.sampled_from((g, 8 * g, g * k)), FACTORS, FACTORS, st.integers(1, 6))
def test_multiples_of_what_is_divided_are_divided(
    by: Dim, more: Sequence[Dim], both: Sequence[Dim], times: int
) -> None:
    fact, more_of, of_both = divides(by, c), product(more) * times, product(both)
    assert is_identity(divides(by, c * more_of), fact)
    assert is_identity(equal(c * more_of * of_both // (by * of_both), c // by * more_of), fact)
    assert is_identity(equal(by * of_both * (c * more_of * of_both // (by * of_both)), c * more_of * of_both), fact)
    assert is_identity(equal((c + by * more_of) * of_both // by, (c // by + more_of) * of_both), fact)


@given(st.permutations([divides(g, c), divides(k, c // g), at_least(g, 2), at_most(c, 40), divides(k, d)]))
def test_the_order_in_which_divisors_are_known_does_not_matter(facts: Sequence[Constraint]) -> None:
    assert is_identity(divides(g * k, c), *facts)
    assert is_identity(equal(c * d // (g * k * k), c // g // k * (d // k)), *facts)


# ------------------------------------------------------------------------------------------------- directed


@pytest.mark.parametrize(
    ("facts", "goal"),
    [
        ([divides(g, c)], equal(c // g * g, c)),
        ([divides(g, c)], divides(g, c * h * w)),
        ([divides(g, c)], equal(n * c * h * w // (n * g), c // g * h * w)),
        ([divides(g, c)], equal((c - g) // g, c // g - 1)),
        ([divides(g, c)], equal((n + c) % g, n % g)),
        ([divides(g, c)], equal(c * n // g // n, c // g)),
        ([divides(g, c)], at_least(c // g, 1)),
        ([divides(g, c), divides(g, d)], divides(g, c + d)),
        ([divides(g, c), divides(g, d)], equal(c * (d // g), d * (c // g))),
        ([divides(4, h), divides(4, w)], equal(b * (h // 4) * (w // 4) // (h * w // 16), b)),
        ([divides(s, h), divides(s, w)], equal(b * (h // s) * (w // s) // (h * w // (s * s)), b)),
        ([divides(s, h), divides(s, w)], equal(b * h * w // (h // s * (w // s)), b * s * s)),
        ([divides(s * s, c)], equal(c * h * w // ((h * s) * (w * s)), c // (s * s))),
        ([divides(k * m, c)], divides(k, c)),
        ([divides(k * m, c)], equal(c // k // m, c // (k * m))),
        ([divides(k, c), divides(m, c // k)], divides(k * m, c)),
        ([divides(k, h * d)], equal(h * d * t // k, h * d // k * t)),
        ([divides(n, 768)], divides(n, 768 * t)),
        ([divides(n, 3 * d)], equal(3 * d * t // n, 3 * d // n * t)),
        ([divides(2 * s, d)], divides(s, d)),
        ([divides(2, h - 7)], equal((h - 7) * w // 2, (h - 7) // 2 * w)),
        ([divides(g, c), at_least(c, g * k)], at_least(c // g, k)),
    ],
    ids=str,
)
def test_what_is_asked_of_exact_quotients_is_an_identity(facts: list[Constraint], goal: Constraint) -> None:
    assert is_identity(goal, *facts)


@pytest.mark.parametrize(
    ("facts", "goal"),
    [
        ([], divides(g, c * n)),
        ([divides(g, c)], divides(g, n)),
        ([divides(g, c)], equal(c * n // g, c * (n // g))),
        ([divides(g, c)], divides(g * k, c)),
        ([divides(g, c), divides(k, c)], divides(g * k, c)),
        ([divides(g, c * n)], divides(g, c)),
        ([divides(g, c * n)], equal(c * n // g, c // g * n)),
        ([divides(g, c + n)], divides(g, c)),
        ([divides(g, c), differs(c, n)], differs(c // g, n // g)),
    ],
    ids=str,
)
def test_what_does_not_follow_is_not_proved(facts: list[Constraint], goal: Constraint) -> None:
    verdict = Decider(smt=False).decide(known(*facts), goal)
    assert isinstance(verdict, Unknown)
    assert verdict.witness


def test_a_goal_that_was_accepted_says_that_a_quotient_is_exact() -> None:
    facts, decider = known(), Decider(smt=False)
    facts.learn(divides(g, c), decider.decide(facts, divides(g, c)))
    assert isinstance(decider.decide(facts, divides(g, c * n)), Proved)


def test_a_condition_says_it_on_its_path_only() -> None:
    facts, decider = known(), Decider(smt=False)
    mark = facts.mark()
    decider.suppose(facts, divides(g, c))
    assert isinstance(decider.decide(facts, divides(g, c * n)), Proved)
    facts.rollback(mark)
    assert isinstance(decider.decide(facts, divides(g, c * n)), Unknown)


def test_an_exact_quotient_is_forgotten_with_its_branch() -> None:
    facts = known()
    before = state(facts)
    mark = facts.mark()
    facts.assume(divides(g, c))
    facts.assume(equal(c, 6))
    facts.rollback(mark)
    assert state(facts) == before


def test_what_a_size_is_replaces_it_in_its_quotients() -> None:
    assert is_identity(equal(c // g, 2), divides(g, c), equal(c, 2 * g))
    assert is_identity(divides(g, d * n), divides(g, c), equal(c, d))
