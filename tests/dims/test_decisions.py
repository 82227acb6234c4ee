"""T2 and T3: verdicts are sound, witnesses are real and small, and less power only ever says "unknown" more often."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradual.dims.solver.decide import Decider, Sat, Unsat
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import (
    FALSE,
    TRUE,
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
from gradual.dims.term.dim import Kind, constant, ite, maximum, minimum, variable
from gradual.limits import LIMITS
from gradual.verdict import Proved, Refuted, Unknown, Verdict
from tests.dims.laws import (
    SCANT,
    Question,
    check_decided,
    check_least,
    check_monotony,
    check_more_facts,
    check_soundness,
    check_walk,
)
from tests.generators.dims import (
    LINEAR_CLAUSES,
    Tree,
    alike_questions,
    case_questions,
    linear_questions,
    questions,
    size_questions,
    walks,
)
from tests.thorough import examples

a, b, c, d, h, k, m, n, s = map(variable, "abcdhkmns")
x, y = (variable(name, Kind.EXISTENTIAL) for name in ("dim(%x, 0)", "dim(%y, 0)"))
NATURALS = (a, b, c, d, h, k, m, n, s, x, y)


def known(*assumed: Constraint, path: tuple[Constraint, ...] = ()) -> Facts:
    facts = Facts()
    for dim in NATURALS:
        facts.assume(at_least(dim, 0))
    for constraint in assumed:
        facts.assume(constraint)
    for constraint in path:
        facts.suppose(constraint)
    return facts


def decided(goal: Constraint, *assumed: Constraint, path: tuple[Constraint, ...] = ()) -> Verdict:
    return Decider(smt=False).decide(known(*assumed, path=path), goal)


# ------------------------------------------------------------------------------------------------- properties


@given(questions())
@settings(max_examples=150, deadline=None)
def test_verdicts_are_sound(question: Question) -> None:
    check_soundness(question, Decider(smt=False))


@given(st.one_of(alike_questions(), case_questions()))
@settings(max_examples=150, deadline=None)
def test_verdicts_on_like_sides_and_on_cases_are_sound(question: Question) -> None:
    check_soundness(question, Decider(smt=False))


@given(size_questions())
@examples(100)
def test_verdicts_on_sizes_as_programs_have_them_are_sound(question: Question) -> None:
    check_soundness(question, Decider(smt=False))


@given(walks())
@examples(80)
def test_verdicts_along_a_walk_are_sound(walk: list[tuple[str, Tree]]) -> None:
    check_walk(walk, Decider(smt=False))


@given(questions())
@settings(max_examples=40, deadline=None)
def test_verdicts_with_the_solver_are_sound(question: Question) -> None:
    check_soundness(question, Decider(replace(LIMITS, models=4, cases=2)))


@given(linear_questions())
@examples(100)
def test_verdicts_in_the_decidable_part_are_sound(question: Question) -> None:
    check_soundness(question, Decider(smt=False))


@given(linear_questions())
@examples(100)
def test_the_decidable_part_is_decided_without_the_solver(question: Question) -> None:
    check_decided(question, Decider(smt=False))


@given(linear_questions(), st.lists(LINEAR_CLAUSES, min_size=1, max_size=3))
@examples(80)
def test_more_facts_never_prove_less(question: Question, more: list[Tree]) -> None:
    check_more_facts(question, more, Decider(smt=False))


@given(st.one_of(linear_questions(), size_questions(), case_questions()))
@examples(100)
def test_a_witness_is_the_least_one(question: Question) -> None:
    check_least(question, Decider(smt=False))


@given(questions())
@settings(max_examples=60, deadline=None)
def test_less_power_never_gives_another_verdict(question: Question) -> None:
    check_monotony(question, Decider(), Decider(smt=False))
    check_monotony(question, Decider(smt=False), Decider(SCANT, smt=False))


@given(questions())
@settings(max_examples=40, deadline=None)
def test_a_smaller_budget_of_the_solver_never_gives_another_verdict(question: Question) -> None:
    weak = replace(LIMITS, models=4, cases=2)
    check_monotony(question, Decider(weak), Decider(replace(weak, rlimit=400)))


@given(questions())
@settings(max_examples=60, deadline=None)
def test_answers_do_not_depend_on_what_was_asked_before(question: Question) -> None:
    shared = Decider(smt=False)
    check_soundness((question[0], (), question[2]), shared)
    assert check_soundness(question, shared) == check_soundness(question, Decider(smt=False))


# ------------------------------------------------------------------------------------------------- directed

PROVED = [
    ("a disequality takes nothing away", divides(5, b), (differs(2 * a, 3 * b), equal(3 * b, 5 * a))),
    ("a disjunction takes nothing away", divides(5, b), (any_of(equal(a, c), more(b, d)), equal(3 * b, 5 * a))),
    ("two equations without a coefficient of 1", divides(49, c), (equal(2 * a, 7 * b), equal(7 * a, 2 * c))),
    ("interleave", equal((n + 1) // 2 + n // 2, n), ()),
    ("a quotient and its remainder", equal(2 * (n // 2), n - n % 2), ()),
    ("split heads", equal(b * s * h * (d // h), b * s * d), (more(h, 0), divides(h, d))),
    ("split by a number", equal(4 * b * (d // 4), b * d), (divides(4, d),)),
    ("an exact symbolic quotient", equal(n * m // m, n), (more(m, 0),)),
    ("at least one", at_least(maximum(n, 1), 1), ()),
    ("a chain of bounds", at_most(n, s), (at_most(n, m), at_most(m, s))),
    ("a product with a factor from 1 on", at_least(b * d, d), (more(b, 0),)),
    ("half is not more", at_most(n // 2, n), ()),
    ("a quotient is not more", at_most(a // h, a), (more(h, 0),)),
    ("the least is not more", at_most(minimum(n, m), m), ()),
    ("a clamp", at_least(minimum(maximum(n - 2, 0), m), 0), ()),
    ("numel by the divisible factor", equal(n * m * s, 2 * (n * m * s // 2)), (divides(2, s),)),
    ("remainders of multiples", equal(n % 12 % 4, n % 4), ()),
    (
        "broadcasting is associative",
        equal(
            ite(equal(n, 1), ite(equal(m, 1), s, m), n),
            ite(equal(ite(equal(n, 1), m, n), 1), s, ite(equal(n, 1), m, n)),
        ),
        (),
    ),
    ("a disjunction by cases", at_most(x, 3), (any_of(equal(x, 3), equal(x, 1)),)),
    ("a join of equal sizes", equal(x, 10), (any_of(equal(x, 10), equal(x, y)), equal(y, 10))),
    ("a convolution that keeps its size", equal((n + 2 - 3) // 1 + 1, n), ()),
]


@pytest.mark.parametrize(("goal", "assumed"), [row[1:] for row in PROVED], ids=[row[0] for row in PROVED])
def test_true_identities_are_proved_without_the_solver(goal: Constraint, assumed: tuple[Constraint, ...]) -> None:
    assert isinstance(decided(goal, *assumed), Proved)


UNKNOWN = [
    ("one size", equal(x, 784), (), {"dim(%x, 0)": 0}),
    ("two names", equal(n, m), (), {"n": 0, "m": 1}),
    ("one of two", any_of(equal(a, 3), equal(a, 1)), (), {"a": 0}),
    ("broadcast of a neighbour", any_of(equal(n, n + 1), equal(n, 1), equal(n + 1, 1)), (), {"n": 2}),
    ("self concat", any_of(equal(n, 2 * n), equal(n, 1), equal(2 * n, 1)), (), {"n": 2}),
    ("split by 4", equal(4 * b * (d // 4), b * d), (), {"d": 1, "b": 1}),
    ("five times a size is even", divides(2, 5 * a), (), {"a": 1}),
    ("halves (G2)", equal(n // 2, m // 2), (), {"n": 0, "m": 2}),
    ("factors (G3)", equal(n * a, n * b), (), {"a": 0, "n": 1, "b": 1}),
    ("large", at_most(n, 783), (), {"n": 784}),
    ("cubes", equal(a * a * a + b * b * b, c * c * c + 1), (), {"a": 0, "b": 0, "c": 0}),
    ("the facts take part", equal(n, m), (at_least(n, 5), at_least(m, 5)), {"n": 5, "m": 6}),
    ("remainders", equal(n % 100, 0), (more(n, 0),), {"n": 1}),
]


@pytest.mark.parametrize(("goal", "assumed", "witness"), [row[1:] for row in UNKNOWN], ids=[row[0] for row in UNKNOWN])
def test_the_least_failing_sizes_are_found(
    goal: Constraint, assumed: tuple[Constraint, ...], witness: dict[str, int]
) -> None:
    verdict = decided(goal, *assumed)
    assert isinstance(verdict, Unknown)
    assert verdict.witness == witness and verdict.plausible and not verdict.gave_up


REFUTED = [
    ("three times a size is 4", equal(3 * d, 4), ()),
    ("a negative size", equal(n, -3), ()),
    ("another size than the one checked", equal(x, 5), (equal(x, 4),)),
    ("beyond a bound", more(n, m), (at_most(n, m),)),
    ("an odd double", equal(2 * n, 2 * m + 1), ()),
    ("an odd double under a quotient", equal(4 * (n // 2) + 2, 4 * m), (divides(4, n),)),
    ("a size that is a number", FALSE, ()),
]


@pytest.mark.parametrize(("goal", "assumed"), [row[1:] for row in REFUTED], ids=[row[0] for row in REFUTED])
def test_impossible_goals_are_refuted_without_the_solver(goal: Constraint, assumed: tuple[Constraint, ...]) -> None:
    verdict = decided(goal, *assumed)
    assert isinstance(verdict, Refuted)
    assert verdict.because and set(verdict.witness) >= {variable.name for variable in goal.variables()}


def test_path_facts_prove() -> None:
    assert isinstance(decided(at_least(n, 5), path=(more(n, 5),)), Proved)
    assert isinstance(decided(equal(n, n + s), path=(equal(s, 0),)), Proved)


def test_path_facts_never_refute() -> None:
    verdict = decided(equal(x, 5), path=(equal(x, 4),))
    assert isinstance(verdict, Unknown) and verdict.fails_if_reached and verdict.witness == {"dim(%x, 0)": 4}


def test_what_a_path_leaves_open_is_not_certain_to_fail() -> None:
    verdict = decided(at_least(n, 5), path=(at_most(n, 5),))
    assert isinstance(verdict, Unknown) and not verdict.fails_if_reached and verdict.witness == {"n": 0}


def test_everything_holds_on_a_dead_path() -> None:
    assert isinstance(decided(equal(n, 7), path=(FALSE,)), Proved)
    assert isinstance(decided(equal(n, 7), path=(equal(m, 1), equal(m, 2), equal(n, m))), Proved)


def test_a_check_is_a_fact_afterwards() -> None:
    facts, decider = known(), Decider(smt=False)
    goal = equal(x, 4)
    facts.learn(goal, decider.decide(facts, goal))
    assert isinstance(decider.decide(facts, goal), Proved)
    assert isinstance(decider.decide(facts, equal(x, 5)), Refuted)
    assert facts.rewrite(x * y) is 4 * y


def test_what_a_path_proves_is_a_fact_afterwards() -> None:
    facts, decider = known(path=(equal(x, 4),)), Decider(smt=False)
    goal = equal(x, 4)
    facts.learn(goal, decider.decide(facts, goal))
    assert isinstance(decider.decide(facts, equal(x, 5)), Refuted)


HARD = equal(a * a * a + b * b * b + 1, c * c * c + 7 * a * b * c + 5)
"""Nobody finds a small model at which it holds or shows that there is none."""


def test_giving_up_is_neither_an_error_nor_silence() -> None:
    facts, decider = known(at_least(a, 30), at_least(b, 30), at_least(c, 30)), Decider(SCANT, smt=False)
    verdict = decider.decide(facts, HARD)
    assert isinstance(verdict, Unknown) and not verdict.plausible
    facts.learn(HARD, verdict)
    assert isinstance(decider.decide(facts, HARD), Proved)
    assert isinstance(decider.satisfiable(facts, TRUE), Sat)


def test_there_is_no_counterexample_where_nobody_knows_whether_anything_comes() -> None:
    facts, decider = known(at_least(a, 30), at_least(b, 30), at_least(c, 30)), Decider(SCANT, smt=False)
    mark = facts.mark()
    decider.suppose(facts, HARD)
    verdict = decider.decide(facts, equal(n, 3))
    assert isinstance(verdict, Unknown) and verdict.gave_up and not verdict.witness
    assert not decider.counterexample(facts, equal(n, 3))
    facts.rollback(mark)
    verdict = decider.decide(facts, equal(n, 3))
    assert isinstance(verdict, Unknown) and verdict.witness == {"n": 0}


def test_where_clauses_are_asked_for_a_model() -> None:
    decider = Decider(smt=False)
    answer = decider.satisfiable(known(), all_of(divides(4, n), more(n, 6)))
    assert isinstance(answer, Sat) and list(answer.model.values()) == [8]
    assert isinstance(decider.satisfiable(known(), less(n, 0)), Unsat)


def test_a_goal_that_holds_for_few_sizes_says_which() -> None:
    decider, (name,) = Decider(smt=False), x.variables()
    assert decider.values(known(), any_of(equal(x, 2 * x), equal(x, 1)), name) == (0, 1)
    assert decider.values(known(), equal(x * x, 9), name) == (3,)
    assert decider.values(known(), at_most(x, 10), name) is None


def test_sizes_are_simplified_by_what_is_known() -> None:
    decider = Decider(smt=False)
    assert decider.simplified(known(at_most(n, m)), maximum(n, m)) is m
    assert decider.simplified(known(more(n, 1)), ite(equal(n, 1), m, n)) is n
    assert decider.simplified(known(more(m, 0)), n * m // m) is n
    assert decider.simplified(known(divides(h, d)), b * h * (d // h)) is b * d
    assert decider.simplified(known(path=(equal(n, 3),)), n + m) is m + 3
    assert decider.simplified(known(), maximum(n, 0)) is n
    assert decider.simplified(known(), maximum(minimum(n, 64) - n, 0)) is constant(0)
    assert decider.simplified(known(), ite(at_most(1, n), 0, -n)) is constant(0)
    assert decider.simplified(known(at_least(n // 5, 4)), maximum(n, 20)) is n
    assert decider.simplified(known(at_most((n + 80) // 160, 2)), minimum(n, 398)) is minimum(n, 398)
    assert decider.simplified(known(at_most((n + 80) // 160, 2)), minimum(n, 399)) is n


def test_counterexamples_are_by_name() -> None:
    assert Decider(smt=False).counterexample(known(), equal(n, m)) == {"n": 0, "m": 1}
    assert Decider(smt=False).counterexample(known(), at_least(n, 0)) == {}


def test_contents_may_be_negative() -> None:
    i = variable("%i", Kind.EXISTENTIAL)
    facts = Facts()
    facts.assume(differs_from_minus_one := any_of(more(i, -1), less(i, -1)))
    assert differs_from_minus_one.value is None
    verdict = Decider(smt=False).decide(facts, at_least(i, 0))
    assert isinstance(verdict, Unknown) and verdict.witness == {"%i": -2}


def test_trivial_goals_ask_no_rung() -> None:
    assert equal(constant(784), 784) is TRUE and equal(784, 783) is FALSE
    assert equal(n * s, s * n) is TRUE


def test_the_corpus_kinds_of_goals_never_need_the_solver() -> None:
    decider = Decider()
    for _, goal, assumed, *_ in (*PROVED, *UNKNOWN, *REFUTED):
        decider.decide(known(*assumed), goal)
    assert decider.smt_queries == 0


def test_a_model_of_the_solver_is_made_small() -> None:
    decider = Decider(replace(LIMITS, models=0, rows=0))
    verdict = decider.decide(known(), differs(n * n * n + m * m, 134))
    assert decider.smt_queries and isinstance(verdict, Unknown)
    assert verdict.witness and max(verdict.witness.values()) <= 16


def test_a_witness_is_of_the_path_in_what_an_equation_hides_too() -> None:
    verdict = decided(equal(a, b * c), equal(b, 0), path=(more(c, 2),))
    assert isinstance(verdict, Unknown)
    assert verdict.witness == {"a": 1, "b": 0, "c": 3}
