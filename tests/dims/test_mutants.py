"""Faults put in on purpose: the law that is named must notice each of them within so many examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from gradual.dims.bounds import fourier_motzkin, interval, omega
from gradual.dims.bounds.interval import Interval
from gradual.dims.rewrite import comparisons, lift_ite, quotients, split_extrema
from gradual.dims.solver import case_split, decide, small_models
from gradual.dims.solver.decide import Decider, Undetermined, Unsat
from gradual.dims.store import facts as facts_module
from gradual.dims.store import saturated, store
from gradual.dims.term import constraint as constraints
from gradual.dims.term import dim as dims
from gradual.dims.term import polynomial as polynomials
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, FloorDiv, Variable, constant, of_atom, polynomial, single
from gradual.limits import LIMITS
from tests.dims.laws import SCANT, check_monotony, check_soundness
from tests.dims.test_lift import choices
from tests.dims.test_normal_form import check_meaning
from tests.generators.dims import (
    alike_questions,
    dims_sharing,
    linear_questions,
    multiple_questions,
    predicates_sharing,
    questions,
    size_questions,
)
from tests.generators.divided import divided_questions

Patch = Callable[[pytest.MonkeyPatch], None]
Law = Callable[[Any], object]


def examples_until(law: Law, strategy: st.SearchStrategy[Any], examples: int) -> int | None:
    """How many examples it takes until one breaks the law; None if those that are allowed do not suffice."""
    tried = 0

    def broken(example: Any) -> bool:
        nonlocal tried
        tried += 1
        try:
            law(example)
        except AssertionError:
            return True
        return False

    chosen = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    try:
        find(strategy, broken, settings=chosen)
    except NoSuchExample:
        return None
    return tried


def soundness(question: Any) -> None:
    check_soundness(question, Decider(smt=False))


def soundness_of_proofs(question: Any) -> None:
    """Without models to contradict it, a wrong proof is believed."""
    check_soundness(question, Decider(replace(LIMITS, models=0, rows=0), smt=False))


def soundness_of_proofs_in_rows(question: Any) -> None:
    """The same where linear inequalities are looked at."""
    check_soundness(question, Decider(replace(LIMITS, models=0), smt=False))


def monotony(question: Any) -> None:
    check_monotony(question, Decider(), Decider(SCANT, smt=False))


# ------------------------------------------------------------------------------------------------- the faults


def equal_quotients_are_of_equal_dividends(patch: pytest.MonkeyPatch) -> None:
    """G2: `a // k == b // k` read as `a == b`."""
    sound = constraints.equal

    def equal(a: Dim | int, b: Dim | int) -> Constraint:
        left, right = (single(side, FloorDiv) if isinstance(side, Dim) else None for side in (a, b))
        if left is not None and right is not None and left.divisor is right.divisor:
            return sound(left.dividend, right.dividend)
        return sound(a, b)

    patch.setattr(constraints, "equal", equal)


def equal_products_are_of_equal_factors(patch: pytest.MonkeyPatch) -> None:
    """G3: `n * a == n * b` read as `a == b`."""
    sound = constraints.equal

    def equal(a: Dim | int, b: Dim | int) -> Constraint:
        if isinstance(a, Dim) and isinstance(b, Dim) and a.terms and b.terms:
            shared = [
                atom
                for atom in a.terms[0][0]
                if isinstance(atom, Variable) and all(atom in m for m, _ in (*a.terms, *b.terms))
            ]
            for atom in shared[:1]:
                return sound(_without(a, atom), _without(b, atom))
        return sound(a, b)

    patch.setattr(constraints, "equal", equal)


def _without(dim: Dim, atom: Variable) -> Dim:
    made: dict[Any, int] = {}
    for monomial, coefficient in dim.terms:
        place = monomial.index(atom)
        made[monomial[:place] + monomial[place + 1 :]] = coefficient
    return polynomial(made)


def quotients_round_to_zero(patch: pytest.MonkeyPatch) -> None:
    """`-7 // 2` folded to -3, as in C."""
    sound = polynomials._divided

    def divided(dividend: Dim, divisor: Dim) -> Dim:
        a, b = dividend.value, divisor.value
        if a is not None and b is not None and b >= 1:
            return constant(abs(a) // b * (1 if a >= 0 else -1))
        return sound(dividend, divisor)

    patch.setattr(polynomials, "_divided", divided)


def a_common_divisor_is_cancelled(patch: pytest.MonkeyPatch) -> None:
    """`n // n` folded to 1, and with it `0 // 0`."""
    sound = polynomials._divided

    def divided(dividend: Dim, divisor: Dim) -> Dim:
        return constant(1) if dividend is divisor and divisor.value is None else sound(dividend, divisor)

    patch.setattr(polynomials, "_divided", divided)


def a_choice_takes_its_first_branch(patch: pytest.MonkeyPatch) -> None:
    """GraTen's broadcast: the choice between two sizes forgets the second."""
    patch.setattr(dims, "_chosen", lambda condition, yes, no: yes)


def divisions_reduce_the_constant_upwards(patch: pytest.MonkeyPatch) -> None:
    """`(2 * n + 1) // 4` read as `(n + 1) // 2`."""
    sound = polynomials._reduced

    def reduced(dividend: Dim, by: int) -> Dim:
        if dividend.value is None and by % 2 == 0 and all(c % 2 == 0 for m, c in dividend.terms if m):
            return polynomials._divided(polynomial({m: -(-c // 2) for m, c in dividend.terms}), constant(by // 2))
        return sound(dividend, by)

    patch.setattr(polynomials, "_reduced", reduced)


def refutation_uses_the_path(patch: pytest.MonkeyPatch) -> None:
    """GraTen's order: plausibility is asked under the path condition."""
    patch.setattr(
        decide.Question,
        "plausibility",
        property(lambda self: [*self.cone.path, self.rewritten]),
    )


def unknown_is_an_error(patch: pytest.MonkeyPatch) -> None:
    """What nobody could decide is refuted."""
    sound = Decider._climbed

    def climbed(self: Decider, *given: Any) -> Any:
        answer = sound(self, *given)
        return Unsat("given up") if isinstance(answer, Undetermined) else answer

    patch.setattr(Decider, "_climbed", climbed)


def one_case_is_enough(patch: pytest.MonkeyPatch) -> None:
    """A case split stops at its first case."""
    patch.setattr(case_split, "all", any, raising=False)


def rows_are_too_tight(patch: pytest.MonkeyPatch) -> None:
    """Rows lose 1 on the way in, so that a tight bound becomes a contradiction."""
    sound = fourier_motzkin.inserted

    def inserted(rows: Any, columns: Any, offset: int) -> bool:
        return sound(rows, columns, offset - 1)

    patch.setattr(fourier_motzkin, "inserted", inserted)


def quotients_of_equations_are_rounded_up(patch: pytest.MonkeyPatch) -> None:
    """The new variable of an equation without a coefficient 1 is off by one."""
    sound = omega._centred
    patch.setattr(omega, "_centred", lambda number, modulus: sound(number, modulus) + 1)


def what_lies_between_projections_is_left_out(patch: pytest.MonkeyPatch) -> None:
    """Where the dark projection has no solution, there is taken to be none."""
    sound = omega.sides

    def between(self: Any, rows: Any, column: int) -> Any:
        dark = self._projected(rows, column, omega._dark)
        found = None if dark is None else self.solution(dark)
        bounds = [
            (c, tuple(t for t in cs if t[0] != column), rows[cs]) for side in sound(rows, column) for c, cs in side
        ]
        return None if found is None else omega._completed(found, [omega._Eliminated(column, tuple(bounds))])

    patch.setattr(omega._Test, "_between", between)


def products_of_intervals_take_the_lower_ends(patch: pytest.MonkeyPatch) -> None:
    """The least product is the product of the least factors."""
    patch.setattr(interval, "_corner", lambda a, b: None if a.low is None or b.low is None else a.low * b.low)


def models_are_believed(patch: pytest.MonkeyPatch) -> None:
    """A valuation is not evaluated before it is shown."""
    patch.setattr(small_models.Evaluation, "holds", lambda self, model: True)


def remainders_never_reach_their_greatest(patch: pytest.MonkeyPatch) -> None:
    """`x % k` bounded by `k - 2`."""
    sound = interval._remainder

    def remainder(dividend: Interval, divisor: Interval) -> Interval:
        found = sound(dividend, divisor)
        return found if found.high is None else Interval(found.low, max(found.high - 1, 0))

    patch.setattr(interval, "_remainder", remainder)


def multiples_exclude_their_least(patch: pytest.MonkeyPatch) -> None:
    """`2 * n >= 4` read as `n >= 3`."""
    sound = store._solved_for

    def solved(interval: Interval, scale: int, offset: int) -> Interval:
        found = sound(interval, scale, offset)
        return found if found.low is None or abs(scale) == 1 else Interval(found.low + 1, found.high)

    patch.setattr(store, "_solved_for", solved)


def what_is_no_multiple_is_rounded(patch: pytest.MonkeyPatch) -> None:
    """`3 * n != 1` read as `n != 0`."""
    sound = store.Store._separated

    def separated(self: store.Store, difference: Dim) -> Any:
        form, scale, offset = store.primitive(difference)
        return sound(self, form - -offset // scale)

    patch.setattr(store.Store, "_separated", separated)


def doubles_are_solved_by_halving(patch: pytest.MonkeyPatch) -> None:
    """`2 * n == m` solved as `n = m // 2`, which forgets that `m` is even."""
    sound = store.Store._solution

    def solution(self: store.Store, difference: Dim) -> tuple[Variable, Dim] | None:
        for (atom, *more), coefficient in (term for term in difference.terms if term[0]):
            if coefficient == 2 and not more and isinstance(atom, Variable) and store._occurs_once(atom, difference):
                return atom, (2 * of_atom(atom) - difference) // 2
        return sound(self, difference)

    patch.setattr(store.Store, "_solution", solution)


def the_last_residue_is_left_out(patch: pytest.MonkeyPatch) -> None:
    """A split into residue classes forgets the greatest one."""
    sound = case_split._residues

    def residues(system: Any, limit: int) -> Any:
        return (replace(split, cases=split.cases[:-1]) for split in sound(system, limit))

    patch.setattr(case_split, "_residues", residues)


def a_choice_is_lifted_without_its_other_case(patch: pytest.MonkeyPatch) -> None:
    """`(if n == 1 then m else n) == 4` read as `n == 1 and m == 4`."""

    def lifted(constraint: Constraint, known: Any = None) -> Constraint:
        chosen = next(lift_ite._choices(constraint), None)
        if chosen is None:
            return constraint
        test, variable = chosen
        return constraints.all_of(test, lift_ite.substituted_constraint(constraint, {variable: test.right}))

    patch.setattr(store, "lifted", lifted)
    patch.setattr(saturated, "lifted", lifted)


def a_factor_that_may_be_zero_is_left_out(patch: pytest.MonkeyPatch) -> None:
    """`h * n == h * m` read as `n == m` where h may be 0."""

    def common(dim: Dim, estimate: Any) -> Any:
        shared = [Counter(monomial) for monomial, _ in dim.terms]
        return reduce(and_, shared)

    patch.setattr(comparisons, "common_factors", common)


def the_other_case_is_taken_for_granted(patch: pytest.MonkeyPatch) -> None:
    """`(if n == 0 then 7 else n) == m` read as `n != 0` where m is at most 6."""
    patch.setattr(split_extrema, "_elsewhere", lambda constraint, *rest: constraints.TRUE)


def a_disjunction_is_its_first_part(patch: pytest.MonkeyPatch) -> None:
    """Of a disjunction that is known only the first part is kept."""
    patch.setattr(store.Store, "_kept", lambda self, constraint: (constraint.parts[0],))


def far_facts_are_not_asked(patch: pytest.MonkeyPatch) -> None:
    """Only one fact that is connected with a goal is looked at, and a counterexample is not held against the rest."""
    sound = facts_module.Facts.cone
    patch.setattr(facts_module.Facts, "cone", lambda self, goal, room=1: sound(self, goal, 1))
    patch.setattr(facts_module.Facts, "extended", lambda self, model, goal: True)


def what_remains_of_a_multiple_is_left_out(patch: pytest.MonkeyPatch) -> None:
    """A dividend that is written as a multiple and more is taken for the multiple."""
    sound = store.multiple_of

    def rounded(replacement: Any) -> Any:
        found = sound(replacement)
        product = polynomial({replacement.monomial: replacement.coefficient})
        return found if found is None else replace(found, image=product)

    patch.setattr(store, "multiple_of", rounded)


def products_divide_where_a_factor_does(patch: pytest.MonkeyPatch) -> None:
    """`c * n // (g * m)` is taken for `c // g * n`: what the divisor has more is forgotten."""
    sound = quotients.divided_exactly
    ways = quotients._of_multiple

    def forgetful(dividend: Dim, divisor: Dim, estimate: Any, known: Any) -> Dim | None:
        for way in known(dividend):
            for atom in divisor.atoms():
                whole, rest = sound(way, of_atom(atom))
                if not rest.terms:
                    return whole
        return ways(dividend, divisor, estimate, known)

    patch.setattr(quotients, "_of_multiple", forgetful)


CHOICES = st.tuples(st.tuples(choices()), st.just(()), choices())

MUTANTS: list[tuple[Patch, Law, st.SearchStrategy[Any], int]] = [
    (equal_quotients_are_of_equal_dividends, check_meaning, predicates_sharing(), 1500),
    (equal_quotients_are_of_equal_dividends, soundness, alike_questions(), 600),
    (equal_products_are_of_equal_factors, check_meaning, predicates_sharing(), 600),
    (equal_products_are_of_equal_factors, soundness, alike_questions(), 600),
    (quotients_round_to_zero, check_meaning, dims_sharing(), 600),
    (a_choice_takes_its_first_branch, check_meaning, dims_sharing(), 400),
    (divisions_reduce_the_constant_upwards, check_meaning, dims_sharing(), 1500),
    (refutation_uses_the_path, soundness, questions(), 600),
    (unknown_is_an_error, monotony, questions(), 600),
    (one_case_is_enough, soundness_of_proofs, linear_questions(), 600),
    (rows_are_too_tight, soundness, questions(), 300),
    (quotients_of_equations_are_rounded_up, soundness_of_proofs_in_rows, linear_questions(), 600),
    (what_lies_between_projections_is_left_out, soundness_of_proofs_in_rows, linear_questions(), 1500),
    (products_of_intervals_take_the_lower_ends, soundness, questions(), 600),
    (models_are_believed, soundness, questions(), 100),
    (remainders_never_reach_their_greatest, soundness, questions(), 1500),
    (multiples_exclude_their_least, soundness, questions(), 600),
    (what_is_no_multiple_is_rounded, soundness, size_questions(), 1500),
    (doubles_are_solved_by_halving, soundness, multiple_questions(), 300),
    (the_last_residue_is_left_out, soundness_of_proofs, questions(), 1500),
    (a_choice_is_lifted_without_its_other_case, soundness, questions(), 600),
    (a_factor_that_may_be_zero_is_left_out, soundness, alike_questions(), 600),
    (the_other_case_is_taken_for_granted, soundness, CHOICES, 600),
    (a_disjunction_is_its_first_part, soundness, questions(), 600),
    (far_facts_are_not_asked, soundness, questions(), 600),
    (what_remains_of_a_multiple_is_left_out, soundness_of_proofs, divided_questions(plain=0), 1500),
    (products_divide_where_a_factor_does, soundness, divided_questions(), 300),
]


@pytest.mark.mutants
@pytest.mark.parametrize(
    ("mutant", "law", "strategy", "examples"), MUTANTS, ids=[f"{m.__name__}-{law.__name__}" for m, law, *_ in MUTANTS]
)
def test_a_mutant_is_noticed(
    mutant: Patch,
    law: Law,
    strategy: Any,
    examples: int,
    monkeypatch: pytest.MonkeyPatch,
    tell: Callable[[str], None],
) -> None:
    mutant(monkeypatch)
    needed = examples_until(law, strategy, examples)
    assert needed is not None, f"not noticed in {examples} examples"
    tell(f"{mutant.__name__:45} {law.__name__:20} {needed:4} of {examples} examples")


def test_a_quotient_of_a_size_by_itself_is_not_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The laws accept any value where a term is undefined, so this one is looked at directly."""
    n = dims.variable("n")
    assert n // n is not constant(1)
    a_common_divisor_is_cancelled(monkeypatch)
    assert n // n is constant(1)
    assert of_atom(next(iter(n.variables()))) is n
