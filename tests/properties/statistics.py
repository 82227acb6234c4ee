"""What deciding costs, and who decides: goals by stage, time per goal, unknowns per goal, questions to Z3."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any
from unittest.mock import patch

from gradual.compilation import Compilation
from gradual.compiler import compile_source
from gradual.dims.solver.decide import Answer, Decider, Undetermined
from gradual.dims.solver.question import Question
from gradual.dims.solver.smt import ask
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.evaluation import satisfied
from gradual.limits import LIMITS, Limits, Options
from gradual.source import Source
from gradual.verdict import Proved, Refuted, Unknown, Verdict
from tests.properties.compiling import deciding

_ADVICE = Options(advise=False)


@dataclass(frozen=True)
class Goal:
    """One goal that was decided: by which stage, how it ended, how long it took, over how many variables."""

    stage: str
    ended: str
    seconds: float
    variables: int
    unknowns: int


@dataclass
class Ledger:
    """All goals of some programs.

    Attributes:
        evident: goals that their own normal form made true, so that nobody was asked.
        asked: seconds of each question that reached Z3, and how it answered.
        put: the same of both questions of every goal that is not evident, put to Z3 for comparison.
        contradictions: goals about which Z3 knows better.
    """

    goals: list[Goal] = field(default_factory=list)
    evident: int = 0
    asked: list[tuple[float, str]] = field(default_factory=list)
    put: list[tuple[float, str]] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    programs: int = 0
    seconds: float = 0.0

    def checked(self, text: str, name: str = "p.relay", compare: bool = True) -> Compilation:
        """The text checked by a decider of its own, everything written down; `compare` puts every goal to Z3 too."""
        learnt: Counter[str] = Counter()
        started = time.process_time()
        with deciding(partial(_Clocked, self, compare)), _counting(learnt):
            found = compile_source(Source(name, text), _ADVICE)
        self.seconds += time.process_time() - started
        self.programs += 1
        self.evident += found.proved - learnt["Proved"]
        return found

    # ---------------------------------------------------------------------------------------------------- the report
    def report(self, title: str) -> Iterator[str]:
        """The ledger in a few lines."""
        total = self.evident + len(self.goals)
        yield f"{title}: {self.programs} programs, {total} goals, {self.seconds:.1f} s of checking"
        stages = Counter({"evident": self.evident}) + Counter(goal.stage for goal in self.goals)
        yield "  decided by    " + _shares(stages, total)
        ended = Counter({"proved": self.evident}) + Counter(goal.ended for goal in self.goals)
        yield "  ended         " + _shares(ended, total)
        if self.goals:
            times = sorted(goal.seconds * 1e3 for goal in self.goals)
            yield (
                f"  ms per goal   median {median(times):.3f}, p99 {_at(times, 0.99):.2f}, max {times[-1]:.1f}"
                f" (of the {len(times)} that are not evident)"
            )
            for what in ("variables", "unknowns"):
                counts = sorted(getattr(goal, what) for goal in self.goals)
                yield f"  {what:13} median {_at(counts, 0.5)}, p99 {_at(counts, 0.99)}, max {counts[-1]} per goal"
        yield "  Z3            " + (_times(self.asked) if self.asked else "was never asked")
        if self.put:
            yield f"  Z3, put all   {_times(self.put)}; {len(self.contradictions)} contradictions"
        yield from (f"  contradiction {says}" for says in self.contradictions)


def _times(asked: Sequence[tuple[float, str]]) -> str:
    times = sorted(seconds * 1e3 for seconds, _ in asked)
    answers = ", ".join(f"{name} {count}" for name, count in Counter(how for _, how in asked).most_common())
    return (
        f"{len(times)} questions ({answers}); ms per question median {median(times):.1f},"
        f" p99 {_at(times, 0.99):.1f}, max {times[-1]:.1f}"
    )


class _Clocked(Decider):
    """The decider, with a clock beside it."""

    def __init__(self, ledger: Ledger, compare: bool, limits: Limits = LIMITS, smt: bool = True) -> None:
        super().__init__(limits, smt)
        self.ledger = ledger
        self.compare = compare

    def decide(self, facts: Facts, goal: Constraint) -> Verdict:
        """The verdict, written down."""
        before, started = self.counts.copy(), time.perf_counter()
        verdict = super().decide(facts, goal)
        seconds = time.perf_counter() - started
        (stage,) = self.counts - before
        names = facts.rewrite(goal).names
        ended = {Proved: "proved", Refuted: "refuted"}.get(type(verdict), "left to run time")
        if self.compare:
            self._put(facts, goal, verdict)
        self.ledger.goals.append(Goal(stage, ended, seconds, len(names), sum(name.is_existential for name in names)))
        return verdict

    def _put(self, facts: Facts, goal: Constraint, verdict: Verdict) -> None:
        """Both questions of a goal put to Z3, which may not know better than the verdict."""
        question = Question(facts, goal, facts.rewrite(goal))
        questions = (question.plausibility, question.failure)
        possible, may_fail = (self._answered([*question.cone.known, *asked]) for asked in questions)
        match verdict:
            case Proved() if may_fail == "sat" and question.cone.whole:
                self.ledger.contradictions.append(f"{goal} is proved, and may fail")
            case Refuted() if possible == "sat" and question.cone.whole:
                self.ledger.contradictions.append(f"{goal} is refuted, and may hold")
            case Unknown(gave_up=False) if may_fail == "unsat":
                self.ledger.contradictions.append(f"{goal} is left to run time, and cannot fail")
            case Unknown() if possible == "unsat":
                self.ledger.contradictions.append(f"{goal} is left to run time, and cannot hold")

    def _answered(self, constraints: Sequence[Constraint]) -> str:
        started = time.perf_counter()
        status, model = ask(constraints, self._limits.rlimit)
        self.ledger.put.append((time.perf_counter() - started, status))
        return status if status != "sat" or satisfied(constraints, model) else "unknown"

    def _asked(self, system: Any, constraints: Sequence[Constraint], order: Any) -> Answer:
        started = time.perf_counter()
        answer = super()._asked(system, constraints, order)
        how = "unknown" if isinstance(answer, Undetermined) else {"Unsat": "unsat"}.get(type(answer).__name__, "sat")
        self.ledger.asked.append((time.perf_counter() - started, how))
        return answer


@contextmanager
def _counting(learnt: Counter[str]) -> Iterator[None]:
    """Counts the verdicts of goals that are owed, not those that are asked for other reasons."""
    learn = Facts.learn

    def counted(self: Facts, goal: Constraint, verdict: Verdict) -> None:
        learnt[type(verdict).__name__] += 1
        learn(self, goal, verdict)

    with patch.object(Facts, "learn", counted):
        yield


def _shares(counts: Counter[str], total: int) -> str:
    return ", ".join(f"{name} {count} ({100 * count / max(total, 1):.1f} %)" for name, count in counts.most_common())


def _at(ordered: Sequence[Any], share: float) -> Any:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def of_texts(texts: Iterable[tuple[str, str]]) -> Ledger:
    """The ledger of named texts."""
    ledger = Ledger()
    for name, text in texts:
        ledger.checked(text, name)
    return ledger
