"""The reference as something to lie about: its remembered answers, and implementations that change them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from gradual.conformance.cases.answer import Outcome, Report
from gradual.conformance.cases.case import Request
from gradual.conformance.implementations.reference import Reference
from gradual.interface.input.values import Call
from gradual.ops.catalogue import gathered
from gradual.record import record
from gradual.tensors.value import Value

gathered()
"""All families of operators are loaded, so that `replaced` finds every use of a function."""


class Truth(Reference):
    """The reference, which remembers its reports and arguments: many liars ask it the same."""

    def __init__(self) -> None:
        super().__init__()
        self._reports: dict[Request, Report] = {}
        self._given: dict[tuple[str, Call], list[Value]] = {}

    def check(self, request: Request) -> Report:
        """Check the request's program, once."""
        if request not in self._reports:
            self._reports[request] = super().check(request)
        return self._reports[request]

    def given(self, request: Request, call: Call) -> list[Value]:
        """The arguments of a call, made once: lies about arithmetic do not reach them."""
        key = request.text, call
        if key not in self._given:
            self._given[key] = super().given(request, call)
        return self._given[key]


def reported(truth: Truth, request: Request) -> Report:
    """The true report."""
    return truth.check(request)


def same(truth: Truth, request: Request, call: Call, outcome: Outcome) -> Outcome:
    """The outcome as it is."""
    return outcome


@record
class Liar:
    """A way to lie.

    Attributes:
        name: the lie in a few words.
        check: the answer to a request for a report.
        answer: the outcome of a call that is reported in place of the true one.
        computing: changes the reference's computation while a call runs.
    """

    name: str
    check: Callable[[Truth, Request], Report] = reported
    answer: Callable[[Truth, Request, Call, Outcome], Outcome] = same
    computing: Callable[[], AbstractContextManager[None]] = nullcontext


class Lying:
    """A liar as an implementation."""

    def __init__(self, liar: Liar, truth: Truth) -> None:
        self.liar = liar
        self.truth = truth

    def check(self, request: Request) -> Report:
        """Report on the program, perhaps falsely."""
        return self.liar.check(self.truth, request)

    def run(self, request: Request, call: Call) -> Outcome:
        """Run a call, perhaps falsely; the program and the arguments are the true ones."""
        self.truth.passed(request)
        self.truth.given(request, call)
        with self.liar.computing():
            outcome = self.truth.run(request, call)
        return self.liar.answer(self.truth, request, call, outcome)


@contextmanager
def replaced(original: Callable[..., Any], other: Callable[..., Any]) -> Iterator[None]:
    """Replace a function of the package, under each name by which a module refers to it."""
    uses = [
        (held, name)
        for module, space in list(sys.modules.items())
        if module.startswith("gradual.")
        for held, name in ((space, name) for name, value in list(vars(space).items()) if value is original)
    ]
    for held, name in uses:
        setattr(held, name, other)
    try:
        yield
    finally:
        for held, name in uses:
            setattr(held, name, original)
