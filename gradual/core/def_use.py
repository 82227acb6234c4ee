"""What a step reads, what it defines, and the blocks inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradual.core.check import Check
from gradual.core.pattern import Bind, CorePattern, Destructure
from gradual.core.terms import (
    Apply,
    Assertion,
    Block,
    Change,
    Closure,
    Constant,
    Construct,
    Conversion,
    Convert,
    Function,
    If,
    Instantiate,
    Invoke,
    Layer,
    MakeReference,
    MakeTuple,
    Match,
    Project,
    ReadReference,
    Rename,
    Size,
    Step,
    Stop,
    Wrap,
    WrapReference,
    WriteReference,
)
from gradual.dims.term.dim import Dim, Variable
from gradual.types.binder_solving import unbound
from gradual.types.type import OpenedType, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import base_of


def blocks(step: Step) -> tuple[Block, ...]:
    """The blocks inside a step: of branches, of arms, of a function literal."""
    match step:
        case If():
            return (step.then, step.orelse)
        case Match():
            return tuple(arm.block for arm in step.arms)
        case Closure():
            return (step.function.body,)
        case _:
            return ()


def every(block: Block) -> Iterator[Step]:
    """Every step of a block and of nested blocks, in order of the text; without recursion."""
    waiting = [iter(block.steps)]
    while waiting:
        step = next(waiting[-1], None)
        if step is None:
            waiting.pop()
            continue
        yield step
        waiting += [iter(inner.steps) for inner in reversed(blocks(step))]


def checks_in(block: Block) -> Iterator[Check]:
    """Every check of a block in order of the text, also in proxies, in conversions of data, and of run-time rules."""
    for step in every(block):
        yield from _checks_of(step, set())


def _checks_of(step: Step, seen: set[int]) -> Iterator[Check]:
    match step:
        case Check():
            yield step
        case Apply(accepts=Check() as accepts):
            yield accepts
        case Wrap(layer=layer):
            yield from _layer_checks((layer,), seen)
        case WrapReference(read=read, write=write):
            yield from _layer_checks((read, write), seen)
        case Convert(conversion=conversion):
            yield from _conversion_checks(conversion, seen)


def _layer_checks(layers: Iterable[Layer], seen: set[int]) -> Iterator[Check]:
    for layer in layers:
        for step in (*layer.before, *layer.after):
            yield from _checks_of(step, seen)


def _conversion_checks(conversion: Conversion, seen: set[int]) -> Iterator[Check]:
    if id(conversion) in seen:
        return
    seen.add(id(conversion))
    for fields in conversion.fields.values():
        for how in fields:
            match how:
                case Change(_, steps):
                    for step in steps:
                        yield from _checks_of(step, seen)
                case Conversion():
                    yield from _conversion_checks(how, seen)


def defined(step: Step) -> str | None:
    """The variable that a step defines."""
    return None if isinstance(step, Check | Assertion) else step.name


def operands(step: Step) -> tuple[str, ...]:
    """The operands of a step, without those of steps in nested blocks."""
    match step:
        case Apply():
            return step.operands
        case Invoke():
            return (step.function, *step.operands)
        case MakeTuple() | Construct():
            return step.fields
        case Project() | Rename() | Instantiate() | MakeReference() | Wrap() | WrapReference() | Convert():
            return (step.operand,)
        case If() | Assertion():
            return (step.condition,)
        case Match():
            return (step.scrutinee,)
        case ReadReference():
            return (step.reference,)
        case WriteReference():
            return (step.reference, step.operand)
        case Check() | Constant() | Size() | Stop() | Closure():
            return ()


def reads(step: Step) -> Iterator[str]:
    """The variables that a step reads: operands, and values mentioned by its sizes, in nested blocks too.

    Variables defined in nested blocks are included.
    """
    return _reads(step, set())


def _reads(step: Step, seen: set[int]) -> Iterator[str]:
    """Like `reads`, but skip conversions in `seen`: a conversion may contain itself."""
    yield from operands(step)
    yield from _bases(_own_variables(step))
    if not isinstance(step, Check | Assertion):
        yield from origins(step.type)
    for block in blocks(step):
        for inner in block.steps:
            yield from _reads(inner, seen)
        yield block.result
    match step:
        case Closure():
            yield from _function_reads(step.function)
        case Match():
            for arm in step.arms:
                yield from _bases(variable for bind in binds(arm.pattern) for variable in variables_of(bind.type))
        case Wrap():
            yield from _layer_reads(step.layer, seen)
        case WrapReference():
            yield from _layer_reads(step.read, seen)
            yield from _layer_reads(step.write, seen)
        case Convert():
            yield from _conversion_reads(step.conversion, seen)


def variables_of(type: OpenedType) -> Iterator[Variable]:
    """The variables of a type, without those that a function type binds."""
    match type:
        case TupleType(fields):
            for field in fields:
                yield from variables_of(field)
        case TensorType(_, _, contents):
            yield from unbound(type)
            for content in contents or ():
                yield from content.variables()
        case _:
            yield from unbound(type)


def _own_variables(step: Step) -> Iterator[Variable]:
    match step:
        case Check():
            yield from step.goal.variables()
            yield from step.blame.owed.variables()
            return
        case Assertion():
            return
        case Size():
            yield from step.dim.variables()
        case Apply():
            for value in step.attributes.values():
                yield from variables_in(value)
            if step.accepts is not None:
                yield from step.accepts.goal.variables()
                yield from step.accepts.blame.owed.variables()
        case Instantiate():
            for _, dim in step.dims:
                yield from dim.variables()
    yield from variables_of(step.type)


def variables_in(value: object) -> Iterator[Variable]:
    """The variables of the dims in an attribute's value."""
    match value:
        case Dim():
            yield from value.variables()
        case tuple():
            for part in value:
                yield from variables_in(part)


def binds(pattern: CorePattern) -> Iterator[Bind]:
    """The binds in a pattern, unnamed ones too, left to right."""
    match pattern:
        case Bind():
            yield pattern
        case Destructure(_, fields):
            for field in fields:
                yield from binds(field)


def _bases(variables: Iterable[Variable]) -> Iterator[str]:
    for variable in variables:
        base = base_of(variable)
        if base is not None:
            yield base


def origins(type: OpenedType) -> Iterator[str]:
    """The variables that are origins of unknown shapes in a type."""
    match type:
        case TupleType(fields):
            for field in fields:
                yield from origins(field)
        case UnrankedType(_, str(origin)):
            yield origin.split("#", 1)[0]


def _function_reads(function: Function) -> Iterator[str]:
    for check in function.entry:
        yield from _bases(check.goal.variables())
    for _, size in function.binders:
        yield from _bases(size.variables())


def _layer_reads(layer: Layer, seen: set[int]) -> Iterator[str]:
    for step in (*layer.before, layer.call, *layer.after):
        yield from _reads(step, seen)
    for _, size in layer.binders:
        yield from _bases(size.variables())
    yield layer.result


def _conversion_reads(conversion: Conversion, seen: set[int]) -> Iterator[str]:
    if id(conversion) in seen:
        return
    seen.add(id(conversion))
    for fields in conversion.fields.values():
        for how in fields:
            match how:
                case Change(_, steps, result):
                    for step in steps:
                        yield from _reads(step, seen)
                    yield result
                case Conversion():
                    yield from _conversion_reads(how, seen)
