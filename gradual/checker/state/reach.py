"""Which runs come to a place: branches around it, tests on sizes, and checks that always fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Reach:
    """What is around a place.

    Attributes:
        depth: how many branches and function literals are around, within the definition's body.
        after_error: whether a condition around was reported, so that it is not known which sizes come here.
        tests: how many branches of tests are around.  [type.if.test]
        unreachable: whether no run comes here: what is owed here is owed by nobody, and only names, structure and
            element types are told.  [type.if.fails]
        ended_at: in a branch where a check always fails, how many steps there are up to it.
        gradual_before: whether the definition was gradual there; what is unknown where no run comes makes nothing
            gradual.
        hypothetical: inside a field or a call that may never be, how many goals were learnt outside.
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
        """Branches whose condition may have been `reported`: what some sizes owe there only follows."""
        outer, self.after_error = self.after_error, self.after_error or reported
        yield
        self.after_error = outer

    @contextmanager
    def testing(self, *, test: bool) -> Iterator[None]:
        """What stands under a test: no goal and no join about sizes refuses it.  [type.if.test]"""
        self.tests += test
        yield
        self.tests -= test
