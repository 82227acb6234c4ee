"""The door to Z3: it agrees with the normal form, is asked the same everywhere, and is believed only when checked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from gradual.dims.solver.smt import ask, question, script
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import all_of, any_of, at_least, divides, equal, less, more, negated
from gradual.dims.term.dim import ite, maximum, variable
from gradual.dims.term.evaluation import satisfied
from tests.generators.dims import NAMES, Tree, built, predicates_sharing
from tests.thorough import examples

ROOT = Path(__file__).parents[2]
a, b, c, d, h, m, n = map(variable, "abcdhmn")


# ------------------------------------------------------------------------------------------------- another reading


def read(tree: Tree, z3: Any) -> Any:
    """The tree as Z3 has it, written without our normal form."""
    operator, *operands = tree
    if operator == "var":
        return z3.Int(operands[0])
    if operator == "const":
        return z3.IntVal(operands[0])
    x, *more = (read(operand, z3) for operand in operands)
    return _applied(operator, x, more, z3)


def _applied(operator: str, x: Any, more: list[Any], z3: Any) -> Any:
    y = more[0] if more else None
    match operator:
        case "+" | "-" | "*" | "==" | "!=" | "<=" | "<":
            return {
                "+": lambda: x + y,
                "-": lambda: x - y,
                "*": lambda: x * y,
                "==": lambda: x == y,
                "!=": lambda: x != y,
                "<=": lambda: x <= y,
                "<": lambda: x < y,
            }[operator]()
        case "//":
            return x / y
        case "%":
            return x % y
        case "max":
            return z3.If(x >= y, x, y)
        case "min":
            return z3.If(x <= y, x, y)
        case "if":
            return z3.If(x, *more)
        case "not":
            return z3.Not(x)
        case "and":
            return z3.And(x, *more)
    return z3.Or(x, *more)


def divisors(tree: Tree) -> list[Tree]:
    """All divisors: where each is at least 1, both readings are defined."""
    operator, *operands = tree
    if operator in ("var", "const"):
        return []
    inner = [divisor for operand in operands for divisor in divisors(operand)]
    return [operands[1], *inner] if operator in ("//", "%") else inner


@given(predicates_sharing())
@examples(30)
def test_z3_finds_no_difference_between_a_term_and_its_normal_form(tree: Tree) -> None:
    import z3

    solver = z3.Solver()
    solver.set("rlimit", 200_000)
    normal = built(tree)
    text = "\n".join(f"(declare-const {name} Int)" for name in NAMES if name not in map(str, normal.variables()))
    lines = [line for line in script([normal]).splitlines() if not line.startswith(("(assert (>= ", "(set-logic"))]
    solver.from_string("\n".join([text, *lines]).replace("(check-sat)", ""))
    ours = z3.And(solver.assertions()) if solver.assertions() else z3.BoolVal(True)
    solver.reset()
    solver.add(*(read(divisor, z3) >= 1 for divisor in divisors(tree)), ours != read(tree, z3))
    assert str(solver.check()) != "sat", solver.model()


# ------------------------------------------------------------------------------------------------- asking


@given(predicates_sharing())
@examples(20)
def test_models_that_evaluate_are_models(tree: Tree) -> None:
    """Z3 is never the judge of its own answer, and "unsat" is never said of what has a small model."""
    constraint = built(tree)
    answer = ask([constraint], 100_000)
    negation = ask([negated(constraint)], 100_000)
    assert answer.status != "unsat" or negation.status != "unsat" or not _defined_somewhere(constraint)
    if answer.status == "unsat":
        assert not any(satisfied([constraint], env) for env in _small(constraint))


def _small(constraint: Any) -> list[dict[Any, int]]:
    from itertools import product

    names = sorted(constraint.variables())
    return [dict(zip(names, numbers, strict=True)) for numbers in product((-1, 0, 1, 2, 4), repeat=len(names))]


def _defined_somewhere(constraint: Any) -> bool:
    return any(satisfied([constraint], env) or satisfied([negated(constraint)], env) for env in _small(constraint))


def test_a_budget_of_nothing_is_unknown_and_no_error() -> None:
    hard = [equal(a * a * a + b * b * b, c * c * c), more(a, 0), more(b, 0), more(c, 0)]
    assert ask(hard, 1).status == "unknown"


def test_variables_of_one_name_stay_apart() -> None:
    from gradual.dims.term.dim import Kind

    existential = variable("n", Kind.EXISTENTIAL)
    answer = ask([equal(n, 3), equal(existential, 4)], 100_000)
    assert answer.status == "sat" and sorted(answer.model.values()) == [3, 4]


def test_a_branch_that_is_not_taken_may_divide_by_zero() -> None:
    guarded = equal(ite(equal(h, 0), 5, d // h), 5)
    answer = ask([guarded, equal(h, 0)], 100_000)
    assert answer.status == "sat" and satisfied([guarded], answer.model)


def test_a_question_is_complete() -> None:
    facts = Facts()
    facts.assume(at_least(n, 0))
    facts.suppose(more(n, 5))
    assert (
        question(facts, at_least(n, 5))
        == """\
; can it hold?  unsat: refuted
(set-logic QF_NIA)
(declare-const |n| Int)
(assert (<= 0 |n|))
(assert (<= 5 |n|))
(check-sat)
(reset)
; can it fail?  unsat: proved
(set-logic QF_NIA)
(declare-const |n| Int)
(assert (<= |n| 4))
(assert (<= 0 |n|))
(assert (<= 6 |n|))
(check-sat)
(reset)
"""
    )


# ------------------------------------------------------------------------------------------------- determinism

PROGRAM = """
import random, sys
from gradual.dims.term.constraint import *
from gradual.dims.solver.decide import Decider
from gradual.dims.term.dim import *
from gradual.dims.store.facts import Facts
from gradual.dims.solver.smt import question

names = list("abcdhmn")
random.Random(int(sys.argv[1])).shuffle(names)
made = {name: variable(name) for name in names}
waste = [variable(f"waste{i}") * made[names[0]] for i in range(int(sys.argv[1]) * 100)]
a, b, c, d, h, m, n = (made[name] for name in "abcdhmn")
x = variable("dim(%x, 0)", Kind.EXISTENTIAL)
goals = [
    equal(a * b + c // 2 + maximum(d, n) % 3, ite(equal(n, m), h, x) * (a + b + c)),
    any_of(equal(a, 3 * b), equal(b, 2), less(c * d, h)),
    equal(b * m * h * (d // h), b * m * d),
    equal((n + m) // 2 + (a + 1) // 2, n),
    equal(minimum(a, b, c, d), maximum(h, m, n)),
    equal(a * a * a + b * b * b, c * c * c + 1),
]
facts = Facts()
for name in "abcdhmn":
    facts.assume(at_least(variable(name), 0))
facts.assume(any_of(equal(x, a), equal(x, b)))
facts.assume(more(h, 0))
facts.suppose(at_most(a + b, c + 3))
decider = Decider(smt=False)
for goal in goals:
    print(goal, goal.key, decider.decide(facts, goal), facts.rewrite(goal), *map(str, facts.cone(goal)), sep="\\n")
    print(question(facts, goal))
print(sorted(decider.counts.items()))
"""


@pytest.mark.slow
def test_answers_do_not_depend_on_hash_seeds_or_on_the_order_of_creation() -> None:
    outputs = set()
    for seed in range(4):
        env = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", PROGRAM, str(seed)]
        outputs.add(subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout)
    assert len(outputs) == 1 and "fails for" in outputs.pop()


def test_z3_is_not_imported_before_it_is_asked() -> None:
    program = "import sys, gradual.dims.solver.decide, gradual.dims.solver.smt; print('z3' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_scripts_name_the_divisors_that_are_always_needed() -> None:
    assert "(assert (>= |h| 1))" in script([divides(h, d)])
    assert "(assert (>= |h| 1))" in script([all_of(equal(n, 1), divides(h, d))])
    assert "(assert (>= |h| 1))" not in script([any_of(equal(h, 0), divides(h, d))])
    assert "(assert (>= |h| 1))" not in script([equal(ite(less(h, 1), 0, d // h), maximum(n, m))])
