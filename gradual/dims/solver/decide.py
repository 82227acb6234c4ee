"""Decisions: a goal is proved, refuted with a sample valuation, or unknown, with the least valuation at which it fails.

    (R) can the goal hold with the unconditional facts?        no: refuted        (path facts are not used)
    (P) can it fail with the unconditional and path facts?     no: proved         yes: unknown, with a model

Each query goes through a pipeline: normal form, facts, bounds, linear elimination, cases, residues, small models, and
Z3 last, within a budget.  Without Z3 some answers become unknown; no other answer changes.   [dim.decide]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from gradual.dims.rewrite.simplify import simplified_dim
from gradual.dims.solver.case_split import Refuter
from gradual.dims.solver.conjunction import System
from gradual.dims.solver.question import Question, is_evident, occurrences, ordered
from gradual.dims.solver.samples import sample
from gradual.dims.solver.small_models import Model, least_model, measured
from gradual.dims.solver.smt import ask, small_answer
from gradual.dims.store.facts import Facts
from gradual.dims.term.atom import Variable, names_of
from gradual.dims.term.constraint import FALSE, TRUE, Constraint, Undefined, all_of, defined, differs, equal, negated
from gradual.dims.term.dim import Dim, of_atom
from gradual.dims.term.evaluation import satisfied
from gradual.limits import LIMITS, Limits
from gradual.record import record
from gradual.verdict import Proved, Refuted, Unknown, Verdict


@record
class Unsat:
    """The constraints are unsatisfiable; `stage` is the stage that proved it."""

    stage: str


@record
class Sat:
    """A model of the constraints, the stage that found it, and whether it is known to be the least."""

    model: Model
    stage: str
    least: bool = False


@record
class Undetermined:
    """No stage could decide within the budget."""


CHEAP = ("normal-form", "facts", "interval")
"""The stages without search."""

Answer = Unsat | Sat | Undetermined


class Decider:
    """Decides goals under facts, with a memo table of the answers.

    Attributes:
        counts: stage -> number of answers.
        smt_queries: number of Z3 queries.
    """

    def __init__(self, limits: Limits = LIMITS, smt: bool = True) -> None:
        self.counts: Counter[str] = Counter()
        self.smt_queries = 0
        self._limits = limits
        self._smt = smt
        self._rest: System | None = None
        self._answers: dict[tuple[frozenset[Constraint], tuple[Variable, ...]], Answer] = {}

    # ------------------------------------------------------------------------------------------- goals

    def decide(self, facts: Facts, goal: Constraint) -> Verdict:
        """The verdict on a goal under facts; the facts do not change.  [dim.decide]"""
        rewritten = facts.rewrite(goal)
        if rewritten is TRUE:
            return self._proved("normal-form" if goal is TRUE else "facts")
        if is_evident(facts, rewritten):
            return self._proved("interval")
        question = Question(facts, goal, rewritten)
        known, asked = question.cone.known, question.plausibility
        if sample((*known, *asked)) is not None:
            return self._owed(question, True)
        match self._answer(known, asked, question.order):
            case Unsat(stage=stage):
                return self._refuted(question, "normal-form" if goal is FALSE else stage)
            case plausible:
                return self._owed(question, isinstance(plausible, Sat))

    def proves(self, facts: Facts, goal: Constraint) -> bool:
        """Whether `decide` proves a goal; no counterexample is computed."""
        question = self._open(facts, goal)
        if question is None:
            return True
        if not facts.path and facts.can_meet(negated(question.rewritten)):
            return False
        return self._excludes(question, question.failure) and not self._is_excluded(question)

    def refutes(self, facts: Facts, goal: Constraint) -> bool:
        """Whether `decide` refutes a goal."""
        question = self._open(facts, goal)
        return question is not None and self._is_excluded(question)

    def excludes(self, facts: Facts, goal: Constraint) -> bool:
        """Whether a goal can never hold together with the unconditional facts."""
        return self._is_excluded(Question(facts, goal, facts.rewrite(goal)))

    def _is_excluded(self, question: Question) -> bool:
        """Whether a goal can never hold together with the unconditional facts."""
        return not question.facts.can_meet(question.rewritten) and self._excludes(question, question.plausibility)

    def _excludes(self, question: Question, asked: Sequence[Constraint]) -> bool:
        """Whether a query contradicts the facts: no if local search finds a model, otherwise by the pipeline."""
        known = question.cone.known
        return sample((*known, *asked)) is None and isinstance(self._answer(known, asked, question.order), Unsat)

    def allows(self, facts: Facts, goal: Constraint) -> bool:
        """Whether local search finds a model of a goal and all unconditional facts connected with it."""
        rewritten = facts.rewrite(goal)
        known, _, whole = facts.cone(rewritten, self._limits.component)
        return whole and sample((*known, rewritten)) is not None

    def _open(self, facts: Facts, goal: Constraint) -> Question | None:
        """The question for a goal, None if its normal form or bounds prove it."""
        rewritten = facts.rewrite(goal)
        if rewritten is TRUE or is_evident(facts, rewritten):
            return None
        return Question(facts, goal, rewritten)

    def _owed(self, question: Question, plausible: bool) -> Verdict:
        """The verdict, proved or unknown, on a goal that the unconditional facts do not refute."""
        answer = self._answer(question.cone.known, question.failure, question.order)
        if isinstance(answer, Unsat):
            return self._proved(answer.stage, plausible)
        if question.facts.path and self._is_impossible(question.facts):
            return self._proved("facts", plausible)
        sure = isinstance(answer, Sat) and question.facts.is_sure and question.admits(answer.model)
        witness = self._witness(question, answer.model, True) if isinstance(answer, Sat) and sure else {}
        self.counts[answer.stage if isinstance(answer, Sat) else "gave-up"] += 1
        return Unknown(
            because=_fails_for(witness) if sure else _GAVE_UP,
            witness=witness,
            fails_if_reached=self._never_on_path(question),
            gave_up=not sure,
            plausible=plausible,
        )

    def _is_impossible(self, facts: Facts) -> bool:
        """Whether the path conditions contradict the unconditional facts, also those added after the conditions.

        [dim.facts.suppose]
        """
        cone = facts.about(names_of(map(facts.rewrite, facts.path)))
        return isinstance(self._answer(cone.known, cone.path, ordered((), cone)), Unsat)

    def _never_on_path(self, question: Question) -> bool:
        known, path = question.cone.known, question.cone.path
        return bool(path) and isinstance(self._answer(known, [*question.plausibility, *path], question.order), Unsat)

    def _proved(self, stage: str, plausible: bool = True) -> Proved:
        self.counts[stage] += 1
        return Proved(stage, plausible)

    def _refuted(self, question: Question, stage: str) -> Refuted:
        self.counts[stage] += 1
        sample = self._answer(question.cone.known, (), question.order)
        witness = self._witness(question, sample.model, False) if isinstance(sample, Sat) else {}
        return Refuted(_never(question), witness)

    def _witness(self, question: Question, model: Model, path: bool) -> dict[str, int]:
        """The least model by name, the goal's own variables first; `path` includes the path facts.  [dim.witness]"""
        env = (self._least(question, path) if self._limits.least else None) or model
        found: dict[str, int] = {}
        for name in question.told:
            try:
                found[name.name] = question.facts.rewrite(of_atom(name)).evaluate(env)
            except (KeyError, Undefined):
                if self._limits.least:
                    return {}  # a shown witness has to be complete; with `least` 0, in trials, none is shown
        return found | {name.name: k for name, k in env.items() if name.name not in found}

    def _least(self, question: Question, path: bool) -> Model | None:
        """The least model, ordered by all variables that a witness gives, including those solved by equations."""
        facts, names = question.facts, question.told
        cone, images = question.surroundings
        solved = [equal(of_atom(name), image) for name, image in images.items()]
        asked = [*cone.path, negated(question.rewritten)] if path else []
        constraints, order = (*cone.known, *asked, *solved), ordered(names, cone, images)
        match self._answer(cone.known, [*asked, *solved], order):
            case Sat(model=model, least=least) if cone.whole or facts.extended(model, question.rewritten):
                return model if least else self._smaller(model, constraints, order)
        return None

    def _smaller(self, model: Model, constraints: tuple[Constraint, ...], order: Sequence[Variable]) -> Model:
        """Search for a smaller model with a larger budget; return the least one found.  [dim.decide.models]"""
        again = least_model(System(constraints), constraints, order, self._limits.least, hints=model.values())
        models = (model,) if again is None else (model, again.model)
        return min(models, key=lambda one: measured(one, order))

    # --------------------------------------------------------------------------------------------- other queries

    def suppose(self, facts: Facts, condition: Constraint) -> None:
        """Add a path condition, and also FALSE if the path is unreachable.  [dim.facts.suppose]

        FALSE is needed because a query sees only facts connected with its goal, which may miss a contradiction.
        If reachability cannot be decided, that is recorded, and no counterexample on the path is trusted.
        """
        reached = facts.is_reached
        free = reached and facts.can_meet(facts.rewrite(condition), path=True)
        facts.suppose(condition)
        question = Question(facts, condition, facts.rewrite(condition))
        if not free and sample((*question.cone.known, *question.cone.path)) is None:
            match self._answer(question.cone.known, question.cone.path, question.order):
                case Unsat():
                    facts.suppose(FALSE)
                    return
                case Undetermined():
                    facts.leave_open(condition)
                    return
        if reached or len(question.cone.path) == len(facts.path):
            facts.reach()

    def satisfiable(self, facts: Facts, goal: Constraint) -> Answer:
        """Whether a goal is satisfiable together with the unconditional facts, with a model."""
        question = Question(facts, goal, facts.rewrite(goal))
        return self._answer(question.cone.known, question.plausibility, question.order)

    def has_value(self, facts: Facts, node: Dim | Constraint) -> bool:
        """Whether the facts and the path prove that every divisor in a node is at least 1.  [dim.floor]"""
        return all(self.proves(facts, condition) for condition in defined(node))

    def unreachable(self, facts: Facts) -> bool:
        """Whether the point is dead code: in a branch that is never taken, or after a check that always fails.

        The path then contradicts the facts.  Some contradictions are found only with the path added to the facts.
        """
        path = all_of(*facts.path)
        if self.excludes(facts, path):
            return True
        mark = facts.mark()
        facts.assume(path)
        excluded = self.excludes(facts, path)
        facts.rollback(mark)
        return excluded

    def counterexample(self, facts: Facts, goal: Constraint) -> Mapping[str, int]:
        """The least valuation found at which a goal fails, by name; empty if none was found."""
        question = Question(facts, goal, facts.rewrite(goal))
        match self._answer(question.cone.known, question.failure, question.order):
            case Sat(model=model) if facts.is_sure and question.admits(model):
                return self._witness(question, model, True)
        return {}

    def simplified(self, facts: Facts, dim: Dim) -> Dim:
        """Simplify a dim by all facts, path facts included, without Z3.  [dim.decide.simplify]"""
        dim = facts.rewrite(dim)
        path = facts.cone(dim).path if facts.path else ()
        return self._simplified(facts, dim, path)

    def simplified_given(self, facts: Facts, dim: Dim, given: Constraint) -> Dim:
        """Simplify a dim by the unconditional facts and a condition, without Z3.  [dim.decide.simplify]"""
        return self._simplified(facts, facts.rewrite(dim), (facts.rewrite(given),))

    def _simplified(self, facts: Facts, dim: Dim, path: Sequence[Constraint]) -> Dim:
        if not path:
            return simplified_dim(dim, facts.known.knowledge)
        system = System([*facts.cone(dim).known, *path])
        return simplified_dim(system.rewritten(dim), system.knowledge)

    def values(self, facts: Facts, goal: Constraint, name: Variable, limit: int = 3) -> tuple[int, ...] | None:
        """All values of a variable at which a goal can hold; None if there may be more than `limit`.  [dim.few]"""
        question = Question(facts, goal, facts.rewrite(goal))
        dim = facts.rewrite(of_atom(name))
        found: list[int] = []
        while question.cone.whole and len(found) <= limit:
            others = [differs(dim, k) for k in found]
            match self._answer(question.cone.known, [*question.plausibility, *others], question.order):
                case Unsat():
                    return tuple(sorted(found))
                case Sat(model=model) if dim.names <= model.keys():
                    found.append(dim.evaluate(model))
                case _:
                    return None
        return None

    # ------------------------------------------------------------------------------------------- the pipeline

    def _answer(self, known: Sequence[Constraint], asked: Sequence[Constraint], order: tuple[Variable, ...]) -> Answer:
        """Whether constraints are satisfiable; memoized by their set and the variable order."""
        key = frozenset((*known, *asked)), order
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = self._climbed(tuple(known), tuple(asked), order)
        return found

    def _climbed(
        self, known: tuple[Constraint, ...], asked: tuple[Constraint, ...], order: tuple[Variable, ...]
    ) -> Answer:
        constraints, system = (*known, *asked), self._at_rest(known).narrowed(*asked)
        if system.conflict:
            return Unsat("facts")
        if system.is_contradictory:
            return Unsat("linear")
        tries = self._limits.models
        found = least_model(system, constraints, order, tries // 4)
        if found is not None:
            return Sat(found.model, "models", found.least)
        refuter = Refuter(self._limits)
        stage = refuter.refuted(system)
        if stage is not None:
            return Unsat(stage)
        met = refuter.model or {}
        for place in (system, refuter.open):
            found = None if place is None else least_model(place, constraints, order, tries, hints=met.values())
            if found is not None:
                return Sat(found.model, "models", found.least and place is system)
        if met and (whole := _completed(met, constraints, order)) is not None:
            return Sat(whole, "models")
        return self._asked(system, constraints, order) if self._smt else Undetermined()

    def _at_rest(self, known: tuple[Constraint, ...]) -> System:
        """The saturated system of the known facts; the last one is cached, as queries about a goal share it."""
        if self._rest is None or self._rest.given != known:
            self._rest = System(known)
        return self._rest

    def _asked(self, system: System, constraints: Sequence[Constraint], order: tuple[Variable, ...]) -> Answer:
        """Query Z3; its models are checked by evaluation, then reduced to small numbers.  [dim.decide.smt]"""
        self.smt_queries += 1
        status, model = ask(constraints, self._limits.rlimit)
        if status == "unsat":
            return Unsat("smt")
        if status != "sat" or not satisfied(constraints, model):
            return Undetermined()
        smaller = small_answer(constraints, self._limits.rlimit, max(map(abs, model.values()), default=0))
        best = smaller.model if smaller.status == "sat" and satisfied(constraints, smaller.model) else model
        least = least_model(system, constraints, order, self._limits.models, hints=best.values())
        whole = _completed(best, constraints, order) if least is None else least.model
        return Undetermined() if whole is None else Sat(whole, "smt")


def _completed(
    model: Mapping[Variable, int], constraints: Sequence[Constraint], order: Sequence[Variable]
) -> Model | None:
    """A model in which variables without a value are 1; None if a constraint does not hold then.

    A variable has no value if the constraints that were left of the given ones do not mention it.
    """
    whole = dict.fromkeys(order, 1) | dict(model)
    return whole if satisfied(constraints, whole) else None


_GAVE_UP = "the budget ran out before an answer"


def _fails_for(witness: Mapping[str, int]) -> str:
    return "fails for " + ", ".join(f"{name} = {k}" for name, k in witness.items())


def _never(question: Question) -> str:
    """Why a goal never holds, in the user's words."""
    solved = [(name, question.facts.rewrite(of_atom(name))) for name in occurrences(question.goal)]
    reasons = [f"{name} == {image}" for name, image in solved if image is not of_atom(name)]
    reasons.extend(str(fact) for fact in question.cone.known[:3])
    return f"{question.goal} never holds" + (f" where {', '.join(reasons)}" if reasons else "")
