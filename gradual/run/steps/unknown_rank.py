"""Apply an operator's rule at run time, if the checker did not know the ranks of its operands.  [op.dynamic]"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradual.core.terms import Apply
from gradual.dims.term.constraint import TRUE
from gradual.ops.declaration.operator import IllFormed, Judgement
from gradual.ops.declaration.unknown_rank import Asking
from gradual.run.value import Blame, Held, blame_of
from gradual.tensors.tensor import Tensor


def accepted(
    step: Apply, values: Sequence[Held], types: Sequence[Any], attributes: Mapping[str, Any]
) -> tuple[Judgement, dict[str, Any]]:
    """The judgement on these operands, and the attributes as it changes them.  Raises Blame if the rule refuses."""
    try:
        judgement = Asking(step.operator, step.operands, attributes).judged(tuple(types))
    except IllFormed as wrong:
        raise refused(step, values, wrong.message) from None
    unmet = next((need for need in judgement.needs if need.goal is not TRUE), None)
    if unmet is not None:
        raise refused(step, values, unmet.says)
    return judgement, {**attributes, **(judgement.attributes or {})}


def refused(step: Apply, values: Sequence[Held], why: str) -> Blame:
    """The blame of an application that the rule refuses, with the reason and the actual shapes."""
    check = step.accepts
    assert check is not None
    came = ", ".join(f"{name}: {_shapes(value)}" for name, value in zip(step.operands, values, strict=True))
    sizes = {
        f"dim({name}, {axis})": size
        for name, value in zip(step.operands, values, strict=True)
        if isinstance(value, Tensor)
        for axis, size in enumerate(value.shape)
    }
    message = f"residual check {check.id} failed: `{step.operator.name}`: {why}"
    return blame_of(check.blame, check, "E0601", message, came, sizes)


def _shapes(value: Held) -> str:
    """The shape of a tensor, or the shapes of a tuple's parts, as text."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_shapes, value))})"
    assert isinstance(value, Tensor), value
    return str(value.shape)
