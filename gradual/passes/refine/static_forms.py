"""The static forms of dynamic operators with arguments that are matrices or floats, whose elements no type tracks.

Such an argument has to be a literal.   [pass.static.value]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradual.core.def_use import variables_in
from gradual.core.terms import Apply
from gradual.dims.term.dim import ContentOf
from gradual.ops.catalogue import CATALOGUE
from gradual.ops.declaration.attributes import bound
from gradual.ops.declaration.operator import Operator
from gradual.passes.refine.types import Literal
from gradual.record import record
from gradual.types.type import OpenedType


@record
class Counterpart:
    """A static operator with operands and attributes that mean the same."""

    static: Operator
    operands: tuple[str, ...]
    attributes: Mapping[str, Any]


def by_value(step: Apply, types: Mapping[str, OpenedType], literals: Mapping[str, Literal]) -> Counterpart | None:
    """The static form of an application; None if an argument of this kind is no literal.  Raises IllFormed."""
    form = step.operator.static_form
    if form is None:
        return None
    names = [step.operands[place] for place in form.arguments]
    read = form.read([types[name] for name in names], [literals.get(name) for name in names], step.attributes)
    if read is None or any(isinstance(variable.witness, ContentOf) for variable in variables_in(tuple(read.values()))):
        return None
    static = CATALOGUE[step.operator.name.removeprefix("dyn.")]
    given = {key: value for key, value in step.attributes.items() if key not in read}
    operands = tuple(operand for place, operand in enumerate(step.operands) if place not in form.arguments)
    return Counterpart(static, operands, bound(static, {**given, **read}))
