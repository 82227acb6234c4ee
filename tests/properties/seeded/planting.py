"""Planting a bug: a context in which the real code is wrong in one place, and nothing is remembered from before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import wraps
from unittest.mock import patch

from gradual.dims.solver.decide import Decider
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint
from gradual.verdict import Verdict
from tests.properties.compiling import SHARED

Bug = Callable[[], AbstractContextManager[None]]


def planted(bug: Callable[[], Iterator[None]]) -> Bug:
    """A generator function as a bug; answers are forgotten when it is planted and when it is weeded out."""
    context = contextmanager(bug)

    @contextmanager
    def with_fresh_answers() -> Iterator[None]:
        SHARED.forget()
        try:
            with context():
                yield
        finally:
            SHARED.forget()

    return wraps(bug)(with_fresh_answers)


@contextmanager
def verdicts(altered: Callable[[Verdict], Verdict]) -> Iterator[None]:
    """Every verdict altered."""
    decide = Decider.decide

    def decided(self: Decider, facts: Facts, goal: Constraint) -> Verdict:
        return altered(decide(self, facts, goal))

    with ExitStack() as stack:
        stack.enter_context(patch.object(Decider, "decide", decided))
        yield
