"""Values from outside enter through a cast to the declared parameter types; the caller is blamed.  [run.entry]"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradual.core.check import Blame as Label
from gradual.core.check import Promise, Site
from gradual.core.terms import Function, Param
from gradual.diagnostic import counted
from gradual.dims.term.constraint import TRUE
from gradual.run.entry.admission import Admission, holds_data
from gradual.run.sizes import Sizes
from gradual.run.steps.checks import failed, holds, measure
from gradual.run.value import Blame, Frame, blame_of
from gradual.tensors.value import Value
from gradual.types.declared import Data


def admitted(function: Function, arguments: Sequence[Value], frame: Frame, data: Mapping[str, Data]) -> None:
    """Bind the arguments in the frame, or blame the caller for one that does not fit.  Raises Blame."""
    if len(arguments) != len(function.params):
        message = f"`{function.name}` takes {counted(len(function.params), 'argument')}, not {len(arguments)}"
        raise _structural(function, None, message)
    admission = Admission(data)
    for index, (param, argument) in enumerate(zip(function.params, arguments, strict=True)):
        wrong = admission.misfit(argument, param.written)
        if wrong:
            raise _structural(function, param, f"argument {index + 1} of `{function.name}`: {wrong}")
        frame.values[param.name] = argument
    measure(function, frame)
    sizes = Sizes(frame)
    for check in function.entry:
        if not holds(check.goal, sizes):
            raise failed(check, sizes, "E0602", f"entry of `{function.name}` refused")
    for index, (param, argument) in enumerate(zip(function.params, arguments, strict=True)):
        wrong = admission.missized(argument, param.written, sizes) if holds_data(param.written) else ""
        if wrong:
            raise _structural(function, param, f"argument {index + 1} of `{function.name}`: {wrong}")


def with_weights(function: Function, weights: Mapping[str, Value], values: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments of a call of a model; its own weights are appended if they are left out.

    Raises Blame if there are neither all inputs nor all arguments.  [run.entry]
    """
    inputs = function.params[: len(function.params) - len(weights)]
    if not weights or len(values) == len(function.params):
        return tuple(values)
    if len(values) == len(inputs):
        return (*values, *weights.values())
    names = ", ".join(f"`{param.name.removeprefix('%')}`" for param in inputs)
    message = f"`{function.name}` takes {counted(len(inputs), 'input')}: {names or 'none'}; {len(values)} given"
    raise _structural(function, inputs[min(len(values), len(inputs) - 1)] if inputs else None, message)


def _structural(function: Function, param: Param | None, message: str) -> Blame:
    span = param.span if param is not None else function.span
    what = f"parameter `{param.name}`" if param is not None else "the arguments"
    promise, through = Promise(span, "the declaration"), f"{what} of `{function.name}`"
    says, blamed = "the declared type", "the caller from outside"
    label = Label("run.entry", Site.ENTRY, span, says, through, (promise,), blamed, (span,), "", TRUE)
    return blame_of(label, None, "E0602", message, message, {})
