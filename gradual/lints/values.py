"""The values that a lint sees at a step: their types, and the steps that made them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gradual.core.def_use import bindings, defined, every
from gradual.core.terms import Function, Step
from gradual.ops.declaration.shapes import Shape
from gradual.types.type import OpenedType, TensorType


def walk(function: Function) -> Iterator[tuple[Step, Values]]:
    """Each step of a function, those of branches and literals too, with the values before it."""
    values = Values({param.name: param.type for param in function.params})
    for step in every(function.body):
        yield step, values
        values.learn(step)


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a function so far.

    Attributes:
        types: the type of each value, parameters and what patterns bind included.
        steps: the step that made each value.
    """

    types: dict[str, OpenedType]
    steps: dict[str, Step] = field(default_factory=dict)

    def learn(self, step: Step) -> None:
        """What a step defines."""
        self.types.update(bindings(step))
        name = defined(step)
        if name is not None:
            self.steps[name] = step

    def shape(self, name: str) -> Shape | None:
        """The shape of a tensor whose rank is known."""
        type = self.types.get(name)
        return type.shape if isinstance(type, TensorType) else None
