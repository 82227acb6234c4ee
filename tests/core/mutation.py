"""Core programs changed in one place: each change makes the program wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from gradual.core.terms import Apply, Block, Check, Closure, Function, If, Invoke, Module, Rename, Site, Step
from gradual.dims.dim import Dim, constant
from gradual.types.measuring import bare
from gradual.types.opening import sizes
from gradual.types.type import OpenedType, TensorType, TupleType


@dataclass(frozen=True)
class Mutant:
    """A changed module, the kind of change, the step that was changed (None for a declaration), and words for it."""

    kind: str
    step: Step | None
    says: str
    module: Module

    KINDS: ClassVar = (
        "check",
        "check among others",
        "binder",
        "operands",
        "size",
        "measure",
        "entry",
        "contents",
        "unknown",
    )


def mutants(module: Module) -> Iterator[Mutant]:
    """Every mutant of a module."""
    for name, function in module.functions.items():
        for kind, step, says, changed in _functions(function, dict(_types(function))):
            functions = {**module.functions, name: changed}
            yield Mutant(kind, step, f"{name}: {kind}: {says}", Module(functions))


def _types(function: Function) -> Iterator[tuple[str, OpenedType]]:
    """The type of every variable of a function."""
    waiting: list[Any] = [function]
    while waiting:
        match waiting.pop():
            case Function(params=params, body=body):
                yield from ((param.name, param.type) for param in params)
                waiting += body.steps
            case If(then=then, orelse=orelse) as step:
                yield step.name, step.type
                waiting += (*then.steps, *orelse.steps)
            case Closure(function=inner):
                waiting.append(inner)
            case step if hasattr(step, "type"):
                yield step.name, step.type


Types = Mapping[str, OpenedType]


def _functions(function: Function, types: Types) -> Iterator[tuple[str, Step | None, str, Function]]:
    for kind, step, says, body in _blocks(function.body, types):
        yield kind, step, says, replace(function, body=body)
    for i, (variable, solution) in enumerate(function.binders):
        others = function.binders[:i], function.binders[i + 1 :]
        yield "measure", None, f"{variable.name} is not measured", replace(function, binders=(*others[0], *others[1]))
        wrong = (variable, solution + 1)
        says = f"{variable.name} is measured as {wrong[1]}"
        yield "measure", None, says, replace(function, binders=(*others[0], wrong, *others[1]))
    for i, check in enumerate(function.entry):
        yield (
            "entry",
            None,
            f"without {check.goal}",
            replace(function, entry=function.entry[:i] + function.entry[i + 1 :]),
        )


def _blocks(block: Block, types: Types) -> Iterator[tuple[str, Step | None, str, Block]]:
    read = _read_by_checks(block)
    for i, step in enumerate(block.steps):
        before, after = block.steps[:i], block.steps[i + 1 :]
        if isinstance(step, Check):
            if step.blame.site is not Site.ASSERT:
                kind = "check among others" if after and isinstance(after[0], Check) else "check"
                yield kind, step, str(step.goal), Block((*before, *after), block.result)
            continue
        if getattr(step, "name", None) in read:
            yield "binder", step, f"of {step.name}", Block((*before, *after), block.result)  # type: ignore[union-attr]
        for kind, inner, says, changed in _steps(step, types):
            yield kind, inner, says, Block((*before, changed, *after), block.result)


def _read_by_checks(block: Block) -> set[str]:
    """The variables that a check of the block reads."""
    goals = [step.goal for step in block.steps if isinstance(step, Check)]
    witnesses = [variable.witness for goal in goals for variable in goal.variables()]
    return {witness.value.split("#")[0] for witness in witnesses if witness is not None}


def _steps(step: Step, types: Types) -> Iterator[tuple[str, Step | None, str, Step]]:
    match step:
        case If():
            for kind, inner, says, block in _blocks(step.then, types):
                yield kind, inner, says, replace(step, then=block)
            for kind, inner, says, block in _blocks(step.orelse, types):
                yield kind, inner, says, replace(step, orelse=block)
        case Closure():
            for kind, inner, says, function in _functions(step.function, types):
                yield kind, inner, says, replace(step, function=function)
        case Apply(operator=operator, operands=(left, right)) if operator.name in _ORDERED:
            if _shape(types[left]) != _shape(types[right]):
                yield "operands", step, f"{operator.name}({right}, {left})", replace(step, operands=(right, left))
    if isinstance(step, Apply | Invoke | Rename | If):
        for i in range(len(list(sizes(step.type)))):
            yield "size", step, f"{i} of {step.name}", replace(step, type=_resized(step.type, i))
    if isinstance(step, Apply) and isinstance(step.type, TensorType):
        for i, size in enumerate(step.type.shape):
            other = _another(size, step.name, types)
            if other is not None:
                shape = (*step.type.shape[:i], other, *step.type.shape[i + 1 :])
                yield (
                    "unknown",
                    step,
                    f"{i} of {step.name} is {other}",
                    replace(step, type=replace(step.type, shape=shape)),
                )
    contents = step.type.contents if hasattr(step, "type") and isinstance(step.type, TensorType) else None
    for i, content in enumerate(contents or ()):
        if isinstance(content, Dim):
            wrong = (*contents[:i], _ODD, *contents[i + 1 :])  # type: ignore[index]
            yield "contents", step, f"{i} of {step.name}", replace(step, type=replace(step.type, contents=wrong))  # type: ignore[union-attr]


def _another(size: Dim, name: str, types: Types) -> Dim | None:
    """Another value's size, for the unknown that a step opens."""
    variable = bare(size)
    if variable is None or variable.witness is None or variable.witness.value != name:
        return None
    others = (other for known in types.values() for other in sizes(known))
    return next((other for other in others if other is not size and other.value is None), None)


_ODD = constant(997)

_ORDERED = ("nn.dense", "nn.bias_add", "take", "dyn.reshape", "dyn.broadcast_to")
"""Operators whose two operands play different parts."""


def _shape(type: OpenedType) -> object:
    return (type.shape, type.dtype) if isinstance(type, TensorType) else None


def _resized(type: OpenedType, place: int) -> OpenedType:
    """The type with one size that no program has."""
    at = -1

    def size(dim: Dim) -> Dim:
        nonlocal at
        at += 1
        return _ODD if at == place else dim

    def inside(type: Any) -> Any:
        match type:
            case TensorType(shape, dtype, contents):
                return TensorType(tuple(map(size, shape)), dtype, contents)
            case TupleType(fields):
                return TupleType(tuple(map(inside, fields)))
            case _:
                return type

    return inside(type)
