"""T1: what constructors make of a term means what the term means, and is written as it is read."""

from __future__ import annotations

import pickle
import re
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradual.dims.bounds.interval import Estimate, Interval
from gradual.dims.rewrite.readable import reduced
from gradual.dims.term.constraint import (
    FALSE,
    TRUE,
    And,
    AtMost,
    Constraint,
    Equal,
    Not,
    Or,
    all_of,
    any_of,
    at_least,
    at_most,
    broadcasts,
    differs,
    divides,
    equal,
    less,
    more,
    negated,
)
from gradual.dims.term.dim import Dim, Kind, Undefined, broadcast, constant, ite, maximum, minimum, product, variable
from gradual.dims.term.evaluation import Evaluation
from gradual.limits import LIMITS
from tests.generators.dims import (
    NAMES,
    Tree,
    built,
    by_variable,
    dim_trees,
    dims_sharing,
    evaluated,
    grid,
    meant,
    predicates_sharing,
    variable_of,
)
from tests.thorough import examples

SOME = (-3, -1, 0, 1, 2, 5)
FEW = (-1, 0, 1, 4)
a, b, c, d, h, n, m = map(variable, "abcdhnm")


def check_meaning(tree: Tree) -> None:
    """Wherever the tree is defined, the normal form has its value."""
    node = built(tree)
    for env in grid(SOME):
        expected = meant(tree, env)
        if expected is not None:
            assert evaluated(node, env) == expected, f"{node} at {env}"


@given(dims_sharing())
@examples(100)
def test_a_dim_means_what_was_written(tree: Tree) -> None:
    check_meaning(tree)


@given(predicates_sharing())
@examples(100)
def test_a_constraint_means_what_was_written(tree: Tree) -> None:
    check_meaning(tree)


@given(predicates_sharing())
@examples(50)
def test_a_negation_holds_exactly_where_the_constraint_does_not(tree: Tree) -> None:
    node = built(tree)
    for env in grid(FEW):
        holds = evaluated(node, env)
        assert evaluated(negated(node), env) == (None if holds is None else not holds)


@given(st.lists(predicates_sharing(), max_size=3))
@examples(50)
def test_a_prepared_conjunction_holds_exactly_where_its_parts_do(trees: list[Tree]) -> None:
    prepared = Evaluation([built(tree) for tree in trees])
    for env in grid(FEW):
        parts = [meant(tree, env) for tree in trees]
        if None not in parts:  # a normal form may be defined where what was written is not
            assert prepared.holds(by_variable(env)) is all(parts)


@given(predicates_sharing(), st.dictionaries(st.sampled_from(NAMES), st.sampled_from((0, 1))))
@examples(150)
def test_a_reduced_constraint_means_the_same(tree: Tree, least_of: dict[str, int]) -> None:
    node = built(tree)
    within = Estimate({variable(name): Interval(least, None) for name, least in least_of.items()})
    for small, least in ((reduced(node), {}), (reduced(node, within), least_of)):
        for env in grid(FEW):
            holds = evaluated(node, env) if all(env[name] >= k for name, k in least.items()) else None
            assert holds is None or evaluated(small, env) == holds, f"{node} as {small} at {env}"


@pytest.mark.parametrize(
    ("written", "small"),
    [
        (at_least(a * b, 1), "a >= 1 and b >= 1"),
        (at_least(64 * a * (b // 2), 1), "a >= 1 and b >= 2"),
        (at_least(a // h, 1), "h <= a"),
        (at_most(a // h, 2), "a < 3 * h"),
        (at_least(a * b, 2), "a * b >= 2"),
        (at_least(a * m, 1), "a * m >= 1"),
    ],
)
def test_reduced_comparisons_of_sizes(written: Constraint, small: str) -> None:
    known = Estimate({a: Interval(0, None), b: Interval(0, None), h: Interval(1, None)})
    assert str(reduced(written, known)) == small


@given(predicates_sharing())
@examples(100)
def test_the_terms_of_a_reduced_comparison_have_no_common_factor(tree: Tree) -> None:
    waiting = [reduced(built(tree))]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Equal | AtMost):
            assert gcd(*(factor for monomial, factor in part.difference.terms if monomial)) == 1, part
        elif isinstance(part, And | Or | Not):
            waiting.extend(part.children)


@pytest.mark.parametrize(
    ("written", "small"),
    [
        (at_most(2 * a, 5), "a <= 2"),
        (at_least(3 * a, 7), "a >= 3"),
        (at_most(4 * a, 6 * b + 3), "2 * a <= 3 * b + 1"),
        (less(6 * a, 4 * b), "3 * a < 2 * b"),
        (differs(2 * a, 6), "a != 3"),
        (differs(2 * a, 5), "True"),
        (differs(4 * a, 6 * b), "2 * a != 3 * b"),
        (any_of(at_most(2 * a, 5), at_least(4 * b, 9)), "a <= 2 or b >= 3"),
        (at_most(2 * (a // 3), 5), "a <= 8"),
        (at_least((a + 1) // 2, 5), "a >= 9"),
        (at_most(a // 4 // 2, 3), "a <= 31"),
        (at_most(1, a // b), "a // b >= 1"),
        (at_least(a * b, 1), "a * b >= 1"),
        (equal((a // 4 - 2) * (b // 4 - 2), 25), "(a // 4 - 2) * (b // 4 - 2) == 25"),
        (equal(a * b, 2 * a + 21), "a * (b - 2) == 21"),
        (equal(a * b + a, 7), "a * b + a == 7"),
        (equal(a * b * c, a * b + 7), "a * b * (c - 1) == 7"),
        (equal(a * b, a + c), "a * b == a + c"),
    ],
)
def test_reduced_comparisons(written: Constraint, small: str) -> None:
    assert str(reduced(written)) == small


@given(predicates_sharing(), dims_sharing())
@examples(50)
def test_a_substitution_is_an_evaluation_in_two_steps(tree: Tree, image: Tree) -> None:
    node, replaced = built(tree), built(image)
    after = node.substitute({variable_of("a"): replaced})
    for env in grid(FEW):
        inner = evaluated(replaced, env)
        if inner is not None and evaluated(node, {**env, "a": inner}) is not None:
            assert evaluated(after, env) == evaluated(node, {**env, "a": inner})


@given(dims_sharing())
@examples(50)
def test_constants_fold_to_the_value(tree: Tree) -> None:
    node: Dim = built(tree)
    for env in grid(FEW):
        folded = node.substitute({variable: constant(k) for variable, k in by_variable(env).items()})
        value = evaluated(node, env)
        assert value is None or folded.value == value


@given(st.one_of(dims_sharing(), predicates_sharing()))
@examples(50)
def test_pickling_gives_the_same_object(tree: Tree) -> None:
    node = built(tree)
    assert pickle.loads(pickle.dumps(node)) is node


@pytest.mark.parametrize(
    ("made", "same"),
    [
        (4 * n // 4, n),
        ((4 * n + 8) // 4, n + 2),
        ((n + 8) // 4, n // 4 + 2),
        (n // 2 // 3, n // 6),
        ((n + 1) // 2 // 2, (n + 1) // 4),
        (((n + 1) // 2 + 1) // 2, (n + 3) // 4),
        (n % 4 % 4, n % 4),
        (n % 8 % 4, n % 4),
        ((n + 9) % 4, (n + 1) % 4),
        (n % 4 // 4, constant(0)),
        ((2 * n + 1) // 4, n // 2),
        (2 * (n // 2) + n % 2, n),
        (maximum(n, n + 1), n + 1),
        (maximum(n, m, n), maximum(m, n)),
        (maximum(maximum(n, m), 3), maximum(3, m, n)),
        (minimum(n, n - 1), n - 1),
        (ite(equal(n, 1), m, m), m),
        (ite(equal(n, 1), 1, n), n),
        (ite(equal(n, m), m, n), n),
        (ite(differs(n, 1), n, m), ite(equal(n, 1), m, n)),
        (ite(equal(n, 1), ite(equal(n, 1), a, b), c), ite(equal(n, 1), a, c)),
        (product((n, 2, m)), 2 * m * n),
        ((n + 1) * (n - 1), n * n - 1),
    ],
)
def test_equal_sizes_are_one_object(made: Dim, same: Dim) -> None:
    assert made is same


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (n // 2, m // 2),
        (n * a, n * b),
        (n * m // m, n),
        (n // n, constant(1)),
        (0 * n // m, constant(0)),
        (n // 0, constant(0)),
        (n // -2, -n // 2),
    ],
)
def test_nothing_is_cancelled_that_might_be_zero(left: Dim, right: Dim) -> None:
    assert left is not right
    assert equal(left, right) not in (TRUE, FALSE)


def test_a_division_by_less_than_one_is_undefined() -> None:
    for divisor in (0, -2, m):
        with pytest.raises(Undefined):
            (n // divisor).evaluate({variable_of("n"): 4, variable_of("m"): 0})
        with pytest.raises(Undefined):
            (n % divisor).evaluate({variable_of("n"): 4, variable_of("m"): 0})


def test_a_branch_that_is_not_taken_may_be_undefined() -> None:
    guarded = ite(equal(h, 0), 0, d // h)
    assert guarded.evaluate({variable_of("h"): 0, variable_of("d"): 6}) == 0
    assert any_of(equal(h, 0), divides(h, d)).evaluate({variable_of("h"): 0, variable_of("d"): 6})
    assert not all_of(more(h, 0), divides(h, d)).evaluate({variable_of("h"): 0, variable_of("d"): 6})


TEXTS = [
    (n + 1, "n + 1"),
    (2 * n, "2 * n"),
    (n // 2, "n // 2"),
    (maximum(n - 2, 0), "max(n - 2, 0)"),
    (ite(equal(n, 1), m, n), "broadcast(n, m)"),
    (n % 8, "n % 8"),
    (b * (d % h) + 1, "b * (d % h) + 1"),
    (n // 2 % 3, "n // 2 % 3"),
    (2 * n % 4, "2 * (n % 2)"),
    (m - n, "m - n"),
    (-n, "-n"),
    (-(-n // 4), "-((-n) // 4)"),
    (n // 2 * m, "m * (n // 2)"),
    ((n // 2) * (m // 2), "(m // 2) * (n // 2)"),
    (n // (m // 2), "n // (m // 2)"),
    (n // (m + 1), "n // (m + 1)"),
    ((n + m) // 2, "(m + n) // 2"),
    (2 * n // 3, "2 * n // 3"),
    ((n + 2 - 3) // 2 + 1, "(n + 1) // 2"),
    (b * d // 4 * 4, "4 * (b * d // 4)"),
    (constant(-3), "-3"),
    (variable("dim(%x, 1)", Kind.EXISTENTIAL) + 1, "dim(%x, 1) + 1"),
    (equal(n, 784), "n == 784"),
    (equal(784, n), "n == 784"),
    (at_most(2, n), "n >= 2"),
    (at_least(n - 2, 0), "n >= 2"),
    (less(n, m), "n < m"),
    (at_most(n, m), "n <= m"),
    (negated(less(n, m)), "m <= n"),
    (divides(h, d), "d % h == 0"),
    (differs(n, 1), "n != 1"),
    (any_of(equal(a, 3), equal(a, 1)), "a == 3 or a == 1"),
    (all_of(equal(a, 3), any_of(equal(b, 1), more(b, 4))), "a == 3 and (b == 1 or b >= 5)"),
    (any_of(equal(a, 3), all_of(equal(b, 1), more(c, 4))), "a == 3 or b == 1 and c >= 5"),
    (equal(3 * d, 4), "3 * d == 4"),
    (TRUE, "True"),
]


@pytest.mark.parametrize(("node", "text"), TEXTS)
def test_texts_are_canonical(node: Dim, text: str) -> None:
    assert str(node) == text


OF_SIZES = {"broadcast": broadcast, "broadcasts": broadcasts, "max": maximum, "min": minimum}
NAMESPACE = {"constant": constant, **OF_SIZES, **{name: variable(name) for name in "abcdhnm"}}


@given(dims_sharing())
@examples(100)
def test_a_text_reads_back_as_the_same_dim(tree: Tree) -> None:
    node: Dim = built(tree)
    if "(if " not in str(node):  # the rest is also an expression of Python, of the same meaning
        text = re.sub(r"\d+", r"constant(\g<0>)", str(node))
        assert eval(text, {"__builtins__": {}}, NAMESPACE) is node


@given(dim_trees(depth=1), dim_trees(depth=1))
@examples(100)
def test_what_broadcasting_makes_reads_back_by_its_name(size: Tree, other: Tree) -> None:
    for node in (broadcast(built(size), built(other)), broadcasts(built(size), built(other))):
        text = str(node)
        if "(if " not in text and (isinstance(node, Dim) or text.startswith("broadcasts(")):
            again = eval(re.sub(r"\d+", r"constant(\g<0>)", text), {"__builtins__": {}}, NAMESPACE)
            assert again is node


def test_broadcasting_means_what_it_says_for_zero_too() -> None:
    for env in grid((0, 1, 2, 3), ("a", "b")):
        size, other = env["a"], env["b"]
        assert broadcast(a, b).evaluate(by_variable(env)) == (other if size == 1 else size)
        assert broadcasts(a, b).evaluate(by_variable(env)) is (size == other or 1 in (size, other))


def test_a_name_of_broadcasting_is_found_where_it_is_all_that_is_said() -> None:
    assert str(broadcasts(n, m)) == "broadcasts(n, m)"
    assert str(any_of(equal(n, m), equal(m, 1), equal(n, 1))) == "n == m or m == 1 or n == 1"
    assert str(any_of(broadcasts(n, m), equal(h, 2))) == "n == m or n == 1 or m == 1 or h == 2"
    assert str(broadcasts(n, 4)) == "n == 4 or n == 1"
    assert str(broadcast(n, 2 * m) * h + 1) == "h * broadcast(n, 2 * m) + 1"
    assert str(ite(equal(n, 2), m, n)) == "(if n == 2 then m else n)"


def test_depth_costs_no_stack() -> None:
    deep = n
    for i in range(2_000):
        deep = maximum(deep * 3 // 2, m - i)
    assert deep.evaluate({variable_of("n"): 0, variable_of("m"): 0}) == 0
    assert deep.substitute({variable_of("n"): m}).variables() == {variable_of("m")}
    assert len(str(deep)) <= 2 * LIMITS.text
    assert pickle.loads(pickle.dumps(deep)) is deep


def test_products_stay_within_limits() -> None:
    grown = n + m
    for _ in range(50):
        grown = grown * grown
    assert len(grown.terms) <= LIMITS.monomials
    huge = constant(3)
    for _ in range(50):
        huge = huge * huge
    with pytest.raises(Undefined):
        huge.evaluate({})


def test_unused_dims_are_forgotten() -> None:
    from gradual.dims.term import polynomial

    before, latest = len(polynomial._DIMS), polynomial._interned.cache_info().maxsize
    assert latest is not None
    for i in range(3 * latest):
        variable(f"forgotten{i}") + 1
    assert len(polynomial._DIMS) <= before + latest + 10
