"""The interface of a pass: a name, a summary, and a function from core to core that reports what it did.

A pass keeps the outcome of every run: the value, the blame of the same check, or the same fault.  It keeps declared
interfaces, unless its arguments request a change.  Types become more precise, never less.  It never rejects a program.
What is left undone is reported with the reason.   [pass] [pass.outcome] [pass.interface] [pass.total] [pass.verified]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from gradual.core.terms import Module
from gradual.dims.solver.decide import Decider
from gradual.record import record
from gradual.source import Span


@record(eq=False)
class Note:
    """A message of a pass.

    Attributes:
        function: the function concerned.
        span: the source position concerned.
        says: what was left unchanged and why, or what was done and what it costs.
        left: whether something was left undone.
    """

    function: str
    span: Span
    says: str
    left: bool = False


@record(eq=False)
class Transformed:
    """A module after a pass, and the notes of the pass."""

    module: Module
    notes: tuple[Note, ...] = ()


@record(eq=False)
class Context:
    """What a pass may use in addition to the module.

    Attributes:
        decider: proves and refutes goals.
        given: the arguments of the pass, as text: `n=3` is `{"n": "3"}`.
    """

    decider: Decider
    given: Mapping[str, str] = field(default_factory=dict)


class Unusable(Exception):
    """A pass cannot do what it was asked: an argument is missing, wrong, or in conflict with the program."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


@record(eq=False)
class Pass:
    """A transformation of core.

    Attributes:
        name: as given to `gradual pass` and `gradual.apply`.
        summary: one sentence, with the name of its rule.
        transform: the module after the pass; raises Unusable.
        takes: how its arguments are written, such as `n=3`; empty for none.
        idempotent: whether a second run changes nothing.
    """

    name: str
    summary: str
    transform: Callable[[Module, Context], Transformed]
    takes: str = ""
    idempotent: bool = False
