"""The result type of an application: sizes are simplified, unknown ones named, and tracked elements added."""

from __future__ import annotations

from typing import TypeGuard, cast

from gradual.checker.program.rule_cache import Answer
from gradual.checker.state.context import Elaboration
from gradual.core.check import Promise
from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.atom import Ite, Max, Min, bottom_up
from gradual.dims.term.dim import Dim
from gradual.limits import Limits
from gradual.ops.declaration.operator import Contents, Operator
from gradual.types.instantiation import is_gradual
from gradual.types.type import Content, OpenedType, TensorType, TupleType
from gradual.types.unpacking import size_of, sizes, tracked_length


def settled_result(state: Elaboration, type: OpenedType, path: str, promise: Promise) -> OpenedType:
    """Simplify each size of a type and record that it is not negative.

    Only lasting facts are used: if a size depended on a path condition, the condition would take part in refutations.
    """
    match type:
        case TensorType(shape, dtype, contents):
            if all(dim.value is not None for dim in shape):
                return type
            sizes = tuple(_settled_size(state, dim, path, axis, promise) for axis, dim in enumerate(shape))
            return type if sizes == shape else TensorType(sizes, dtype, contents)
        case TupleType(fields):
            return TupleType(tuple(settled_result(state, f, f"{path}#{i}", promise) for i, f in enumerate(fields)))
        case _:
            return type


def _settled_size(state: Elaboration, dim: Dim, path: str, axis: int, promise: Promise) -> Dim:
    """The simplified size, or a fresh unknown if the formula is too large."""
    if dim.value is not None or (dim in state.unknowns.sized and not _chooses(dim)):
        return dim
    simple = state.rewritten(dim)
    if is_large(simple, state.program.limits.nodes):
        simple = size_of(path, axis)
        state.unknowns.existentials.update((variable, promise) for variable in simple.variables())
        state.strictness.forget(simple.variables())
    state.is_size(simple)
    state.strictness.owes(simple)
    return simple


def settled_contents(state: Elaboration, type: OpenedType) -> tuple[OpenedType, bool]:
    """Simplify each element that contains an if-then-else, `min` or `max`, which known facts may decide.

    The elements are dropped if one remains that is too large to keep; the second result says so.   [type.contents]
    """
    if not isinstance(type, TensorType) or type.contents is None:
        return type, False
    contents = tuple(state.rewritten(part) if _chooses(part) else part for part in type.contents)
    if any(is_large(part, state.program.limits.nodes) for part in contents):
        return TensorType(type.shape, type.dtype), True
    return type if contents == type.contents else TensorType(type.shape, type.dtype, contents), False


def _chooses(part: Content) -> TypeGuard[Dim]:
    return isinstance(part, Dim) and any(isinstance(node, Ite | Max | Min) for node in bottom_up(part))


def remember_result(answer: Answer, type: OpenedType) -> None:
    """Record a result type if it is the same at every place where its sizes are known to be not negative.

    The type depends on nothing else if the judgement has no `?`, and no size and no element contains an if-then-else,
    `min` or `max`, which the facts of a place may decide.
    """
    judged, parts = answer.asked.judgement.result, list(sizes(type))
    contents = type.contents if isinstance(type, TensorType) else None
    is_judged = not is_gradual(judged) and list(sizes(cast(OpenedType, judged))) == parts
    if is_judged and not any(map(_chooses, (*parts, *(contents or ())))):
        answer.settled, answer.sizes = type, tuple(dict.fromkeys(size for size in parts if size.value is None))


def settled(state: Elaboration, answer: Answer) -> OpenedType | None:
    """The recorded result type, if it holds here: then `settled_result` would not change it."""
    type = answer.settled
    if type is not None:
        for size in answer.sizes:
            if size not in state.unknowns.sized:
                return None
    return type


def name_unknown_sizes(state: Elaboration, type: OpenedType, promise: Promise) -> None:
    """Record the promise for each existential size in the result of an operator applied at unknown rank."""
    for size in sizes(type):
        for variable in size.variables():
            if variable.is_existential:
                state.unknowns.existentials.setdefault(variable, promise)


def with_elements(operator: Operator, answer: Answer, result: OpenedType, limits: Limits) -> OpenedType:
    """Add the elements to the result's type if they are tracked."""
    if answer.whole is None or answer.whole[0] is not result:
        contents = _contents(operator, answer, result, limits)
        whole = result
        if contents is not None:
            assert isinstance(result, TensorType)
            whole = TensorType(result.shape, result.dtype, contents)
        answer.whole = result, whole
    return answer.whole[1]


def _contents(operator: Operator, answer: Answer, result: OpenedType, limits: Limits) -> Contents:
    """The elements; None if unknown, or not as many as the result has, which happens where a requirement is refuted."""
    types = answer.asked.types
    if types is None:
        return answer.asked.contents
    length = tracked_length(result, limits.contents)
    if operator.contents is None or length is None:
        return None
    contents = operator.contents(*types, **answer.attributes)
    return contents if contents is not None and len(contents) == length else None
