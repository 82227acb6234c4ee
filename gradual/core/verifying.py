"""What the verifier of one function offers to its parts."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from gradual.core.implied import Implied
from gradual.core.terms import Block, Module, Step
from gradual.dims.constraint import Constraint
from gradual.dims.decide import Decider
from gradual.dims.dim import Dim
from gradual.dims.facts import Facts
from gradual.types.type import GradualType, OpenedType


class Verifying(Protocol):
    """What the verifier of a function offers to its parts."""

    module: Module
    facts: Facts
    types: dict[str, OpenedType]
    shared: dict[object, Dim]
    found: list[str]
    converted: set[object]

    decider: Decider

    def _step(self, step: Step) -> None: ...
    def _implied(self, name: str) -> Implied: ...
    def _type(self, name: str) -> OpenedType: ...
    def _define(self, name: str, type: OpenedType, numbers: tuple[Fraction, ...] | None = None) -> None: ...
    def _flows(self, value: str, target: GradualType, what: str) -> None: ...
    def _matches(
        self, judged: GradualType, recorded: OpenedType, path: str, operands: tuple[str, ...] = ()
    ) -> None: ...
    def _unreachable(self) -> bool: ...
    def _prove(self, goal: Constraint, claim: str) -> None: ...
    def _alike(self, found: OpenedType, recorded: OpenedType, path: str) -> None: ...
    def _open_contents(self, name: str, read: bool = False) -> None: ...
    def _known(self, dim: Dim | Constraint) -> bool: ...

    def block(self, block: Block) -> None:
        """The steps in order; the result must be defined."""
