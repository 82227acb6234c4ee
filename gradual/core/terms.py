"""The core language: flat blocks of steps on uniquely named variables, every check explicit.

Every operator application carries its opened type, every unproved obligation is a `Check` with its blame label.
A pass is a loop over `Block.steps`; only branches and closures nest.
Variables keep the user's names with the sigil (`%x`), made unique within a function (`%x`, `%x_1`, …).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from gradual.dims.constraint import Constraint
from gradual.dims.dim import Dim, Variable
from gradual.ops.operator import Operator
from gradual.source import Span
from gradual.tensors.tensor import Tensor
from gradual.types.type import FunctionType, GradualType, OpenedType


class Site(StrEnum):
    """What kind of place made a demand."""

    OPERATOR = "operator"
    ARGUMENT = "argument"
    RESULT = "result"
    ANNOTATION = "annotation"
    CAST = "cast"
    WHERE = "where"
    ASSERT = "assert"
    ENTRY = "entry"


@dataclass(frozen=True, slots=True, eq=False)
class Promise:
    """Who left a size open: the span of a `?` (or of a call or operator), and words for it."""

    span: Span
    says: str


@dataclass(frozen=True, slots=True, eq=False)
class Blame:
    """The label of a check, with all five fields of its report.

    Attributes:
        rule: the rule that demands.
        site: the kind of place, and `span` where it stands (what was required, where).
        says: the requirement in words ("contracted dimensions differ").
        through: the position through which the value came ("argument 1 of `nn.dense`").
        promises: the `?`s, calls or operators that left the sizes open.
        blamed: the blamed party in words ("the value supplied for parameter `%x` of `@f`").
        blames: the spans that are blamed.
        because: why the obligation is not proved.
        owed: the obligation as its rule states it; the check's own goal is reduced.
    """

    rule: str
    site: Site
    span: Span
    says: str
    through: str
    promises: tuple[Promise, ...]
    blamed: str
    blames: tuple[Span, ...]
    because: str
    owed: Constraint


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """`name = literal`."""

    name: str
    value: Tensor
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """`name = operator(operands, attributes)`; a tuple operand is a variable that holds a tuple."""

    name: str
    operator: Operator
    operands: tuple[str, ...]
    attributes: Mapping[str, Any]
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Size:
    """`name = dim`: a size becomes a value, an int64 of rank 0."""

    name: str
    dim: Dim
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class MakeTuple:
    """`name = (fields)`."""

    name: str
    fields: tuple[str, ...]
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """`name = operand.index`."""

    name: str
    operand: str
    index: int
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Rename:
    """`name = operand` at a type that knows less: an ascription forgets."""

    name: str
    operand: str
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Invoke:
    """`name = function(operands)`: `function` is `@f` or a variable that holds a closure.

    The callee measures its dims again on entry, so no sizes are passed.
    """

    name: str
    function: str
    operands: tuple[str, ...]
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """`name = fn (params) { body }`; the body sees the variables in scope (`recursive`: its own name too)."""

    name: str
    function: Function
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """`name = if condition { then } else { orelse }`; `condition` holds a rank-0 bool."""

    name: str
    condition: str
    then: Block
    orelse: Block
    type: OpenedType
    span: Span


@dataclass(slots=True, eq=False)
class Check:
    """`check goal // id [rule]`: halt with blame unless `goal` holds at this run's sizes.

    `id` is written once, when the checks of a file are numbered in source order.
    """

    id: str
    goal: Constraint
    blame: Blame
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Assertion:
    """`assert condition`: halt with a fault unless the rank-0 bool `condition` holds (its contents are unknown)."""

    condition: str
    message: str
    span: Span


Step = Apply | Constant | Check | Project | MakeTuple | Invoke | If | Closure | Rename | Assertion | Size


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Steps in order, then the variable that is the value."""

    steps: tuple[Step, ...]
    result: str


@dataclass(frozen=True, slots=True, eq=False)
class Param:
    """A parameter: its opened type inside, its written type outside, where it was written."""

    name: str
    type: OpenedType
    written: GradualType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of the core.

    Attributes:
        name: `@f`, or the variable of a closure.
        binders: each rigid dim with the dim it is solved to, over sizes of the parameters (its causal occurrence).
        entry: what a caller owes on entry, in order (repeated names, exact dims, `where`); a caller inside the
            program discharges them at the call, a caller from outside is checked by the machine.
        result_type: the interface's result type.
        strict: no unknown enters the definition.
    """

    name: str
    params: tuple[Param, ...]
    binders: tuple[tuple[Variable, Dim], ...]
    entry: Sequence[Check]
    body: Block
    type: FunctionType
    strict: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """All functions of a file by name, in source order."""

    functions: Mapping[str, Function] = field(default_factory=dict)
