"""The interface of an implementation and the types of its answers, independent of expectations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from gradual.conformance.cases.case import Place, Request
from gradual.interface.input.values import Call, Values
from gradual.record import record


@record
class FoundDiagnostic:
    """A diagnostic that was reported; `witness` are the sizes of its counterexample."""

    code: str
    severity: str
    rule: str
    place: Place
    related: tuple[Place, ...] = ()
    witness: Mapping[str, int] = field(default_factory=dict)
    message: str = ""

    def __str__(self) -> str:
        at = ", ".join(f"{name}={value}" for name, value in self.witness.items())
        return f"{self.severity} {self.code} {self.place} [{self.rule}]{f' at {at}' if at else ''}: {self.message}"


@record
class FoundCheck:
    """A residual check."""

    condition: str
    place: Place
    rule: str
    blames: tuple[Place, ...]

    def __str__(self) -> str:
        return f"{self.condition}   at {self.place}   by {self.rule}   blames {', '.join(map(str, self.blames))}"


@record
class Report:
    """The answer to `check`.

    Attributes:
        functions: name of a function, such as `@main` -> its type.
        bindings: (function, name, type) for each bound name in source order; the type shows tracked elements.
        core: the lines of the elaborated program; empty for a rejected one.
        static: for each requested function, the line `@f  static`; if it is not static, a line for each obstacle and
            a line with the sizes to pin.
        plan: for each requested function, a line for each buffer, a line for each slot, and a line with the peak.
        after: the lines of the program after the passes, or one line that says why the passes cannot be applied.
        left: a line for each message of the passes, such as an operator that had to stay dynamic.
        passed: whether passes were applied.
    """

    accepted: bool
    diagnostics: tuple[FoundDiagnostic, ...] = ()
    functions: Mapping[str, str] = field(default_factory=dict)
    bindings: tuple[tuple[str, str, str], ...] = ()
    checks: tuple[FoundCheck, ...] = ()
    core: tuple[str, ...] = ()
    static: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    passed: bool = False


@record
class GotValue:
    """A run ended in a value; every `Literal` inside has its dtype."""

    value: Values


@record
class GotBlame:
    """A run ended in blame."""

    code: str
    rule: str
    blames: tuple[Place, ...]


@record
class GotFault:
    """A run ended in a fault."""

    code: str
    message: str = ""


Outcome = GotValue | GotBlame | GotFault


class NoAnswer(Exception):
    """There is no answer; the argument says why."""


class Crashed(NoAnswer):
    """The implementation had an internal error, or its process ended."""


class TimedOut(NoAnswer):
    """The implementation took too long."""


class Garbled(NoAnswer):
    """The reply violates the protocol."""


class Skipped(NoAnswer):
    """The implementation declines to answer."""


class Implementation(Protocol):
    """An implementation under test; any exception from a method, other than `NoAnswer`, counts as a crash."""

    def check(self, request: Request) -> Report:
        """Check the request's program.  Raises NoAnswer."""

    def run(self, request: Request, call: Call) -> Outcome:
        """Run one call of the request's program.  Raises NoAnswer."""
