"""The laws of decisions as functions of one question, so that tests and mutants check the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gradual.dims.solver.decide import Decider, Unsat
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, at_least
from gradual.dims.term.dim import variable
from gradual.limits import LIMITS
from gradual.verdict import Proved, Refuted, Unknown, Verdict
from tests.generators.dims import NAMES, Tree, built, grid, meant

SIZES = (0, 1, 2, 3, 5)
"""Where laws are checked: no solver has a hand in it."""
Question = tuple[tuple[Tree, ...], tuple[Tree, ...], Tree]


def facts_of(known: Iterable[Tree], path: Iterable[Tree], decider: Decider) -> Facts:
    """Facts over natural variables, at a place that the path leads to."""
    facts = Facts()
    for name in NAMES:
        facts.assume(at_least(variable(name), 0))
    for tree in known:
        facts.assume(built(tree))
    for tree in path:
        decider.suppose(facts, built(tree))
    return facts


def check_soundness(question: Question, decider: Decider) -> Verdict:
    """T2: proved is true, refuted is false, and a witness is what it says, on a grid that knows no solver."""
    known, path, goal = question
    verdict = decider.decide(facts_of(known, path, decider), built(goal))
    _check(verdict, goal, known, path)
    return verdict


def _check(verdict: Verdict, goal: Tree, known: Sequence[Tree], path: Sequence[Tree]) -> None:
    match verdict:
        case Proved():
            for env in _models((*known, *path)):
                assert meant(goal, env) is not False, f"{goal} is proved but fails at {env}"
        case Refuted(witness=witness):
            for env in _models(known):
                assert meant(goal, env) is not True, f"{goal} is refuted but holds at {env}"
            _check_witness(witness, known)
            assert not witness or meant(goal, _filled(witness)) is not True
        case Unknown(witness=witness):
            _check_witness(witness, (*known, *path))
            assert not witness or meant(goal, _filled(witness)) is not True, f"{goal} does not fail at {witness}"


def _models(trees: Iterable[Tree]) -> list[dict[str, int]]:
    held = tuple(trees)
    return [env for env in grid(SIZES) if all(meant(tree, env) is True for tree in held)]


def _filled(witness: Mapping[str, int]) -> dict[str, int]:
    return {name: witness.get(name, 0) for name in NAMES}


def _decided(constraint: Constraint, witness: Mapping[str, int]) -> bool:
    return bool(witness) and all(variable.name in witness for variable in constraint.variables())


def _check_witness(witness: Mapping[str, int], trees: Iterable[Tree]) -> None:
    assert all(k >= 0 for k in witness.values())
    for tree in trees:
        if _decided(built(tree), witness):  # a normal form may be defined where the fact, as written, is not
            assert meant(tree, _filled(witness)) is not False, f"{tree} does not hold at {witness}"


def check_brevity(question: Question, decider: Decider) -> None:
    """What is answered by yes or no is what the whole answer says, which takes longer, where the facts can hold."""
    known, path, goal = question
    if not _models(known):
        return
    facts, constraint = facts_of(known, path, decider), built(goal)
    verdict = decider.decide(facts, constraint)
    assert decider.proves(facts, constraint) == isinstance(verdict, Proved), verdict
    assert decider.refutes(facts, constraint) == isinstance(verdict, Refuted), verdict
    assert decider.excludes(facts, constraint) == isinstance(decider.satisfiable(facts, constraint), Unsat)
    if decider.allows(facts, constraint):
        assert not isinstance(decider.satisfiable(facts, constraint), Unsat)


FULL = LIMITS
SCANT = replace(LIMITS, rlimit=400, models=8, cases=2, cone=4)


def check_monotony(question: Question, more: Decider, less: Decider) -> None:
    """T3: with less power a verdict is the same or unknown; it is never another.

    A goal that is undefined wherever the facts hold, or facts that hold nowhere, admit both verdicts.
    """
    known, path, goal = question
    if all(meant(goal, env) is None for env in _models((*known, *path))):
        return
    strong = more.decide(facts_of(known, path, more), built(goal))
    weak = less.decide(facts_of(known, path, less), built(goal))
    if not isinstance(weak, Unknown):
        assert type(weak) is type(strong), f"{weak} with less power, {strong} with more"


def check_decided(question: Question, decider: Decider) -> None:
    """In the decidable part a goal is proved, refuted, or fails at sizes that are told, without the solver."""
    known, path, goal = question
    if _models((*known, *path)):
        verdict = decider.decide(facts_of(known, path, decider), built(goal))
        assert not (isinstance(verdict, Unknown) and verdict.gave_up), goal


def check_more_facts(question: Question, more: Sequence[Tree], decider: Decider) -> None:
    """What is proved or refuted stays so when more is known, as long as that can be so."""
    known, path, goal = question
    few = decider.decide(facts_of(known, path, decider), built(goal))
    if not isinstance(few, Unknown) and _models((*known, *path, *more)):
        many = decider.decide(facts_of((*known, *more), path, decider), built(goal))
        assert type(many) is type(few), f"{goal} is {few}, and {many} where more is known"


def check_least(question: Question, decider: Decider, greatest: int = 8) -> None:
    """No smaller sizes than those of the witness would show the same: by the greatest one, then by each in order."""
    known, path, goal = question
    verdict = decider.decide(facts_of(known, path, decider), built(goal))
    witness = {} if isinstance(verdict, Proved) else verdict.witness
    if not witness or max(witness.values()) > greatest:
        return
    asked = known if isinstance(verdict, Refuted) else (*known, *path, ("not", goal))
    shown = (max(witness.values()), tuple(witness.values()))
    for env in grid(tuple(range(shown[0] + 1))):
        numbers = tuple(env[name] for name in witness)
        if (max(numbers), numbers) < shown:
            assert not all(meant(tree, env) is True for tree in asked), f"{goal}: {env} is smaller than {witness}"


def check_walk(walk: Iterable[tuple[str, Tree]], decider: Decider) -> None:
    """T2 along a walk through branches, in which what was decided is learnt: each verdict, at its place, is sound."""
    facts, known, path, places = facts_of((), (), decider), [], [], []
    for act, clause in walk:
        if act == "enter":
            places.append((facts.mark(), len(known), len(path)))
            decider.suppose(facts, built(clause))
            path.append(clause)
        elif act == "leave" and places:
            mark, *lengths = places.pop()
            facts.rollback(mark)
            del known[lengths[0] :], path[lengths[1] :]
        elif act == "assume" and _models((*known, clause)):  # what nobody can meet is refused where it is declared
            facts.assume(built(clause))
            known.append(clause)
        elif act == "owe":
            verdict = decider.decide(facts, built(clause))
            _check(verdict, clause, known, path)
            if isinstance(verdict, Refuted) or not _models((*known, clause)):
                continue
            facts.learn(built(clause), verdict)
            (known if verdict.plausible else path).append(clause)
