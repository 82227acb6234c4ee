"""The reference as something to lie about: its remembered answers, and implementations that change them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from types import ModuleType
from typing import Any

from gradual.conformance.cases.answer import Outcome, Report
from gradual.conformance.cases.case import Request
from gradual.conformance.implementations.reference import Reference
from gradual.core.terms import Apply
from gradual.interface.input.values import Call
from gradual.ops.catalogue import gathered
from gradual.record import record
from gradual.run.steps.operators import computed
from gradual.run.value import Held
from gradual.tensors.value import Value

MOST = 2000
"""How many operators a run may evaluate."""

gathered()
"""All families of operators are loaded, so that `replaced` finds every use of a function."""


class Truth(Reference):
    """The reference, which remembers its reports and arguments: many liars ask it the same."""

    def __init__(self) -> None:
        super().__init__()
        self._reports: dict[Request, Report] = {}
        self._given: dict[tuple[str, Call], list[Value]] = {}
        self._outcomes: dict[tuple[Request, Call], Outcome] = {}

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

    def outcome(self, request: Request, call: Call) -> Outcome:
        """The outcome of a call, which is run once."""
        key = request, call
        if key not in self._outcomes:
            self._outcomes[key] = self.run(request, call)
        return self._outcomes[key]


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

    def format(self, request: Request) -> str:
        """Format the program, truly."""
        return self.truth.format(request)

    def run(self, request: Request, call: Call) -> Outcome:
        """Run a call, perhaps falsely; the program and the arguments are the true ones."""
        return self.liar.answer(self.truth, request, call, self._computed(request, call))

    def _computed(self, request: Request, call: Call) -> Outcome:
        if self.liar.computing is nullcontext:
            return self.truth.outcome(request, call)
        self.truth.passed(request)
        self.truth.given(request, call)
        with self.liar.computing(), ended():
            return self.truth.run(request, call)


@cache
def uses_of(original: Callable[..., Any]) -> tuple[tuple[ModuleType, str], ...]:
    """Each module of the package that refers to a function, and by which name."""
    return tuple(
        (module, name)
        for path, module in list(sys.modules.items())
        if path.startswith("gradual.")
        for name, value in list(vars(module).items())
        if value is original
    )


class Endless(Exception):
    """A run evaluates so many operators that a lie has probably made a loop endless."""


@contextmanager
def ended() -> Iterator[None]:
    """Raise Endless if a run evaluates more than MOST operators."""
    left = iter(range(MOST))

    def counted(step: Apply, values: Sequence[Held], attributes: Mapping[str, Any], fast: bool = False) -> Held:
        if next(left, None) is None:
            raise Endless(step.operator.name)
        return computed(step, values, attributes, fast)

    with replaced(computed, counted):
        yield


@contextmanager
def replaced(original: Callable[..., Any], other: Callable[..., Any]) -> Iterator[None]:
    """Replace a function of the package, under each name by which a module refers to it."""
    uses = uses_of(original)
    for module, name in uses:
        setattr(module, name, other)
    try:
        yield
    finally:
        for module, name in uses:
            setattr(module, name, original)
