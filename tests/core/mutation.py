"""Core programs changed in one place: each change makes the program wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from gradual.core.check import Check, Site
from gradual.core.terms import Apply, Block, Closure, Function, If, Invoke, Module, Rename, Step
from gradual.dims.term.constraint import Constraint, Equal
from gradual.dims.term.dim import Dim, constant
from gradual.types.binder_solving import bare, extents
from gradual.types.type import OpenedType, TensorType, TupleType
from gradual.types.unpacking import sizes


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
        for kind, step, says, changed in _functions(function, Known(function)):
            functions = {**module.functions, name: changed}
            yield Mutant(kind, step, f"{name}: {kind}: {says}", Module(functions))


def _steps_of(function: Function) -> Iterator[Any]:
    """Every step of a function, those of branches and literals too."""
    waiting: list[Any] = list(function.body.steps)
    while waiting:
        step = waiting.pop()
        yield step
        match step:
            case If(then=then, orelse=orelse):
                waiting += (*then.steps, *orelse.steps)
            case Closure(function=inner):
                waiting += inner.body.steps


def _types(function: Function, steps: list[Any]) -> Iterator[tuple[str, OpenedType]]:
    """The type of every variable of a function."""
    inner = [step.function for step in steps if isinstance(step, Closure)]
    yield from ((param.name, param.type) for literal in (function, *inner) for param in literal.params)
    yield from ((step.name, step.type) for step in steps if hasattr(step, "type"))


class Known:
    """A function's variables: their types, and which of them forget what another one knew."""

    def __init__(self, function: Function) -> None:
        steps = list(_steps_of(function))
        self.types = dict(_types(function, steps))
        self.renamed = {step.name for step in steps if isinstance(step, Rename | If)}

    def may_be_implied(self, check: Check, after: tuple[Step, ...]) -> bool:
        """Whether the check may follow from others of its demand, or from what was forgotten; core keeps no bounds.

        An operator that asks its rule at run time may ask again what the check before it has asked.
        """
        ascribed = check.blame.site in (Site.ANNOTATION, Site.CAST)
        bound = ascribed and (not isinstance(check.goal, Equal) or _is_bounded(after))
        read = {witness.value.split("#")[0] for v in check.goal.variables() if (witness := v.witness) is not None}
        return bound or not read.isdisjoint(self.renamed) or (bool(after) and _asks(after[0]))


def _is_bounded(after: tuple[Step, ...]) -> bool:
    """Whether the next ascription bounds an unknown."""
    written = next((step.written for step in after if isinstance(step, Rename)), None)
    return written is not None and any(isinstance(extent, Constraint) for extent in extents(written))


def _asks(step: Step) -> bool:
    return isinstance(step, Check) or (isinstance(step, Apply) and step.accepts is not None)


def _functions(function: Function, known: Known) -> Iterator[tuple[str, Step | None, str, Function]]:
    for kind, step, says, body in _blocks(function.body, known):
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


def _blocks(block: Block, known: Known) -> Iterator[tuple[str, Step | None, str, Block]]:
    read = _read_by_checks(block)
    for i, step in enumerate(block.steps):
        before, after = block.steps[:i], block.steps[i + 1 :]
        if isinstance(step, Check):
            if step.blame.site is not Site.ASSERT:
                kind = "check among others" if known.may_be_implied(step, after) else "check"
                yield kind, step, str(step.goal), Block((*before, *after), block.result)
            continue
        if getattr(step, "name", None) in read:
            yield "binder", step, f"of {step.name}", Block((*before, *after), block.result)  # type: ignore[union-attr]
        for kind, inner, says, changed in _steps(step, known):
            yield kind, inner, says, Block((*before, changed, *after), block.result)


def _read_by_checks(block: Block) -> set[str]:
    """The variables that a check of the block reads."""
    goals = [step.goal for step in block.steps if isinstance(step, Check)]
    witnesses = [variable.witness for goal in goals for variable in goal.variables()]
    return {witness.value.split("#")[0] for witness in witnesses if witness is not None}


def _steps(step: Step, known: Known) -> Iterator[tuple[str, Step | None, str, Step]]:
    match step:
        case If():
            for kind, inner, says, block in _blocks(step.then, known):
                yield kind, inner, says, replace(step, then=block)
            for kind, inner, says, block in _blocks(step.orelse, known):
                yield kind, inner, says, replace(step, orelse=block)
        case Closure():
            for kind, inner, says, function in _functions(step.function, known):
                yield kind, inner, says, replace(step, function=function)
        case Apply(operator=operator, operands=(left, right)) if operator.name in _ORDERED:
            if _shape(known.types[left]) != _shape(known.types[right]):
                yield "operands", step, f"{operator.name}({right}, {left})", replace(step, operands=(right, left))
    if isinstance(step, Apply | Invoke | Rename | If):
        for i in range(len(list(sizes(step.type)))):
            yield "size", step, f"{i} of {step.name}", replace(step, type=_resized(step.type, i))
    if isinstance(step, Apply) and isinstance(step.type, TensorType):
        for i, size in enumerate(step.type.shape):
            other = _another(size, step.name, known)
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


def _another(size: Dim, name: str, known: Known) -> Dim | None:
    """Another value's size, for the unknown that a step opens."""
    variable = bare(size)
    if variable is None or variable.witness is None or variable.witness.value != name:
        return None
    others = (other for type in known.types.values() for other in sizes(type))
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
