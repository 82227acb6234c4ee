"""The gradual guarantees: less precise annotations are accepted, and change no value.  [T9] [T10]"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gradual.compilation import Compilation
from gradual.core.terms import Closure
from gradual.types.relations import precise
from gradual.types.type import DataType, FunctionType, GradualType, ReferenceType, TensorType, TupleType, UnrankedType
from tests.generators.program_terms import (
    UNKNOWN,
    Annotation,
    Arrow,
    Fields,
    Item,
    Let,
    Literal,
    Named,
    Program,
    Size,
    Tensor,
    Unranked,
)
from tests.properties.case import Case, errors, steps_of
from tests.properties.compiling import ROOMY, Outcome, alike, compiled, outcome
from tests.properties.rearranging import rewritten


def static_guarantee(case: Case) -> str | None:
    """A less precise program is accepted too; one where a size was too large to be kept proves nothing.  [T9]"""
    if not case.found.ok or case.gave_up:
        return None
    for program, found in case.less_precise:
        if found.ok or _only_names_unknown_ranks(found) or compiled(_forgetful(program, case.found, found)).ok:
            continue
        if compiled(case.text, ROOMY).ok:
            return f"rejected when less precise: {errors(found)}\n{program}"
    return None


def _forgetful(program: Program, precise_one: Compilation, found: Compilation) -> str:
    """The program without what result types say that are inferred for it, where they say it for no more precise one."""
    results, others = _results(precise_one), _results(found)
    unlike = {name: result for name, result in others.items() if name in results and not precise(results[name], result)}
    open = {name: annotation for name, result in unlike.items() if (annotation := _open(result)) is not None}

    def forget(items: tuple[Item, ...], _: str) -> tuple[Item, ...]:
        return tuple(_without_result(item, open) for item in items)

    functions = (replace(one, result=open.get(one.name, one.result)) for one in rewritten(program, forget).functions)
    return str(Program(tuple(functions)))


def _without_result(item: Item, open: Mapping[str, Annotation]) -> Item:
    if isinstance(item, Let) and isinstance(item.value, Literal) and item.name in open:
        return replace(item, value=replace(item.value, result=open[item.name]))
    return item


def _results(found: Compilation) -> dict[str, GradualType]:
    functions = found.core.functions
    steps = (step for function in functions.values() for step in steps_of(function.body))
    held = {step.name: step.function.type.result for step in steps if isinstance(step, Closure)}
    return held | {name: function.type.result for name, function in functions.items()}


def _open(type: GradualType) -> Annotation | None:
    """An annotation of the same structure that says no size."""
    match type:
        case TensorType(shape, dtype):
            return Tensor((Size(UNKNOWN),) * len(shape), str(dtype))
        case UnrankedType(dtype):
            return Unranked(str(dtype))
        case FunctionType(params=params, result=result, types=()):
            parts = [part for part in map(_open, (*params, result)) if part is not None]
            return Arrow(tuple(parts[:-1]), parts[-1]) if len(parts) == len(params) + 1 else None
        case TupleType(fields):
            parts = [part for part in map(_open, fields) if part is not None]
            return Fields(tuple(parts)) if len(parts) == len(fields) else None
        case DataType(name, (argument,)) if (part := _open(argument)) is not None:
            return Named(name, part)
        case ReferenceType(content) if (part := _open(content)) is not None:
            return Named("ref", part)
        case _:
            return None


def _only_names_unknown_ranks(found: Compilation) -> bool:
    """Whether all that is wrong is a declaration that speaks of `dim(%x, 0)`, where `%x` has unknown rank.

    There is no place for the check of that rank, so such a declaration is outside the guarantee.
    """
    wrong = [d for d in found.diagnostics if d.severity == "error"]
    return all(d.code == "E0305" and "has unknown rank, so a declaration" in d.message for d in wrong)


def dynamic_guarantee(case: Case) -> str | None:
    """A less precise program ends with the same value, and blames only where the other does.  [T10]"""
    if not case.found.ok:
        return None
    for program, found in case.less_precise:
        for values, ended in zip(case.inputs, case.outcomes, strict=True) if found.ok else ():
            wrong = _less_precise(ended, outcome(found.core, values))
            if wrong:
                return f"on {values}: {wrong}\n{program}"
    return None


def _less_precise(ended: Outcome, other: Outcome) -> str:
    """What speaks against `other` being the outcome of a less precise program; a trap may go with its contents."""
    if ended.kind == "value" and (other.kind != "value" or not alike(ended.value, other.value)):
        return f"{ended}, less precise {other}"
    if other.kind == "blame" and ended.kind != "blame":
        return f"{ended}, less precise {other}"
    if ended.kind == "fault" and ended.label is not None and ended.label[0] != "E0605" and not _alike(ended, other):
        return f"{ended}, less precise {other}"
    return f"less precise {other}" if other.kind == "stuck" else ""


def _alike(ended: Outcome, other: Outcome) -> bool:
    return other.label is not None and ended.label is not None and other.label[0] == ended.label[0]
