"""The core as text: every operator application typed, every check visible with its label."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradual.core import terms
from gradual.core.check import Check
from gradual.core.pattern import Bind, CorePattern, Destructure
from gradual.source import Source
from gradual.tensors.tensor import Tensor
from gradual.types.positive import stated
from gradual.types.print import shown, shown_contents
from gradual.types.type import OpenedType, TensorType

_SHOWN_ELEMENTS = 8


def printed(module: terms.Module, source: Source | None = None) -> str:
    """The module as text, ending with a line feed; checks show their position if `source` is given.  [core.print]"""

    def place(check: Check) -> str:
        if source is None:
            return ""
        at = source.position(check.span.start)
        return f" {at.line}:{at.column}"

    functions = (
        "\n".join(_function(function, _keyword(function), "", place)) for function in module.functions.values()
    )
    return "\n\n".join(functions) + "\n"


def _keyword(function: terms.Function) -> str:
    return "def " if function.name.startswith("@") else "operator "


Place = Callable[[Check], str]


def _function(function: terms.Function, keyword: str, indent: str, place: Place) -> Iterator[str]:
    chosen = [f"{variable.name}: Type" for variable in function.type.types]
    chosen += [f"{variable.name} = {size}" for variable, size in function.binders]
    binders = f"[{', '.join(chosen)}]" if chosen else ""
    params = ", ".join(f"{param.name}: {shown(param.type)}" for param in function.params)
    clauses = stated(function.type)
    where = f" where {', '.join(map(str, clauses))}" if clauses else ""
    yield f"{indent}{keyword}{function.name}{binders}({params}) -> {shown(function.type.result)}{where} {{"
    yield from _block(function.body, indent + "  ", place)
    yield f"{indent}}}"


def _block(block: terms.Block, indent: str, place: Place) -> Iterator[str]:
    for step in block.steps:
        yield from _step(step, indent, place, {})
    yield f"{indent}{block.result}"


Begun = dict[int, int]
"""id of an enclosing conversion -> its depth."""


def _step(step: terms.Step, indent: str, place: Place, begun: Begun) -> Iterator[str]:
    match step:
        case terms.Apply(name, operator, operands, attributes, type):
            if step.accepts is not None:
                yield from _step(step.accepts, indent, place, begun)
            given = [f"{key}={_value(value)}" for key, value in attributes.items() if value != _default(step, key)]
            yield f"{indent}{name} = {operator.name}({', '.join([*operands, *given])});{_typed(type)}"
        case Check(number, _, blame):
            yield f"{indent}check {step.condition};   // {number} [{blame.rule}]{place(step)}"
        case terms.Constant(name, value, type):
            yield f"{indent}{name} = {_tensor(value)};{_typed(type)}"
        case terms.Size(name, dim, type):
            yield f"{indent}{name} = {dim};{_typed(type)}"
        case terms.Project(name, operand, index, type):
            yield f"{indent}{name} = {operand}.{index};{_typed(type)}"
        case terms.MakeTuple(name, fields, type):
            comma = "," if len(fields) == 1 else ""
            yield f"{indent}{name} = ({', '.join(fields)}{comma});{_typed(type)}"
        case terms.Rename(name, operand, type):
            yield f"{indent}{name} = {operand};{_typed(type)}"
        case terms.Invoke(name, function, operands, type, types=types):
            at = f"[{', '.join(map(shown, types))}]" if types else ""
            yield f"{indent}{name} = {function}{at}({', '.join(operands)});{_typed(type)}"
        case terms.Stop(name, says):
            yield f"{indent}{name} = stop;   // {says}"
        case terms.Instantiate(name, operand, dims, chosen, type):
            given = [f"{variable.name} = {dim}" for variable, dim in dims]
            given += [f"{variable.name} = {shown(choice)}" for variable, choice in chosen]
            yield f"{indent}{name} = {operand}[{', '.join(given)}];{_typed(type)}"
        case terms.Assertion(condition, message):
            yield f"{indent}assert {condition};   // {message}"
        case terms.Closure(name, function):
            yield from _function(function, "fn ", indent, place)
        case terms.Wrap(name, operand, layer, type):
            yield f"{indent}{name} = {operand} through {{{_typed(type)}"
            yield from _layer(layer, indent + "  ", place, begun)
            yield f"{indent}}}"
        case terms.WrapReference(name, operand, read, write, type):
            yield f"{indent}{name} = {operand} through {{{_typed(type)}"
            yield from _layer(read, indent + "  ", place, begun)
            yield from _layer(write, indent + "  ", place, begun)
            yield f"{indent}}}"
        case terms.Construct(name, constructor, fields, type):
            yield f"{indent}{name} = {constructor}({', '.join(fields)});{_typed(type)}"
        case terms.Match(name, scrutinee, arms, type):
            yield f"{indent}{name} = match ({scrutinee}) {{"
            for arm in arms:
                yield f"{indent}  {_pattern(arm.pattern)} => {{"
                yield from _block(arm.block, indent + "    ", place)
                yield f"{indent}  }},"
            yield f"{indent}}};{_typed(type)}"
        case terms.Convert(name, operand, conversion, type) if id(conversion) in begun:
            yield f"{indent}{name} = {operand} {_again(conversion, begun)};{_typed(type)}"
        case terms.Convert(name, operand, conversion, type):
            yield f"{indent}{name} = {operand} with {{{_typed(type)}"
            yield from _conversion(conversion, indent + "  ", place, begun)
            yield f"{indent}}}"
        case terms.MakeReference(name, operand, type):
            yield f"{indent}{name} = ref({operand});{_typed(type)}"
        case terms.ReadReference(name, reference, type):
            yield f"{indent}{name} = ref_read({reference});{_typed(type)}"
        case terms.WriteReference(name, reference, operand, type):
            yield f"{indent}{name} = ref_write({reference}, {operand});{_typed(type)}"
        case terms.If(name, condition, then, orelse, type):
            yield f"{indent}{name} = if ({condition}) {{"
            yield from _block(then, indent + "  ", place)
            yield f"{indent}}} else {{"
            yield from _block(orelse, indent + "  ", place)
            yield f"{indent}}};{_typed(type)}"


def _pattern(pattern: CorePattern) -> str:
    match pattern:
        case Bind(None):
            return "_"
        case Bind(name, type):
            return f"{name}: {shown(type)}"
        case Destructure(None, fields):
            comma = "," if len(fields) == 1 else ""
            return f"({', '.join(map(_pattern, fields))}{comma})"
        case Destructure(constructor, fields):
            return f"{constructor}({', '.join(map(_pattern, fields))})"


def _again(conversion: terms.Conversion, begun: Begun) -> str:
    """The text for a conversion nested in itself."""
    back = len(begun) - 1 - begun[id(conversion)]
    return "likewise" if back == 0 else f"as {back} outside"


def _conversion(conversion: terms.Conversion, indent: str, place: Place, begun: Begun) -> Iterator[str]:
    """The text for each field that is converted."""
    begun = {**begun, id(conversion): len(begun)}
    for constructor, fields in conversion.fields.items():
        for index, how in enumerate(fields):
            match how:
                case None:
                    continue
                case terms.Change(param, steps, result):
                    yield f"{indent}{constructor}.{index} by fn ({param.name}: {shown(param.type)}) {{"
                    for step in steps:
                        yield from _step(step, indent + "  ", place, begun)
                    yield f"{indent}  {result}"
                    yield f"{indent}}}"
                case terms.Conversion() if id(how) in begun:
                    yield f"{indent}{constructor}.{index} {_again(how, begun)}"
                case terms.Conversion():
                    yield f"{indent}{constructor}.{index} with {{"
                    yield from _conversion(how, indent + "  ", place, begun)
                    yield f"{indent}}}"


def _layer(layer: terms.Layer, indent: str, place: Place, begun: Begun) -> Iterator[str]:
    """The text of a proxy's layer, as a function of its arguments."""
    binders = f"[{', '.join(f'{variable.name} = {size}' for variable, size in layer.binders)}]" if layer.binders else ""
    params = ", ".join(f"{param.name}: {shown(param.type)}" for param in layer.params)
    yield f"{indent}fn{binders}({params}) {{"
    for step in (*layer.before, layer.call, *layer.after):
        yield from _step(step, indent + "  ", place, begun)
    yield f"{indent}  {layer.result}"
    yield f"{indent}}}"


def _default(step: terms.Apply, key: str) -> Any:
    return next(spec.default for spec in step.operator.attributes if spec.name == key)


def _typed(type: OpenedType) -> str:
    known = type.contents if isinstance(type, TensorType) else None
    return f"   // {shown(type)}" + (f" = {shown_contents(known, len(type.shape))}" if known is not None else "")  # type: ignore[union-attr]


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _tensor(value: Tensor) -> str:
    if value.size > _SHOWN_ELEMENTS or (value.size == 0 and value.rank > 1):
        return f"constant of {value.size} elements"
    return str(value.tolist())
