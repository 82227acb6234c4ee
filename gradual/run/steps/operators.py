"""Operators at run time: shape function, needs and meaning; assert that all agree with the predicted type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradual.core.terms import Apply
from gradual.dims.term.constraint import FALSE, TRUE
from gradual.dims.term.dim import Dim, constant
from gradual.limits import LIMITS
from gradual.ops.declaration.operator import Operator
from gradual.run.sizes import Sizes, concrete, held, plain
from gradual.run.steps.unknown_rank import accepted, refused
from gradual.run.value import Frame, Held, fault
from gradual.tensors.fault import TensorFault
from gradual.tensors.tensor import Tensor
from gradual.types.dtype import DType
from gradual.types.type import Hole, TensorType, TupleType, UnrankedType
from gradual.types.unpacking import tracked_length

Shape = tuple[int, ...]


def applied(step: Apply, frame: Frame, fast: bool = False) -> Held:
    """Run an operator: compute the shape, assert the needs, compute the value, assert its shape.  [run.operator]"""
    sizes = Sizes(frame)
    values = [held(frame, operand) for operand in step.operands]
    attributes = {name: concrete(value, sizes) for name, value in step.attributes.items()}
    types = [constant_type(value) for value in values]
    if step.accepts is not None:
        judgement, attributes = accepted(step, values, types, attributes)
    else:
        judgement = step.operator.judge(*types, **attributes)
    unmet = [need for need in judgement.needs if need.goal is not TRUE]
    assert not unmet, (step.operator.name, [str(need.goal) for need in unmet])
    affordable(judgement.result, step)
    result = computed(step, values, {name: plain(value) for name, value in attributes.items()}, fast)
    _agrees(result, judgement.result, step)
    frame.values[step.name] = result
    _predicted(result, sizes, step, values)
    exact(result, types, attributes, step)
    return result


def computed(step: Apply, values: Sequence[Held], attributes: Mapping[str, Any], fast: bool = False) -> Held:
    """Apply the operator's meaning to its operands, with NumPy if `fast`.  Raises Fault.  [run.fault]"""
    try:
        result = _meant(step.operator, values, attributes, fast)
    except TensorFault as wrong:
        raise fault(wrong.code, "run.fault", f"`{step.operator.name}`: {wrong.message}", step.span) from None
    except MemoryError:
        raise fault("E0607", "run.operator", f"`{step.operator.name}` ran out of memory", step.span) from None
    return result


def _meant(operator: Operator, values: Sequence[Held], attributes: Mapping[str, Any], fast: bool) -> Held:
    found: Held | None = operator.fast(*values, **attributes) if fast and operator.fast is not None else None
    return operator.meaning(*values, **attributes) if found is None else found


def constant_type(value: Held) -> Any:
    """The type of a value: its dims are constants, as are its elements if they are tracked."""
    if isinstance(value, tuple):
        return TupleType(tuple(map(constant_type, value)))
    assert isinstance(value, Tensor), value
    type: TensorType[Dim] = TensorType(tuple(map(constant, value.shape)), value.dtype)
    if tracked_length(type, LIMITS.contents, read=True) is None:
        return type
    if value.dtype is DType.BOOL:
        return TensorType(type.shape, type.dtype, tuple(TRUE if element else FALSE for element in value.elements))
    return TensorType(type.shape, type.dtype, tuple(constant(int(element)) for element in value.elements))


def affordable(result: Any, step: Apply) -> None:
    """Raise Fault if a result exceeds the limits on sizes or elements.  [run.operator]"""
    if isinstance(result, TupleType):
        for field in result.fields:
            affordable(field, step)
        return
    count = 1
    for extent in result.shape:
        bound = extent.high if isinstance(extent, Hole) else extent
        size = (bound.value or 0) if bound is not None else 1
        if size > LIMITS.size:
            raise fault(
                "E0607", "run.operator", f"`{step.operator.name}` would make a tensor of size {size}", step.span
            )
        count *= size
    if count > LIMITS.elements:
        message = f"`{step.operator.name}` would make a tensor of {count} elements"
        raise fault("E0607", "run.operator", message, step.span)


def _agrees(value: Held, judged: Any, step: Apply) -> None:
    """Assert that the actual shape is the judged one, and that sizes that depend on data are within their bounds."""
    if isinstance(value, tuple):
        for part, field in zip(value, judged.fields, strict=True):
            _agrees(part, field, step)
        return
    assert isinstance(value, Tensor) and len(value.shape) == len(judged.shape), (step.operator.name, judged)
    for size, extent in zip(value.shape, judged.shape, strict=True):
        if isinstance(extent, Hole):
            low, high = extent.low and extent.low.value, extent.high and extent.high.value
            agrees = (low is None or low <= size) and (high is None or size <= high)
        else:
            agrees = extent.value == size
        assert agrees, (step.operator.name, value.shape, judged)


def _predicted(result: Held, sizes: Sizes, step: Apply, operands: Sequence[Held]) -> None:
    """Assert that the shapes are those that the checker predicted.

    If the operator's rule is evaluated at run time, a size of 0 in a reshape's target is the code that copies a
    dimension.  Raises Blame if the copied size is not the predicted 0; any other difference is a bug.   [op.dynamic]
    [op.reshape.code]
    """
    for expected, shape in _shapes(result, step.type, sizes, step.name):
        if expected != shape:
            copied = any(size == 0 != came for size, came in zip(expected, shape, strict=False))
            assert step.accepts is not None and copied, (step.operator.name, step.name, expected, shape)
            why = f"a size of 0 copies a dimension here, which makes the shape {shape}, not {expected}"
            raise refused(step, operands, why)


def _shapes(value: Held, type: Any, sizes: Sizes, path: str) -> Iterator[tuple[Shape, Shape]]:
    """The predicted and the actual shape of every tensor; for unknown rank, the origin's shape is the predicted one."""
    if isinstance(value, tuple):
        for index, (part, field) in enumerate(zip(value, type.fields, strict=True)):
            yield from _shapes(part, field, sizes, f"{path}#{index}")
        return
    assert isinstance(value, Tensor), path
    if isinstance(type, UnrankedType):
        yield value.shape if type.origin == path else sizes.shape(type.origin), value.shape
    else:
        yield tuple(dim.evaluate(sizes) for dim in type.shape), value.shape


def exact(value: Held, types: Sequence[Any], attributes: Mapping[str, Any], step: Apply) -> None:
    """Raise Fault if shape arithmetic wrapped: the elements must equal the exact integers.  [run.overflow]"""
    rule = step.operator.contents
    if rule is None or not isinstance(step.type, TensorType) or step.type.contents is None:
        return
    assert isinstance(value, Tensor), step.name
    if not value.dtype.counts:
        return
    expected = rule(*types, **attributes)
    if expected is None or any(
        content.value != element for content, element in zip(expected, value.elements, strict=True)
    ):
        message = f"`{step.operator.name}`: the result does not fit {value.dtype} in shape arithmetic"
        raise fault("E0605", "run.overflow", message, step.span)
