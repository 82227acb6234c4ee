"""The core language: flat blocks of steps on uniquely named variables, every check explicit.

Every operator application carries its type with unknowns, every unproved obligation is a `Check` with its blame label.
A pass is a loop over `Block.steps`; only branches and closures nest.
Each field states its role in its annotation, by which `roles` visits and copies steps of every kind.
Variables keep the user's names with the sigil (`%x`), made unique within a function (`%x`, `%x_1`, …).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, ClassVar

from gradual.core.check import Check
from gradual.core.pattern import CorePattern
from gradual.core.roles import Binders, Defined, Head, Nested, Operand, Operands, Part, Parts, Plain, Role, ValueType
from gradual.dims.term.dim import Dim, Variable
from gradual.ops.declaration.operator import Operator
from gradual.record import record
from gradual.source import Span
from gradual.tensors.tensor import Tensor
from gradual.types.declared import Data
from gradual.types.type import FunctionType, GradualType, OpenedType, TypeVariable


@record(eq=False)
class Constant:
    """`name = literal`."""

    name: Defined
    value: Plain[Tensor]
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Apply:
    """`name = operator(operands, attributes)`; a tuple operand is a variable that holds a tuple.

    `accepts` is the check that the operator's rule, evaluated at run time, accepts operands of unknown rank.
    """

    name: Defined
    operator: Plain[Operator]
    operands: Operands
    attributes: Annotated[Mapping[str, Any], Role.ATTRIBUTES]
    type: ValueType
    span: Plain[Span]
    accepts: Part[Check | None] = None


@record(eq=False)
class Size:
    """`name = dim`: a size as a value, an int64 of rank 0."""

    name: Defined
    dim: Annotated[Dim, Role.DIM]
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class MakeTuple:
    """`name = (fields)`."""

    name: Defined
    fields: Operands
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Project:
    """`name = operand.index`."""

    name: Defined
    operand: Operand
    index: Plain[int]
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Rename:
    """`name = operand` at another type: an ascription forgets sizes; one from a pass may instead state proved sizes.

    `written` is the type with its `?`s and their bounds; None if it is not from the source.
    """

    name: Defined
    operand: Operand
    type: ValueType
    span: Plain[Span]
    written: Annotated[GradualType | None, Role.WRITTEN] = None


@record(eq=False)
class Stop:
    """`name` has the bottom type: the run ends in a fault that says why."""

    name: Defined
    says: Plain[str]
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Instantiate:
    """`name = operand[dims, types]`: a function at given dims and types, which are erased at run time."""

    name: Defined
    operand: Operand
    dims: Annotated[tuple[tuple[Variable, Dim], ...], Role.DIMS]
    types: Annotated[tuple[tuple[TypeVariable, GradualType], ...], Role.CHOICES]
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Invoke:
    """`name = function[types](operands)`: `function` is `@f` or a variable that holds a closure.

    The callee reads its dims from the arguments, so no sizes are passed; `types` are the instances of its type
    parameters, which are erased at run time.
    """

    name: Defined
    function: Head
    operands: Operands
    type: ValueType
    span: Plain[Span]
    types: Annotated[tuple[GradualType, ...], Role.INSTANCES] = ()


@record(eq=False)
class Closure:
    """`name = fn (params) { body }`; the body may use the variables in scope and its own name."""

    name: Defined
    function: Annotated[Function, Role.LITERAL]
    type: Annotated[OpenedType, Role.SIGNATURE]
    span: Plain[Span]


@record(eq=False)
class If:
    """`name = if condition { then } else { orelse }`; `condition` holds a rank-0 bool."""

    name: Defined
    condition: Operand
    then: Nested[Block]
    orelse: Nested[Block]
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Construct:
    """`name = Constructor(fields)`."""

    name: Defined
    constructor: Plain[str]
    fields: Operands
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Arm:
    """`pattern => block`."""

    pattern: Part[CorePattern]
    block: Nested[Block]


@record(eq=False)
class Match:
    """`name = match (scrutinee) { arms }`: the first arm whose pattern fits; if not `complete`, maybe no arm fits."""

    name: Defined
    scrutinee: Operand
    arms: Annotated[tuple[Arm, ...], Role.ARMS]
    type: ValueType
    span: Plain[Span]
    complete: Plain[bool] = True


@record(eq=False)
class MakeReference:
    """`name = ref(operand)`."""

    name: Defined
    operand: Operand
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class ReadReference:
    """`name = ref_read(reference)`."""

    name: Defined
    reference: Head
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class WriteReference:
    """`name = ref_write(reference, operand)`; its value is the empty tuple."""

    name: Defined
    reference: Head
    operand: Operand
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Layer:
    """The steps of a proxy around one use of the wrapped value.

    Attributes:
        params: the arguments from the context, at the types that the proxy promises.
        binders: dim of the promised type -> dim over sizes of the parameters.
        before: checks of the arguments, which blame the context.
        call: the use of the wrapped value, under its name.
        after: checks of the result, which blame the wrapped value.
        result: the variable returned to the context.
        types: the type parameters of the promised type.
    """

    params: Parts[Param]
    binders: Binders
    before: Parts[Step]
    call: Part[Invoke | ReadReference | WriteReference]
    after: Parts[Step]
    result: Operand
    types: Annotated[tuple[TypeVariable, ...], Role.TYPE_BINDERS] = ()


@record(eq=False)
class Wrap:
    """`name = operand` as a function of another type, with the necessary checks around each call."""

    name: Defined
    operand: Operand
    layer: Annotated[Layer, Role.LAYER]
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class WrapReference:
    """`name = operand` as a reference of another type, with the necessary checks around reads and writes."""

    name: Defined
    operand: Operand
    read: Annotated[Layer, Role.LAYER]
    write: Annotated[Layer, Role.LAYER]
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Change:
    """The conversion of one value inside a data structure: `param` is the old value, `result` the new one."""

    param: Part[Param]
    steps: Parts[Step]
    result: Operand


@record(frozen=False, eq=False)
class Conversion:
    """The conversion of a data structure: constructor -> the conversion of each field.

    None keeps a field; a nested conversion may be this one itself, for a recursive type.
    """

    fields: Annotated[dict[str, tuple[Change | Conversion | None, ...]], Role.CASES] = field(default_factory=dict)


@record(eq=False)
class Convert:
    """`name = operand` as data of another type, its parts converted left to right, depth first."""

    name: Defined
    operand: Operand
    conversion: Annotated[Conversion, Role.CONVERSION]
    type: ValueType
    span: Plain[Span]


@record(eq=False)
class Assertion:
    """`assert condition`: halt with a fault unless the rank-0 bool `condition` is true; only a run knows its value."""

    condition: Operand
    message: Plain[str]
    span: Plain[Span]


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


@record(eq=False)
class Block:
    """Steps in order, and the variable that is the result."""

    steps: Parts[Step]
    result: Operand


@record(eq=False)
class Param:
    """A parameter: its type with unknowns in the body, its written type for callers, and its source position."""

    name: Defined
    type: ValueType
    written: Annotated[GradualType, Role.WRITTEN]
    span: Plain[Span]


@record(eq=False, repr=False)
class Function:
    """A function of the core.

    Attributes:
        name: `@f`, the name of a declared operator, or the variable of a closure.
        binders: rigid dim -> its solution over sizes of the parameters (the occurrence that determines it).
        entry: the checks on entry, in order: sizes are as declared, bounds of each `?` hold, `where` clauses hold. A
            call in the program discharges the same requirements; for a call from outside, the machine runs the checks.
        result_type: the interface's result type.
        strict: whether no `?` takes part in the definition, so that undecided goals that may fail are errors.
        attributes: key -> number or string, such as `codegen`.
    """

    name: Annotated[str, Role.SELF]
    params: Parts[Param]
    binders: Binders
    entry: Annotated[Sequence[Check], Role.ENTRY]
    body: Nested[Block]
    type: Annotated[FunctionType, Role.SIGNATURE]
    strict: Plain[bool]
    span: Plain[Span]
    attributes: Plain[Mapping[str, bool | int | float | str]] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(Module({self.name: self})).rstrip("\n")

    def __repr__(self) -> str:
        return f"<Function {self.name} : {self.type}>"


@record(eq=False, repr=False)
class Module:
    """All functions of a file by name, in source order, and its declared types."""

    functions: Mapping[str, Function] = field(default_factory=dict)
    data: Mapping[str, Data] = field(default_factory=dict)

    def declares(self, name: str) -> bool:
        """Whether a function is an operator that the file declares: its name has no `@`."""
        return name in self.functions and not name.startswith("@")

    def __str__(self) -> str:
        return self.printed()

    printed: ClassVar[Callable[[Module], str]]
    """The text of the module; set by `core/__init__.py`."""

    def __repr__(self) -> str:
        return f"<Module of {', '.join(self.functions) or 'no function'}>"
