"""What is known at a point: equations solve, bounds meet, branches are forgotten, and facts cost what they touch."""

from __future__ import annotations

import itertools
from itertools import pairwise
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import (
    FALSE,
    Constraint,
    all_of,
    any_of,
    at_least,
    at_most,
    differs,
    divides,
    equal,
    less,
    more,
)
from gradual.dims.term.dim import Dim, Kind, variable
from gradual.gc_paused import collector_paused
from gradual.limits import LIMITS
from gradual.verdict import Proved, Refuted, Unknown
from tests.generators.dims import Tree, built, predicates_sharing
from tests.thorough import examples

a, b, d, h, m, n = map(variable, "abdhmn")
x, y, z = (variable(f"dim(%{name}, 0)", Kind.EXISTENTIAL) for name in "xyz")


def known(*constraints: Constraint) -> Facts:
    facts = Facts()
    for constraint in constraints:
        facts.assume(constraint)
    return facts


def state(facts: Facts) -> list[Any]:
    store = facts.known
    tables = [store.solved, store.bounds, store.apart, store.others, store.replacements, store.multiples]
    return [*(dict(table) for table in tables), dict.fromkeys(facts.path), store.conflict]


# ------------------------------------------------------------------------------------------------- equations


@pytest.mark.parametrize(
    ("fact", "dim", "image"),
    [
        (equal(x, 4), x * n, 4 * n),
        (equal(n, x), x + n, 2 * n),
        (equal(x, n), x + n, 2 * n),
        (equal(x + 1, n), x, n - 1),
        (equal(2 * x, 2 * n), x, n),
        (equal(x, n // 2), x + 1, n // 2 + 1),
        (equal(n, m), n - m, 0 * n),
        (divides(h, d), b * h * (d // h), b * d),
        (divides(4, d), 4 * b * (d // 4), b * d),
        (divides(4, b * d), 8 * (b * d // 4), 2 * b * d),
        (divides(h + 1, d), (h + 1) * (d // (h + 1)), d),
    ],
)
def test_equations_rewrite(fact: Constraint, dim: Dim, image: Dim) -> None:
    assert known(fact).rewrite(dim) is image


def test_ghosts_give_way_to_names_and_new_names_to_old_ones() -> None:
    assert known(equal(n, x)).rewrite(x) is n
    assert known(at_least(x, 0), at_least(y, 0), equal(x, y)).rewrite(y) is x
    assert known(at_least(y, 0), at_least(x, 0), equal(x, y)).rewrite(x) is y


def test_equations_chain_in_any_order() -> None:
    facts = known(equal(x, y), equal(y, z), equal(z, n), equal(n, 7))
    assert all(facts.rewrite(dim).value == 7 for dim in (x, y, z, n))


def test_earlier_facts_follow_an_equation() -> None:
    facts = known(at_most(x, 5), any_of(equal(x, 3), equal(y, 1)), differs(x, 2), equal(x, n))
    decider = Decider(smt=False)
    assert isinstance(decider.decide(facts, at_most(n, 5)), Proved)
    assert isinstance(decider.decide(facts, equal(n, 2)), Refuted)
    assert isinstance(decider.decide(facts, any_of(equal(n, 3), equal(y, 1))), Proved)


def test_a_variable_inside_its_own_equation_is_not_solved() -> None:
    facts = known(equal(x, x * n // 2))
    assert facts.rewrite(x) is x


def test_bounds_meet_at_a_number() -> None:
    facts = known(at_least(n, 4), at_most(n, 4))
    assert facts.rewrite(n).value == 4


def test_unequal_ends_are_trimmed() -> None:
    facts = known(at_least(n, 0), differs(n, 0), differs(n, 1))
    assert isinstance(Decider(smt=False).decide(facts, at_least(n, 2)), Proved)


def test_contradictions_are_noticed() -> None:
    for facts in (
        known(equal(n, 3), equal(n, 4)),
        known(more(n, 3), less(n, 3)),
        known(equal(2 * n, 3)),
        known(equal(n * m, 3), differs(n * m, 3)),
        known(FALSE),
    ):
        assert facts.known.conflict


# ------------------------------------------------------------------------------------------------- trail

ACTIONS = st.lists(st.tuples(st.sampled_from(["assume", "assume", "suppose"]), predicates_sharing()), max_size=5)


@given(ACTIONS, ACTIONS)
@examples(50)
def test_rolling_back_restores_everything(before: list[tuple[str, Tree]], inside: list[tuple[str, Tree]]) -> None:
    facts = Facts()
    for action, tree in before:
        getattr(facts, action)(built(tree))
    mark, old = facts.mark(), state(facts)
    for action, tree in inside:
        getattr(facts, action)(built(tree))
    facts.rollback(mark)
    assert state(facts) == old


def test_branches_do_not_leak() -> None:
    facts, decider = known(at_least(x, 0)), Decider(smt=False)
    mark = facts.mark()
    facts.assume(equal(x, 4))
    facts.suppose(equal(n, 1))
    inner = facts.mark()
    facts.assume(equal(y, x))
    facts.rollback(inner)
    assert facts.rewrite(y) is y and facts.rewrite(x).value == 4
    facts.rollback(mark)
    assert facts.rewrite(x) is x and not facts.path
    assert isinstance(decider.decide(facts, equal(x, 4)), Unknown)


# ------------------------------------------------------------------------------------------------- cones


def test_a_cone_has_the_connected_facts_and_no_others() -> None:
    facts = known(at_most(x, n), at_most(n, m), at_most(a, b))
    facts.suppose(at_most(m, 3))
    facts.suppose(at_most(a, 3))
    cone = facts.cone(at_most(x, 5))
    assert set(cone.known) == {at_most(x, n), at_most(n, m)}
    assert cone.path == (at_most(m, 3),) and cone.whole


def test_a_path_fact_is_found_through_an_equation() -> None:
    facts = Facts()
    facts.suppose(at_least(x, 5))
    facts.assume(equal(x, n))
    assert isinstance(Decider(smt=False).decide(facts, at_least(n, 5)), Proved)


def chain(count: int) -> tuple[Facts, list[Dim]]:
    """Sizes that are each at most the one before."""
    sizes = [variable(f"dim(%{i}, 0)", Kind.EXISTENTIAL) for i in range(count)]
    facts = Facts()
    for size, following in pairwise(sizes):
        facts.assume(all_of(at_least(size, 0), at_most(following, size)))
    return facts, sizes


def test_a_counterexample_is_confirmed_by_facts_that_were_not_looked_at() -> None:
    facts, sizes = chain(200)
    assert not facts.cone(equal(sizes[0], 7)).whole
    verdict = Decider(smt=False).decide(facts, equal(sizes[0], 7))
    assert isinstance(verdict, Unknown) and not verdict.gave_up and verdict.witness["dim(%0, 0)"] == 0


def test_a_counterexample_that_nobody_confirms_is_not_shown() -> None:
    facts, sizes = chain(2 * LIMITS.component)
    verdict = Decider(smt=False).decide(facts, equal(sizes[0], 7))
    assert isinstance(verdict, Unknown) and verdict.gave_up and not verdict.witness


def test_a_name_with_many_facts_keeps_its_counterexamples() -> None:
    facts = known(at_least(n, 0))
    for i in range(300):
        size = variable(f"dim(%{i}, 0)", Kind.EXISTENTIAL)
        facts.assume(all_of(at_least(size, 0), at_most(size, n)))
    verdict = Decider(smt=False).decide(facts, equal(n, m))
    assert isinstance(verdict, Unknown) and verdict.witness["n"] == 0 and verdict.witness["m"] == 1


def test_what_bounds_imply_is_not_kept() -> None:
    facts = known(at_least(n, 1), at_least((n + 1) // 2, 0), at_least(n * n, 1), at_most(n // 2, n))
    assert list(facts.known.bounds) == [n, n - n // 2]


# ------------------------------------------------------------------------------------------------- cost


def equations(count: int) -> Facts:
    """Sizes that each exceed the one before by 1."""
    facts = Facts()
    sizes = [variable(f"dim(%{i}, 0)", Kind.EXISTENTIAL) for i in range(count)]
    for size, following in itertools.pairwise(sizes):
        facts.assume(at_least(size, 0))
        facts.assume(equal(following, size + 1))
    return facts


def bounds(count: int) -> Facts:
    """Sizes that are each at most the one before, and at most one they have in common."""
    facts = Facts()
    sizes = [variable(f"dim(%{i}, 0)", Kind.EXISTENTIAL) for i in range(count)]
    for size, following in itertools.pairwise(sizes):
        facts.assume(at_least(size, 0))
        facts.assume(at_most(following, size))
        facts.assume(at_most(size, n))
    return facts


@pytest.mark.slow
@pytest.mark.parametrize("made", [equations, bounds])
def test_facts_cost_in_proportion(made: Any) -> None:
    """Ten times the facts cost about ten times the time; the bar leaves room for a busy machine."""
    times = []
    for count in (1_000, 10_000):
        start = process_time()
        with collector_paused():  # as in every check: it would walk all that other tests have left
            facts = made(count)
            decider = Decider(smt=False)
            for i in range(0, count, count // 20):
                decider.decide(facts, equal(variable(f"dim(%{i}, 0)", Kind.EXISTENTIAL), 7))
        times.append(process_time() - start)
    assert times[1] < 30 * times[0]


@pytest.mark.slow
def test_ten_thousand_equations_are_followed() -> None:
    facts = equations(10_000)
    last = variable("dim(%9999, 0)", Kind.EXISTENTIAL)
    assert facts.rewrite(last) is variable("dim(%0, 0)", Kind.EXISTENTIAL) + 9_999
    assert isinstance(Decider(smt=False).decide(facts, at_least(last, 9_999)), Proved)


def test_a_bound_of_a_quotient_bounds_what_is_divided() -> None:
    facts = known(at_least(n, 0), at_least((n + 80) // 160, 3))
    assert facts.known.estimate.of(n).low == 400
    assert facts.known.estimate.of((n + 240) // 320).low == 2


def test_a_quotient_that_is_rewritten_to_itself_comes_to_rest() -> None:
    facts = known(at_least(n, 0), divides(4, n // 8), at_most(-(n // 8), -1))
    assert facts.known.estimate.of(-(n // 8)).high == -4
