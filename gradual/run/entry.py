"""Values from outside enter through a cast to the declared parameter types; the caller is blamed.  [run.entry]"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradual.core.terms import Blame as Label
from gradual.core.terms import Function, Param, Promise, Site
from gradual.dims.constraint import TRUE
from gradual.run.checking import failed, holds, measure
from gradual.run.sizes import Sizes
from gradual.run.value import Blame, Frame, blame_of
from gradual.tensors.tensor import Tensor
from gradual.tensors.value import Value
from gradual.types.text import shown
from gradual.types.type import FunctionType, TensorType, TupleType


def admitted(function: Function, arguments: Sequence[Value], frame: Frame) -> None:
    """Bind the arguments in the frame, or blame the caller for one that does not fit.  Raises Blame."""
    if len(arguments) != len(function.params):
        message = f"`{function.name}` takes {len(function.params)} arguments, not {len(arguments)}"
        raise _structural(function, None, message)
    for index, (param, argument) in enumerate(zip(function.params, arguments, strict=True)):
        wrong = _misfit(argument, param.written)
        if wrong:
            raise _structural(function, param, f"argument {index + 1} of `{function.name}`: {wrong}")
        frame.values[param.name] = argument
    measure(function, frame)
    sizes = Sizes(frame)
    for check in function.entry:
        if not holds(check.goal, sizes):
            raise failed(check, sizes, "E0602", f"entry of `{function.name}` refused")


def _misfit(value: Value, type: Any) -> str:
    """In words, why a value has not the structure, rank or element type of a parameter; empty if it has."""
    match type:
        case TensorType(shape, dtype):
            if not isinstance(value, Tensor):
                return f"a tuple is not `{shown(type)}`"
            if value.dtype is not dtype:
                return f"element type {value.dtype} is not {dtype}"
            return "" if len(value.shape) == len(shape) else f"rank {len(value.shape)} is not rank {len(shape)}"
        case TupleType(fields):
            if isinstance(value, Tensor) or len(value) != len(fields):
                return f"this is not `{shown(type)}`"
            return next(
                (wrong for part, field in zip(value, fields, strict=True) if (wrong := _misfit(part, field))), ""
            )
        case FunctionType():
            return "a function cannot be passed from outside"
    raise AssertionError(type)


def _structural(function: Function, param: Param | None, message: str) -> Blame:
    span = param.span if param is not None else function.span
    what = f"parameter `{param.name}`" if param is not None else "the arguments"
    promise, through = Promise(span, "the declaration"), f"{what} of `{function.name}`"
    says, blamed = "the declared type", "the caller from outside"
    label = Label("run.entry", Site.ENTRY, span, says, through, (promise,), blamed, (span,), "", TRUE)
    return blame_of(label, None, "E0602", message, message, {})
