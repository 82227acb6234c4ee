"""Questions of yes or no: samples are models, what is left out of a cone decides nothing, and answers are the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gradual.dims.solver.decide import Decider, Unsat
from gradual.dims.solver.samples import sample
from gradual.dims.store.facts import Facts
from gradual.dims.store.saturated import Known
from gradual.dims.term.atom import names_of
from gradual.dims.term.constraint import (
    Constraint,
    any_of,
    at_least,
    at_most,
    defined,
    differs,
    divides,
    equal,
    is_total,
    less,
)
from gradual.dims.term.dim import Dim, Kind, ite, variable
from gradual.dims.term.evaluation import satisfied
from gradual.verdict import Unknown, Verdict
from tests.dims.laws import SIZES, Question, check_brevity, facts_of
from tests.generators.dims import Tree, built, dim_trees, grid, meant, predicates_sharing, questions, size_questions

k, m, n = map(variable, "kmn")


# ------------------------------------------------------------------------------------------------- samples
@settings(max_examples=150, deadline=None)
@given(st.lists(predicates_sharing(), max_size=4))
def test_a_sample_satisfies_what_it_is_one_of(trees: list[Tree]) -> None:
    constraints = [built(tree) for tree in trees]
    model = sample(constraints)
    assert model is None or satisfied(constraints, model)


@pytest.mark.parametrize("turned", [False, True])
def test_a_chain_of_bounds_has_a_sample_however_long_and_from_either_end(turned: bool) -> None:
    sizes = [variable(f"n{i}") for i in range(200)]
    chain = [less(one, other) for one, other in pairwise(sizes)]
    model = sample(chain[::-1] if turned else chain)
    assert model is not None
    assert satisfied(chain, model)


@pytest.mark.parametrize("smt", [True, False])
@settings(max_examples=80, deadline=None)
@given(st.one_of(questions(), size_questions(), size_questions()))
def test_a_short_answer_is_what_the_long_one_says(smt: bool, question: Question) -> None:
    check_brevity(question, Decider(smt=smt))


@settings(max_examples=150, deadline=None)
@given(st.one_of(dim_trees(), predicates_sharing()))
def test_what_is_total_divides_by_numbers_only(tree: Tree) -> None:
    node = built(tree)
    assert is_total(node) or defined(node)  # a divisor behind a choice that is never taken asks nothing
    assert not is_total(node) or not defined(node)


# ------------------------------------------------------------------------------------------------- free variables
@settings(max_examples=150, deadline=None)
@given(size_questions())
def test_what_a_variable_can_be_chosen_for_can_be_met_wherever_the_rest_holds(question: Question) -> None:
    known, _, goal = question
    decider = Decider()
    facts, constraint = facts_of(known, (), decider), built(goal)
    assume(any(all(meant(tree, env) is True for tree in known) for env in grid(SIZES)))
    if facts.can_meet(facts.rewrite(constraint)):
        assert not isinstance(decider.satisfiable(facts, constraint), Unsat)


def test_a_size_of_which_nothing_is_said_can_be_chosen() -> None:
    facts = Facts()
    for size in (k, m, n):
        facts.assume(at_least(size, 0))
    facts.assume(at_most(k, n))
    assert facts.can_meet(equal(m, n + 2 * k))
    assert facts.can_meet(less(n, m))
    assert facts.can_meet(differs(m, ite(less(k, n), k, n)))
    assert not facts.can_meet(equal(m, n - k - 1))  # may be negative
    assert not facts.can_meet(equal(2 * m, n))  # may be odd
    assert not facts.can_meet(equal(m, n // k))  # may be undefined
    assert not facts.can_meet(less(n, k))
    facts.suppose(equal(m, 3))
    assert facts.can_meet(less(n, m))
    assert not facts.can_meet(less(n, m), path=True)


# ------------------------------------------------------------------------------------------------- idle variables
def unknown(name: str) -> Dim:
    return variable(f"dim(%{name}, 0)", Kind.EXISTENTIAL)


def joined(count: int) -> Facts:
    """Sizes of which each is the one before or that and another one."""
    facts = Facts()
    for size in (n, m, *(unknown(f"x{i}") for i in range(count))):
        facts.assume(at_least(size, 0))
    before = n
    for i in range(count):
        facts.assume(any_of(equal(unknown(f"x{i}"), before + m), equal(unknown(f"x{i}"), before)))
        before = unknown(f"x{i}")
    return facts


def test_what_only_says_what_idle_sizes_are_is_in_no_cone_but_their_own() -> None:
    facts = joined(20)
    assert names_of(facts.cone(at_most(m, 3)).known) == m.names
    own = frozenset().union(*(unknown(f"x{i}").names for i in range(4)), n.names, m.names)
    assert names_of(facts.cone(at_most(unknown("x3"), 3)).known) == own
    facts.assume(at_most(unknown("x3"), 8))
    assert names_of(facts.cone(at_most(m, 3)).known) == own


def test_a_condition_on_an_idle_size_connects_it() -> None:
    facts = joined(3)
    facts.suppose(equal(unknown("x2"), 0))
    assert Decider(smt=False).proves(facts, equal(n, 0))
    assert not Decider(smt=False).proves(facts, equal(m, 0))


def test_a_branch_forgets_that_a_size_was_not_idle() -> None:
    facts = joined(4)
    before = facts.cone(at_most(m, 3))
    mark = facts.mark()
    facts.assume(at_most(unknown("x2"), 5))
    assert facts.cone(at_most(m, 3)) != before
    facts.rollback(mark)
    assert facts.cone(at_most(m, 3)) == before


def sums(count: int) -> st.SearchStrategy[Dim]:
    """A sum of two earlier sizes, one of them may be left out, and a small number."""
    earlier = st.sampled_from([n, m, *(unknown(f"x{i}") for i in range(count))])
    return st.builds(
        lambda left, right, by, more: left + right * by + more, earlier, earlier, st.integers(0, 1), st.integers(0, 2)
    )


@st.composite
def developments(draw: st.DrawFn) -> tuple[list[Constraint], list[Constraint], Constraint]:
    """Facts as branches leave them, with others about the same sizes, at most one condition, and a goal."""
    facts = [at_least(size, 0) for size in (n, m)]
    count = draw(st.integers(1, 4))
    for i in range(count):
        facts.append(at_least(unknown(f"x{i}"), 0))
        facts.append(any_of(*(equal(unknown(f"x{i}"), draw(sums(i))) for _ in range(2))))
        if draw(st.integers(0, 3)) == 0:
            facts.append(draw(clauses(i + 1)))
    return facts, draw(st.lists(clauses(count), max_size=1)), draw(clauses(count))


def clauses(count: int) -> st.SearchStrategy[Constraint]:
    return st.builds(
        lambda compare, left, right: compare(left, right),
        st.sampled_from([equal, at_most, differs, less, lambda left, right: divides(2, left + right)]),
        sums(count),
        st.one_of(sums(count), st.integers(0, 4)),
    )


def verdict_of(development: tuple[list[Constraint], list[Constraint], Constraint]) -> Iterator[Verdict]:
    """With and without the cut, where all facts together can hold."""
    known, path, goal = development
    for facts in (Facts(), Facts()):
        decider = Decider(smt=False)
        for fact in known:
            if not decider.refutes(facts, fact):
                facts.assume(fact)
        for condition in path:
            decider.suppose(facts, condition)
        yield decider.decide(facts, goal)


@settings(max_examples=80, deadline=None)
@given(developments())
def test_what_is_left_out_of_a_cone_decides_nothing(
    development: tuple[list[Constraint], list[Constraint], Constraint],
) -> None:
    (cut, _) = verdict_of(development)
    with patch.object(Known, "_defined", lambda self, constraint: None):
        (whole, _) = verdict_of(development)
    assert type(cut) is type(whole) or isinstance(whole, Unknown), f"{cut} for {whole}"
