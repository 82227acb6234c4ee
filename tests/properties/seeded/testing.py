"""Bugs in tests on sizes and in what named sizes promise, and the programs that find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from gradual.checker.expressions import if_
from gradual.checker.functions import call
from gradual.checker.joins.join import Join
from gradual.checker.obligations.obligation import Obligation
from gradual.checker.state.context import Elaboration
from gradual.checker.state.reach import Reach
from gradual.checker.state.values import Typed
from gradual.core.check import Site
from gradual.delaborate import types as surface_types
from gradual.delaborate import writer
from gradual.dims.term.constraint import TRUE, Constraint, at_least
from gradual.dims.term.dim import constant
from gradual.types.positive import named_sizes, says_not_empty
from gradual.types.type import FunctionType, TensorType
from tests.properties.seeded.planting import planted


# -------------------------------------------------------------------------------------------------------------- tests
@planted
def what_is_not_tracked_is_no_test() -> Iterator[None]:
    """A comparison of an integer of which nothing is known makes an `if` opaque."""
    is_test = if_.is_test

    def altered(state: Elaboration, condition: str) -> bool:
        truth = state.values.implied(condition)
        return is_test(state, condition) and not (truth.holds is TRUE and truth.fails is TRUE)

    with patch.object(if_, "is_test", altered):
        yield


@planted
def an_opaque_branch_leaves_the_test_around_it() -> Iterator[None]:
    """Only what stands in a branch of a test itself is excused, not what stands in an opaque `if` in it."""

    @contextmanager
    def altered(self: Reach, *, test: bool) -> Iterator[None]:
        outer, self.tests = self.tests, int(test)
        yield
        self.tests = outer

    with patch.object(Reach, "testing", altered):
        yield


@planted
def a_branch_that_fails_forgets_the_rank_of_the_other() -> Iterator[None]:
    """An `if` of which one branch always fails is of unknown rank, and not the other branch."""
    of_some = Join._of_some

    def altered(self: Join, types: Sequence[Any], some: Sequence[Any], path: str) -> Typed:
        kept = of_some(self, types, some, path)
        return self._of_any_rank(kept.dtype, path) if some and isinstance(kept, TensorType) else kept

    with patch.object(Join, "_of_some", altered):
        yield


@planted
def a_path_decides_a_test() -> Iterator[None]:
    """A branch is never taken if the path excludes it."""
    taken = if_.taken

    def altered(state: Elaboration, *truth: Constraint) -> bool | None:
        mark = state.facts.mark()
        for one in tuple(state.facts.path):
            state.facts.assume(one)
        with patch.object(type(state.facts), "lasting", lambda self: self):
            answer = taken(state, *truth)
        state.facts.rollback(mark)
        return answer

    with patch.object(if_, "taken", altered):
        yield


@planted
def what_is_never_taken_has_no_structure() -> Iterator[None]:
    """In a branch that is never taken nothing is an error."""
    untaken = Elaboration.untaken

    @contextmanager
    def altered(self: Elaboration) -> Iterator[None]:
        before = len(self.output.diagnostics)
        with untaken(self):
            yield
        del self.output.diagnostics[before:]

    with patch.object(Elaboration, "untaken", altered):
        yield


@planted
def what_follows_a_failure_has_no_structure() -> Iterator[None]:
    """What is written after a check that always fails is not compared with the other branch."""
    with patch.object(if_, "as_written", lambda state, name, type, *rest: type):
        yield


# -------------------------------------------------------------------------------------------------------- named sizes
@planted
def an_opt_out_is_not_printed() -> Iterator[None]:
    """`where n >= 0` is left out of texts."""
    stated = writer.stated

    def altered(type: FunctionType) -> tuple[Constraint, ...]:
        opted = {at_least(one.size, constant(0)) for one in named_sizes(type.params, frozenset(type.binders))}
        return tuple(clause for clause in stated(type) if clause not in opted)

    with patch.object(writer, "stated", altered), patch.object(surface_types, "stated", altered):
        yield


@planted
def a_call_may_pass_what_is_empty() -> Iterator[None]:
    """Callers do not owe that named sizes are at least 1."""
    discharge = call.discharge

    def altered(state: Elaboration, goal: Constraint, described: Callable[[], Obligation]) -> bool:
        return (described().site is Site.WHERE and says_not_empty(goal)) or discharge(state, goal, described)

    with patch.object(call, "discharge", altered):
        yield


# ----------------------------------------------------------------------------------------------------------- programs
TESTED = """def @main(%l: Tensor[(2,), int64], %y: Tensor[(3,), float32], %u: Tensor[(?,), float32]) {
  if (take(%l, 0, axis=0) == 4i64) { let %z = %y as Tensor[(5,), float32]; nn.relu(%z) } else { %y }
}"""

NESTED = """def @main(%b: bool, %x: Tensor[(3,), float32], %y: Tensor[(3,), float32]) {
  if (take(shape_of(%x), 0, axis=0) == 4) { if (%b) { nn.relu(%y as Tensor[(5,), float32]) } else { %y } } else { %y }
}"""

OTHER = """def @main(%c: Tensor[(?,), float32], %w: Tensor[(2, 2), float32], %x: Tensor[(3,), float32]) {
  let %r = if (take(shape_of(%c), 0, axis=0) == 4) { %x as Tensor[(2, 3), float32] } else { %w };
  %r as Tensor[(2, 7), float32]
}"""

PATH = """def @main(%x: Tensor[(?,), float32], %y: Tensor[(3,), float32]) {
  let %r = if (dim(%x, 0) == 4) {
    if (dim(%x, 0) == 4) { %y as Tensor[(5,), float32] as Tensor[(3,), float32] } else { %y }
  } else { %y };
  (%r, %x as Tensor[(4,), float32])
}"""

DEAD = """def @main(%x: Tensor[(3,), float32], %y: Tensor[(3,), float32]) {
  if (dim(%x, 0) == 4) { cast(%y, dtype="int32") } else { %y }
}"""

BEHIND = """def @main(%x: Tensor[(?,), float32], %y: Tensor[(3,), float32]) {
  if (dim(%x, 0) == 4) { let %z = %y as Tensor[(5,), float32]; cast(%y, dtype="int32") } else { %y }
}"""

EMPTY = "def @main(%x: Tensor[(n, 2), float32]) -> Tensor[(n, 2), float32] where n >= 0 { nn.relu(%x) }"

SHORTER = """def @f(%x: Tensor[(n,), float32]) { zeros(shape=[n - 1], dtype="float32") }
def @main(%x: Tensor[(?,), float32]) { @f(%x) }"""
