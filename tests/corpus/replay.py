"""Recorded runs of TVM's own tests, played again: one outcome for each."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import gradual
from gradual.compilation import Compilation
from gradual.diagnostic import Severity
from gradual.tensors.json_form import from_json
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.types.dtype import DType
from gradual.types.type import FunctionType, TensorType, TupleType
from tests.corpus.relay_types import at_least_as_precise, type_of

RELATIVE, ABSOLUTE = 1e-4, 1e-5
HALF = 2.0**-10
"""A unit in the last place of a float16: TVM rounds every step of an operator to it, here a result is rounded once."""
UNSUPPORTED = ("E0201", "E0399")
"""An operator that the catalogue lacks, a construct that is parsed and not checked yet."""


class Outcome(StrEnum):
    """What came of a recorded run."""

    PASS = "same value"
    STOPS = "refused, as there"
    UNSUPPORTED = "unsupported"
    REJECTED = "rejected"
    WRONG = "wrong value"
    BLAMED = "blamed or faulted"
    INTERNAL = "internal error"


GOOD = (Outcome.PASS, Outcome.STOPS, Outcome.UNSUPPORTED)


@dataclass(frozen=True)
class Played:
    """A run played again.

    Attributes:
        detail: the operators that are missing, or what is wrong.
        less_precise: our type and theirs, where ours says less.
    """

    id: str
    test: str
    outcome: Outcome
    detail: str = ""
    less_precise: tuple[str, str] | None = None


def rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """The recorded runs of a file."""
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line)


def played(row: Mapping[str, Any]) -> Played:
    """A recorded run played again: checked, run and compared."""

    def ends(outcome: Outcome, detail: str = "", less: tuple[str, str] | None = None) -> Played:
        return Played(row["id"], row["test"], outcome, detail, less)

    try:
        compilation = gradual.check(row["program"], row["id"])
        if not compilation.ok:
            return ends(*_rejection(compilation, bool(row.get("fails") or row.get("rejects"))))
        if "@main" not in compilation.functions:
            return ends(Outcome.INTERNAL, "`@main` is lost without a word")
        less = _less_precise(compilation, row.get("types") or {})
        return ends(*outcome_of(compilation, row), less)
    except Exception as error:
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = f"{Path(where.tb_frame.f_code.co_filename).name}:{where.tb_lineno}" if where else ""
        return ends(Outcome.INTERNAL, f"{type(error).__name__} at {place}: {error}"[:200])


def _rejection(compilation: Compilation, refused: bool) -> tuple[Outcome, str]:
    errors = [found for found in compilation.diagnostics if found.severity is Severity.ERROR]
    missing = [found for found in errors if found.code in UNSUPPORTED]
    if missing:
        return Outcome.UNSUPPORTED, ", ".join(sorted({_named(found.message) for found in missing}))
    if refused:
        return Outcome.STOPS, errors[0].code
    return Outcome.REJECTED, f"{errors[0].code} {errors[0].rule}: {errors[0].message}"


def _named(message: str) -> str:
    quoted = re.search(r"unknown operator `([^`]*)`", message)
    return quoted[1] if quoted else message


def _less_precise(compilation: Compilation, types: Mapping[str, str]) -> tuple[str, str] | None:
    for name, theirs in types.items():
        ours = compilation.types.get(name)
        if ours is not None and not at_least_as_precise(type_of(ours), type_of(theirs)):
            return ours, theirs
    return None


def outcome_of(compilation: Compilation, row: Mapping[str, Any]) -> tuple[Outcome, str]:
    """How a run of `@main` on the recorded arguments ends, and what is wrong."""
    entry = compilation.functions["@main"]
    values = [_as_declared(from_json(form), entry, place) for place, form in enumerate(row["args"])]
    try:
        result = compilation.run("@main", *values)
    except (gradual.Blame, gradual.Fault) as stop:
        detail = f"{stop.code}: {stop.message}"
        return (Outcome.STOPS, detail) if row.get("fails") else (Outcome.BLAMED, detail)
    if row.get("result") is None:
        return Outcome.WRONG, "a value where TVM stops"
    difference = differs(result, from_json(row["result"]))
    return (Outcome.PASS, "") if difference is None else (Outcome.WRONG, difference)


def _as_declared(value: Value, entry: FunctionType, place: int) -> Value:
    """The argument in the element type of its parameter: TVM's executors take 64-bit arrays for 32-bit parameters."""
    if place >= len(entry.params):
        return value
    match value, entry.params[place]:
        case Tensor(), TensorType(dtype=dtype) if dtype is not value.dtype:
            return Tensor(value.flat(), dtype, value.shape)
        case tuple(), TupleType(fields):
            parts = FunctionType(tuple(str(i) for i in range(len(fields))), fields, entry.result)
            return tuple(_as_declared(field, parts, i) for i, field in enumerate(value))
    return value


def differs(ours: Value, theirs: Value) -> str | None:
    """In which respect two values are not the same: shapes, element types, integers exactly, floats nearly."""
    match ours, theirs:
        case Tensor(), Tensor():
            if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
                return f"{ours.dtype}{list(ours.shape)}, not {theirs.dtype}{list(theirs.shape)}"
            return _elements_differ(ours, theirs)
        case tuple(), tuple():
            if len(ours) != len(theirs):
                return f"{len(ours)} fields, not {len(theirs)}"
            return next((found for found in map(differs, ours, theirs) if found is not None), None)
    return "a tuple and a tensor"


def _elements_differ(ours: Tensor, theirs: Tensor) -> str | None:
    for place, (mine, other) in enumerate(zip(ours.flat(), theirs.flat(), strict=True)):
        if not (_near(mine, other, ours.dtype) if ours.dtype.is_float else mine == other):
            return f"element {place} is {mine}, not {other}"
    return None


def _near(mine: float, other: float, dtype: DType) -> bool:
    """Within the tolerance, or neighbours in float16; NaN is near NaN."""
    if math.isnan(mine) or math.isnan(other):
        return math.isnan(mine) and math.isnan(other)
    relative = HALF if dtype is DType.FLOAT16 else RELATIVE
    return math.isclose(mine, other, rel_tol=relative, abs_tol=ABSOLUTE)
