"""Dead branches: the facts at an `if` decide its condition.

No search is used: only the condition's normal form and bounds, from the declaration, earlier checks, and enclosing
conditions.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradual.core.check import Check
from gradual.core.datatypes import declarations
from gradual.core.def_use import bindings, every
from gradual.core.terms import Block, Closure, Function, If, Match, Module, Step
from gradual.dims.store.facts import Facts
from gradual.dims.term.constraint import Constraint, at_least, negated
from gradual.dims.term.dim import constant
from gradual.record import record
from gradual.source import Span
from gradual.types.type import OpenedType, TensorType
from gradual.types.unpacking import sizes


@record
class Decided:
    """An `if` with a dead branch: its span, and the constant value of its condition."""

    span: Span
    holds: bool


def decided(module: Module) -> Iterator[Decided]:
    """Each `if` with a dead branch, once; in a function literal only if it is the same branch in every inlined copy."""
    found: dict[Span, set[bool | None]] = {}
    for function in module.functions.values():
        if any(isinstance(step, If) for step in every(function.body)):
            _Walk(found).function(function)
    for span, answers in found.items():
        if len(answers) == 1 and (holds := answers.pop()) is not None:
            yield Decided(span, holds)


class _Walk:
    """A walk through one function with the facts at each step.

    Attributes:
        found: span of an `if` -> the values found for its condition, None for undecided.
    """

    def __init__(self, found: dict[Span, set[bool | None]]) -> None:
        self.found = found
        self._facts = Facts()
        self._types: dict[str, OpenedType] = {}

    def function(self, function: Function) -> None:
        """Visit a function or function literal, assuming what it declares."""
        mark = self._facts.mark()
        for param in function.params:
            self._types[param.name] = param.type
            for size in sizes(param.type):
                self._facts.assume(at_least(size, constant(0)))
        for goal in declarations(function):
            self._facts.assume(goal)
        self._block(function.body)
        self._facts.rollback(mark)

    def _block(self, block: Block, condition: Constraint | None = None) -> None:
        mark = self._facts.mark()
        if condition is not None:
            self._facts.assume(condition)
        for step in block.steps:
            self._step(step)
        self._facts.rollback(mark)

    def _step(self, step: Step) -> None:
        self._types.update(bindings(step))
        match step:
            case Check(goal=goal):
                self._facts.assume(goal)
            case If():
                self._conditional(step)
            case Match(arms=arms):
                for arm in arms:
                    self._block(arm.block)
            case Closure(function=function):
                self.function(function)

    def _conditional(self, step: If) -> None:
        condition = self._condition(step.condition)
        holds = None if condition is None else self._holds(condition)
        self.found.setdefault(step.span, set()).add(holds)
        if holds is not False:
            self._block(step.then, condition)
        if holds is not True:
            self._block(step.orelse, None if condition is None else negated(condition))

    def _condition(self, name: str) -> Constraint | None:
        """The constraint that a boolean represents, if its content is tracked."""
        type = self._types.get(name)
        if isinstance(type, TensorType) and type.contents and isinstance(type.contents[0], Constraint):
            return type.contents[0]
        return None

    def _holds(self, condition: Constraint) -> bool | None:
        known = self._facts.known
        return None if known.conflict else known.estimate.holds(self._facts.rewrite(condition))
