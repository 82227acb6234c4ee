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
        hypothetical: in a hypothetical scope, the number of goals accepted before the scope; None elsewhere. The steps
            of such a scope are checked once for all elements of a structure or all calls of a function, of which there
            may be none.  [check.apart]
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
        """Check the branches of an `if` or a function body; `reported`: whether the condition had a reported error.

        If so, a goal in a branch that fails only for some sizes is taken to follow from that error.
        """
        outer, self.after_error = self.after_error, self.after_error or reported
        yield
        self.after_error = outer

    @contextmanager
    def testing(self, *, test: bool) -> Iterator[None]:
        """Check a branch whose condition is a test, if `test`.

        If a goal fails in the branch, or sizes differ at a join in the branch, it is an error only if the definition is
        strict, which is decided at the end of the definition.  [type.if.test]
        """
        self.tests += test
        yield
        self.tests -= test
