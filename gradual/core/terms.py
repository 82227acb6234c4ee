"""The core language: flat blocks of steps on uniquely named variables, every check explicit.

Every operator application carries its opened type, every unproved obligation is a `Check` with its blame label.
A pass is a loop over `Block.steps`; only branches and closures nest.
Variables keep the user's names with the sigil (`%x`), made unique within a function (`%x`, `%x_1`, …).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gradual.core.check import Check
from gradual.core.pattern import CorePattern
from gradual.dims.term.dim import Dim, Variable
from gradual.ops.declaration.operator import Operator
from gradual.source import Span
from gradual.tensors.tensor import Tensor
from gradual.types.declared import Data
from gradual.types.type import FunctionType, GradualType, OpenedType, TypeVariable


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """`name = literal`."""

    name: str
    value: Tensor
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """`name = operator(operands, attributes)`; a tuple operand is a variable that holds a tuple.

    `accepts` is the check that the operator's rule, asked at run time, accepts operands of unknown rank.
    """

    name: str
    operator: Operator
    operands: tuple[str, ...]
    attributes: Mapping[str, Any]
    type: OpenedType
    span: Span
    accepts: Check | None = None


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
    """`name = operand` at a type that knows less: an ascription forgets.

    `written` is the type with its `?`s and their bounds, where somebody wrote it.
    """

    name: str
    operand: str
    type: OpenedType
    span: Span
    written: GradualType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Stop:
    """`name` has no value: the run ends in a fault that says why."""

    name: str
    says: str
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Instantiate:
    """`name = operand[dims, types]`: a function at given dims and types, which no run needs."""

    name: str
    operand: str
    dims: tuple[tuple[Variable, Dim], ...]
    types: tuple[tuple[TypeVariable, GradualType], ...]
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Invoke:
    """`name = function[types](operands)`: `function` is `@f` or a variable that holds a closure.

    The callee measures its dims again on entry, so no sizes are passed; `types` are the types chosen for its type
    parameters, which no run needs.
    """

    name: str
    function: str
    operands: tuple[str, ...]
    type: OpenedType
    span: Span
    types: tuple[GradualType, ...] = ()


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


@dataclass(frozen=True, slots=True, eq=False)
class Construct:
    """`name = Constructor(fields)`."""

    name: str
    constructor: str
    fields: tuple[str, ...]
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """`pattern => block`."""

    pattern: CorePattern
    block: Block


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """`name = match (scrutinee) { arms }`: the first arm whose pattern fits; unless `complete`, none may."""

    name: str
    scrutinee: str
    arms: tuple[Arm, ...]
    type: OpenedType
    span: Span
    complete: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class MakeReference:
    """`name = ref(operand)`."""

    name: str
    operand: str
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ReadReference:
    """`name = ref_read(reference)`."""

    name: str
    reference: str
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class WriteReference:
    """`name = ref_write(reference, operand)`: the empty tuple."""

    name: str
    reference: str
    operand: str
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """What a proxy does around one use of the value it wraps.

    Attributes:
        params: what the context passes, at the types that the proxy promises.
        binders: each dim of the promised type with the dim it is measured to.
        before: checks of what the context passes; the context is blamed.
        call: the use itself, of the wrapped value by its name.
        after: checks of what came back; the wrapped value is blamed.
        result: the variable that is handed to the context.
        types: the type parameters of the promised type.
    """

    params: tuple[Param, ...]
    binders: tuple[tuple[Variable, Dim], ...]
    before: tuple[Step, ...]
    call: Invoke | ReadReference | WriteReference
    after: tuple[Step, ...]
    result: str
    types: tuple[TypeVariable, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Wrap:
    """`name = operand` as a function of another type, with the checks that this takes around each call."""

    name: str
    operand: str
    layer: Layer
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class WrapReference:
    """`name = operand` as a reference of another type, with the checks that this takes around reading and writing."""

    name: str
    operand: str
    read: Layer
    write: Layer
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """How one value inside a data structure becomes one of another type: `param` holds it, `result` what it becomes."""

    param: Param
    steps: tuple[Step, ...]
    result: str


@dataclass(slots=True, eq=False)
class Conversion:
    """How a data structure becomes one of another type: by constructor, what happens to each field.

    None keeps a field; a conversion converts it in turn, and may be this one, for a recursive type.
    """

    fields: dict[str, tuple[Change | Conversion | None, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Convert:
    """`name = operand` as data of another type, its parts converted left to right, depth first."""

    name: str
    operand: str
    conversion: Conversion
    type: OpenedType
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Assertion:
    """`assert condition`: halt with a fault unless the rank-0 bool `condition` holds (its contents are unknown)."""

    condition: str
    message: str
    span: Span


Step = (
    Apply
    | Constant
    | Check
    | Project
    | MakeTuple
    | Invoke
    | Instantiate
    | Stop
    | If
    | Closure
    | Rename
    | Assertion
    | Size
    | Construct
    | Match
    | MakeReference
    | ReadReference
    | WriteReference
    | Wrap
    | WrapReference
    | Convert
)


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Function:
    """A function of the core.

    Attributes:
        name: `@f`, or the variable of a closure.
        binders: each rigid dim with the dim it is solved to, over sizes of the parameters (its causal occurrence).
        entry: what a caller owes on entry, in order (repeated names, exact dims, `where`); a caller inside the
            program discharges them at the call, a caller from outside is checked by the machine.
        result_type: the interface's result type.
        strict: no unknown enters the definition.
        attributes: what the definition says of itself by key, such as `codegen`; numbers and strings.
    """

    name: str
    params: tuple[Param, ...]
    binders: tuple[tuple[Variable, Dim], ...]
    entry: Sequence[Check]
    body: Block
    type: FunctionType
    strict: bool
    span: Span
    attributes: Mapping[str, bool | int | float | str] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(Module({self.name: self})).rstrip("\n")

    def __repr__(self) -> str:
        return f"<Function {self.name} : {self.type}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Module:
    """All functions of a file by name, in source order, and the types that it declares."""

    functions: Mapping[str, Function] = field(default_factory=dict)
    data: Mapping[str, Data] = field(default_factory=dict)

    def declares(self, name: str) -> bool:
        """Whether a function is an operator that the file declares: its name has no `@`."""
        return name in self.functions and not name.startswith("@")

    def __str__(self) -> str:
        return self.printed()

    printed: ClassVar[Callable[[Module], str]]
    """Its text, which is written in a later file."""

    def __repr__(self) -> str:
        return f"<Module of {', '.join(self.functions) or 'no function'}>"
