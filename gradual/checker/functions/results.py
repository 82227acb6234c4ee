"""The result of an application: its unknown sizes named, its elements kept where they are known."""

from __future__ import annotations

from typing import TypeGuard

from gradual.checker.program.rule_cache import Answer
from gradual.checker.state.context import TypingContext
from gradual.core.check import Promise
from gradual.dims.rewrite.readable import is_large
from gradual.dims.term.atom import Ite, Max, Min, bottom_up
from gradual.dims.term.dim import Dim
from gradual.limits import Limits
from gradual.ops.declaration.operator import Contents, Operator
from gradual.types.type import Content, OpenedType, TensorType, TupleType
from gradual.types.unpacking import size_of, sizes, tracked_length


def settled_result(state: TypingContext, type: OpenedType, path: str, promise: Promise) -> OpenedType:
    """The type with each size simplified and known not to be negative.

    Path facts are left out: what a size is must not depend on them, or they would take part in refutations.
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


def _settled_size(state: TypingContext, dim: Dim, path: str, axis: int, promise: Promise) -> Dim:
    """The size as a formula if it is small enough to be kept as one, else a new unknown."""
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


def settled_contents(state: TypingContext, type: OpenedType) -> OpenedType:
    """The type with each element simplified that makes a choice, since what is known may have made it.

    [type.contents]
    """
    if not isinstance(type, TensorType) or type.contents is None:
        return type
    contents = tuple(state.rewritten(part) if _chooses(part) else part for part in type.contents)
    return type if contents == type.contents else TensorType(type.shape, type.dtype, contents)


def _chooses(part: Content) -> TypeGuard[Dim]:
    return isinstance(part, Dim) and any(isinstance(node, Ite | Max | Min) for node in bottom_up(part))


def name_unknown_sizes(state: TypingContext, type: OpenedType, promise: Promise) -> None:
    """The sizes that an operand of unknown rank turns out to have, by whom they were left open."""
    for size in sizes(type):
        for variable in size.variables():
            if variable.is_existential:
                state.unknowns.existentials.setdefault(variable, promise)


def with_elements(operator: Operator, answer: Answer, result: OpenedType, limits: Limits) -> OpenedType:
    """The result's type with its elements, where they are tracked."""
    if answer.whole is None or answer.whole[0] is not result:
        contents = _contents(operator, answer, result, limits)
        whole = result
        if contents is not None:
            assert isinstance(result, TensorType)
            whole = TensorType(result.shape, result.dtype, contents)
        answer.whole = result, whole
    return answer.whole[1]


def _contents(operator: Operator, answer: Answer, result: OpenedType, limits: Limits) -> Contents:
    types = answer.asked.types
    if types is None:
        return answer.asked.contents
    if operator.contents is None or tracked_length(result, limits.contents) is None:
        return None
    contents = operator.contents(*types, **answer.attributes)
    answer.forgets = contents is not None and any(is_large(c, limits.nodes) for c in contents)
    return None if answer.forgets else contents
