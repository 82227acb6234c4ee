"""Reachability of the current point: enclosing branches, tests on sizes, and checks that always fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradual.record import record


@record(frozen=False, eq=False)
class Reach:
    """What encloses the current point.

    Attributes:
        depth: the number of enclosing branches and function literals in the definition's body.
        after_error: whether an error was reported in an enclosing condition, so that the path condition is unknown.
        tests: the number of enclosing branches of tests.  [type.if.test]
        unreachable: whether the code is unreachable: obligations are dropped, and only errors of names, structure and
            element types are reported.  [type.if.fails]
        ended_at: the number of steps up to a check that always fails; None if the branch has none.
        gradual_before: whether the definition was gradual at that check; unknowns after it do not make it gradual.
        hypothetical: in code for a field or a call that may not exist, the number of goals accepted outside of it.
    """

    depth: int = -1
    after_error: bool = False
    tests: int = 0
    unreachable: bool = False
    ended_at: int | None = None
    gradual_before: bool = False
    hypothetical: int | None = None

    @contextmanager
    def beside(self, *, reported: bool) -> Iterator[None]:
        """Check branches, after an error in their condition if one was `reported`.

        Goals that fail in the branches for some sizes are then taken to follow from that error.
        """
        outer, self.after_error = self.after_error, self.after_error or reported
        yield
        self.after_error = outer

    @contextmanager
    def testing(self, *, test: bool) -> Iterator[None]:
        """Check a branch of a test: no goal or join of sizes is an error there at once.  [type.if.test]"""
        self.tests += test
        yield
        self.tests -= test
