"""Constants and attributes as the syntax of a program.  [pass.surface.constant]"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import count
from typing import Any

from gradual.core.terms import Apply, Function, Stop
from gradual.delaborate.types import NOWHERE, Inexpressible, Spelling, integer, shape_forgotten
from gradual.dims.term.dim import Dim
from gradual.ops.declaration.operator import AttributeSpec
from gradual.ops.two_forms import Merged, forms
from gradual.record import record
from gradual.syntax.tree import ast
from gradual.tensors.scalar import rounded
from gradual.tensors.tensor import Tensor
from gradual.types.binder_solving import bare
from gradual.types.dtype import DType
from gradual.types.print import shown
from gradual.types.substitution import mentioned, type_variables
from gradual.types.type import GradualType

LONGEST = 64
"""The longest vector that is written as a list; longer ones are stored in the metadata."""

CONSTANT = "relay.Constant"

_UNMADE = re.compile("never_[0-9]+")


@record(frozen=False, eq=False)
class Literals:
    """The constants of one file.

    Attributes:
        stored: tensors that no literal can write, in the order of their keys.
        never: type -> generated operator without a body, the placeholder for an unreachable value.
        functions: the declared functions and operators.
        taken: the names of the declared constructors.
    """

    stored: list[ast.MetaTensor] = field(default_factory=list)
    never: dict[str, ast.OperatorDef] = field(default_factory=dict)
    functions: Mapping[str, Function] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    _names: Iterator[int] = field(default_factory=count)

    def unmade(self, type: GradualType, spelling: Spelling) -> ast.Expr:
        """A placeholder for an unreachable value: a call of an operator without a body.  [pass.surface.stop]

        Raises Inexpressible.
        """
        open = shape_forgotten(type)
        if any(mentioned(open)) or any(type_variables(open)):
            raise Inexpressible(f"a value of type `{shown(type)}` that is never made")
        own = next((name for name, one in self.functions.items() if _stands_for(one, open)), None)
        if own is not None:
            return ast.Call(ast.Name(own, NOWHERE), (), (), NOWHERE)
        if shown(open) not in self.never:
            names = (f"never_{number}" for number in self._names)
            free = (name for name in names if name not in self.functions and name not in self.taken)
            name = ast.Name(next(free), NOWHERE)
            self.never[shown(open)] = ast.OperatorDef(name, (), (), spelling.type(open), (), None, NOWHERE)
        return ast.Call(self.never[shown(open)].name, (), (), NOWHERE)

    def constant(self, value: Tensor) -> ast.Expr:
        """Write a constant bit for bit: as a number, a list of integers, or a key of the metadata."""
        if not value.shape and not _is_nan(value):
            return ast.Number(value.item(), value.dtype, value.dtype is not DType.INT32, NOWHERE)
        if len(value.shape) == 1 and 0 < value.size <= LONGEST and value.dtype.is_integer:
            explicit = value.dtype is not DType.INT32
            return ast.Listing(
                tuple(ast.Number(each, value.dtype, explicit, NOWHERE) for each in value.flat()), NOWHERE
            )
        if value.shape == (0,) and value.dtype is DType.INT32:
            return ast.Listing((), NOWHERE)
        self.stored.append(ast.MetaTensor(value.dtype, value.shape, tuple(value.flat())))
        return ast.Meta(CONSTANT, len(self.stored) - 1, NOWHERE)


def _stands_for(function: Function, type: GradualType) -> bool:
    """Whether a declared operator is a placeholder for unreachable values of a type."""
    whole = function.type
    named = _UNMADE.fullmatch(function.name) is not None and is_absent(function)
    return named and not (whole.params or whole.types or whole.binders) and whole.result == type


def _is_nan(value: Tensor) -> bool:
    element = value.item()
    return bool(element != element)


def is_absent(function: Function) -> bool:
    """Whether an operator is declared without a body."""
    return any(isinstance(step, Stop) and step.name == function.body.result for step in function.body.steps)


# ------------------------------------------------------------------------------------------------------- attributes
def attributes(step: Apply, spelling: Spelling) -> tuple[ast.Attribute, ...]:
    """The attributes of an application that are required or differ from their defaults.  Raises Inexpressible."""
    operator = step.operator
    if isinstance(operator, Merged):
        operator = forms()[operator.name].of(step.operands)
    specs = [spec for spec in operator.attributes if spec.annotation != "object" and spec.name in step.attributes]
    return tuple(
        ast.Attribute(spec.name, _attribute(spec, step.attributes[spec.name], spelling), NOWHERE)
        for spec in specs
        if spec.required or not _same(step.attributes[spec.name], spec.default)
    )


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _attribute(spec: AttributeSpec, value: Any, spelling: Spelling) -> ast.Expr:
    compound = isinstance(value, Dim) and value.value is None and bare(value) is None
    return spelling.alone(value) if compound else _value(spec, value, spelling)


def _value(spec: AttributeSpec, value: Any, spelling: Spelling) -> ast.Expr:
    match value:
        case None:
            return ast.Nothing(NOWHERE)
        case bool():
            return ast.Number(value, "bool", False, NOWHERE)
        case int():
            return integer(value)
        case float():
            narrow = value != value or rounded(DType.FLOAT32, value) == value
            return ast.Number(value, DType.FLOAT32 if narrow else DType.FLOAT64, not narrow, NOWHERE)
        case str():
            return ast.Text(str(value), NOWHERE)
        case tuple():
            return ast.Listing(tuple(_value(spec, part, spelling) for part in value), NOWHERE)
        case Dim(value=int(known)) if known < 1 and "int | Dim" in spec.annotation:
            return ast.Infix("-", integer(0), integer(-known), NOWHERE)  # computed, since the number -1 would be a code
        case Dim():
            return spelling.dim(value)
    raise AssertionError((spec.name, value))
