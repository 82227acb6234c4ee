"""TensorFlow's lists of tensors: lists of the language, or, until an element is changed, a tensor with the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradual.dims.term.dim import constant
from gradual.importers.common import lists
from gradual.importers.common.builder import stated
from gradual.importers.common.refusals import Unsupported
from gradual.importers.common.values import Value
from gradual.importers.tensorflow.importers import Held, Stacked, Use, imports
from gradual.types.dtype import DType
from gradual.types.print import shown, shown_extent
from gradual.types.type import Hole, TensorType, UnrankedType

Shape = tuple[int | None, ...] | None
"""The shape of elements: None for a size, or a rank, that is not known."""


def as_value(use: Use, held: Held) -> Value:
    """A value that branches and loops can return; a `Stacked` list becomes a list of the language."""
    match held:
        case Value():
            return held
        case Stacked(tensor):
            return _apart(use, tensor)
    raise Unsupported("a branch or loop that hands on a text or the handle of a variable")


def _list(use: Use, index: int = 0) -> Value | Stacked:
    """An input that is a list."""
    held = use.held(index)
    if isinstance(held, Stacked) or (isinstance(held, Value) and lists.is_sequence(held)):
        return held
    raise Unsupported("a tensor where a list has to be")


def _as_list(use: Use) -> Value:
    """The first input as a list of the language."""
    return lists.as_list(use.builder, as_value(use, _list(use)))


def _shape(use: Use, index: int) -> Shape:
    """An input that is the shape of elements."""
    given = use[index]
    if given.rank == 0:
        return None
    sizes = [use.builder.element(given, at) for at in range(given.extent(0) or 0)]
    return tuple(size if isinstance(size, int) and size >= 0 else None for size in sizes)


def _element(shape: Shape, dtype: DType) -> Any:
    """The type of elements of a shape."""
    if shape is None:
        return UnrankedType(dtype)
    return TensorType(tuple(Hole() if size is None else constant(size) for size in shape), dtype)


def _place(use: Use, index: int) -> Value:
    return use.as_type(use[index], DType.INT64)


# ----------------------------------------------------------------------------------------------------------- making
@imports("TensorListReserve")
def reserve(use: Use) -> Value:
    """A list of a given length; until an element is set, it consists of zeros, and its unknown sizes are 0."""
    shape = _shape(use, 0)
    element = _element(shape, use.dtype("element_dtype"))
    zeros = use.call("zeros", shape=[size or 0 for size in shape or ()], dtype=element.dtype)
    type = lists.of(use.builder, element)
    first = lists.as_element(use.builder, zeros, type)
    return lists.applied(use.builder, "@sequence_filled", type, first, _place(use, 1))


@imports("EmptyTensorList")
def empty(use: Use) -> Value:
    """A list without elements."""
    type = lists.of(use.builder, _element(_shape(use, 0), use.dtype("element_dtype")))
    return lists.as_list(use.builder, use.builder.tuple([]), type)


@imports("TensorListFromTensor")
def from_tensor(use: Use) -> Held:
    """The slices along the first axis."""
    return Stacked(use[0])


def _apart(use: Use, x: Value) -> Value:
    """The slices of a tensor along its first axis, as a list."""
    type = lists.of(use.builder, TensorType(x.tensor.shape[1:], x.dtype))

    def body(name: str, given: Sequence[str]) -> str:
        one = f'Cons(take({given[0]}, %i, axis=0, mode="fast"), {name}(add(%i, 1i64)))'
        return f"if (less(%i, {given[1]})) {{ {one} }} else {{ Nil }}"

    operands = [x, use.extent(x, 0)]
    return lists.recursive(use.builder, "parts", "%i: int64", type, operands, body, lambda given: "0i64")


# ---------------------------------------------------------------------------------------------------------- changing
@imports("TensorListSetItem")
def set_item(use: Use) -> Value:
    """The list with another element at an index, or with one more if the list grows and the index is its length."""
    all = _as_list(use)
    new = lists.as_element(use.builder, use[2], all.type)
    name = "@sequence_put" if use.flag("resize_if_index_out_of_bounds") else "@sequence_set"
    return lists.applied(use.builder, name, all.type, all, new, _place(use, 1))


@imports("TensorListPushBack")
def push(use: Use) -> Value:
    """The list with one more element at its end."""
    all = _as_list(use)
    new = lists.as_element(use.builder, use[1], all.type)
    return lists.applied(use.builder, "@sequence_append", all.type, all, new)


@imports("TensorListPopBack", results=("output_handle", "tensor"))
def pop(use: Use) -> Sequence[Value]:
    """The list without its last element, and that element."""
    all = _as_list(use)
    last = lists.applied(use.builder, "@sequence_length", TensorType((), DType.INT64), all)
    last = use.builder.named(use.call("subtract", last, use.like(1, last)), "last")
    rest = lists.applied(use.builder, "@sequence_erase", all.type, all, last)
    return [rest, lists.applied(use.builder, "@sequence_at", lists.element_of(all), all, last)]


@imports("TensorListResize")
def resize(use: Use) -> Held:
    """The list with another length, which is refused."""
    raise Unsupported("a list whose length changes")


# ---------------------------------------------------------------------------------------------------------- reading
@imports("TensorListLength")
def length(use: Use) -> Value:
    """The number of elements."""
    given = _list(use)
    if isinstance(given, Stacked):
        found = use.extent(given.tensor, 0)
    else:
        all = lists.as_list(use.builder, given)
        found = lists.applied(use.builder, "@sequence_length", TensorType((), DType.INT64), all)
    return use.as_type(found, DType.INT32)


@imports("TensorListGetItem")
def get_item(use: Use) -> Value:
    """The element at an index."""
    given, shape = _list(use), _shape(use, 2)
    if isinstance(given, Stacked):
        found = use.call("take", given.tensor, use[1], axis=0, mode="fast")
    else:
        all = lists.as_list(use.builder, given)
        found = lists.applied(use.builder, "@sequence_at", lists.element_of(all), all, _place(use, 1))
    return use.of_shape(found, shape)


@imports("TensorListGather")
def gather(use: Use) -> Value:
    """The elements at several indices, stacked."""
    given = _list(use)
    stacked = given.tensor if isinstance(given, Stacked) else _joined(use, _shape(use, 2), True)
    return use.call("take", stacked, use[1], axis=0, mode="fast")


@imports("TensorListStack")
def stack(use: Use) -> Value:
    """The elements along a new first axis."""
    given, shape, count = _list(use), _shape(use, 1), use.number("num_elements", -1)
    found = given.tensor if isinstance(given, Stacked) else _joined(use, shape, True)
    found = use.of_shape(found, None if shape is None else (None, *shape))
    return found if count < 0 else use.exactly(found, 0, count)


@imports("TensorListConcatV2", "TensorListConcat", results=("tensor", "lengths"))
def concatenate(use: Use) -> Sequence[Value | None]:
    """The elements, concatenated along their first axis."""
    shape = _shape(use, 1) if len(use.inputs) > 1 else use.shape("element_shape")
    return [_joined(use, shape, False), None]


def _joined(use: Use, shape: Shape, is_new: bool) -> Value:
    """The elements, concatenated along their first axis, or stacked along a new one."""
    all = _as_list(use)
    element = _met(use, lists.element_of(all), shape)
    inner = element.shape if is_new else element.shape[1:]
    sizes = [shown_extent(size) for size in stated(TensorType(inner, element.dtype)).shape]
    is_known = "?" not in sizes
    one = f"(%one as {shown(element)})"
    one = f"expand_dims({one}, axis=0)" if is_new else one

    def body(name: str, given: Sequence[str]) -> str:
        several = f"concatenate(({one}, {name}(%rest)), axis=0)"
        if is_known:
            none = f'zeros(shape=[{", ".join(["0", *sizes])}], dtype="{element.dtype}")'
            return f"match (%s) {{ Nil => {none}, Cons(%one, %rest) => {several} }}"
        return f"match? (%s) {{ Cons(%one, %rest) => match (%rest) {{ Nil => {one}, Cons(_, _) => {several} }} }}"

    result = TensorType((Hole(), *inner), element.dtype)
    return lists.recursive(use.builder, "joined", f"%s: {shown(all.type)}", result, [all], body, lambda given: given[0])


def _met(use: Use, element: Any, shape: Shape) -> Any:
    """The type of elements; if their rank is unknown, it is made from a declared shape."""
    if isinstance(element, TensorType):
        return element
    if shape is None:
        raise Unsupported("elements whose rank is not known")
    return _element(shape, element.dtype)
