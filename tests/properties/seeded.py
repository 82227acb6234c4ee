"""Bugs to be planted in the checker: each must be found by a law that is named for it.

The list is that of the calculus: what GraTen, Relay or an early prototype got wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import gradual.checker.discharge as discharging
import gradual.ops.shapes as shapes
import gradual.types.opening as opening
from gradual.checker import calling, infer
from gradual.checker.branches import Join
from gradual.checker.discharge import Owed
from gradual.checker.elaboration import Elaboration, Made, Typed, mentions_ghost
from gradual.core.terms import Promise, Rename, Site
from gradual.dims.constraint import Constraint
from gradual.dims.decide import Decider
from gradual.dims.dim import Dim
from gradual.dims.facts import Facts
from gradual.types.type import Hole, OpenedType, TensorType
from gradual.verdict import Refuted, Unknown, Verdict

Bug = Callable[[], Any]


@contextmanager
def refutation_looks_at_the_path() -> Iterator[None]:
    """A goal that contradicts its path is refuted: the dead branch of a blurred program is then an error (GraTen)."""

    def altered(verdict: Verdict) -> Verdict:
        match verdict:
            case Unknown(fails_if_reached=True):
                return Refuted("contradicts the path", {})
            case _:
                return verdict

    with _verdicts(altered):
        yield


@contextmanager
def rigid_goals_are_errors_one_by_one() -> Iterator[None]:
    """A rigid goal that may fail is an error in every definition, not only in strict ones."""
    settle = discharging.settle

    def altered(state: Elaboration) -> None:
        for postponed in state.postponed:
            if postponed.rigid and postponed.verdict.witness and not postponed.verdict.gave_up:
                state.gradual = False
        settle(state)

    with patch("gradual.checker.module.settle", altered):
        yield


@contextmanager
def broadcasting_without_a_choice() -> Iterator[None]:
    """The result of a broadcast is the left size unless that is a literal 1 (GraTen)."""

    def altered(left: Dim, right: Dim) -> Dim:
        return right if left.value == 1 else left

    with patch.object(shapes, "common_extent", altered):
        yield


@contextmanager
def facts_outlive_their_branch() -> Iterator[None]:
    """What was learnt in a branch is known after it."""

    @contextmanager
    def branch(self: Elaboration) -> Iterator[list[Any]]:
        with patch.object(Facts, "rollback", lambda self, mark: None), original(self) as steps:
            yield steps

    original = Elaboration.branch
    with patch.object(Elaboration, "branch", branch):
        yield


@contextmanager
def a_branch_s_own_unknown_escapes() -> Iterator[None]:
    """A join may record an unknown that is only read off a value of one branch."""
    with patch.object(Join, "_visible", lambda self, dim: True):
        yield


@contextmanager
def every_use_opens_anew() -> Iterator[None]:
    """Each mention of a variable has unknowns of its own, as if `?` were opened per use."""
    local = infer._local

    def altered(state: Elaboration, name: str, span: Any) -> str:
        value = local(state, name, span)
        type: Typed = state.types[value]
        if not isinstance(type, TensorType) or not any(mentions_ghost(size) for size in type.shape):
            return value
        again = state.fresh(None)
        holes = tuple(Hole() if mentions_ghost(size) else size for size in type.shape)
        unknown = TensorType(holes, type.dtype)
        opened: OpenedType = state.enter(unknown, again, lambda path, axis: Promise(span, "a use"))
        state.steps.append(Rename(again, value, opened, span))
        return state.define(again, opened, Made("a use", (value,), span))

    with patch.object(infer, "_local", altered):
        yield


@contextmanager
def sizes_may_be_negative() -> Iterator[None]:
    """That a size is at least 0 is forgotten."""

    def facts(self: opening.Opened) -> Iterator[Constraint]:
        yield from self.hole.bounds(self.ghost)

    with patch.object(Elaboration, "is_size", lambda self, dim: None), patch.object(opening.Opened, "facts", facts):
        yield


@contextmanager
def giving_up_is_an_error() -> Iterator[None]:
    """A goal that the solver could not decide is refused."""

    def altered(verdict: Verdict) -> Verdict:
        match verdict:
            case Unknown(gave_up=True):
                return Refuted("could not be decided", {})
            case _:
                return verdict

    with _verdicts(altered):
        yield


@contextmanager
def what_was_proved_may_fail() -> Iterator[None]:
    """A goal whose least failing size is large counts as proved."""

    def altered(verdict: Verdict) -> Verdict:
        match verdict:
            case Unknown(witness=witness) if witness and max(witness.values()) >= 2:
                from gradual.verdict import Proved

                return Proved("wishing")
            case _:
                return verdict

    with _verdicts(altered):
        yield


@contextmanager
def joins_take_the_first_branch() -> Iterator[None]:
    """After an `if` a size is that of the first branch."""

    def altered(self: Join, left: Dim, right: Dim, *rest: Any) -> Dim:
        return left if self._visible(left) else right

    with patch.object(Join, "_size", altered):
        yield


@contextmanager
def a_call_forgets_a_precondition() -> Iterator[None]:
    """The `where` of a callee is not owed by its callers."""
    owe = calling.owe

    def altered(state: Elaboration, owed: Owed) -> bool:
        return owed.site is Site.WHERE or owe(state, owed)

    with patch.object(calling, "owe", altered):
        yield


@contextmanager
def _verdicts(altered: Callable[[Verdict], Verdict]) -> Iterator[None]:
    """Every verdict altered."""
    decide = Decider.decide

    def decided(self: Decider, facts: Facts, goal: Constraint) -> Verdict:
        return altered(decide(self, facts, goal))

    with ExitStack() as stack:
        stack.enter_context(patch.object(Decider, "decide", decided))
        yield
