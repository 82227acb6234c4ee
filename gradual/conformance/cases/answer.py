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
    """A diagnostic that was reported.

    Attributes:
        code, rule: empty for an implementation that has none.
        witness: the sizes of its counterexample.
    """

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
class FoundPlace:
    """The place at which a type or a residual check is reported; `kind` and `name` are those of `ExpectedPlace`."""

    kind: str
    name: str
    place: Place

    @property
    def is_of_variable(self) -> bool:
        """Whether it is the place of a variable's type."""
        return self.kind == "type" and " " in self.name

    def __str__(self) -> str:
        return f"{self.kind} {self.name}   at {self.place}"


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
        printed: the program as the implementation prints it, if this was asked for.
        places: the places of functions, of variables, and of residual checks.
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
    printed: str | None = None
    places: tuple[FoundPlace, ...] = ()


@record
class GotValue:
    """A run ended in a value; every `Literal` inside has its dtype."""

    value: Values


@record
class GotBlame:
    """A run ended in blame; `code` and `rule` are empty for an implementation that has none."""

    code: str
    rule: str
    blames: tuple[Place, ...]


@record
class GotFault:
    """A run ended in a fault; `code` is empty for an implementation that has none."""

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


class Limited(NoAnswer):
    """The implementation stopped at one of its limits; the argument is the limit's name."""


class Implementation(Protocol):
    """An implementation under test; any exception from a method, other than `NoAnswer`, counts as a crash."""

    def check(self, request: Request) -> Report:
        """Check the request's program.  Raises NoAnswer."""

    def run(self, request: Request, call: Call) -> Outcome:
        """Run one call of the request's program.  Raises NoAnswer."""

    def format(self, request: Request) -> str:
        """Put the request's program into canonical layout.  Raises NoAnswer."""
