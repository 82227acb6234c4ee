"""Facts stay at rest: what is learnt makes the facts that it touches simpler, and together they say what they said."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.bounds.interval import Estimate, Interval
from gradual.dims.rewrite.simplify import Knowledge, simplified_constraint, simplified_dim
from gradual.dims.rewrite.split_extrema import plain
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import FALSE, Constraint, all_of, any_of, at_least, at_most, differs, divides, equal
from gradual.dims.term.dim import Dim, ite, maximum, minimum, sum_of, variable
from gradual.verdict import Proved
from tests.dims.laws import SIZES, facts_of
from tests.generators.dims import Tree, built, dims_sharing, evaluated, grid, meant, predicates_sharing
from tests.thorough import examples

b, m, n, s, t = map(variable, "bmnst")


def facts(*constraints: Constraint) -> Facts:
    found = Facts()
    for name in (b, m, n, s, t):
        found.assume(at_least(name, 0))
    for constraint in constraints:
        found.assume(constraint)
    return found


def said(found: Facts, *about: Dim) -> set[Constraint]:
    """What is known of some dims."""
    return set(found.cone(sum_of(about)).known)


def copied(size: Dim, here: Dim | int) -> Dim:
    """The size that an element of a shape asks for, where 0 copies."""
    return ite(equal(size, 0), here, size)


def stored(found: Facts) -> Constraint:
    """Everything known of the names, solved ones included."""
    store = found.known
    if store.conflict:
        return FALSE
    items = [*store.bounds, *((difference,) for difference in store.apart), *store.others]
    kept = [fact for item in items for fact in store.constraints_of(item)]
    return all_of(*kept, *(equal(variable(name.name), image) for name, image in store.solved.items()))


@given(st.lists(predicates_sharing(), min_size=1, max_size=4))
@examples(150)
def test_facts_together_say_what_each_said(trees: Sequence[Tree]) -> None:
    found = stored(facts_of(trees, (), Decider()))
    for env in grid(SIZES):
        values = [meant(tree, env) for tree in trees]
        if None not in values:
            expected = all(values)
            assert evaluated(found, env) in (expected, None), (found, env)


@pytest.mark.parametrize(
    ("known", "learnt", "left"),
    [
        ([], equal(b * s, copied(s, 96) * maximum(b, 1)), [at_least(b, 1), at_least(s, 1)]),
        ([equal(n * s, m * s)], at_least(s, 1), [at_least(m, 0), at_least(s, 1)]),
        ([], any_of(equal(minimum(s, 9), s), equal(minimum(s, 9), 1)), [at_least(s, 0), at_most(s, 9)]),
        ([any_of(equal(s, 0), equal(n, 7))], at_least(s, 2), [at_least(s, 2)]),
        ([at_most(maximum(n, m), 7)], at_least(n, 3), [at_least(m, 0), at_most(m, 7), at_least(n, 3), at_most(n, 7)]),
    ],
)
def test_a_fact_is_said_plainly_once_enough_is_known(
    known: list[Constraint], learnt: Constraint, left: list[Constraint]
) -> None:
    found = facts(*known, learnt)
    about = [found.rewrite(variable(name.name)) for name in all_of(*known, learnt).names]
    assert said(found, *about) == set(left)


def test_facts_that_end_with_a_branch_are_as_they_were() -> None:
    found = facts(any_of(equal(s, 0), equal(n, m)))
    before = said(found, n, s)
    mark = found.mark()
    found.assume(at_least(s, 1))
    assert found.rewrite(n) is found.rewrite(m)
    found.rollback(mark)
    assert said(found, n, s) == before and found.rewrite(n) is n


def bounded(**low: int) -> Estimate:
    return Estimate({variable(name): Interval(least, None) for name, least in low.items()})


@pytest.mark.parametrize(
    ("constraint", "known", "expected"),
    [
        (equal(maximum(n, 1), n), {}, at_least(n, 1)),
        (equal(minimum(n, 512), 1), {"n": 0}, equal(n, 1)),
        (equal(maximum(n, 3), 2), {}, FALSE),
        (at_most(maximum(n, m), s), {}, all_of(at_most(m, s), at_most(n, s))),
        (at_most(s, maximum(n, m)), {}, at_most(s, maximum(n, m))),
        (equal(ite(equal(n, 0), 7, n), 5), {"n": 0}, equal(n, 5)),
        (any_of(equal(n, 1), at_most(n, 5)), {}, at_most(n, 5)),
        (any_of(differs(n, 1), all_of(equal(n, 1), equal(m, 0))), {}, any_of(differs(n, 1), equal(m, 0))),
        (all_of(differs(n, 0), equal(n, 1)), {}, equal(n, 1)),
        (any_of(equal(ite(equal(n, 0), 7, n), n), equal(n, 1), equal(ite(equal(n, 0), 7, n), 1)), {}, differs(n, 0)),
        (any_of(equal(m, 2), all_of(equal(m, 2), equal(n, 1))), {}, equal(m, 2)),
    ],
)
def test_a_constraint_said_plainly(constraint: Constraint, known: dict[str, int], expected: Constraint) -> None:
    found = plain(constraint, bounded(**known))
    assert found is expected


def test_a_factor_of_both_sides_goes_where_it_is_at_least_one() -> None:
    goal = equal(n * s, m * s)
    assert simplified_constraint(goal, Knowledge(bounded(s=0), {})) is goal
    assert simplified_constraint(goal, Knowledge(bounded(s=1), {})) is equal(n, m)


@pytest.mark.parametrize(
    ("disjunction", "expected"),
    [
        (any_of(equal(n, m), equal(n, 1)), m),
        (any_of(equal(n, 1), equal(m, n)), m),
        (any_of(equal(n, m), differs(n, 1)), n),
        (any_of(equal(n, m), equal(n, 1), equal(s, 1)), ite(equal(n, 1), m, n)),
        (any_of(equal(n, m), equal(n, 2)), ite(equal(n, 1), m, n)),
        (any_of(equal(n, s), equal(n, 1)), ite(equal(n, 1), m, n)),
    ],
)
def test_a_choice_is_made_by_a_disjunction_of_its_condition_and_that_it_does_not_matter(
    disjunction: Constraint, expected: Dim
) -> None:
    found, choice = facts(), ite(equal(n, 1), m, n)
    mark = found.mark()
    found.assume(disjunction)
    assert simplified_dim(choice, found.known.knowledge) is expected
    found.rollback(mark)
    assert simplified_dim(choice, found.known.knowledge) is choice


@given(predicates_sharing(), dims_sharing(), dims_sharing(), predicates_sharing(), st.booleans())
@examples(150)
def test_a_choice_that_facts_make_keeps_its_value(
    condition: Tree, one: Tree, other: Tree, fact: Tree, is_kept: bool
) -> None:
    choice = ("if", condition, one, other)
    disjunction = ("or", condition, ("==", one, other)) if is_kept else ("or", ("==", other, one), ("not", condition))
    found = facts_of((fact, disjunction), (), Decider())
    simpler = simplified_dim(found.rewrite(built(choice)), found.known.knowledge)
    for env in grid(SIZES):
        if meant(fact, env) and meant(disjunction, env) and (value := meant(choice, env)) is not None:
            assert evaluated(simpler, env) == value


def test_a_quotient_by_a_choice_is_exact_in_each_case() -> None:
    size = ite(equal(n, 1), m, n)
    whole = 4 * b * size // copied(size, s)
    assert simplified_dim(whole, Knowledge(bounded(b=1, s=1, n=0, m=0), {})) is ite(equal(size, 0), 0, 4 * b)
    assert simplified_dim(whole, Knowledge(bounded(b=1, s=0, n=0, m=0), {})) is whole


def test_an_equation_on_a_quotient_loses_no_divisibility() -> None:
    found = facts(divides(3, n), equal(n // 3, 1))
    assert isinstance(Decider().decide(found, divides(3, n)), Proved)
    assert isinstance(Decider().decide(found, equal(n, 3)), Proved)
