"""Each stage of the pipeline by itself: what it claims is true at every valuation of a grid."""

from __future__ import annotations

from itertools import product

from hypothesis import assume, given
from hypothesis import strategies as st

from gradual.dims.bounds.fourier_motzkin import contradictory
from gradual.dims.bounds.interval import Estimate, Interval
from gradual.dims.rewrite.quotients import divided_exactly
from gradual.dims.rewrite.simplify import Knowledge, simplified_constraint, simplified_dim
from gradual.dims.solver.case_split import Refuter
from gradual.dims.solver.conjunction import System
from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.atom import Variable
from gradual.dims.term.constraint import at_least, at_most, equal, negated
from gradual.dims.term.dim import Dim, constant, of_atom, variable
from gradual.dims.term.evaluation import satisfied
from gradual.limits import LIMITS
from gradual.verdict import Unknown
from tests.generators.dims import NAMES, Tree, built, dims_sharing, evaluated, grid, predicates_sharing
from tests.thorough import examples

ENDS = st.one_of(st.none(), st.integers(-2, 4))
BOXES = st.tuples(*(st.builds(lambda low, width: (low, width), ENDS, ENDS) for _ in NAMES))
Box = tuple[tuple[int | None, int | None], ...]
GRID = (-3, -1, 0, 1, 2, 4)
n, m = variable("n"), variable("m")


def intervals(box: Box) -> dict[Dim, Interval]:
    """Bounds of the variables: the second number of a pair is the distance of the ends."""
    known = {}
    for name, (low, width) in zip(NAMES, box, strict=True):
        high = None if width is None else (low or 0) + max(width, 0)
        known[variable(name)] = Interval(low, high)
    return known


def inside(known: dict[Dim, Interval]) -> list[dict[str, int]]:
    return [env for env in grid(GRID) if all(env[str(dim)] in interval for dim, interval in known.items())]


@given(dims_sharing(), BOXES)
@examples(75)
def test_a_dim_is_within_its_bounds(tree: Tree, box: Box) -> None:
    known = intervals(box)
    dim, estimate = built(tree), Estimate(known)
    for env in inside(known):
        value = evaluated(dim, env)
        assert value is None or value in estimate.of(dim), f"{dim} = {value} at {env}"


@given(predicates_sharing(), BOXES)
@examples(75)
def test_what_bounds_decide_is_so(tree: Tree, box: Box) -> None:
    known = intervals(box)
    constraint = built(tree)
    holds = Estimate(known).holds(constraint)
    for env in inside(known) if holds is not None else ():
        assert evaluated(constraint, env) in (None, holds)


@given(st.one_of(dims_sharing(), predicates_sharing()), BOXES)
@examples(75)
def test_simplifying_within_bounds_changes_no_value(tree: Tree, box: Box) -> None:
    known = intervals(box)
    node, knowledge = built(tree), Knowledge(Estimate(known), {})
    simple = simplified_dim(node, knowledge) if isinstance(node, Dim) else simplified_constraint(node, knowledge)
    for env in inside(known):
        value = evaluated(node, env)
        assert value is None or evaluated(simple, env) == value


@given(dims_sharing(), dims_sharing())
@examples(50)
def test_an_exact_division_multiplies_back(dividend: Tree, divisor: Tree) -> None:
    a, b = built(dividend), built(divisor)
    assume(b.terms)
    whole, rest = divided_exactly(a, b)
    assert whole * b + rest is a


ROWS = st.lists(st.tuples(*(st.integers(-3, 3) for _ in NAMES), st.integers(-6, 6)), min_size=1, max_size=6)


@given(ROWS)
@examples(100)
def test_contradictory_rows_have_no_solution(rows: list[tuple[int, ...]]) -> None:
    dims = [sum((variable(name) * c for name, c in zip(NAMES, row, strict=False)), constant(row[-1])) for row in rows]
    if contradictory(dims):
        for env in grid(tuple(range(-4, 5))):
            assert any(evaluated(dim, env) < 0 for dim in dims)


@given(st.lists(predicates_sharing(), min_size=1, max_size=3))
@examples(50)
def test_what_cases_refute_has_no_model(trees: list[Tree]) -> None:
    constraints = [built(tree) for tree in trees]
    if Refuter(LIMITS).refuted(System(constraints)) is not None:
        for env in grid(GRID):
            assert not all(evaluated(constraint, env) is True for constraint in constraints)


@given(st.lists(predicates_sharing(), max_size=3), predicates_sharing())
@examples(75)
def test_a_narrowed_system_has_the_models_of_both(trees: list[Tree], case: Tree) -> None:
    """What is at rest before a case is added says with it what all of it says at once."""
    before = System(map(built, trees))
    constraints, said = [*map(built, trees), built(case)], state_of(before)
    narrowed = before.narrowed(built(case))
    assert state_of(before) == said and set(narrowed.given) == set(constraints)
    anew = Estimate(narrowed.bounds)
    assert all(narrowed.estimate.of(form) == anew.of(form) for form in narrowed.bounds)
    for env in grid(GRID):
        if all(evaluated(constraint, env) is True for constraint in constraints):
            assert not narrowed.conflict
            assert all(evaluated(left, env) in (None, True) for left in narrowed.constraints)
            assert all(evaluated(image, env) in (None, env[name.name]) for name, image in narrowed.solved.items())


def state_of(system: System) -> tuple[object, ...]:
    return dict(system.solved), dict(system.bounds), dict(system.apart), dict(system.others), system.conflict


@given(st.lists(predicates_sharing(), min_size=1, max_size=4))
@examples(75)
def test_an_estimate_apart_is_one_without_a_form(trees: list[Tree]) -> None:
    """Of what a form is made of both know the same, of the form and its sums and differences each its own."""
    system = System(map(built, trees))
    for form in system.bounds:
        apart = system.estimate.apart(form)
        anew = Estimate({other: bound for other, bound in system.bounds.items() if other is not form})
        for dim in (form, form + 1, *(of_atom(atom) for atom in form.atoms())):
            assert apart.of(dim) == anew.of(dim)


def two_names(tree: Tree) -> Tree:
    """The tree over two variables instead of three."""
    if tree[0] == "var":
        return ("var", "b" if tree[1] == "c" else tree[1])
    return (tree[0], *(two_names(part) if isinstance(part, tuple) else part for part in tree[1:]))


@given(predicates_sharing())
@examples(75)
def test_no_smaller_counterexample_exists(tree: Tree) -> None:
    """Over two sizes the search is complete for small numbers, so the least one is found."""
    goal, facts = built(two_names(tree)), Facts()
    names = sorted(goal.variables())
    for name in names:
        facts.assume(at_least(variable(name.name), 0))
    verdict = Decider(smt=False).decide(facts, goal)
    smaller = [env for env in _naturals(names, 6) if satisfied([negated(goal)], env)]
    if isinstance(verdict, Unknown) and smaller:
        assert (max(verdict.witness.values()), sum(verdict.witness.values())) == min(
            (max(env.values()), sum(env.values())) for env in smaller
        )


def _naturals(names: list[Variable], count: int) -> list[dict[Variable, int]]:
    return [dict(zip(names, numbers, strict=True)) for numbers in product(range(count), repeat=len(names))]


def test_elimination_rounds_over_the_integers() -> None:
    assert contradictory([2 * n - 1, 1 - 2 * n])
    assert contradictory([2 * n - 2 * m - 1, 2 * m - 2 * n + 1])
    assert not contradictory([2 * n - 1, 2 - 2 * n])


def test_a_bound_spreads_through_sums_products_and_quotients() -> None:
    system = System([at_least(n, 0), at_least(m, 0), at_least(n * m, 1), at_most(n + m, 3), at_most(m // 2, 0)])
    assert system.bounds[n] == Interval(1, 2) and system.rewritten(m).value == 1
    assert System([at_most(n, 3), equal(n // 2, 2)]).conflict
