"""What a pass is: a name, a summary, and a function from core to core that says what it did.

A pass keeps the outcome of every run: the value, or the same check's blame, or the same fault; it keeps declared
interfaces unless it is asked to change them; types become more precise, never less; it never rejects a program.
What stays undone is told with its reason.   [pass] [pass.outcome] [pass.interface] [pass.total] [pass.verified]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gradual.core.terms import Module
from gradual.dims.solver.decide import Decider
from gradual.source import Span


@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """Something that a pass tells.

    Attributes:
        function: the function it speaks of.
        span: the place in the source that it speaks of.
        says: what was left as it was and why, or what a choice costs.
        left: whether it speaks of something that stays undone.
    """

    function: str
    span: Span
    says: str
    left: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Transformed:
    """A module after a pass, and what the pass has to tell."""

    module: Module
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """What a pass may ask besides the module.

    Attributes:
        decider: proves and refutes.
        given: what the user gave with the pass, as text: `n=3` is `{"n": "3"}`.
    """

    decider: Decider
    given: Mapping[str, str] = field(default_factory=dict)


class Unusable(Exception):
    """A pass cannot do what it was asked: an argument is missing, wrong, or against what the program means."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """A transformation of core.

    Attributes:
        name: as given to `gradual pass` and `gradual.apply`.
        summary: one sentence, with the name of its rule.
        transform: the module after the pass; raises Unusable.
        takes: how its arguments are written, such as `n=3`; empty for none.
        idempotent: whether a second time changes nothing.
    """

    name: str
    summary: str
    transform: Callable[[Module, Context], Transformed]
    takes: str = ""
    idempotent: bool = False
