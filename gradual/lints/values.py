"""The values that a lint sees at a step: their types, and the steps that made them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from gradual.core.def_use import bindings, defined, every
from gradual.core.terms import Function, Step
from gradual.ops.declaration.shapes import Shape
from gradual.record import record
from gradual.types.type import OpenedType, TensorType


def walk(function: Function) -> Iterator[tuple[Step, Values]]:
    """Each step of a function with the values before it, also the steps in branches and function literals."""
    values = Values({param.name: param.type for param in function.params})
    for step in every(function.body):
        yield step, values
        values.learn(step)


@record
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
        self.types.update(bindings(step))
        name = defined(step)
        if name is not None:
            self.steps[name] = step

    def shape(self, name: str) -> Shape | None:
        """The shape of a tensor whose rank is known."""
        type = self.types.get(name)
        return type.shape if isinstance(type, TensorType) else None
