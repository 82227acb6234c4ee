"""The values that a lint sees at a step: their types, and the steps that made them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gradual.core.check import Check
from gradual.core.def_use import binds, every
from gradual.core.terms import Apply, Assertion, Closure, Function, Match, Step
from gradual.ops.declaration.shapes import Shape
from gradual.types.type import OpenedType, TensorType


def walk(function: Function) -> Iterator[tuple[Step, Values]]:
    """Each step of a function with the values before it, also the steps in branches and function literals."""
    values = Values({param.name: param.type for param in function.params})
    for step in every(function.body):
        yield step, values
        values.learn(step)


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a function so far.

    Attributes:
        types: name -> type of a value, also of parameters and variables of patterns.
        steps: name -> step that defines it.
    """

    types: dict[str, OpenedType]
    steps: dict[str, Step] = field(default_factory=dict)

    def learn(self, step: Step) -> None:
        """Record the values that a step defines."""
        match step:
            case Check() | Assertion():
                return
            case Apply():
                pass  # the commonest case, tested before the others
            case Closure(function=literal):
                self.types.update((param.name, param.type) for param in literal.params)
            case Match(arms=arms):
                bound = (bind for arm in arms for bind in binds(arm.pattern) if bind.name is not None)
                self.types.update((str(bind.name), bind.type) for bind in bound)
        self.types[step.name], self.steps[step.name] = step.type, step

    def shape(self, name: str) -> Shape | None:
        """The shape of a tensor whose rank is known."""
        type = self.types.get(name)
        return type.shape if isinstance(type, TensorType) else None
