"""Bugs in what is asked, what is believed, and what is learnt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import gradual.checker.obligations.discharge as discharging
import gradual.checker.obligations.settlement as settling
import gradual.types.unpacking as opening
from gradual.checker.state.context import Elaboration
from gradual.core import refinement
from gradual.dims.solver.decide import Answer, Decider
from gradual.dims.store.facts import Cone, Facts
from gradual.dims.term.constraint import Constraint
from gradual.dims.term.dim import Dim, Variable
from gradual.verdict import Proved, Refuted, Unknown, Verdict
from tests.properties.seeded.planting import planted, verdicts


@planted
def what_fails_if_reached_is_proved() -> Iterator[None]:
    """A goal that contradicts its path is taken for one in dead code, where everything holds."""

    def altered(verdict: Verdict) -> Verdict:
        match verdict:
            case Unknown(fails_if_reached=True):
                return Proved("dead")
            case _:
                return verdict

    with verdicts(altered):
        yield


@planted
def what_was_passed_elsewhere_refutes() -> Iterator[None]:
    """A goal of a field is refuted by a goal that was accepted outside, so that order decides."""
    with patch.object(discharging, "_apart", lambda state, *goals: discharging._verdict(state, state.facts, *goals)):
        yield


@planted
def rigid_goals_are_errors_one_by_one() -> Iterator[None]:
    """A rigid goal that may fail is an error in every definition, not only in strict ones."""
    settle = settling.settle

    def altered(state: Elaboration) -> None:
        for postponed in state.obligations.postponed:
            if postponed.rigid and postponed.verdict.witness and not postponed.verdict.gave_up:
                state.strictness.gradual = False
        settle(state)

    with patch("gradual.checker.module.settle", altered):
        yield


@planted
def giving_up_is_an_error() -> Iterator[None]:
    """A goal that the solver could not decide is refused."""

    def altered(verdict: Verdict) -> Verdict:
        match verdict:
            case Unknown(gave_up=True):
                return Refuted("could not be decided", {})
            case _:
                return verdict

    with verdicts(altered):
        yield


@planted
def giving_up_is_a_proof() -> Iterator[None]:
    """A goal that the solver could not decide is believed."""

    def altered(verdict: Verdict) -> Verdict:
        match verdict:
            case Unknown(gave_up=True):
                return Proved("nobody objected")
            case _:
                return verdict

    with verdicts(altered):
        yield


@planted
def what_fails_at_large_sizes_is_proved() -> Iterator[None]:
    """A goal whose least failing size is large counts as proved."""

    def altered(verdict: Verdict) -> Verdict:
        match verdict:
            case Unknown(witness=witness) if witness and max(witness.values()) >= 2:
                return Proved("wishing")
            case _:
                return verdict

    with verdicts(altered):
        yield


@planted
def strict_definitions_may_fail() -> Iterator[None]:
    """A goal of a strict definition that fails at some size is left to run time: strictness demands nothing."""
    settle = settling.settle

    def altered(state: Elaboration) -> None:
        strict, state.strictness.gradual = state.strictness.gradual, True
        settle(state)
        state.strictness.gradual = strict

    with patch("gradual.checker.module.settle", altered):
        yield


@planted
def counterexamples_are_off_by_one() -> Iterator[None]:
    """The first number of a counterexample is one too large."""
    witness = Decider._witness

    def altered(self: Decider, question: Any, model: Mapping[Variable, int], path: bool) -> dict[str, int]:
        found = witness(self, question, model, path)
        return {name: k + (place == 0) for place, (name, k) in enumerate(found.items())}

    with patch.object(Decider, "_witness", altered):
        yield


@planted
def answers_are_remembered_by_goal_only() -> Iterator[None]:
    """The cache forgets under which facts a question was asked."""
    climbed = Decider._climbed
    known: dict[object, Answer] = {}
    Order = tuple[Variable, ...]

    def altered(self: Decider, around: Sequence[Constraint], asked: Sequence[Constraint], order: Order) -> Answer:
        key = asked[-1] if asked else None
        if key not in known:
            known[key] = climbed(self, tuple(around), tuple(asked), order)
        return known[key]

    with patch.object(Decider, "_answer", altered):
        yield


@planted
def slicing_looks_at_names() -> Iterator[None]:
    """Facts about variables that come late in the alphabet are left out of the cone."""
    cone = Facts.cone

    def altered(self: Facts, goal: Constraint | Dim, *room: int) -> Cone:
        found = cone(self, goal, *room)

        def kept(facts: tuple[Constraint, ...]) -> tuple[Constraint, ...]:
            return tuple(fact for fact in facts if all(name.name < "q" for name in fact.names))

        return found._replace(known=kept(found.known), path=kept(found.path))

    with patch.object(Facts, "cone", altered):
        yield


@planted
def sizes_may_be_negative() -> Iterator[None]:
    """That a size is at least 0 is forgotten."""

    def facts(self: opening.Opened) -> Iterator[Constraint]:
        yield from self.hole.bounds(self.existential)

    with patch.object(Elaboration, "is_size", lambda self, dim: None), patch.object(opening.Opened, "facts", facts):
        yield


@planted
def checks_teach_nothing() -> Iterator[None]:
    """A goal that was left as a check is not a fact afterwards."""
    learn = Facts.learn

    def altered(self: Facts, goal: Constraint, verdict: Verdict) -> None:
        if not isinstance(verdict, Unknown):
            learn(self, goal, verdict)

    with patch.object(Facts, "learn", altered):
        yield


@planted
def the_other_branch_has_the_same_condition() -> Iterator[None]:
    """The second branch of an `if` supposes the condition, not its negation."""
    with patch.object(refinement, "negated", lambda truth: truth):
        yield


@planted
def the_path_is_unconditional() -> Iterator[None]:
    """What a condition says is assumed for plausibility too."""
    with patch.object(Facts, "suppose", Facts.assume):
        yield


@planted
def an_unknown_result_makes_nothing_gradual() -> Iterator[None]:
    """A `?` that comes in does not end strictness: its rigid goals are errors."""
    enter = Elaboration.enter

    def altered(self: Elaboration, *given: Any) -> Any:
        before = self.strictness.gradual
        opened = enter(self, *given)
        self.strictness.gradual = before
        return opened

    with patch.object(Elaboration, "enter", altered):
        yield


@planted
def refutations_are_left_to_run_time() -> Iterator[None]:
    """What holds at no size is checked at run time: a program that cannot run is accepted."""

    def altered(verdict: Verdict) -> Verdict:
        match verdict:
            case Refuted(because, witness):
                return replace(Unknown(because, witness), plausible=False)
            case _:
                return verdict

    with verdicts(altered):
        yield
