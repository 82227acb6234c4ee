"""Facts without choices mean what they meant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradual.dims.rewrite.lift_ite import lifted
from gradual.dims.rewrite.simplify import simplified_dim
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, all_of, any_of, at_least, differs, equal
from gradual.dims.term.dim import Dim, ite, maximum, variable
from tests.generators.dims import Tree, built, evaluated, grid, meant

n, m = variable("n"), variable("m")
few = settings(max_examples=300, deadline=None)


@st.composite
def choices(draw: st.DrawFn) -> Tree:
    """A constraint over choices by the value of a variable, some of them nested or shared."""

    def leaf() -> Tree:
        return draw(st.sampled_from([("var", "a"), ("var", "b"), ("const", 0), ("const", 1), ("const", 3)]))

    def choice(depth: int) -> Tree:
        if depth == 0 or draw(st.integers(0, 3)) == 0:
            return leaf()
        test = ("==", ("var", draw(st.sampled_from("ab"))), ("const", draw(st.integers(0, 2))))
        return ("if", test, choice(depth - 1), choice(depth - 1))

    def term() -> Tree:
        operator = draw(st.sampled_from(("+", "*", "max", "//", "")))
        return (operator, choice(2), choice(1)) if operator else choice(2)

    def comparison() -> Tree:
        return (draw(st.sampled_from(("==", "<=", "!="))), term(), term())

    joint = draw(st.sampled_from(("or", "and", "")))
    return (joint, comparison(), comparison()) if joint else comparison()


@few
@given(tree=choices())
def test_a_fact_without_choices_is_equivalent_wherever_it_is_defined(tree: Tree) -> None:
    found = lifted(built(tree))
    for env in grid((-1, 0, 1, 2, 3), ("a", "b")):
        value = meant(tree, env)
        if value is not None:
            assert evaluated(found, env) is value, (tree, found, env)


def copied(size: Dim, here: int) -> Dim:
    """The size that a shape's element asks for, where 0 copies."""
    return ite(equal(size, 0), here, size)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (any_of(equal(copied(n, 288), n), equal(n, 1)), differs(n, 0)),
        (equal(copied(n, 288), n), differs(n, 0)),
        (equal(copied(n, 4), 4), any_of(equal(n, 0), equal(n, 4))),
        (equal(n, m), equal(n, m)),
        (at_least(maximum(n, m), 3), at_least(maximum(n, m), 3)),
    ],
)
def test_a_bound_behind_a_choice_is_seen(fact: Constraint, expected: Constraint) -> None:
    assert lifted(fact) is expected


def test_a_copied_size_is_the_size_once_it_is_known_not_to_be_zero() -> None:
    facts = Facts()
    facts.assume(at_least(n, 0))
    facts.assume(any_of(equal(copied(n, 288), n), equal(n, 1)))
    assert simplified_dim(copied(n, 288), facts.known.knowledge) is n


def test_what_is_known_about_both_cases_stays_together() -> None:
    fact = lifted(all_of(equal(copied(n, 5) * m, n * m), at_least(m, 0)))
    assert fact.evaluate(dict.fromkeys(fact.variables(), 0))
